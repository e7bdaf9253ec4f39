#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The cures of the page of the checks: a command is shown first and runs only when it is confirmed, on the terminal and
# with its output in sight; what only an administrator can run takes a typed word; what no command cures leads to the
# page where it is changed; a changed value asks again what depends on it, and nothing else.
# shellcheck disable=SC2154
srcdir=${srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/term/lib.sh
. "$srcdir/tests/term/lib.sh"

calls() { # calls WORD: how often a command with it was run
	grep -c "\"kind\":\"argv\".*$1" "$dir/ledger.jsonl"
}

world() { # world NAME STEPS: the steps on a screen in that world
	rm -f "$dir/ledger.jsonl" "$dir/env"
	sim_start --world "$1"
	TERM=xterm-256color "$builddir/tests/rig/rig" --size 80x24 --deadline 60000 "$2" -- "$rlpilot" ||
		fail "$1: the walk stopped"
	run=$XDG_STATE_HOME/rlpilot/runs/run-1
	stop_engine "$run"
	kill "$sim_pid"
	wait "$sim_pid"
	sim_pid=
}

# Logins: a program that talks to the person.
cat >"$dir/steps" <<'STEPS'
wait ▸ e
keys c
wait 2 blocking
keys f
wait Cure login.adc?
wait $ gcloud auth application-default login
keys <Esc>
gone Cure login.adc?
keys f<Enter>
gone rlpilot  checks
wait $ gcloud auth application-default login
keys 4/0code<Enter>
wait It has ended well. Press Enter
keys <Enter>
wait 1 blocking
wait login.gcloud
keys f
wait Cure login.gcloud?
keys <Enter>
gone rlpilot  checks
wait $ gcloud auth login
keys 4/0code<Enter>
wait You are now logged in
keys <Enter>
wait login.gcloud is ok now
gone blocking
keys q
exit 0
STEPS
world no-login "$dir/steps"
[ "$(calls '"application-default","login"')" = 1 ] ||
	fail "no-login: the login was run $(calls '"application-default"') times"

# An administrator's command: the word, and not another one.
cat >"$dir/steps" <<'STEPS'
wait ▸ e
keys c
wait 5 blocking
keys f
wait Only an administrator
keys <Enter>
wait not the same name
keys run<Enter>
wait Press Enter
keys <Enter>
wait api.compute.googleapis.com is ok now
gone blocking
keys q
exit 0
STEPS
world fresh "$dir/steps"

# No command: the page where it is changed. Then a value that is wrong: only its checks are asked again.
cat >"$dir/steps" <<'STEPS'
wait ▸ e
keys c
wait 1 blocking
keys f
wait Enter opens the page of the reservations
keys <Enter>
wait rlpilot  reservations
keys e
wait PROJECT
keys <Down><Down><Enter><C-u>us-east5-c<Enter>c
wait 2 blocking
keys q
exit 0
STEPS
world no-reservation "$dir/steps"
asked=$(calls '"config-helper"')
[ "$asked" = 1 ] || fail "no-reservation: gcloud was asked $asked times for a token, once is enough"
