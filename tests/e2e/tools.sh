#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The stand-in tools against a running simulator: texts, streams, files and exit codes of the real ones.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
sim_start --seed 1
mkdir -p "$dir/work/cluster-toolkit"
cd "$dir/work" || exit 1

# gcloud: what it does not know, as gcloud says it
run gcloud frob
want_rc 2 "unknown command"
want err "^ERROR: \(gcloud\) Invalid choice: 'frob'\.$" "unknown command"
run gcloud storage ls --bogus
want_rc 2 "unknown option"
want err "^ERROR: \(gcloud\.storage\.ls\) unrecognized arguments:$" "unknown option"

# gcloud: identity
run gcloud auth print-access-token
want_rc 0 "token"
want out '^ya29\.' "token"
run gcloud auth login
want_rc 0 "login with an account"
want err 'You are now logged in as \[you@rehearsal\.example\]' "login with an account"
run gcloud auth login --force
want_rc 1 "login without an answer"
want err '^ERROR: gcloud crashed \(EOFError\): EOF when reading a line$' "login without an answer"
want err 'https://accounts\.google\.com/o/oauth2/auth' "login shows the address"
run gcloud auth application-default set-quota-project "$PROJECT"
want_rc 0 "quota project"
grep -q "\"quota_project_id\": \"$PROJECT\"" "$CLOUDSDK_CONFIG/application_default_credentials.json" ||
	fail "the quota project is not in the credentials file"
run gcloud auth configure-docker gcr.io --quiet
want err 'already registered correctly' "docker helper that is there"
run gcloud auth configure-docker europe-west4-docker.pkg.dev --quiet
want err 'Docker configuration file updated' "docker helper that is new"
equal 3 "$(grep -c '": "gcloud"' "$DOCKER_CONFIG/config.json")" "docker helpers kept"
run gcloud config config-helper --format=json
want_rc 0 "config-helper"
equal "$PROJECT" "$(json "$dir/out" configuration.properties.core.project)" "config-helper's project"

# gcloud: buckets
run gcloud storage buckets describe "gs://$GCS_BUCKET"
want_rc 1 "missing bucket"
want err "gs://$GCS_BUCKET not found: 404\.$" "missing bucket"
run gcloud storage buckets create "gs://$GCS_BUCKET" --project="$PROJECT" --location="$REGION"
want_rc 0 "bucket created"
run gcloud storage buckets create "gs://$GCS_BUCKET" --project="$PROJECT" --location="$REGION"
want_rc 1 "bucket created twice"
want err 'HTTPError 409: ' "bucket created twice"
run gcloud storage buckets describe "gs://$GCS_BUCKET" --format="value(location)"
want out '^US-EAST5$' "bucket's place"
equal 1 "$(grep -c '"kind":"create","what":"bucket/'"$GCS_BUCKET"'"' "$dir/ledger.jsonl")" "bucket creations in the ledger"
for o in a/1.txt a/b/2.txt; do
	put_object "$o" 'twelve bytes'
done
run gcloud storage ls "gs://$GCS_BUCKET/a/"
equal "gs://$GCS_BUCKET/a/1.txt
gs://$GCS_BUCKET/a/b/" "$(cat "$dir/out")" "listing"
run gcloud storage ls -l --readable-sizes "gs://$GCS_BUCKET/a/"
want out '^ +12.00B  20..-..-..T..:..:..Z  gs://.*/a/1\.txt$' "long listing"
want out '^TOTAL: 1 objects, 12 bytes \(12.00B\)$' "long listing"
run gcloud storage ls -r "gs://$GCS_BUCKET/a/"
want out '/a/b/2\.txt$' "deep listing"
run gcloud storage ls "gs://$GCS_BUCKET/nothing/"
want_rc 1 "empty folder"
want err 'One or more URLs matched no objects\.$' "empty folder"

# other tools
run terraform version -json
equal 1.12.2 "$(json "$dir/out" terraform_version)" "terraform's version"
run kubectl version --client
want out '^Client Version: v1\.' "kubectl's version"
run kubectl get pods
want_rc 1 "kubectl without a cluster"
want err 'The connection to the server localhost:8080 was refused' "kubectl without a cluster"
run gke-gcloud-auth-plugin
equal ExecCredential "$(json "$dir/out" kind)" "plugin"

# the bundle as it is served
curl -fsSL "$RLPILOT_RELEASES/$CLUSTER_TOOLKIT_VERSION/gcluster_bundle_linux_amd64.tgz" | tar -xz -C cluster-toolkit ||
	die "the bundle cannot be unpacked"
