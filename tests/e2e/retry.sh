#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a try has left, and what the next one makes of it: a toolkit and a deployment folder that are not whole, a lock of
# terraform with and without its holder, things outside of terraform's state, JobSets of the name in each of their
# states, incomplete trees. Each ends done, and each thing is made once.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cat >"$dir/plan" <<'END'
cluster deploy:*node_pool_service_account.google_service_account* made-outside 1
cluster deploy:*google_compute_network.network made-outside 1
cluster queue:gemma4-hf-to-mt quota-taken 90m
export+6m load:*-main-job-0-0-* exit=1 1
END
sim_start --seed 1 --faults "$dir/plan"
run=$XDG_STATE_HOME/rlpilot/runs/again
toolkit=$run/toolkit/cluster-toolkit
stage() { # stage NAME [OPTION…]
	name=$1
	shift
	run "$rlpilot" --run again run --stage "$name" "$@"
}
ends() { # ends CODE STATE ERE: the stage tried last
	want_rc "$1" "$name"
	want out "^\[[1-9]/9\] $name +$2 .*$3" "$name"
}
journal() { # journal ERE WHAT
	grep -Eq -- "$1" "$run/journal.jsonl" || fail "$2: the journal does not say: $1"
}

run "$rlpilot" --run again run --from tools --to bucket
want_rc 0 "up to the bucket"

# a network that may come back: said at once, tried again by itself, and told to whoever only looks
run env RLPILOT_RELEASES=http://127.0.0.1:1 "$rlpilot" --run away run --from tools --to toolkit
want_rc 1 "no network"
for minutes in 1 2 4; do
	want out "^  this machine does not reach the service \(it is tried again by itself after $minutes min; if that does not help: check " \
		"no network"
done
want out '^\[2/9\] toolkit +failed .* this machine does not reach the service$' "no network"
grep -q '"ev":"stage-exit","stage":"toolkit","attempt":1,.*"cause_id":"no-network"' "$XDG_STATE_HOME/rlpilot/runs/away/journal.jsonl" ||
	fail "no network: screens do not learn why it waits"

# a download that was cut off behind the program itself
rm -r "$toolkit/.whole" "$toolkit/examples"
stage toolkit
ends 0 done ''
[ -e "$toolkit/examples/gke-tpu-v6e/gke-tpu-v6e-advanced.yaml" ] || fail "half a toolkit is taken for a whole one"
journal '"stage":"toolkit".*a toolkit that is not whole is removed first' "half a toolkit"
rm "$toolkit/.whole"
printf 'half' >"$toolkit/gcluster"
stage toolkit
ends 0 done ''

# gcluster was killed while it wrote the folder; two things were made of which the state knows nothing
mkdir -p "$toolkit/$CLUSTER_NAME/primary"
stage cluster
ends 1 failed ''
journal '"stage":"cluster".*a deployment folder that is not whole is removed first' "half a folder"
for what in network account; do
	stage cluster
	ends 1 failed 'is there, but terraform.s state does not know it'
	cure=$(sed -n 's/^  cure: .*\(gcloud .*\)$/\1/p' "$dir/out" | sed 's/)*$//')
	case $cure in
	"gcloud iam service-accounts delete $CLUSTER_NAME-gke-np-sa@"* | "gcloud compute networks delete $CLUSTER_NAME-net-0 "*) ;;
	*) fail "the cure of the $what is '$cure'" ;;
	esac
	eval "$cure --quiet" >"$dir/cure" 2>&1 || fail "the cure fails: $cure: $(cat "$dir/cure")"
done

# a lock file without its terraform is nothing; with it the stage waits for it, by name
state=$toolkit/$CLUSTER_NAME/primary/terraform.tfstate
printf '{"ID":"1","Operation":"OperationTypeApply","Who":"someone@host","Version":"1.12.2","Created":"2026-07-13T12:50:09Z"}' \
	>"$toolkit/$CLUSTER_NAME/primary/.terraform.tfstate.lock.info"
[ -e "$state" ] || printf '{}' >"$state"
mkfifo "$dir/hold"
python3 -c '
import fcntl, sys
f = open(sys.argv[1], "r+")
fcntl.lockf(f, fcntl.LOCK_EX)
open(sys.argv[2], "w").close()
open(sys.argv[3]).read()
' "$state" "$dir/locked" "$dir/hold" &
holder=$!
"$waitfor" -t 20 file "$dir/locked" || die "nobody holds the lock"
stage cluster
ends 2 blocked "another terraform works on this deployment: process $holder, someone@host"
kill "$holder"
wait "$holder" 2>/dev/null
stage cluster
ends 0 done ''

