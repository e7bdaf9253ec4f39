# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# Sourced by the tests that walk the screen: what end-to-end tests have, and the end of a rehearsal.
# shellcheck source=tests/e2e/lib.sh
. "$srcdir/tests/e2e/lib.sh"

stop_rehearsal() { # stop_rehearsal STATE: the engine and the cloud would wait for more
	run=$1/rlpilot/demo/runs/demo-1
	pid=$(sed -n 's/.*"pid":\([0-9]*\).*/\1/p' "$run/engine")
	echo '{"v":1,"intent":"stop"}' > "$run/stop.new"
	mv "$run/stop.new" "$run/inbox/999999999999999-stop.json"
	"$waitfor" -t 10 dead "$pid" || fail "the engine does not stop"
	sim=$(sed -n "s/^export RLPILOT_SIM='\(.*\)'/\1/p" "$1"/rlpilot/demo/worlds/*/env)
	curl -s -X POST -o /dev/null "$sim/sim/v1/stop"
}

# walk STATE SCRIPT [ARG …]: the rehearsal of that state folder on an 80x24 terminal, by a script of the rig.
walk() {
	folder=$1
	steps=$2
	shift 2
	XDG_STATE_HOME=$folder TERM=xterm-256color "$builddir/tests/rig/rig" --size 80x24 --deadline 60000 "$steps" -- \
		"$rlpilot" "$@" demo --speed max
}

# on_screen SCRIPT [PROGRAM…]: rlpilot, or that, in this shell's world
on_screen() {
	script=$1
	shift
	[ $# -gt 0 ] || set -- "$rlpilot"
	SHELL=/bin/sh ENV='' TERM=xterm-256color "$builddir/tests/rig/rig" --size 80x24 --deadline 60000 "$script" -- "$@"
}

# new_world OPTION…: instead of the one before
new_world() {
	[ -z "$sim_pid" ] || kill "$sim_pid"
	rm -rf "$dir/env" "$dir/env.world"
	unset XDG_STATE_HOME
	sim_start "$@"
	run=${XDG_STATE_HOME:-$HOME/.local/state}/rlpilot/runs/run-1
}

end_engine() {
	pid=$(sed -n 's/.*"pid":\([0-9]*\).*/\1/p' "$run/engine")
	mkdir -p "$run/inbox"
	echo '{"v":1,"intent":"stop"}' >"$run/stop.new"
	mv "$run/stop.new" "$run/inbox/999999999999999-stop.json"
	"$waitfor" -t 10 dead "$pid" || fail "the engine does not stop"
}

journal_says() { # ERE WHAT
	"$waitfor" -t 20 line "$run/journal.jsonl" ".*$1.*" || fail "$2: not in the journal: $1"
}
