#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a screen, and every verb that looks from outside, makes of an engine that was killed and of a run folder that is
# moved away: an alert on every page in both languages, a key that starts the engine again, nothing started by a screen
# that may only read, nothing written where the folder was. A run whose command is at work is not deleted; one whose
# engine is gone asks for its name.
# shellcheck disable=SC2154
srcdir=${srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/term/lib.sh
. "$srcdir/tests/term/lib.sh"
sim_start --seed 1 --speed 60
runs=$XDG_STATE_HOME/rlpilot/runs
folder=$runs/run-1

show() { # show NAME [OPTION …]: the run on a terminal, by the steps in $dir/NAME
	name=$1
	shift
	TERM=xterm-256color "$builddir/tests/rig/rig" --size 80x24 --deadline 30000 "$dir/$name" -- "$rlpilot" --run run-1 "$@" \
		>"$dir/$name.out" 2>&1 || fail "$name: $(cat "$dir/$name.out")"
}

engine() { # the process that took the lock last
	cut -d ' ' -f 1 "$folder/lock"
}

words() { # words PATH…: values of $dir/out in a row
	json "$dir/out" "$@" | tr '\n' ' ' | sed 's/ $//'
}

# for the steps of a script
cat >"$dir/kill-engine" <<KILL
#!/bin/sh
read -r pid _ <"$folder/lock"
kill -9 "\$pid" && "$waitfor" -t 10 dead "\$pid"
KILL
chmod 700 "$dir/kill-engine"

# --- killed while nothing is at work

run "$rlpilot" run --from tools --to login
want_rc 0 "the first stages"
engines=$(grep -c run-open "$folder/journal.jsonl")
"$rlpilot" engine --run-dir "$folder" >"$dir/engine.out" 2>&1 </dev/null &
first=$!
# One that dies before its first line has not been there.
"$waitfor" -t 20 -p "$first" lines "$folder/journal.jsonl" '.*run-open.*' $((engines + 1)) || die "no engine"
run "$rlpilot" runs delete run-1 --confirm run-1
want_rc 4 "deleting a run whose engine lives"
want err "an engine is working on this run \(process $first on " "why"
kill -STOP "$first"
sed -i 's/"beat":"[0-9]*/"beat":"2001/' "$folder/engine"
run "$rlpilot" status --json
want_rc 1 "the status of a run whose engine is stuck"
equal "degraded engine-silent raised" "$(words verdict alerts.0.id alerts.0.state)" "the status"
kill -9 "$first"
wait "$first" 2>/dev/null

run "$rlpilot" runs
want out '^run-1 .* its engine is gone$' "the list"
run "$rlpilot" --lang ko runs
want out '^run-1 .* 엔진이 사라짐$' "the list in Korean"
run "$rlpilot" runs --json
equal "gone null degraded" "$(words 0.engine 0.engine_pid 0.verdict)" "the list for programs"
run "$rlpilot" status --json
want_rc 1 "the status of a run whose engine is gone"
equal "degraded engine-gone raised" "$(words verdict alerts.0.id alerts.0.state)" "the status"
want out '"reason": ?"the engine of the run has vanished"' "the reason"
run "$rlpilot" status --openmetrics
want out '^rlpilot_alert\{id="engine-gone"\} 1$' "the metric"
cp -a "$folder" "$runs/second"
run "$rlpilot" runs delete second
want_rc 3 "deleting a run whose engine is gone"
want err 'run second: its engine is gone without a word; .*--confirm second' "why"
run "$rlpilot" runs delete second --confirm second
want_rc 0 "deleting it by its name"
mkdir "$runs/torn"
echo 'format: [' >"$runs/torn/run.yaml"
run "$rlpilot" runs delete torn
want_rc 3 "deleting a run that cannot be read"
want err 'cannot be read and may own a cluster' "why"

# Every page says it; a screen that may only read starts nothing and offers no key.
for lang in en ko; do
	case $lang in en) says='the engine is gone (last' ;; ko) says='엔진이 사라짐(마지막' ;; esac
	for key in H e c o p s m; do
		printf 'wait %s\nkeys %s\nframe\n' "$says" "$key"
	done >"$dir/read-only"
	printf 'wait %s\nkeys E\nframe\nwait %s\ngone E starts\nkeys q\nexit 0\n' "$says" "$says" >>"$dir/read-only"
	show read-only --read-only --lang $lang
