#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every way in which a screen loses its terminal: SIGHUP, SIGTERM, SIGPIPE, a terminal that is closed, and one that ends
# without any signal. The screen leaves within a second, the engine goes on as the same process, nobody spins.
# shellcheck disable=SC2154
srcdir=${srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/term/lib.sh
. "$srcdir/tests/term/lib.sh"
state=$dir/state
run=$state/rlpilot/demo/runs/demo-1

cpu() { # cpu PID: ticks of processor time so far
	awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$1/stat"
}

show() { # show STEPS PROGRAM [ARG …]: on a terminal of its own
	steps=$1
	shift
	XDG_STATE_HOME=$state TERM=xterm-256color "$builddir/tests/rig/rig" --size 80x24 --deadline 30000 "$steps" -- "$@"
}

# A rehearsal at work, slow enough to last for all of it.
cat >"$dir/begin" <<'STEPS'
wait ▸ e
keys s
wait · tools
keys <Enter>
wait ✓ tools
keys q
exit 0
STEPS
show "$dir/begin" "$rlpilot" demo --speed 60 >"$dir/out" || die "the rehearsal does not begin: $(cat "$dir/out")"
pid=$(sed -n 's/.*"pid":\([0-9]*\).*/\1/p' "$run/engine")
kill -0 "$pid" || die "there is no engine"
begun=$(date +%s%N) first=$(cpu "$pid")

# leave NAME CODE STEP [PROGRAM…]: opens the run, does the step, must be gone in a second
leave() {
	name=$1 code=$2 step=$3
	shift 3
	[ $# -gt 0 ] || set -- "$rlpilot" --run demo-1
	printf 'wait ✓ tools\n%s\nleaves %s 1000\n' "$step" "$code" >"$dir/$name"
	show "$dir/$name" "$@" >"$dir/$name.out" 2>&1 || fail "$name: $(cat "$dir/$name.out")"
	sed "s/^left/$name: left/" "$dir/$name.out"
	kill -0 "$pid" 2>/dev/null || fail "$name: the engine has ended"
	equal "$pid" "$(sed -n 's/.*"pid":\([0-9]*\).*/\1/p' "$run/engine")" "$name: the engine"
	awk -v t="$(sed -n 's/.* \([0-9]*\) ms of processor.*/\1/p' "$dir/$name.out")" 'BEGIN { exit t <= 1000 ? 0 : 1 }' ||
		fail "$name: the screen span"
}

leave hang-up-signal 129 'signal HUP'
leave term-signal 143 'signal TERM'
leave pipe-signal 129 'signal PIPE'
# The end of the input and SIGHUP come in any order.
leave closed 0-129 'hangup'

# No signal at all: a session without a controlling terminal, whose descriptors only end.
leave end-of-input 0 'hangup' sh -c "trap '' HUP; setsid -w '$rlpilot' --run demo-1"

# The engine waits all the time: a quarter of a processor is far more than it needs.
tick=$(getconf CLK_TCK)
used=$((($(cpu "$pid") - first) * 1000 / tick)) took=$((($(date +%s%N) - begun) / 1000000))
echo "engine: $used ms of processor time in $took ms"
[ $((used * 4)) -le "$took" ] || fail "the engine spins"
stop_rehearsal "$state"
