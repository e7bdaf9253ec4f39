#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Verbs that ask no cloud: runs listed, named and deleted without losing the key to a cluster; curves from the record,
# once and followed to the engine's end; doctor about this machine.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
sim_start
run "$rlpilot" runs
want_rc 0 "runs without any"
want out '^there is no run yet$' "no runs"
run "$rlpilot" run --stage tools
want_rc 0 "run --stage tools"
run "$rlpilot" runs --json
folder=$(json "$dir/out" 0.dir)
name=$(json "$dir/out" 0.name)
equal "$(printf 'toolkit\ntodo')" "$(json "$dir/out" 0.stage 0.stage_state)" "the stage that comes next"
roots=$(dirname "$folder")

run "$rlpilot" metrics
want out '^no points yet$' "no curve yet"
cat >"$folder/series.jsonl" <<'X'
{"series":"rewards/train/sum","step":1,"wall_ms":1789027200000,"value":0.5,"source":"event"}
{"series":"rewards/train/sum","step":2,"wall_ms":1789027275500,"value":0.9375,"source":"event"}
{"series":"actor/train/loss","step":1,"wall_ms":1789027200000,"value":-0.25,"source":"log"}
X
run "$rlpilot" metrics
want out '^rewards/train/sum +2 +2 +0\.9375 +0\.5 +0\.9375$' "the table of curves"
run "$rlpilot" metrics --csv --follow
want_rc 0 "metrics --follow of a run that has ended"
equal "$(printf '%s\n' series,step,wall_time,value,source actor/train/loss,1,1789027200.000,-0.25,log \
	rewards/train/sum,1,1789027200.000,0.5,event rewards/train/sum,2,1789027275.500,0.9375,event)" "$(cat "$dir/out")" "rows"
run "$rlpilot" metrics --json --follow
want out '^\{"series":"rewards/train/sum","step":2,"wall_time":1789027275.5,"value":0.9375,"source":"event"\}$' "a line"
run "$rlpilot" metrics --json
equal 0.9375 "$(json "$dir/out" 2.value)" "the last of the array"

run "$rlpilot" runs name "$name" first
want_rc 0 "a name"
[ -d "$roots/first" ] || fail "the folder keeps its name"
equal first "$(readlink "$roots/current")" "current after a rename"
run "$rlpilot" status --json
equal first "$(json "$dir/out" run)" "the name in status after a rename"
run "$rlpilot" runs name first ../away
want_rc 64 "a name with a slash"
cp -R "$roots/first" "$roots/second"
run "$rlpilot" runs name first second
want_rc 1 "a name that is taken"
want err 'already a run second' "why"
mkdir "$roots/torn"
echo 'format: [' >"$roots/torn/run.yaml"
run "$rlpilot" runs
want out '^first +[0-9T:-]+Z +[a-z]+ +[a-z]+ +[a-z]+ +gemma4-26b-v6e' "a row"
want out '^torn ' "a run that cannot be read"
run "$rlpilot" runs --json
want out '"broken": ".' "why it cannot be read"

seq=$(($(grep -c . "$roots/second/journal.jsonl") + 1))
printf '{"v":1,"seq":%d,"t":"2026-09-10T08:00:00.000Z","ev":"stage-start","stage":"cluster","attempt":1}\n' $seq \
	>>"$roots/second/journal.jsonl"
run "$rlpilot" runs delete second
want_rc 3 "deleting the key to a cluster"
want err 'only key' "why"
[ -d "$roots/second" ] || fail "the run with a cluster is gone"
run "$rlpilot" runs delete second --confirm second
want_rc 0 "deleting it after all"
[ ! -d "$roots/second" ] || fail "the folder is still there"
run "$rlpilot" runs delete nosuch
want_rc 1 "deleting what is not there"
run "$rlpilot" runs lose first
want_rc 64 "an unknown word"

# --- what is no run is never deleted, not even by its name
mkdir "$dir/precious"
cd "$dir/precious" || exit 1
for no in "$dir/precious" ./ . .. '' /; do
	run "$rlpilot" runs delete "$no" --confirm "$(basename "$no")"
	want_rc 1 "deleting '$no'"
	run "$rlpilot" --run "$no" run --stage tools
	want_rc 64 "a run '$no'"
done
if [ ! -d "$dir/precious" ] || [ ! -d "$roots/first" ]; then
	fail "a folder that was no run is gone"
fi
cd "$dir" || exit 1

