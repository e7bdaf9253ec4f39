#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What `run --all` calls is what `plan --script` says, program by program, argument by argument, folder by folder, apart
# from commands that only look or wait, with training parameters of one's own. And it deletes nothing, and creates
# nothing twice.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
sim_start --seed 1
trace=$srcdir/../shared/check/argv-trace
[ -x "$trace" ] || trace="sh $srcdir/tests/e2e/argv_trace.sh"
own="--set learning_rate=1e-5 --set rl.reshard_chunk_size=8"
# shellcheck disable=SC2086
"$rlpilot" plan --script $own >"$dir/plan.sh" </dev/null || die "plan --script failed"
# shellcheck disable=SC2086
$trace "$dir/plan.sh" >"$dir/plan.trace" || die "the plan's script cannot be traced"
# shellcheck disable=SC2086
run "$rlpilot" run --all $own
want_rc 0 "run --all"

cat >"$dir/calls.py" <<'P'
import json, os, re, sys
kind, path = sys.argv[1:]
tools = {"gcloud", "gcluster", "kubectl", "terraform"}
def looks(a):
    w = [x for x in a[1:] if not x.startswith("-")]
    return (w[:3] == ["auth", "application-default", "print-access-token"] or w[:2] in (["auth", "print-access-token"],
        ["storage", "ls"], ["config", "config-helper"], ["job", "list"], ["job", "logs"], ["storage", "buckets"] if
        "describe" in w else None) or a[1:] == ["--version"] or (a[0] == "kubectl" and w[0] in ("wait", "logs", "get")))
for line in open(path):
    r = json.loads(line)
    if kind == "ledger":
        if r["kind"] != "argv":
            continue
        folder = r["folder"].rsplit("/toolkit/", 1)[-1] if "/toolkit/" in r["folder"] else "."
        r = [folder] + [re.sub(r"\s+", " ", x).strip() if x.startswith("--command=") else x for x in r["argv"]]
    if r[1] in tools and not looks(r[1:]):
        print(json.dumps(r, ensure_ascii=False))
P
python3 "$dir/calls.py" trace "$dir/plan.trace" >"$dir/want" || die "the trace cannot be read"
python3 "$dir/calls.py" ledger "$dir/ledger.jsonl" >"$dir/got" || die "the ledger cannot be read"
[ "$(wc -l <"$dir/want")" -ge 6 ] || fail "the plan holds only $(wc -l <"$dir/want") commands"
cmp -s "$dir/want" "$dir/got" || {
	fail "the run does something else than the plan (- plan, + run)"
	diff -u "$dir/want" "$dir/got" | cut -c1-300 >&2
}

for param in learning_rate=1e-5 rl.reshard_chunk_size=8; do
	grep -q "\"kind\":\"argv\".*--name=gemma4-training.* $param " "$dir/ledger.jsonl" || fail "$param did not reach the job"
done
"$rlpilot" plan --script --run run-1 >"$dir/after.sh" </dev/null || fail "plan --script failed after the run"
grep -q "^learning_rate=1e-5 " "$dir/after.sh" || fail "the plan of the run has forgotten its learning rate"

! grep -q '"kind":"delete","what":"\(cluster\|bucket\|object\|jobset\)/' "$dir/ledger.jsonl" ||
	fail "run --all deleted $(grep -m 1 -o '"kind":"delete","what":"[^"]*"' "$dir/ledger.jsonl")"
for what in "cluster/$CLUSTER_NAME" "bucket/$GCS_BUCKET" jobset/default/gemma4-hf-to-mt jobset/default/gemma4-training \
	jobset/default/gemma4-mt-to-hf; do
	equal 1 "$(made "$what")" "creations of $what"
done

# The edited blueprint is what the tutorial's three sed commands make of the release's own.
kit=$XDG_STATE_HOME/rlpilot/runs/run-1/toolkit/cluster-toolkit
# shellcheck disable=SC2016
sed -e 's/n2-standard-8/e2-standard-8/' -e '/system_node_pool_machine_type/a \      system_node_pool_zones: [$(vars.zone)]' \
	-e 's/- storage.objectViewer/- storage.admin/' "$kit/examples/gke-tpu-v6e/gke-tpu-v6e-advanced.yaml" >"$dir/sed.yaml"
for file in "$XDG_STATE_HOME/rlpilot/runs/run-1/blueprint.yaml" "$kit/gke-tpu-v6e-advanced.yaml"; do
	cmp -s "$dir/sed.yaml" "$file" || {
		fail "$file is not what the tutorial's edits make (- tutorial, + run)"
		diff -u "$dir/sed.yaml" "$file" >&2
	}
done
