#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# clang-format decides the layout (./dev format applies it).
set -u
cd "${srcdir:-$(dirname "$0")/../..}" || exit 1
command -v clang-format >/dev/null || {
	echo "clang-format is not installed: ./dev deps"
	exit 1
}
find core tui views sim tests ./*.c -name '*.[ch]' -exec clang-format --dry-run -Werror {} + 2>&1 | grep -E 'error:' | head -n 20 | grep . && exit 1
exit 0
