#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A pod that fails is gone soon, with its node, its Job or its JobSet: its log has been kept, and the failed stage names
# the file and its last lines. By the container that failed first, a worker of several too.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
logs=
speed=400 # a busy machine must have read it before it goes

fails() { # fails TO PLAN…: a new cloud with this plan, a run that fails in that stage
	to=$1
	shift
	printf '%s\n' "$@" >"$dir/plan"
	rm -f "$dir/env" "$dir/ledger.jsonl"
	sim_start --seed 1 --faults "$dir/plan" --speed "$speed"
	run "$rlpilot" --run words run --from tools --to "$to"
	want_rc 1 "$to with $1"
	want out "^\[[6-8]/9\] $to +failed " "$to with $1"
	logs=$XDG_STATE_HOME/rlpilot/runs/words/logs
	run_log=$XDG_STATE_HOME/rlpilot/runs/words/journal.jsonl
}

ends() {
	kill "$sim_pid"
	wait "$sim_pid" 2>/dev/null
	sim_pid=
}

# says POD CONTAINER ERE WHAT: the end names the file, the file is there and holds the line, and the line is among the last
says() {
	file=$(sed -n 's/^  its log is kept in //p' "$dir/out")
	case $file in
	"$logs/$1"*"/$2.log") ;;
	*) fail "$4: the file named is '$file', $logs/$1…/$2.log expected" ;;
	esac
	[ -s "$file" ] || fail "$4: no log in $file"
	grep -Eq -- "$3" "$file" || fail "$4: not in the log: $3"
	sed -n '/^  its log is kept in /,$p' "$dir/out" | grep -Eq -- "^    .*($3)" || fail "$4: not among the last lines: $3"
	grep -q '"ev":"stage-failed".*its log is kept in ' "$run_log" || fail "$4: the journal does not say it"
	last=$(sed -n 's/^    //p' "$dir/out" | tail -n 1)
	grep '^\[' "$dir/out" | tail -n 1 | grep -Fq -- ": $last" && fail "$4: the cause tells the log's last line a second time"
	grep -q 'hf_RehearsalTokenOnly' "$file" && fail "$4: the token is in the log"
}

fails train 'train+12m load:*-pathways-head-*/workload-container hbm-full 1'
says gemma4-training-pathways-head-0-0- workload-container 'RESOURCE_EXHAUSTED|Total hbm usage' "a traceback of the head"
[ "$(find "$logs" -name pathways-worker.log | wc -l)" -eq 8 ] || fail "the workers' logs are not kept"
[ "$(find "$logs" -name 'pathways-proxy.log' -o -name 'pathways-rm.log' | wc -l)" -eq 2 ] || fail "the sidecars' logs are not kept"
ends

fails train 'train+40m load:*-worker-0-3-* oom 1' 'train+42m load:*-pathways-head-*/workload-container pathways-lost 1'
says gemma4-training-worker-0-3- pathways-worker '.' "a worker out of memory"
want out '^  first in trouble was gemma4-training-worker-0-3-[a-z0-9]*: OOMKilled$' "a worker out of memory"
ends

fails train 'train+40m load:*-worker-0-5-* worker-preempted 1' 'train+42m load:*-pathways-head-*/workload-container pathways-lost 1'
says gemma4-training-worker-0-5- pathways-worker '.' "a preempted worker"
want out '^  first in trouble was gemma4-training-worker-0-5-[a-z0-9]*: .*imminent node shutdown' "a preempted worker"
ends

speed=250
fails convert 'convert+10m load:*-main-job-0-0-* pod-evicted 1'
speed=max
says gemma4-hf-to-mt-main-job-0-0- workload-container '.' "an evicted pod"
want out 'failed .*gemma4-hf-to-mt-main-job-0-0-[a-z0-9]*: .*low on resource: ephemeral-storage' "an evicted pod"
ends

# A pod without a container has no log; what the kubelet says is all there is.
fails convert 'convert pull:* image-pull-failure=denied *'
want out 'failed .*cannot fetch its image' "an image that is denied"
want_not out 'its log|first in trouble' "an image that is denied"
ends
