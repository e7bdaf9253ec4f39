# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# Sourced by the tests that walk the screen: what end-to-end tests have, and the end of a rehearsal.
# shellcheck source=tests/e2e/lib.sh
. "$srcdir/tests/e2e/lib.sh"

stop_rehearsal() { # stop_rehearsal STATE: the engine and the cloud would wait for more
	run=$1/rlpilot/demo/runs/demo-1
	stop_engine "$run"
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

# steps_to_login: from the first page to the question of a login on the terminal
steps_to_login() {
	printf '%s\n' 'wait ▸ e' 'keys s' 'wait · tools' 'keys <Enter>' 'wait ✓ tools' 'keys <Enter>' 'wait ✓ toolkit' \
		'keys <Enter>' 'wait A login is needed' 'keys <Enter>' 'wait ▸ Log in' 'keys <Enter>' 'wait verification code'
}

journal_says() { # ERE WHAT
	"$waitfor" -t 20 line "$run/journal.jsonl" ".*$1.*" || fail "$2: not in the journal: $1"
}
