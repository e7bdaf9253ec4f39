#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The engine dies at the k-th sync of its journal, its disk gets full there, or supervisor and script die in a stage, and
# the run is started again until it is done: it completes, the cloud has been asked for each thing once, the journal is
# whole. Each case is a rehearsal of its own with a simulator of its own, several side by side. CRASH=all does every k in
# every kind (./dev crash); without it a spread of them.
# crash.sh --one CASE… does one case and keeps its files when it fails.
set -u
srcdir=${srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
builddir=${builddir:-$srcdir/build}
preload=$builddir/tests/rig/crash_preload.so
last=119 # a rehearsal that nobody disturbs syncs at least so often, "at after 0" checks it,
more=6   # and so often more at most: these may not come
: "${CRASH_JOBS:=8}"

all_cases() {
	i=1
	while [ $i -le $((last + more)) ]; do
		echo "at after $i"
		echo "at lost $i"
		echo "at torn $i"
		echo "full $i"
		i=$((i + 1))
	done
	# A stage without a command takes five lines from the opening on: with fewer nobody gets anywhere.
	for n in 5 7 11; do
		echo "every after $n"
		echo "every lost $((n + 1))"
	done
	for s in toolkit bucket cluster convert train export cleanup; do
		for who in supervisor script both all; do
			echo "sup $who $s"
		done
	done
}

# One of each kind in the opening, and of the transitions one kind after the other.
some_cases() {
	echo "at after 0"
	echo "every after 5"
	for i in 38 48 57 66 80; do
		echo "at after $i"
	done
	for i in 49 65; do
		echo "at lost $i"
	done
	echo "at torn 20"
	echo "full 9"
	echo "full 67"
	for s in toolkit cluster train; do
		echo "sup all $s"
	done
	echo "sup script cluster"
}

if [ "${1:-}" != --one ]; then
	# shellcheck source=tests/e2e/cases.sh
	. "$srcdir/tests/e2e/cases.sh"
	if [ "${CRASH:-}" = all ]; then all_cases; else some_cases; fi | run_cases "$0"
	exit
fi

shift
name=$*
# shellcheck source=tests/e2e/lib.sh
. "$srcdir/tests/e2e/lib.sh"
test_name="crash $name"
sim_start --seed 1
run_dir=$XDG_STATE_HOME/rlpilot/runs/run-1
CRASH_COUNT=$dir/syncs
export CRASH_COUNT
lives=0

whole_journal() { # every line is an object, numbered without a gap
	python3 -c '
import json, sys
want = 0
data = open(sys.argv[1]).read()
assert not data or data.endswith("\n"), "the last line has no end"
for line in data.splitlines():
    want += 1
    assert json.loads(line)["seq"] == want, line
' "$run_dir/journal.jsonl" || fail "life $lives leaves a journal that is not whole"
}

# life: `run --all` until it is done, then the clean-up; its exit code in $code
part=all
life() {
	lives=$((lives + 1))
	if [ $part = all ]; then
		set -- --all
	else
		set -- --stage cleanup --confirm "$CLUSTER_NAME" --confirm-bucket "$GCS_BUCKET"
	fi
	code=0
	timeout -k 5 300 env LD_PRELOAD="$preload" "$rlpilot" --log-file "$dir/log.$lives" run "$@" >"$dir/life.$lives" 2>&1 </dev/null || code=$?
}

# The calls that make something, and what they made: once each.
once() {
	for what in "cluster/$CLUSTER_NAME" "bucket/$GCS_BUCKET" jobset/default/gemma4-hf-to-mt \
		jobset/default/gemma4-training jobset/default/gemma4-mt-to-hf; do
		equal 1 "$(made "$what")" "creations of $what"
	done
	[ "$1" = calls ] || return 0
	for call in '"gcluster","deploy"' '"gcluster","destroy"' '"storage","buckets","create"' \
		'"gcluster","job","submit",.*"--name=gemma4-hf-to-mt"' \
		'"gcluster","job","submit",.*"--name=gemma4-training"' \
		'"gcluster","job","submit",.*"--name=gemma4-mt-to-hf"'; do
		equal 1 "$(grep '"kind":"argv"' "$dir/ledger.jsonl" | grep -c "$call")" "calls of $call"
	done
}

finished() {
	whole_journal
	left_over "$dir/ledger.jsonl" | grep -Ev '^(pod|job|jobset|workload|node)/' >"$dir/left"
	equal '' "$(cat "$dir/left")" "what is left in the cloud"
	grep '"ev":"stage-failed"' "$run_dir/journal.jsonl" >"$dir/failed" && fail "a stage failed: $(head -n 1 "$dir/failed")"
	python3 -c '
import datetime, json, sys
t = [datetime.datetime.fromisoformat(json.loads(l)["t"].rstrip("Z")) for l in open(sys.argv[1])]
hours = (t[-1] - t[0]).total_seconds() / 3600
assert hours < 24, "%.1f hours of pretend time" % hours
' "$run_dir/journal.jsonl" || fail "the deadline is over"
	find "$run_dir" \( -name '*.tmp' -o -name '*.new' \) >"$dir/half"
	equal '' "$(cat "$dir/half")" "half-written files"
	[ "$failures" -ne 0 ] || echo "ok $name: $lives lives"
}

# The process that a file of the supervisor names.
pid_in() {
	cut -d ' ' -f 1 "$1"
}

# kill_in_stage WHO STAGE: as soon as the script of its first attempt runs
kill_in_stage() {
	there=$run_dir/stages/$2/1
	"$waitfor" -t 60 line "$there/pid" '^[0-9]+' || return
	"$waitfor" -t 10 filled "$there/started" || return
	supervisor=$(pid_in "$there/claim/pid")
	script=$(pid_in "$there/pid")
	echo "$supervisor $script" >"$dir/killed"
	case $1 in
	supervisor) kill -9 "$supervisor" ;;
	script) kill -9 "$script" ;;
	both) kill -9 "$supervisor" "$script" ;;
	# The whole session: the stage's tools as well, and whatever they have started.
	all) ps -o pid= -s "$supervisor" | xargs -r kill -9 ;;
	esac
}

