#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The real gcloud against the simulator: copies both ways, removal of a bucket, a cluster and its credentials.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
sim_start --seed 1
gcloud=$(real gcloud)
[ -n "$gcloud" ] || skip "no gcloud on this machine"

run "$gcloud" storage buckets create "gs://$GCS_BUCKET" --project="$PROJECT" --location="$REGION"
want_rc 0 "create a bucket"
run "$gcloud" storage buckets create "gs://$GCS_BUCKET" --project="$PROJECT" --location="$REGION"
want_rc 1 "create it again"
want err 'HTTPError 409' "create it again"
printf 'twelve bytes' >"$dir/file"
run "$gcloud" storage cp "$dir/file" "gs://$GCS_BUCKET/a/b c.txt"
want_rc 0 "copy up"
run "$gcloud" storage cp "gs://$GCS_BUCKET/a/b c.txt" "$dir/back"
want_rc 0 "copy down"
cmp -s "$dir/file" "$dir/back" || fail "what came back is not what went up"
run "$gcloud" storage rm -r "gs://$GCS_BUCKET"
want_rc 0 "remove the bucket"
equal 1 "$(grep -c "\"kind\":\"delete\",\"what\":\"bucket/$GCS_BUCKET\"" "$dir/ledger.jsonl")" "bucket in the ledger"

run curl -fsSN -d "{\"deployment\":\"$CLUSTER_NAME\",\"reservation\":\"$RESERVATION\"}" "$RLPILOT_SIM/sim/v1/deploy"
want out '"event":"end","ok":true' "deploy"
run "$gcloud" container clusters list --format='value(name,status)'
equal "$CLUSTER_NAME	RUNNING" "$(cat "$dir/out")" "clusters list"
run "$gcloud" compute reservations list --format='value(specificReservation.inUseCount)'
equal 8 "$(cat "$dir/out")" "machines in use"
run "$gcloud" container clusters get-credentials "$CLUSTER_NAME" --location="$REGION"
want_rc 0 "get-credentials"
grep -q 'server: https://127.0.0.1:' "$KUBECONFIG" || fail "kubeconfig: $(cat "$KUBECONFIG")"