cd cluster-toolkit || exit 1
! command -v gcluster >/dev/null || fail "gcluster is on PATH"
run ./gcluster --version
equal "gcluster version v1.103.0" "$(head -n 1 "$dir/out")" "gcluster's version"
equal 4 "$(wc -l <"$dir/out")" "lines of gcluster --version"

blueprint=gke-tpu-v6e-advanced.yaml
# shellcheck disable=SC2016
sed -e 's/n2-standard-8/e2-standard-8/' -e 's/- storage.objectViewer/- storage.admin/' \
	-e '/system_node_pool_machine_type/a \      system_node_pool_zones: [$(vars.zone)]' \
	examples/gke-tpu-v6e/$blueprint >$blueprint
vars="project_id=$PROJECT,deployment_name=$CLUSTER_NAME,region=$REGION,zone=$ZONE,num_slices=1"
vars="$vars,tpu_topology=$TOPOLOGY,authorized_cidr=0.0.0.0/0"
run ./gcluster deploy $blueprint --vars "$vars,reservation=" -l IGNORE --auto-approve -w
want_rc 1 "deploy without a reservation"
want err 'deployment variable "reservation" was not set$' "deploy without a reservation"
run ./gcluster deploy $blueprint --vars "$vars,reservation=nope" --auto-approve -w
want_rc 1 "deploy with an unknown reservation"
want err 'reservation "nope" was not found' "deploy with an unknown reservation"
run ./gcluster deploy $blueprint --vars "$vars,reservation=$RESERVATION" --auto-approve -w --no-color \
	--download-dependencies --json-output --skip-validators test_gcsfuse_iam_role_exists
want_rc 0 "deploy"
equal 'Creating deployment folder "gemma-rl" ...' "$(sed -n '1s/^[^ ]*Z: //p' "$dir/out")" "deploy's first line"
want out 'Z: Running terraform apply on deployment group gemma-rl/primary$' "deploy"
events=gcluster_output-gemma-rl.primary.json
equal "$(grep -c '"type":"apply_start"' $events)" "$(grep -c '"type":"apply_complete"' $events)" "resources begun and made"
grep -q '"operation":"apply"' $events || fail "no change_summary of the apply"
for f in primary/main.tf primary/terraform.tfstate primary/terraform.tfvars .ghpc/artifacts/expanded_blueprint.yaml; do
	[ -s "gemma-rl/$f" ] || fail "deploy leaves no $f"
done
run ./gcluster deploy $blueprint --vars "$vars,reservation=$RESERVATION" --auto-approve -l IGNORE
want_rc 1 "deploy again without -w"
run ./gcluster deploy $blueprint --vars "$vars,reservation=$RESERVATION" --auto-approve -l IGNORE -w
want_rc 0 "deploy again"
want out 'Z Apply complete! Resources: 0 added, 0 changed, 0 destroyed\.$' "deploy again"
equal 1 "$(grep -c '"kind":"create","what":"cluster/' "$dir/ledger.jsonl")" "clusters in the ledger"