case $1 in
at)
	CRASH_KIND=$2 CRASH_AT=$3
	export CRASH_KIND CRASH_AT
	killed=0
	while :; do
		life
		case $code in
		0) if [ $part = all ]; then part=cleanup; else break; fi ;;
		137) killed=$((killed + 1)) ;;
		*) die "life $lives ends with $code: $(tail -n 2 "$dir/life.$lives")" ;;
		esac
	done
	if [ "$3" -eq 0 ]; then
		# Alerts are as many as the machine is slow; without them it is nearly always the same number.
		syncs=$(($(wc -c <"$CRASH_COUNT") - $(grep -c '"ev":"alert"' "$run_dir/journal.jsonl")))
		if [ "$syncs" -lt "$last" ] || [ "$syncs" -gt $((last + more)) ]; then
			fail "$syncs syncs of the whole rehearsal without its alerts (set 'last' anew)"
		fi
	else
		[ "$3" -gt $last ] && [ $killed -eq 0 ] || equal 1 "$killed" "deaths"
	fi
	once calls
	;;
every)
	CRASH_KIND=$2 CRASH_EVERY=$3
	export CRASH_KIND CRASH_EVERY
	while :; do
		life
		[ $lives -lt 150 ] || die "no end after $lives lives"
		case $code in
		0) if [ $part = all ]; then part=cleanup; else break; fi ;;
		137) ;;
		*) die "life $lives ends with $code: $(tail -n 2 "$dir/life.$lives")" ;;
		esac
	done
	once calls
	;;
full)
	CRASH_FULL=$2
	export CRASH_FULL
	while :; do
		life
		case $code in
		0) if [ $part = all ]; then part=cleanup; else break; fi ;;
		73)
			grep -q '^rlpilot: .*(.*space' "$dir/life.$lives" || fail "a full disk without its cure: $(tail -n 2 "$dir/life.$lives")"
			whole_journal
			unset CRASH_FULL
			;;
		*) die "life $lives ends with $code: $(tail -n 2 "$dir/life.$lives")" ;;
		esac
	done
	[ -z "${CRASH_FULL:-}" ] || [ "$2" -gt $last ] || fail "the disk never got full"
	once calls
	;;
sup)
	kill_in_stage "$2" "$3" &
	killer=$!
	while :; do
		life
		case $code in
		0) if [ $part = all ]; then part=cleanup; else break; fi ;;
		*) die "life $lives ends with $code: $(tail -n 2 "$dir/life.$lives")" ;;
		esac
	done
	wait $killer
	[ -s "$dir/killed" ] || fail "nobody was killed"
	once made
	;;
*) die "no such case: $name" ;;
esac
finished
