#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A rehearsal that is left half-way can be gone on with, also when its engine had nothing to do and ended before the
# screen was left: the pretend cloud stays.
# shellcheck disable=SC2154
srcdir=${srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/term/lib.sh
. "$srcdir/tests/term/lib.sh"

answers() { # answers STATE: the pretend cloud of that rehearsal
	sim=$(sed -n "s/^export RLPILOT_SIM='\(.*\)'/\1/p" "$1"/rlpilot/demo/worlds/*/env)
	curl -fs -o /dev/null "$sim/sim/v1/health"
}

half=$dir/half
run=$half/rlpilot/demo/runs/demo-1
cat >"$dir/stop" <<STOP
. "$srcdir/tests/e2e/lib.sh"
rmdir "\$dir"
trap - EXIT
stop_engine "$run"
exit "\$failures"
STOP
cat >"$dir/first" <<STEPS
wait ▸ e
keys s
wait · tools
keys <Enter>
wait ✓ tools
do srcdir="$srcdir" builddir="$builddir" sh "$dir/stop"
keys q
exit 0
STEPS
walk "$half" "$dir/first" || fail "the first half stopped"
answers "$half" || fail "the cloud of half a rehearsal is gone"
printf '%s\n' 'wait toolkit' 'keys s' 'wait · toolkit' 'keys <Enter>' 'wait ✓ toolkit' 'keys q' 'exit 0' >"$dir/second"
XDG_STATE_HOME=$half on_screen "$dir/second" || fail "half a rehearsal cannot be gone on with"
stop_rehearsal "$half"
exit 0
