#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the verbs say is what the pretend cloud knows: checks before a run, then status, logs, runs and checkpoints of a
# run that is done, each in its machine form.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

tree() { # tree NAME: "STATE MARKER" of the newest checkpoint of a tree in $dir/out
	python3 -c '
import json, sys
c = [c for c in json.load(open(sys.argv[1])) if c["tree"] == sys.argv[2]][-1]
print(c["state"], c["marker"], len(c["items"]), c.get("missing"))
' "$dir/out" "$1"
}

# --- the checks, before anything exists
# shellcheck disable=SC2119
sim_start
XDG_STATE_HOME=$dir/state
export XDG_STATE_HOME
run "$rlpilot" check --json
want_rc 0 "check"
equal '' "$(python3 -c '
import json, sys
for c in json.load(open(sys.argv[1])):
    if c["state"] in ("blocking", "unknown"): print(c["id"], c["cause"])
' "$dir/out")" "checks that block or do not know"
run "$rlpilot" check --only hf.token,place --json
equal 6 "$(python3 -c 'import json,sys; print(len(json.load(open(sys.argv[1]))))' "$dir/out")" "checks of --only"
run env HF_TOKEN= "$rlpilot" check --only hf
want_rc 1 "check without a token"
want out '^blocking  hf\.token .*HF_TOKEN' "check without a token"
run env RESERVATION=none "$rlpilot" check --only reservation.exists
want_rc 1 "check of a reservation that does not exist"
run "$rlpilot" check --only nonsense
want_rc 64 "check of nonsense"
run "$rlpilot" status --json
want_rc 3 "status without a run"
run "$rlpilot" status --openmetrics
want_rc 3 "openmetrics without a run"
equal '# EOF' "$(tail -n 1 "$dir/out")" "the end of openmetrics without a run"

# --- a whole run
run "$rlpilot" run --all
want_rc 0 "run --all"
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

run "$rlpilot" check
want_rc 0 "check of a run whose own cluster holds the reservation"

run "$rlpilot" checkpoints --json
want_rc 0 "checkpoints"
marker=gs://$GCS_BUCKET/$MODEL_NAME/trained/rl/checkpoints/actor/50/commit_success.txt
equal "complete $marker 2 None" "$(tree trained)" "the trained tree"
equal "complete gs://$GCS_BUCKET/$MODEL_NAME/hf-trained/model.safetensors.index.json 18 []" "$(tree hf-trained)" \
	"the exported tree"