# JobSets of the name: of other values (it waits in its queue), being deleted, ended
export KUBECONFIG="$run/kubeconfig"
cp -r "$toolkit" "$dir/toolkit"
submit gemma4-hf-to-mt --command "sleep 1000; python3 -m maxtext.checkpoint_conversion.to_maxtext model_name=other
 base_output_directory=gs://$GCS_BUCKET/$MODEL_NAME/max-text-format/"
stage convert
ends 2 blocked 'there is already a JobSet gemma4-hf-to-mt .not finished.; it has other values: model_name: other there, '
want out '^  cure: ./gcluster job cancel gemma4-hf-to-mt -p' "another job of the name"
kubectl get jobset gemma4-hf-to-mt >/dev/null || fail "a job of other values is deleted"
server=$(sed -n 's/^ *server: //p' "$KUBECONFIG")
finalizers() { # finalizers LIST: somebody else's, that keep it
	curl -fsS --cacert "$RLPILOT_SIM_CA" -X PATCH -H "Authorization: Bearer $(gcloud auth print-access-token)" \
		-H 'Content-Type: application/merge-patch+json' --data "{\"metadata\":{\"finalizers\":$1}}" -o /dev/null \
		"$server/apis/jobset.x-k8s.io/v1alpha2/namespaces/default/jobsets/gemma4-hf-to-mt" || fail "no finalizers $1"
}
finalizers '["example.com/hold"]'
kubectl delete jobset gemma4-hf-to-mt --cascade=foreground >/dev/null
"$rlpilot" --run again run --stage convert >"$dir/out" 2>"$dir/err" </dev/null &
engine=$!
"$waitfor" -t 30 -p "$engine" line "$run/journal.jsonl" '.*the JobSet of this name is being deleted: waited for.*' ||
	fail "a job that is being deleted is not waited for: $(tail -n 3 "$dir/out")"
finalizers '[]'
rc=0
wait "$engine" || rc=$?
ends 0 done ''
journal '"stage":"convert".*the JobSet of this name is being deleted: waited for' "a job that is being deleted"
post() { # post INTENT: of a screen, by an engine of its own that ends afterwards
	mkdir -p "$run/inbox"
	printf '%s\n' "$1" >"$run/new"
	mv "$run/new" "$run/inbox/1.json"
	"$rlpilot" engine --run-dir "$run" >"$dir/engine" 2>&1 </dev/null &
	engine=$!
	"$waitfor" -t 60 -p "$engine" line "$run/journal.jsonl" ".*$2.*" || die "$1 does nothing: $(tail -n 2 "$run/journal.jsonl")"
	echo '{"v":1,"intent":"stop"}' >"$run/new"
	mv "$run/new" "$run/inbox/2.json"
	wait "$engine"
}
post '{"v":1,"intent":"undo","stage":"convert","text":"max-text-format"}' '"stage":"convert".*"state":"undone"'
submit gemma4-hf-to-mt --command "exit 3; : gs://$GCS_BUCKET/"
kubectl wait --for=condition=Failed jobset/gemma4-hf-to-mt --timeout=600s >/dev/null || fail "the job does not fail"
run "$rlpilot" --run fresh run --stage toolkit
want_rc 0 "the toolkit of another run"
name=convert
run "$rlpilot" --run fresh run --stage convert
ends 2 blocked 'there is already a JobSet gemma4-hf-to-mt .Failed.'
want out '^  cure: try again: then it is deleted first' "an ended job of the name"
run "$rlpilot" --run fresh run --stage convert
ends 0 done ''

stage convert
ends 0 skipped 'recognised'
stage train
ends 0 done ''
# an export that breaks off leaves shards without an index
stage export
ends 1 failed ''
stage export
ends 0 done ''
journal '"stage":"export".*an incomplete tree of the last try is deleted first' "half an export"
for what in "cluster/$CLUSTER_NAME" "bucket/$GCS_BUCKET" jobset/default/gemma4-training; do
	equal 1 "$(made "$what")" "$what"
done
equal "" "$(PYTHONPATH=$srcdir/tests/e2e python3 -B -c '
import json, sys
from faults import created_twice
print(" ".join(created_twice(map(json.loads, open(sys.argv[1])))))
' "$dir/ledger.jsonl")" "made while it was there"