# --- what is refused makes no run, and the last one stays the last one
for bad in 'PROJECT=Bad_Name' 'NOSUCH=1' 'no-await=maybe'; do
	run "$rlpilot" --run refused run --stage tools --set "$bad"
	want_rc 64 "a new run with $bad"
done
[ ! -e "$roots/refused" ] || fail "a refused run is left"
equal first "$(readlink "$roots/current")" "the last run after refusals"

# --- a run that has begun keeps its values, also against a file of them
cp -R "$roots/first" "$roots/begun"
sed -i 's/^frozen: .*/frozen: "true"/' "$roots/begun/run.yaml"
echo 'export CLUSTER_NAME=another' >"$dir/values"
run "$rlpilot" --run begun env --import "$dir/values"
want_rc 64 "values for a run that has begun"
want err 'CLUSTER_NAME can no longer be changed' "values for a run that has begun"
run "$rlpilot" --run begun env --export
want out "^export CLUSTER_NAME=$CLUSTER_NAME\$" "values of a run that has begun"
echo "export CLUSTER_NAME=$CLUSTER_NAME" >"$dir/values"
run "$rlpilot" --run begun env --import "$dir/values"
want_rc 0 "the same value again"
run "$rlpilot" --run first env --import "$dir/values"
want_rc 0 "values for a run that has not begun"

# --- --read-only looks only
for changes in "run --stage tools" "demo --plain" "runs delete first" "runs name first other" "env --import $dir/values"; do
	# shellcheck disable=SC2086
	run "$rlpilot" --read-only $changes
	want_rc 64 "--read-only $changes"
	want err '--read-only changes nothing' "--read-only $changes"
done
run "$rlpilot" --read-only --run first
want_rc 0 "--read-only in lines"
want out '^first: ' "--read-only in lines"
run "$rlpilot" --read-only runs
want_rc 0 "--read-only runs"

# --- help of a verb, logs that are not there
run "$rlpilot" run --all --help
want_rc 0 "help of a verb"
want out '^usage: rlpilot run --all' "help of a verb"
run "$rlpilot" --run first logs
want_rc 0 "logs before there are any"
want err 'no log lines yet' "logs before there are any"
mkdir -p "$roots/first/logs/worker-0"
echo '2026-09-10T08:00:00.000000000Z hello' >"$roots/first/logs/worker-0/main.log"
run "$rlpilot" --run first logs
equal '2026-09-10T08:00:00.000000000Z worker-0/main hello' "$(cat "$dir/out")" "a log"
run "$rlpilot" --run first logs --pod worker-1
want_rc 1 "logs of an unknown pod"
want err 'no log of a pod worker-1 is kept .*worker-0/main' "logs of an unknown pod"
run "$rlpilot" --run first logs --pod worker-0 --container side --json
want_rc 1 "logs of an unknown container"

ring=$(printf 'ring\007\033]0;title')
mkdir "$roots/$ring"
echo 'format: [' >"$roots/$ring/run.yaml"
run "$rlpilot" runs
want out '^ring' "a run with an odd name"
tr -d '\n' <"$dir/out" | LC_ALL=C grep -q '[[:cntrl:]]' && fail "control characters of a name reach the terminal"
rm -rf "${roots:?}/$ring"

# A folder of something else that happens to hold a file of that name is not deleted for the asking.
mkdir "$dir/project"
printf 'steps:\n  - build\n' >"$dir/project/run.yaml"
run "$rlpilot" runs delete "$dir/project/"
want_rc 3 "a folder of something else"
[ -s "$dir/project/run.yaml" ] || fail "the folder of something else is gone"

run "$rlpilot" runs delete first --confirm first
want_rc 0 "deleting the last one"
run "$rlpilot" status
want_rc 3 "status when the last run was deleted"
want err 'the run that was the last one is gone .choose one with --run NAME' "others are there"

run env CLOUD_SHELL=true PATH=/nosuch "$rlpilot" doctor
want_rc 0 "doctor"
want out '^warning +kubectl +not found +\(' "a missing tool and its cure"
want out '^warning +session +Cloud Shell' "a session that ends by itself"
run "$rlpilot" doctor --json
equal 'system terminal locale' "$(json "$dir/out" 0.id 1.id 2.id | tr '\n' ' ' | sed 's/ $//')" "what doctor looks at"
want out '"state": "ok"' "something is well"
run "$rlpilot" doctor --jsn
want_rc 64 "an unknown option"
