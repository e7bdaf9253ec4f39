#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The clean-up's list is asked of the cloud: what a deployment has made is there before and gone after; what is still there,
# whatever terraform's state says, fails the stage.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
sim_start --seed 1
run "$rlpilot" run --from tools --to cluster
want_rc 0 "up to the cluster"
want_not out 'edits of the blueprint' "the output of a deploy is no line of the run"
folder=$XDG_STATE_HOME/rlpilot/runs/run-1
grep -q '^edits of the blueprint, each found exactly as often as expected: 3$' "$folder/stages/cluster/1/log" ||
	fail "the edits are not told in the deploy's output"
for edit in '^-.*n2-standard-8' '^+.*e2-standard-8' '^+ *system_node_pool_zones: \[\$(vars.zone)\]' '^-.*- storage.objectViewer' \
	'^+.*- storage.admin'; do
	grep -q -e "$edit" "$folder/stages/cluster/1/log" || fail "the deploy's output lacks the edit $edit"
done

# things GET every place that terraform's state names, one "CODE PLACE" a line
things() {
	token=$(gcloud auth print-access-token)
	python3 - "$1" "$token" <<'P'
import json, os, sys, urllib.request, urllib.error
base = {"google_compute_": ("COMPUTE", ""), "google_container_": ("CONTAINER", "v1/")}
for r in json.load(open(sys.argv[1]))["resources"]:
    for i in r["instances"]:
        id = i["attributes"]["id"]
        for prefix, (api, path) in base.items():
            if not r["type"].startswith(prefix) or not id.startswith("projects/"):
                continue
            at = os.environ["CLOUDSDK_API_ENDPOINT_OVERRIDES_" + api].rstrip("/") + "/" + path + id
            q = urllib.request.Request(at, headers={"Authorization": "Bearer " + sys.argv[2]})
            try:
                code = urllib.request.urlopen(q).status
            except urllib.error.HTTPError as e:
                code = e.code
            print(code, r["type"])
P
}
things "$folder/tfstate/1/terraform.tfstate" | sort | uniq -c >"$dir/before"
equal 200 "$(awk '{print $2}' "$dir/before" | sort -u)" "what is there before"
[ "$(wc -l <"$dir/before")" -ge 7 ] || fail "only these kinds are known to the cloud: $(cat "$dir/before")"

# a thing that terraform forgets: the state names a bucket that nobody removes
python3 - "$folder/tfstate/1/terraform.tfstate" "$GCS_BUCKET" <<'P'
import json, sys
state = json.load(open(sys.argv[1]))
state["resources"].append({"mode": "managed", "type": "google_storage_bucket", "name": "forgotten",
                           "instances": [{"attributes": {"id": sys.argv[2]}}]})
json.dump(state, open(sys.argv[1], "w"))
P
run "$rlpilot" run --stage cleanup --confirm "$CLUSTER_NAME"
want_rc 1 "a clean-up that leaves something"
want out "^  there google_storage_bucket\.forgotten $GCS_BUCKET\$" "what is left"
want out '^\[9/9\] cleanup  failed ' "a clean-up that leaves something"
want out "^  gone google_compute_network\.network $CLUSTER_NAME-net-0\$" "the network"
want out "^  gone google_service_account\.service_account $CLUSTER_NAME-gke-np-sa@" "the service account"
want out "^  gone google_container_node_pool\.node_pool gke-tpu-v6e-pool\$" "the pool"
want out "^  gone helm_release\.apply_chart: by terraform's word\$" "what lived in the cluster"
want out "^  kept bucket gs://$GCS_BUCKET\$" "the bucket"
things "$folder/tfstate/1/terraform.tfstate" | sort | uniq -c >"$dir/after"
equal 404 "$(awk '{print $2}' "$dir/after" | sort -u)" "what is there after"

# once that is settled the stage is done by asking alone: there is nothing left to destroy from
sed -i "s/\"id\": \"$GCS_BUCKET\"/\"id\": \"$GCS_BUCKET-gone\"/" "$folder/tfstate/1/terraform.tfstate"
run "$rlpilot" run --stage cleanup --confirm "$CLUSTER_NAME"
want_rc 0 "the clean-up again"
equal 1 "$(grep -c '"argv":\["gcluster","destroy"' "$dir/ledger.jsonl")" "destroys"
