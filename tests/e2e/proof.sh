#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The clean-up's list is asked of the cloud: what a deployment has made is there before and gone after; what is still there,
# whatever terraform says, fails the stage with the commands that delete it, and the deployment folder stays until the
# proof is clean.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cat >"$dir/plan" <<'P'
cleanup	destroy:*-net.google_compute_network.network	left-behind	1
cleanup	destroy:*node_pool_service_account*storage.admin*	left-behind	1
cleanup	destroy:*gke_cluster	leaves-disk	1
P
sim_start --seed 1 --faults "$dir/plan"
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

# terraform tells that all is gone: a network and a role are not, and the disk of a claim it never knew
run "$rlpilot" run --json --stage cleanup --confirm "$CLUSTER_NAME"
want_rc 1 "a clean-up that leaves something"
python3 -c '
import json, sys
for line in open(sys.argv[1]):
    e = json.loads(line)
    if e["event"] == "progress" and (e["text"] or "").split(" ")[0] in ("gone", "there", "kept", "unknown"):
        print(e["text"])
    if e["event"] == "stage-end":
        print(e["state"], e["cause"])
        open(sys.argv[2], "w").write(e["cure"] + "\n")
' "$dir/out" "$dir/cure" >"$dir/list"
account=$CLUSTER_NAME-gke-np-sa@$PROJECT.iam.gserviceaccount.com
want list '^failed left-behind$' "a clean-up that leaves something"
want list "^there network $CLUSTER_NAME-net-0: gcloud compute networks delete" "the network"
want list "^there roles of $account \(roles/storage\.admin\): gcloud projects remove-iam-policy-binding" "the role"
want list '^there disk pvc-.*: gcloud compute disks delete pvc-.* --zone=' "the disk"
equal 3 "$(grep -c '^there' "$dir/list")" "things that are there"
want list "^gone subnetwork $CLUSTER_NAME-sub-0\$" "the subnetwork"
want list "^gone service account $account\$" "the service account"
want list "^gone node pool gke-tpu-v6e-pool\$" "the pool"
want list '^gone helm_release\.apply_chart kueue: with the cluster$' "what lived in the cluster"
want list "^gone NAT .*: with its router\$" "a part of a router"
want_not list "by terraform's word" "a word of terraform"
want_not list '^(kept|gone) (bucket gs:|deployment folder)' "what comes after a clean proof"
[ -d "$folder/toolkit/cluster-toolkit/$CLUSTER_NAME" ] || fail "the deployment folder went before the proof was clean"
[ -f "$folder/tfstate/2/terraform.tfstate" ] || fail "the state after the destroy is not copied"

# the cure is pasted as it stands; then the same clean-up destroys again (nothing is left to) and ends clean
want cure "until then: sh '?$folder/left-behind\.sh'?\$" "the cure"
equal 3 "$(grep -c '^gcloud ' "$folder/left-behind.sh")" "commands of the cure"
equal "$(sed -n 's/^there [^:]*: //p' "$dir/list")" "$(grep '^gcloud ' "$folder/left-behind.sh")" "the commands of list and cure"
sed 's/^.*until then: //' "$dir/cure" >"$dir/cure.sh"
sh -e "$dir/cure.sh" >"$dir/cured" 2>&1 || fail "the cure does not work: $(cat "$dir/cured")"
run "$rlpilot" run --stage cleanup --confirm "$CLUSTER_NAME"
want_rc 0 "the clean-up again"
want_not out '^  there ' "what is left"
want out "^  gone network $CLUSTER_NAME-net-0\$" "the network"
want out '^  gone deployment folder$' "the folder"
want out "^  kept bucket gs://$GCS_BUCKET\$" "the bucket"
[ -e "$folder/toolkit/cluster-toolkit/$CLUSTER_NAME" ] && fail "the deployment folder is left"
[ -e "$folder/left-behind.sh" ] && fail "the commands are left"
equal 2 "$(grep -c '"argv":\["gcluster","destroy"' "$dir/ledger.jsonl")" "destroys"
things "$folder/tfstate/1/terraform.tfstate" | sort | uniq -c >"$dir/after"
equal 404 "$(awk '{print $2}' "$dir/after" | sort -u)" "what is there after"
equal "bucket/$GCS_BUCKET" "$(left_over "$dir/ledger.jsonl")" "left over"
