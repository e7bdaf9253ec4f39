#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The engine dies around a stop: at each sync of the journal from the wish to the end, at each rename of the record and at
# each signal that goes to terraform, before it and after it. The next engine delivers the stop: a deploy has got one
# SIGINT and never a second one and nothing stands still; a job has lost its JobSet; nothing was made twice.
# cancel_crash.sh --one STAGE NAME KIND VARIABLE VALUE does one case and keeps its files when it fails.
set -u
srcdir=${srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
builddir=${builddir:-$srcdir/build}
: "${CRASH_JOBS:=8}"

all_cases() {
	for kind in after lost; do
		echo "cluster wish $kind LINE '\"text\":\"cancel\"'"
		echo "cluster asked $kind LINE '\"state\":\"asked\"'"
		echo "cluster sent $kind LINE '\"state\":\"sent\"'"
		echo "cluster record $kind RENAME /interrupt"
		echo "cluster stop $kind SIGNAL 19"
		echo "cluster interrupt $kind SIGNAL 2"
		echo "cluster recorded $kind RENAME /interrupted"
		echo "cluster go-on $kind SIGNAL 18"
		echo "cluster exit $kind LINE '\"ev\":\"stage-exit\",\"stage\":\"cluster\"'"
		echo "cluster end $kind LINE '\"stage\":\"cluster\",\"attempt\":1,\"cause\":\"stopped'"
		echo "convert wish $kind LINE '\"text\":\"cancel\"'"
		echo "convert sent $kind LINE '\"state\":\"sent\"'"
		echo "convert end $kind LINE '\"stage\":\"convert\",\"attempt\":1,\"cause\":\"stopped'"
	done
}

if [ "${1:-}" != --one ]; then
	# shellcheck source=tests/e2e/cases.sh
	. "$srcdir/tests/e2e/cases.sh"
	all_cases | run_cases "$0"
	exit
fi

stage=$2 name="$2 $3 $4" kind=$4
# shellcheck source=tests/e2e/lib.sh
. "$srcdir/tests/e2e/lib.sh"
test_name="cancel $name"
sim_start --seed 1 --speed 60
run=$XDG_STATE_HOME/rlpilot/runs/run-1
attempt=$run/stages/$stage/1

life() { # life N ARG…: an engine of the stage
	n=$1
	shift
	"$@" "$rlpilot" run --from tools --to "$stage" >"$dir/life.$n" 2>&1 </dev/null &
	engine=$!
}

ended() { # ended CODE WHAT
	rc=0
	wait "$engine" || rc=$?
	equal "$1" "$rc" "$2: $(tail -n 2 "$dir/life.$n")"
}

case $5 in
LINE) at=CRASH_AT_LINE ;;
*) at=CRASH_$5 ;;
esac
life 1 env LD_PRELOAD="$builddir/tests/rig/crash_preload.so" CRASH_ONCE="$dir/once" CRASH_KIND="$kind" "$at=$6"
if [ "$stage" = cluster ]; then
	"$waitfor" -t 120 -p "$engine" line "$dir/life.1" '^  resources [1-9][0-9]*/44$' || die "no deploy: $(tail -n 3 "$dir/life.1")"
else
	"$waitfor" -t 240 -p "$engine" line "$dir/life.1" '^  tensors .*$' || die "no conversion: $(tail -n 3 "$dir/life.1")"
fi
mkdir -p "$run/inbox"
printf '{"v":1,"intent":"cancel","stage":"%s","attempt":1,"text":"%s"}\n' "$stage" "$CLUSTER_NAME" >"$run/post.new"
mv "$run/post.new" "$run/inbox/1-test.json"
ended 137 "the engine that dies"
[ -e "$dir/once" ] || fail "nobody died there"
if [ "$5" = SIGNAL ]; then # nobody is left asleep until the next engine
	terraform=$(cat "$attempt/interrupt" "$attempt/interrupted" 2>/dev/null | cut -d ' ' -f 1)
	"$waitfor" -t 10 line "/proc/$terraform/status" 'State:.*[RSD] .*' || fail "terraform is left standing"
fi
# Once the end is in the journal a further run would begin it anew.
if [ "$3 $kind" != "end after" ]; then
	life 2 env
	ended 5 "the next engine"
fi

grep -q "\"ev\":\"cancel\",\"stage\":\"$stage\",\"attempt\":1,\"cause\":\"stopped" "$run/journal.jsonl" || fail "it is not cancelled"
[ -z "$(ls "$run/inbox")" ] || fail "the wish is still in the inbox"
if [ "$stage" = cluster ]; then
	equal 1 "$(grep -c 'Interrupt received' "$attempt/log")" "SIGINTs to terraform"
	grep -q 'Two interrupts' "$attempt/log" && fail "terraform got a second SIGINT"
	equal 1 "$(grep '"kind":"argv"' "$dir/ledger.jsonl" | grep -c '"gcluster","deploy"')" "deploys"
	[ -s "$attempt/exit" ] || fail "the deploy has not ended"
	"$waitfor" -t 20 dead "$(cut -d ' ' -f 1 "$attempt/claim/pid")" || fail "the supervisor does not end"
	ps -o stat=,args= -s "$(cut -d ' ' -f 1 "$attempt/claim/pid")" | grep -v '^Z' >"$dir/left"
	equal '' "$(cat "$dir/left")" "processes of the deploy"
else
	equal 1 "$(made jobset/default/gemma4-hf-to-mt)" "JobSets"
	kubectl get jobset gemma4-hf-to-mt >/dev/null 2>&1 && fail "the JobSet is still there"
fi
[ "$failures" -ne 0 ] || echo "ok $name"
