#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every page of a running rehearsal with keys faster than frames, pastes, both languages and sizes from 1x1 on; it
# ends with 0 and gives the terminal back. Without a usable terminal it says so.
# shellcheck disable=SC2154
srcdir=${srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/term/lib.sh
. "$srcdir/tests/term/lib.sh"

cat > "$dir/script" <<'STEPS'
wait ▸ e
resize 120x40
keys e
frame
resize 60x16
keys <Down><Down><Enter>x<Esc>
keys c<Down>rRy
keys o<Down><Enter>r
keys L
frame
keys L
keys ?<PgDn><PgDn><Esc>
keys :mon<Enter>
keys 1<Down>2345<Esc>6<Esc>
resize 40x5
frame
resize 1x1
frame
resize 80x24
keys <C-z><C-l>
keys s<Down><Down>v<Tab><Up><Tab>F
keys <Esc><Esc><Enter>
wait ✓ tools
paste q?x
keys S
wait Because
paste some reason
keys <Esc>
keys q
exit 0
STEPS
walk "$dir/state" "$dir/script" || fail "a page stopped the walk"
stop_rehearsal "$dir/state"
exit 0
