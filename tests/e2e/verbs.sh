#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the verbs say is what the pretend cloud knows: checks before a run, metrics against the ledger for two seeds,
# checkpoints after a marker was deleted by somebody else, a status that sees a deleted pod.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

# A world, a state and a home of its own for each seed.
world() { # world NAME OPTION…
	[ -z "$sim_pid" ] || {
		kill "$sim_pid" 2>/dev/null
		wait "$sim_pid" 2>/dev/null
	}
	dir=$top/$1
	mkdir -p "$dir"
	shift
	sim_start "$@"
	XDG_STATE_HOME=$dir/state
	export XDG_STATE_HOME
}
top=$dir

same_metrics() {
	run "$rlpilot" metrics --csv
	want_rc 0 "metrics --csv"
	cp "$dir/out" "$dir/metrics.csv"
	python3 - "$dir/ledger.jsonl" "$dir/metrics.csv" <<'PY' || fail "metrics --csv is not what the ledger says"
import csv, json, sys
ledger = {}
for line in open(sys.argv[1]):
    e = json.loads(line)
    if e["kind"] == "metric":
        ledger[e["what"], e["step"]] = "%.9g" % float(e["value"])
rows = list(csv.reader(open(sys.argv[2])))
assert rows[0] == ["series", "step", "wall_time", "value", "source"], rows[0]
keys = [(r[0], int(r[1])) for r in rows[1:]]
assert keys == sorted(keys), "not sorted"
got = {(r[0], int(r[1])): r[3] for r in rows[1:]}
wrong = [(k, ledger.get(k), got.get(k)) for k in set(ledger) | set(got) if ledger.get(k) != got.get(k)]
assert not wrong, wrong[:5]
assert all(("rewards/train/sum", s) in got for s in range(1, 51))
assert all(("eval/mean_reward", s) in got for s in (0, 10, 20, 30, 40, 50, 51))
PY
}

tree() { # tree NAME: "STATE MARKER" of the newest checkpoint of a tree in $dir/out
	python3 -c '
import json, sys
c = [c for c in json.load(open(sys.argv[1])) if c["tree"] == sys.argv[2]][-1]
print(c["state"], c["marker"], len(c["items"]), c.get("missing"))
' "$dir/out" "$1"
}

# --- the checks, before anything exists
world one --seed 1
run "$rlpilot" check --json
want_rc 0 "check"
equal '' "$(json "$dir/out" | cat)$(python3 -c '
import json, sys
for c in json.load(open(sys.argv[1])):
    if c["state"] in ("blocking", "unknown"): print(c["id"], c["cause"])
' "$dir/out")" "checks that block or do not know"
run "$rlpilot" check --only hf.token,place --json
equal 6 "$(python3 -c 'import json,sys; print(len(json.load(open(sys.argv[1]))))' "$dir/out")" "checks of --only"
HF_TOKEN='' run "$rlpilot" check --only hf
want_rc 1 "check without a token"
want out '^blocking  hf\.token .*HF_TOKEN' "check without a token"
RESERVATION=none run "$rlpilot" check --only reservation.exists
want_rc 1 "check of a reservation that does not exist"
run "$rlpilot" check --only nonsense
want_rc 64 "check of nonsense"
run "$rlpilot" status --json
want_rc 3 "status without a run"

# --- a whole run
run "$rlpilot" run --all
want_rc 0 "run --all"
same_metrics
run "$rlpilot" status --json
want_rc 0 "status"
equal "done 50 50 50" "$(json "$dir/out" verdict training.step training.steps checkpoint.safe_step | tr '\n' ' ' | sed 's/ $//')" \
	"status of a run that is done"
run "$rlpilot" status --openmetrics
want out '^rlpilot_step 50$' "openmetrics"
equal '# EOF' "$(tail -n 1 "$dir/out")" "the end of openmetrics"
run "$rlpilot" logs --json
want out '"line":"[^"]*Train step 50 training loss' "logs --json"
run "$rlpilot" runs --json
equal '"done"' "$(python3 -c 'import json,sys; print(json.dumps(json.load(open(sys.argv[1]))[0]["verdict"]))' "$dir/out")" "runs"
run "$rlpilot" runs delete "$(python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))[0]["name"])' "$dir/out")"
want_rc 3 "deleting the only key to a cluster"

run "$rlpilot" checkpoints --json
want_rc 0 "checkpoints"
item=$MODEL_NAME/trained/rl/checkpoints/actor/50/model_params/commit_success.txt
marker=gs://$GCS_BUCKET/$MODEL_NAME/trained/rl/checkpoints/actor/50/commit_success.txt
equal "complete $marker 2 None" "$(tree trained)" "the trained tree"
equal "complete gs://$GCS_BUCKET/$MODEL_NAME/hf-trained/model.safetensors.index.json 18 []" "$(tree hf-trained)" \
	"the exported tree"
token=$(gcloud auth print-access-token)
object=$(printf '%s' "$item" | sed 's,/,%2F,g')
curl -fsS -X DELETE -H "Authorization: Bearer $token" \
	"${CLOUDSDK_API_ENDPOINT_OVERRIDES_STORAGE%/}/b/$GCS_BUCKET/o/$object" || fail "the marker cannot be deleted"
run "$rlpilot" checkpoints --json
case $(tree trained) in
writing\ * | abandoned\ *) ;;
*) fail "a checkpoint without its marker is $(tree trained)" ;;
esac
run "$rlpilot" status --json
equal null "$(json "$dir/out" checkpoint.safe_step)" "the safe step after that"

# --- another seed, other curves
cp "$dir/metrics.csv" "$top/first.csv"
world two --seed 2
run "$rlpilot" run --all
want_rc 0 "run --all with another seed"
same_metrics
! cmp -s "$top/first.csv" "$dir/metrics.csv" || fail "two seeds gave one curve"

# --- somebody deletes the head of the training
world three --seed 3
"$rlpilot" run --all >"$dir/lines" 2>&1 &
engine=$!
"$waitfor" -t 60 -p "$engine" line "$dir/lines" '  step 5/50.*' || fail "the training does not begin: $(tail -n 3 "$dir/lines")"
run "$rlpilot" status --json
equal "running 8 1" "$(json "$dir/out" jobset.phase pods.worker.ready pods.pathways-head.ready | tr '\n' ' ' | sed 's/ $//')" \
	"status of a running training"
gcloud container clusters get-credentials "$CLUSTER_NAME" --location="$REGION" --project="$PROJECT" 2>/dev/null
head=$(kubectl get pods -l jobset.sigs.k8s.io/replicatedjob-name=pathways-head -o name)
run kubectl delete "$head" --wait=false
run "$rlpilot" status --json --until failed --timeout 30
want_rc 2 "status after the head was deleted"
equal failed "$(json "$dir/out" verdict)" "the verdict after the head was deleted"
wait "$engine"
equal 1 $? "exit code of the run"
dir=$top
