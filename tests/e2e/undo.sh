#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# An undo is done when the cloud says so: commands that end well and leave something (a tree, a bucket, a cluster) make a
# failed undo that says what is left, and the next one gets over it. What pods write while they end is removed by a
# second round. Without its cluster a job is gone by itself.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
sim_start --seed 1
run=$XDG_STATE_HOME/rlpilot/runs/run-1
true_gcloud=$(command -v gcloud)
mkdir "$dir/bin"
PATH=$dir/bin:$PATH
n=0

post() { # post JSON: an intent into the inbox, taken
	n=$((n + 1))
	mkdir -p "$run/inbox"
	printf '%s\n' "$1" >"$run/post.new"
	mv "$run/post.new" "$run/inbox/9999999999999$((10 + n))-test.json"
	"$waitfor" -t 20 -p "$engine" gone "$run/inbox/9999999999999$((10 + n))-test.json" || die "nobody takes: $1"
}

says() { # says N ERE: the N-th such line of the journal has come
	"$waitfor" -t 60 -p "$engine" lines "$run/journal.jsonl" ".*$2.*" "$1" ||
		die "the journal does not say $1 times: $2 ($(tail -n 2 "$run/journal.jsonl"))"
}

lie() { # lie WHEN COMMAND: a gcloud that does COMMAND in place of `storage rm` while the file WHEN is there
	cat >"$dir/bin/gcloud" <<-END
		#!/bin/sh
		if [ "\$1 \$2" = 'storage rm' ] && [ -e '$1' ]; then
			$2
			exit
		fi
		exec '$true_gcloud' "\$@"
	END
	chmod +x "$dir/bin/gcloud"
	: >"$1"
}

objects() {
	gcloud storage ls -r "gs://$GCS_BUCKET/$MODEL_NAME/" 2>/dev/null | grep -v ':$'
}

run_engine() {
	"$rlpilot" engine --run-dir "$run" >"$dir/engine" 2>&1 </dev/null &
	engine=$!
	"$waitfor" -t 20 -p "$engine" file "$run/engine" || die "no engine: $(cat "$dir/engine")"
}

run "$rlpilot" run --from tools --to convert
want_rc 0 "up to the conversion"

# The command says that all is well; the listing knows better.
lie "$dir/lies" :
run_engine
post '{"v":1,"intent":"undo","stage":"convert","text":"max-text-format"}'
says 1 '"ev":"stage-failed","stage":"convert".*"cause":"not all of it is gone: [0-9]+ objects are still there, the first is gs://.*/max-text-format/0/.*"cause_id":"undo-left".*"cure":"undo the stage again'
kubectl get jobset gemma4-hf-to-mt >/dev/null 2>&1 && fail "the JobSet is still there"
rm "$dir/lies"
post '{"v":1,"intent":"undo","stage":"convert","text":"max-text-format"}'
says 1 '"ev":"stage-done","stage":"convert",.*"state":"undone"'
equal "" "$(objects)" "the tree after its undo"

# A pod that was ending writes one more object behind the first round.
post '{"v":1,"intent":"start-stage","stage":"convert"}'
says 1 '"ev":"stage-done","stage":"convert","attempt":2}'
cat >"$dir/late" <<-END
	#!/bin/sh
	rm -f '$dir/once'
	'$true_gcloud' "\$@" || exit
	exec curl -fsS -X POST -H "Authorization: Bearer \$('$true_gcloud' auth print-access-token)" --data-binary x -o /dev/null \\
		'$RLPILOT_SIM/upload/storage/v1/b/$GCS_BUCKET/o?uploadType=media&name=$MODEL_NAME/max-text-format/0/late'
END
chmod +x "$dir/late"
lie "$dir/once" "'$dir/late' \"\$@\""
rounds=$(find "$run/stages/convert" -name 'undo-*' | wc -l)
post '{"v":1,"intent":"undo","stage":"convert","text":"max-text-format"}'
says 2 '"ev":"stage-done","stage":"convert",.*"state":"undone"'
equal $((rounds + 2)) "$(find "$run/stages/convert" -name 'undo-*' | wc -l)" "rounds of an undo with a late object"
equal "" "$(objects)" "the tree after two rounds"

# A destroy that ends well and leaves the cluster.
toolkit=$run/toolkit/cluster-toolkit
mv "$toolkit/gcluster" "$toolkit/gcluster.true"
printf '#!/bin/sh\n[ "$1" != destroy ] || exit 0\nexec ./gcluster.true "$@"\n' >"$toolkit/gcluster"
chmod +x "$toolkit/gcluster"
post '{"v":1,"intent":"undo","stage":"cluster","text":"'"$CLUSTER_NAME"'"}'
says 1 '"ev":"stage-failed","stage":"cluster".*not all of it is gone: the cluster '"$CLUSTER_NAME"' is still there .RUNNING.*"cause_id":"undo-left"'
mv "$toolkit/gcluster.true" "$toolkit/gcluster"
post '{"v":1,"intent":"undo","stage":"cluster","text":"'"$CLUSTER_NAME"'"}'
says 1 '"ev":"stage-done","stage":"cluster",.*"state":"undone"'

# Its cluster is gone: so is the job, and the rest of the undo is done.
put_object "$MODEL_NAME/max-text-format/0/rest"
post '{"v":1,"intent":"undo","stage":"convert","text":"max-text-format"}'
says 3 '"ev":"stage-done","stage":"convert",.*"state":"undone"'
equal "" "$(objects)" "the tree without its cluster"

lie "$dir/lies" :
post '{"v":1,"intent":"undo","stage":"bucket","text":"'"$GCS_BUCKET"'"}'
says 1 '"ev":"stage-failed","stage":"bucket".*not all of it is gone: the bucket gs://'"$GCS_BUCKET"' is still there'
rm "$dir/lies"
post '{"v":1,"intent":"undo","stage":"bucket","text":"'"$GCS_BUCKET"'"}'
says 1 '"ev":"stage-done","stage":"bucket",.*"state":"undone"'
post '{"v":1,"intent":"undo","stage":"toolkit"}'
says 1 '"ev":"stage-done","stage":"toolkit",.*"state":"undone"'
post '{"v":1,"intent":"stop"}'
wait "$engine"
equal "" "$(left_over "$dir/ledger.jsonl" | grep -v '^event/')" "left over"
equal 1 "$(made "cluster/$CLUSTER_NAME")" "clusters"
