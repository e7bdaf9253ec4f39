#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Each header compiles alone.
set -u
cd "${srcdir:-.}" || exit
cc=${CC:-cc}
flags="-std=gnu11 -D_GNU_SOURCE -I. -I${builddir:-build} -fsyntax-only -Wall -Wextra -Werror"
flags="$flags $(pkg-config --cflags ncursesw libcurl jansson yaml-0.1 libuv libmicrohttpd gnutls vterm 2>/dev/null)"
list=$(git ls-files '*.h' 2>/dev/null)
[ -n "$list" ] || list=$(find core tui views sim -name '*.h')
# shellcheck disable=SC2086
echo "$list" | xargs -P 2 -I{} sh -c "$cc $flags -x c {} || echo {} >&2 && exit 0" 2>&1 | grep . && exit 1
exit 0
