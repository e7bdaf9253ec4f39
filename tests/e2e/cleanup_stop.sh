#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A clean-up that is stopped in the midst of its destroy: by the typed name alone, with one SIGINT to each terraform,
# which finishes what it has begun; its state is kept and not locked, and the next clean-up destroys the rest and ends
# clean.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
# Slow enough for the seconds of second thoughts to end before the destroy does.
sim_start --seed 1 --speed 30
run=$XDG_STATE_HOME/rlpilot/runs/run-1

post() { # post N JSON
	mkdir -p "$run/inbox"
	printf '%s\n' "$2" >"$run/post.new"
	mv "$run/post.new" "$run/inbox/9999999999999$1-test.json"
	"$waitfor" -t 20 -p "$engine" gone "$run/inbox/9999999999999$1-test.json" || die "nobody takes: $2"
}

run "$rlpilot" run --from tools --to cluster
want_rc 0 "up to the cluster"
"$rlpilot" run --stage cleanup --confirm "$CLUSTER_NAME" --confirm-bucket "$GCS_BUCKET" >"$dir/lines" 2>&1 </dev/null &
engine=$!
"$waitfor" -t 60 -p "$engine" line "$dir/lines" '^  resources 0/44$' || die "no destroy: $(tail -n 3 "$dir/lines")"
post 1 '{"v":1,"intent":"cancel","stage":"cleanup","text":"gemma"}'
"$waitfor" -t 20 -p "$engine" line "$run/journal.jsonl" '.*"ev":"cancel","stage":"cleanup","attempt":1,"state":"refused".*' ||
	fail "a wrong name stops the destroy"
post 2 '{"v":1,"intent":"cancel","stage":"cleanup","text":"'"$CLUSTER_NAME"'"}'
rc=0
wait "$engine" || rc=$?
equal 5 "$rc" "a destroy that was stopped"
want lines 'what is left goes on costing' "what may be lost"
log=$run/stages/cleanup/1/log
grep -q 'Interrupt received' "$log" || fail "no terraform was told"
grep -q 'Two interrupts' "$log" && fail "a terraform got a second SIGINT"
state=$run/toolkit/cluster-toolkit/$CLUSTER_NAME/primary/terraform.tfstate
[ -f "$state" ] || die "the state is gone"
grep -q '"type"' "$state" || fail "the state holds nothing: the destroy was over"
cmp -s "$state" "$run/tfstate/2/terraform.tfstate" || fail "the state is not copied"
grep -q "\"kind\":\"delete\",\"what\":\"bucket/$GCS_BUCKET\"" "$dir/ledger.jsonl" && fail "the bucket is deleted"

run "$rlpilot" run --stage cleanup --confirm "$CLUSTER_NAME" --confirm-bucket "$GCS_BUCKET"
want_rc 0 "the clean-up after it"
equal '' "$(left_over "$dir/ledger.jsonl" | grep -Ev '^(pod|job|jobset|workload|node|event)/')" "left over"
python3 -c '
import collections, json, sys
n = collections.Counter(e["what"] for e in map(json.loads, open(sys.argv[1])) if e["kind"] == "delete")
twice = [w for w, k in n.items() if k > 1 and not w.startswith(("event/", "pod/", "node/"))]
assert not twice, twice
' "$dir/ledger.jsonl" || fail "something was deleted twice"