done
equal "$first" "$(engine)" "the engine after a screen that may only read"

# begun N: a step that waits for that many engines since now
engines=0
begun() {
	echo "do \"$waitfor\" -t 20 lines \"$folder/journal.jsonl\" '.*run-open.*' $((engines + $1))"
}

# A screen that may act starts it again by itself, five times; then by a key.
engines=$(grep -c run-open "$folder/journal.jsonl")
{
	begun 1
	for i in 2 3 4 5 6; do
		printf 'do "%s"\nwait the engine had vanished\n' "$dir/kill-engine"
		begun $i
		printf 'gone had vanished\ngone the engine is gone\n'
	done
	printf 'do "%s"\nwait E starts it again\nframe\nwait E starts it again\nkeys E\n' "$dir/kill-engine"
	printf 'wait the engine is started\n'
	begun 7
	printf 'gone the engine is started\ngone E starts it again\nkeys E\nwait the engine is at work\nkeys q\nexit 0\n'
} >"$dir/again"
show again

# --- its command is at work: gcloud waits at a gate before it makes the bucket

mkdir "$dir/slow"
waiting_gcloud "$dir/slow/gcloud"
stop_engine "$folder"
PATH=$dir/slow:$PATH
"$rlpilot" run --stage bucket >"$dir/life" 2>&1 </dev/null &
first=$!
"$waitfor" -t 60 -p "$first" line "$folder/stages/bucket/1/log" 'at the gate' || die "no bucket: $(tail -n 3 "$dir/life")"
kill -9 "$first"
wait "$first" 2>/dev/null
for what in 'delete run-1 --confirm run-1' 'name run-1 other'; do
	# shellcheck disable=SC2086
	run "$rlpilot" runs $what
	want_rc 4 "runs $what, with a command at work"
	want err 'the stage bucket of this run is at work without an engine \(.*rlpilot --run run-1' "runs $what"
done

# --- the engine is told to stop while its command is at work; then the folder is moved away under all three

cat >"$dir/stop-engine" <<STOP
#!/bin/sh
read -r pid _ <"$folder/lock"
echo '{"v":1,"intent":"stop"}' >"$dir/stop"
mv "$dir/stop" "$folder/inbox/999999999999999-stop.json" && "$waitfor" -t 10 dead "\$pid"
STOP
chmod 700 "$dir/stop-engine"
engines=$(grep -c run-open "$folder/journal.jsonl")
cat >"$dir/away" <<STEPS
$(begun 1)
wait ▶ bucket
do "$dir/stop-engine"
wait the engine has ended, its work goes on: E starts it again
keys E
$(begun 2)
gone the engine is started
gone the engine has ended
do mv "$folder" "$dir/moved"
wait the run folder is gone, what is shown is old
keys E
keys m
wait the run folder is gone, what is shown is old
keys s
wait ▶ bucket
keys A<Enter>
frame
do [ ! -e "$folder" ]
do mv "$dir/moved" "$folder"
gone the run folder is gone
wait ▶ bucket
do mv "$folder" "$dir/moved"
wait the run folder is gone, what is shown is old
keys q
exit 0
STEPS
show away
read -r pid _ <"$dir/moved/lock"
"$waitfor" -t 10 dead "$pid" || fail "the engine stays without its folder"
grep -q '^rlpilot: the run folder .* has been removed or moved (' "$dir/moved/engine.log" ||
	fail "the engine does not tell: $(tail -n 2 "$dir/moved/engine.log")"
[ ! -e "$folder" ] || fail "something is written where the folder was: $(find "$folder")"
echo open >"$dir/gate"
"$waitfor" -t 20 file "$dir/moved/stages/bucket/1/exit" || fail "the command does not go on"
equal 0 "$(cat "$dir/moved/stages/bucket/1/exit")" "the code of the command"
mv "$dir/moved" "$folder"
run "$rlpilot" run --stage bucket
want_rc 0 "the run with its folder back"
equal 1 "$(made "bucket/$GCS_BUCKET")" "buckets"
equal 1 "$(grep '"kind":"argv"' "$dir/ledger.jsonl" | grep -c '"storage","buckets","create"')" "calls"
