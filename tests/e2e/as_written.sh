#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The plan's script does exactly what the tutorial's commands do. Needs the checker and the tutorial's text
# ($RLPILOT_SHARED, or ../shared beside the source); without them it is left out.
set -eu
: "${srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${builddir:=$srcdir/build}"
shared=${RLPILOT_SHARED:-$srcdir/../shared}
if ! [ -x "$shared/check/as-written" ]; then
	echo "no $shared/check/as-written"
	exit 77
fi
exec "$shared/check/as-written" "$builddir/rlpilot" "$srcdir/assets/recipes/gemma4-26b-v6e.yaml"
