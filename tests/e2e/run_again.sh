#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `rlpilot run` in a world that has changed: a stage asked for again asks the cloud again, values stay free until
# something costs money and then stay as they are, a cloud that does not answer is no gate that fails, and nobody waits
# for a run that nobody moves.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cat >"$dir/faults" <<F
cluster deploy:*gke-tpu-v6e-pool*node_pool* stockout 1
train queue:gemma4-training quota-taken 900000m
F
sim_start --seed 1 --faults "$dir/faults"
folder=$XDG_STATE_HOME/rlpilot/runs/run-1

away() { # away COMMAND…: no API of Google Cloud answers
	for api in COMPUTE CONTAINER STORAGE SERVICEUSAGE CLOUDRESOURCEMANAGER IAM CLOUDBILLING; do
		set -- "CLOUDSDK_API_ENDPOINT_OVERRIDES_$api=http://127.0.0.1:1/" "$@"
	done
	run env "$@"
}

refused() { # refused PATTERN WORD…: exit 64 with the reason and a cure
	pattern=$1
	shift
	run "$rlpilot" --run run-1 run "$@"
	want_rc 64 "run $*"
	want err "^rlpilot: $pattern.* \(.+\)$" "run $*"
}

run "$rlpilot" run --to toolkit
want_rc 0 "run to the toolkit"

# --- spans and values that mean nothing
refused 'clean-up must be asked for alone' --from cleanup
refused 'clean-up must be asked for alone' --from train --to cleanup
refused 'only a clean-up is confirmed' --all --confirm "$CLUSTER_NAME"
refused '--from comes after --to' --from train --to convert
refused 'say which stages shall run' --all --to train
refused 'no-await is a deviation' --stage tools --set no-await=maybe
refused 'there is no variable or parameter called FOO' --stage tools --set FOO=bar
refused '--set PROJECT gives no value' --stage tools --set PROJECT
refused 'CHIPS follows from other values' --stage tools --set CHIPS=3
run "$rlpilot" --run "a b" run --stage tools
want_rc 64 "a run with a blank in its name"
equal 2 "$(find "$XDG_STATE_HOME/rlpilot/runs" -mindepth 1 -maxdepth 1 | wc -l | tr -d ' ')" "run-1 and current, and nothing else"

# --- a cloud that does not answer: 69, and nothing is started
away "$rlpilot" run --stage bucket
want_rc 69 "the bucket when storage does not answer"
want out '^\[4/9\] bucket   blocked ' "the bucket when storage does not answer"
run env CLOUDSDK_AUTH_TOKEN_HOST=http://127.0.0.1:1/token "$rlpilot" run --stage bucket
want_rc 69 "the bucket when the token service does not answer"
[ ! -e "$folder/stages/bucket" ] || fail "an attempt of the bucket was made"

# --- what costs nothing freezes nothing
run "$rlpilot" run --stage login
run "$rlpilot" run --stage bucket
want_rc 0 "the bucket"
run "$rlpilot" run --stage convert
want_rc 2 "a conversion without its cluster"
run "$rlpilot" run --stage bucket --set GCS_BUCKET=another-name-7 --set learning_rate=1e-5
want_rc 0 "another bucket"
equal 1 "$(made bucket/another-name-7)" "buckets of the other name"
equal 1 "$(made "bucket/$GCS_BUCKET")" "buckets of the first name"

# --- a blueprint of another release, or one that was edited: nothing is deployed
kit=$folder/toolkit/cluster-toolkit
blueprint=$kit/examples/gke-tpu-v6e/gke-tpu-v6e-advanced.yaml
cp "$blueprint" "$dir/blueprint"
blocked() { # blocked ERE WHAT
	run "$rlpilot" run --stage cluster
	want_rc 2 "$2"
	want out "^\[5/9\] cluster  blocked .*gke-tpu-v6e-advanced\.yaml.*$1" "$2"
	want out '^  cure: ' "$2"
	lines_good out "$2"
	cp "$dir/blueprint" "$blueprint"
}
sed -i 's/n2-standard-8/n4-standard-8/' "$blueprint"
blocked 'found 0 times, expected 1' "a blueprint without the machine type"
echo '# n2-standard-8' >>"$blueprint"
blocked 'found 2 times, expected 1' "a blueprint with the machine type twice"
sed -i 's/n2-standard-8/e2-standard-8/; s/- storage.objectViewer/- storage.admin/' "$blueprint"
blocked 'is there already' "a blueprint that was edited before"
rm "$blueprint"
blocked 'No such file' "a toolkit without the blueprint"
[ ! -e "$folder/stages/cluster" ] || fail "an attempt of the deploy was made"
cp "$kit/gcluster" "$dir/gcluster"
printf '#!/bin/sh\nprintf "gcluster version v1.103.01\\n[5/9] Commit: x\\n"\n' >"$kit/gcluster"
run "$rlpilot" run --stage cluster
want_rc 2 "a gcluster of another version"
want out '^\[5/9\] cluster  blocked .*gcluster is not version 1\.103\.0 ' "a gcluster of another version"
lines_good out "a gcluster of another version"
cp "$dir/gcluster" "$kit/gcluster"

