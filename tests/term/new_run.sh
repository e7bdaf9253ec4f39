#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A new run by a key: the values that were typed are taken over, the old run stays as it was and is opened by its name.
# shellcheck disable=SC2154
srcdir=${srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/term/lib.sh
. "$srcdir/tests/term/lib.sh"

screen() { # screen SCRIPT [ARG …]
	steps=$1
	shift
	env -i PATH="$PATH" HOME="$dir/home" XDG_STATE_HOME="$dir/state" LC_ALL=C.UTF-8 TERM=xterm-256color \
		RLPILOT_LOOPBACK_ONLY=1 "$builddir/tests/rig/rig" --size 80x24 --deadline 60000 "$steps" -- "$rlpilot" "$@"
}

mkdir -p "$dir/home"
cat > "$dir/first" <<'STEPS'
wait Run run-1
keys e
wait PROJECT
keys <Enter>my-lab-1<Enter>
wait typed
keys H
wait Run run-1
keys C
wait Run run-2
wait rlpilot --run run-1
keys e
wait my-lab-1
wait 8 of 14 set
keys q
exit 0
STEPS
screen "$dir/first" || fail "making a new run stopped"
runs=$dir/state/rlpilot/runs
[ "$(readlink "$runs/current")" = run-2 ] || fail "current names $(readlink "$runs/current")"
grep -q 'my-lab-1' "$runs/run-2/run.yaml" || fail "the typed value was not taken over"

printf '%s\n' 'wait Run run-1' 'keys q' 'exit 0' > "$dir/back"
screen "$dir/back" --run run-1 || fail "the run before cannot be opened"
printf '%s\n' 'wait Run run-1' 'keys C' 'wait read-only' 'keys q' 'exit 0' > "$dir/only"
screen "$dir/only" --run run-1 --read-only || fail "a read-only screen makes a run"
[ ! -e "$runs/run-3" ] || fail "a read-only screen has made a run"
stop_engine "$runs/run-1"
stop_engine "$runs/run-2"
exit 0
