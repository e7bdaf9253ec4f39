#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What `run --all` really executed (the simulator's ledger) is what `plan --script` would execute, argument by
# argument, apart from commands that only look or wait. And it deletes nothing.
set -eu
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
trace=${RLPILOT_SHARED:-$srcdir/../shared}/check/argv-trace
[ -x "$trace" ] || skip "no $trace"
export XDG_STATE_HOME="$dir/state"
sim_start --seed 5
run "$rlpilot" run --all
want_rc 0 "run --all"
"$rlpilot" plan --script >"$dir/plan.sh"
"$trace" "$dir/plan.sh" >"$dir/trace.jsonl"
python3 - "$dir/ledger.jsonl" "$dir/trace.jsonl" >"$dir/difference" <<'P' || fail "argv differ: $(cat "$dir/difference")"
import json, re, sys
look = re.compile(r"gcloud auth (application-default )?print-access-token|gcloud config config-helper|gcloud storage ls"
                  r"|gcluster --version|kubectl ")
def work(rows):
    return [r for r in rows if r[0] in ("gcloud", "gcluster", "kubectl") and not look.match(" ".join(r))]
ledger = [json.loads(line) for line in open(sys.argv[1])]
ran = work([[e["argv"][0].split("/")[-1]] + e["argv"][1:] for e in ledger if e["kind"] == "argv"])
planned = work([json.loads(line)[1:] for line in open(sys.argv[2])])
for a, b in zip(ran, planned):
    if a != b:
        print("ran", a, "planned", b)
if len(ran) != len(planned) or len(ran) < 6:
    print(len(ran), "ran,", len(planned), "planned")
gone = [e["what"] for e in ledger if e["kind"] == "delete" and e["what"].split("/")[0] in ("cluster", "bucket")]
if gone:
    print("deleted", gone)
sys.exit(ran != planned or len(ran) < 6 or bool(gone))
P