# jobs
at="-p $PROJECT -c $CLUSTER_NAME -l $REGION"
run ./gcluster job list
want_rc 1 "job list without a context"
run ./gcluster job submit
want_rc 1 "submit without flags"
want err '^Error: required flag\(s\) "compute-type", "name" not set$' "submit without flags"
try_submit() { # try_submit NAME OPTION…
	name=$1
	shift
	# shellcheck disable=SC2086
	run ./gcluster job submit $at --name="$name" --num-slices=1 --image="$CLOUD_IMAGE_NAME" \
		--compute-type="$COMPUTE_TYPE" --topology="$TOPOLOGY" --command="true hf_access_token=$HF_TOKEN" "$@"
}
try_submit a-name-that-is-far-too-long-to-be
want_rc 1 "submit with a long name"
try_submit probe --pathways
want_rc 1 "pathways without a place"
want err '^Error: pathways-gcs-location is required when using --pathways$' "pathways without a place"
try_submit probe --pathways-gcs-location=gs://x/
want err '^Error: pathways flags specified but --pathways flag is missing$' "a pathways flag alone"
mv "$DOCKER_CONFIG" "$DOCKER_CONFIG.away"
try_submit probe
want_rc 1 "submit without docker helpers"
want out '^ - Docker Credentials$' "submit without docker helpers"
want out "^     gcloud auth configure-docker $REGION-docker\.pkg\.dev --quiet$" "submit without docker helpers"
mv "$DOCKER_CONFIG.away" "$DOCKER_CONFIG"
try_submit probe --env=1X=y
want err '^Error: invalid environment variable format' "a bad variable name"
try_submit probe --topology=2x2
want_rc 1 "a topology that is not there"
try_submit probe --restarts=0 --gke-ttl-after-finished=24h
want_rc 0 "submit"
want out 'Z: GKE workload deployed successfully\.$' "submit"
want out 'Z: Auto-discovered Kueue LocalQueue: user-queue$' "submit"
equal 644 "$(stat -c %a "$HOME/.gcluster/generated/probe.yaml")" "mode of the manifest"
grep -q "$HF_TOKEN" "$HOME/.gcluster/generated/probe.yaml" || fail "the manifest holds no token (the real one does)"
try_submit probe
want_rc 1 "submit of a name that is taken"
want err "^Error: job with name 'probe' already exists in state '" "submit of a name that is taken"
# shellcheck disable=SC2086
run ./gcluster job list $at
want out '^probe   (Running|Suspended|Succeeded) ' "job list"
run kubectl get jobset probe -o json
equal 86400 "$(json "$dir/out" spec.ttlSecondsAfterFinished)" "time to live"
equal 0 "$(json "$dir/out" spec.failurePolicy.maxRestarts)" "restarts"
run kubectl wait --for=condition=Completed jobset/probe --timeout=86400s
want_rc 0 "kubectl wait"
want out '^jobset\.jobset\.x-k8s\.io/probe condition met$' "kubectl wait"
run kubectl wait --for=condition=Ready pod -l job-name=nothing --timeout=10s
want_rc 1 "kubectl wait for nothing"
want err '^error: no matching resources found$' "kubectl wait for nothing"
# shellcheck disable=SC2086
run ./gcluster job cancel probe $at
want out "Z: Cleanup operation on Job 'probe' completed successfully\.$" "cancel of an ended job"
try_submit waited --await-job-completion
want_rc 0 "submit that waits"
want out "Z: Job 'waited' completed successfully\. View details" "submit that waits"
try_submit talk --await-job-completion --command="echo hello there"
# shellcheck disable=SC2086
run ./gcluster job logs talk --main-only -f $at
want_rc 0 "job logs -f"
want out '^hello there$' "job logs -f writes to stdout"
equal 1 "$(grep -c '^hello there$' "$dir/out")" "pods of job logs --main-only"
# shellcheck disable=SC2086
run ./gcluster job logs talk --main-only=false $at
want_rc 0 "job logs"
equal 8 "$(grep -c '^hello there$' "$dir/err")" "lines of job logs, on stderr as in the real one"
# shellcheck disable=SC2086
run ./gcluster job logs nobody $at
want_rc 1 "job logs of nothing"
try_submit short --await-job-completion --timeout=1s --command="sleep 600"
want_rc 1 "submit that waits too short"
want err '^Error: job timed out$' "submit that waits too short"
try_submit heads --pathways --pathways-gcs-location="gs://$GCS_BUCKET/pathways/" \
	--env=GRPC_DNS_RESOLVER=native --pathways-worker-env=A=b,c
want_rc 0 "pathways job"
run kubectl get jobset heads -o json
equal pathways-head "$(json "$dir/out" spec.coordinator.replicatedJob)" "coordinator"
equal A=b,c "$(json "$dir/out" spec.replicatedJobs.1.template.spec.template.spec.containers.0.env |
	grep -o '"name": "A", "value": "[^"]*"' | sed 's/.*"name": "\(.*\)", "value": "\(.*\)"/\1=\2/')" "a value with a comma"
equal InOrder "$(json "$dir/out" spec.startupPolicy.startupPolicyOrder)" "startup order"

# destroy, and nothing is left
run ./gcluster destroy "$CLUSTER_NAME" --robust --auto-approve --download-dependencies --no-color
want_rc 0 "destroy"
equal 'Successfully destroyed all selected groups.' "$(tail -n 1 "$dir/out" | sed 's/^[^ ]*Z: //')" "destroy's last line"
equal '[]' "$(json gemma-rl/primary/terraform.tfstate resources)" "state after destroy"
run gcloud container clusters list --project="$PROJECT"
equal '' "$(cat "$dir/out")" "clusters after destroy"
run gcloud storage rm -r "gs://$GCS_BUCKET"
want_rc 0 "bucket removed"
run gcloud storage ls
equal '' "$(cat "$dir/out")" "buckets at the end"

# a call of a stand-in by another one is not in the ledger
! grep '"kind":"argv"' "$dir/ledger.jsonl" | grep -q '"get-credentials"' || fail "nested calls are in the ledger"
grep '"kind":"argv"' "$dir/ledger.jsonl" | grep -q '"gcluster","deploy"' || fail "gcluster's own calls are not in the ledger"
