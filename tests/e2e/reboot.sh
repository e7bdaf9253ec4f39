#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The machine starts anew in the middle of each kind of stage: deploy, submit and run of a job, export, clean-up. Engine,
# supervisor and whatever they had started are gone, the boot id in the supervisor's files is that of before, and ids of
# processes belong to strangers now. The next life goes on, the cloud decides, each thing is made once. Then the same in
# Cloud Shell, where the new machine is another one with the same home.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
sim_start --seed 1
run_dir=$XDG_STATE_HOME/rlpilot/runs/run-1
lives=0

life() { # life OPTION…: in the background
	lives=$((lives + 1))
	"$rlpilot" run "$@" >"$dir/life.$lives" 2>&1 </dev/null &
	engine=$!
}

says() { # says ERE: the living engine
	"$waitfor" -t 60 -p "$engine" line "$dir/life.$lives" "$1" ||
		die "life $lives never says $1: $(tail -n 3 "$dir/life.$lives")"
}

claims() { # claims STAGE: its first attempt has a supervisor
	"$waitfor" -t 60 -p "$engine" line "$run_dir/stages/$1/1/claim/pid" '^[0-9]+ .*' ||
		die "life $lives never begins $1: $(tail -n 3 "$dir/life.$lives")"
}

# reboot STAGE: all that works for the run dies at once; a stranger has got the ids of its processes
reboot() {
	at=$run_dir/stages/$1/1
	kill -9 "$engine"
	wait "$engine" 2>/dev/null
	ps -o pid= -s "$(cut -d ' ' -f 1 "$at/claim/pid")" | xargs -r kill -9 2>/dev/null
	tail -f /dev/null &
	stranger=$!
	for f in "$at/claim/pid" "$at/pid"; do
		[ ! -e "$f" ] || sed -i -E "s/^[0-9]+ ([0-9]+) [0-9a-f-]+/$stranger \\1 11111111-2222-3333-4444-555555555555/" "$f"
	done
	grep -q 11111111 "$at/claim/pid" || fail "the boot id is still there"
}

still_alive() { # nobody has been told to end who is a stranger
	kill -0 "$stranger" 2>/dev/null || fail "a stranger was killed after the reboot in $1"
	kill "$stranger" 2>/dev/null
	wait "$stranger" 2>/dev/null
}

all() { # all WHERE
	life --all
	says '^  resources [1-9].*'
	reboot cluster
	life --all
	claims convert
	still_alive cluster
	reboot convert
	life --all
	claims train
	still_alive convert
	reboot train
	life --all
	says '^  step ([5-9]|[1-5][0-9])/50.*'
	still_alive train
	reboot train
	life --all
	claims export
	still_alive "a running training"
	reboot export
	life --all
	wait "$engine" || die "$1: the last life ends with $?: $(tail -n 3 "$dir/life.$lives")"
	still_alive export
	life --stage cleanup --confirm "$CLUSTER_NAME" --confirm-bucket "$GCS_BUCKET"
	claims cleanup
	reboot cleanup
	life --stage cleanup --confirm "$CLUSTER_NAME" --confirm-bucket "$GCS_BUCKET"
	wait "$engine" || die "$1: the clean-up ends with $?: $(tail -n 3 "$dir/life.$lives")"
	still_alive cleanup
}

once() { # once WHERE: everything was made once and is gone
	for what in "cluster/$CLUSTER_NAME" "bucket/$GCS_BUCKET" jobset/default/gemma4-hf-to-mt \
		jobset/default/gemma4-training jobset/default/gemma4-mt-to-hf; do
		equal 1 "$(made "$what")" "$1: creations of $what"
	done
	left_over "$dir/ledger.jsonl" | grep -Ev '^(pod|job|jobset|workload|node)/' >"$dir/left"
	equal '' "$(cat "$dir/left")" "$1: what is left in the cloud"
}

all "a machine"
once "a machine"

# --- Cloud Shell

kill "$sim_pid"
rm -rf "$dir/env" "$dir/env.world" "$dir/ledger.jsonl"
unset XDG_STATE_HOME
sim_start --seed 2
run_dir=${XDG_STATE_HOME:-$HOME/.local/state}/rlpilot/runs/run-1
CLOUD_SHELL=true USER=ann
export CLOUD_SHELL USER
first=$((lives + 1))
all "Cloud Shell"
once "Cloud Shell"
grep -q '^rlpilot: Cloud Shell ends this machine after about 20 minutes without a key' "$dir/life.$first" ||
	fail "the end of the machine is not told before the deploy"
equal cloud-shell-ann "$(cut -d ' ' -f 2 "$run_dir/lock")" "the machine's name in the lock"
equal cloud-shell-ann "$(cut -d ' ' -f 4 "$run_dir/stages/convert/1/claim/pid")" "the machine's name in a claim"