# --- a deploy that fails, and again: its events are its own
run "$rlpilot" run --stage cluster
want_rc 1 "a deploy that fails"
run env CLUSTER_NAME=other "$rlpilot" run --stage cluster
want_rc 0 "the deploy again"
want err '^rlpilot: CLUSTER_NAME is other in the environment; the run keeps gemma-rl \(' "a differing environment"
equal 1 "$(made cluster/gemma-rl)" "clusters"
equal '' "$(sed -En 's/^  resources ([0-9]+)\/([0-9]+)$/\1 \2/p' "$dir/out" | awk '$1 < last || $2 != total && NR > 1 { print } { last = $1; total = $2 }')" \
	"progress that goes back, or another total"
[ -s "$folder/stages/cluster/1/events.jsonl" ] || fail "terraform's events of the first attempt are not kept"
refused 'GCS_BUCKET can no longer be changed' --stage cluster --set GCS_BUCKET=a-third-name
refused 'restarts-0 can no longer be changed' --stage convert --set restarts-0=off
run "$rlpilot" run --stage cluster --set restarts-0=on --set GCS_BUCKET=another-name-7
want_rc 0 "what it has already"
want_not out '^\[' "a stage that is done still"

# --- nobody waits for a run that nobody moves
run "$rlpilot" run --stage convert
want_rc 0 "the conversion"
"$rlpilot" run --stage train --json >"$dir/life" 2>&1 </dev/null &
engine=$!
"$waitfor" -t 60 -p "$engine" line "$folder/journal.jsonl" '"ev":"alert".*"queue-waits"' || die "the training does not wait in its queue"
"$rlpilot" status --until done >"$dir/until" 2>&1 </dev/null &
waiter=$!
kill -TERM "$engine"
rc=0
wait "$engine" || rc=$?
want_rc 143 "SIGTERM"
grep -v '^rlpilot: ' "$dir/life" >"$dir/events"
json_good events 143 "a run that is stopped"
want life '"event":"run-end".*"exit":143,' "the last event of a run that is stopped"
rc=0
wait "$waiter" || rc=$?
want_rc 1 "a wait for a run whose engine was stopped"
want until 'the engine was stopped while a stage is at work' "a wait for a run whose engine was stopped"

# --- somebody destroys the cluster: status says so, the stage makes it again
(cd "$folder/toolkit/cluster-toolkit" && ./gcluster destroy "$CLUSTER_NAME" --auto-approve >"$dir/destroy" 2>&1) ||
	die "the cluster is not destroyed: $(tail -n 2 "$dir/destroy")"
run "$rlpilot" status
want_rc 1 "status without the cluster"
want out 'degraded \(the cluster does not exist any more\)' "status without the cluster"
run "$rlpilot" run --stage train
want_rc 1 "a training whose cluster is gone"
want out '^\[7/9\] train    failed .*the cluster does not exist any more' "a training whose cluster is gone"
want out '^  cure: run the stage cluster again' "a training whose cluster is gone"
run "$rlpilot" run --stage cluster
want_rc 0 "the cluster again"
equal 2 "$(made cluster/gemma-rl)" "clusters"
run "$rlpilot" run --stage convert
want_rc 0 "the conversion, whose result is there still"
equal 1 "$(made jobset/default/gemma4-hf-to-mt)" "JobSets of the conversion"

# --- the run's folder is removed under a wait
"$rlpilot" run --stage train >"$dir/life" 2>&1 </dev/null &
engine=$!
"$waitfor" -t 60 -p "$engine" line "$dir/life" '^\[7/9\] train    started ' || die "no training"
"$rlpilot" status --until done >"$dir/until" 2>&1 </dev/null &
waiter=$!
"$waitfor" -t 60 -p "$engine" line "$dir/life" '^  alert raised queue-waits' || die "the training does not wait"
mv "$folder" "$dir/removed"
rc=0
wait "$waiter" || rc=$?
want_rc 3 "a wait for a run that is removed"
want until 'run folder .* has been removed' "a wait for a run that is removed"
rc=0
wait "$engine" || rc=$?
want_rc 73 "an engine whose folder is removed"
