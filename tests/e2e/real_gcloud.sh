#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The real gcloud against the simulator, by the environment file alone; and the stand-in says the same.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
sim_start --seed 1
gcloud=$(real gcloud)
[ -n "$gcloud" ] || skip "no gcloud on this machine"

run "$gcloud" storage buckets describe "gs://$GCS_BUCKET"
want_rc 1 "describe of a missing bucket"
want err 'not found: 404' "describe of a missing bucket"
run "$gcloud" storage buckets create "gs://$GCS_BUCKET" --project="$PROJECT" --location="$REGION"
want_rc 0 "create a bucket"
run "$gcloud" storage buckets describe "gs://$GCS_BUCKET"
want_rc 0 "describe a bucket"
want out '^location: US-EAST5$' "describe a bucket"
want out "^name: $GCS_BUCKET$" "describe a bucket"
token=$("$gcloud" auth print-access-token) || fail "no token"
for o in a%2Fone.txt a%2Fb%2Ftwo.txt three.txt; do
	curl -fsS -X POST -H "Authorization: Bearer $token" -H 'Content-Type: text/plain' --data-binary 'twelve bytes' \
		-o /dev/null "$RLPILOT_SIM/upload/storage/v1/b/$GCS_BUCKET/o?uploadType=media&name=$o" || fail "upload of $o"
done

for args in "gs://$GCS_BUCKET" "gs://$GCS_BUCKET/a/" "-l gs://$GCS_BUCKET/a/" "-l --readable-sizes gs://$GCS_BUCKET/" \
	"-r gs://$GCS_BUCKET/" "-r gs://$GCS_BUCKET/a/"; do
	# shellcheck disable=SC2086
	run "$gcloud" storage ls $args
	want_rc 0 "storage ls $args"
	mv "$dir/out" "$dir/real"
	# shellcheck disable=SC2086
	run gcloud storage ls $args
	cmp -s "$dir/real" "$dir/out" || {
		fail "storage ls $args: the stand-in says something else"
		diff "$dir/real" "$dir/out" >&2
	}
done
run "$gcloud" storage ls "gs://$GCS_BUCKET/nothing/"
want_rc 1 "ls of nothing"
mv "$dir/err" "$dir/real"
run gcloud storage ls "gs://$GCS_BUCKET/nothing/"
equal "$(cat "$dir/real")" "$(cat "$dir/err")" "ls of nothing"
run "$gcloud" storage cat "gs://$GCS_BUCKET/three.txt"
equal 'twelve bytes' "$(cat "$dir/out")" "cat"
run "$gcloud" storage rm "gs://$GCS_BUCKET/three.txt"
want_rc 0 "rm"
equal 1 "$(grep -c '"kind":"delete","what":"object/.*three.txt"' "$dir/ledger.jsonl")" "deletions in the ledger"
run "$gcloud" projects describe "$PROJECT" --format='value(projectId)'
equal "$PROJECT" "$(cat "$dir/out")" "project"
run "$gcloud" services list --enabled --project "$PROJECT" --format='value(config.name)'
want out '^compute.googleapis.com$' "services"
run "$gcloud" compute reservations list --format='value(name)'
equal "$RESERVATION" "$(cat "$dir/out")" "reservation"
run "$gcloud" frob
want_rc 2 "unknown command"
want err "Invalid choice: 'frob'" "unknown command"
