#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `metrics --csv` holds exactly the true values of the simulator's ledger, for two seeds, and the seeds differ.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

for seed in 1 2; do
	rm -f "$dir/env" "$dir/ledger.jsonl"
	sim_start --seed $seed
	run "$rlpilot" run --all
	want_rc 0 "run --all with seed $seed"
	run "$rlpilot" metrics --csv
	want_rc 0 "metrics --csv with seed $seed"
	cp "$dir/out" "$dir/csv.$seed"
	cp "$dir/ledger.jsonl" "$dir/ledger.$seed"
	kill "$sim_pid"
	"$waitfor" -t 20 dead "$sim_pid" || fail "the simulator does not end on SIGTERM"
	sim_pid=
	rm -rf "$dir/env.world"
done
python3 - "$dir" <<'P' || fail "the curves are not the true ones"
import csv, json, sys
d = sys.argv[1]
bad = 0
def complain(*a):
    global bad
    bad += 1
    if bad < 10:
        print(*a, file=sys.stderr)
curves = {}
for seed in "12":
    rows = list(csv.reader(open(f"{d}/csv.{seed}")))
    if rows[0] != ["series", "step", "wall_time", "value", "source"]:
        complain("the header is", rows[0])
    rows = rows[1:]
    keys = [(r[0], int(r[1])) for r in rows]
    if keys != sorted(keys) or len(set(keys)) != len(keys):
        complain("seed", seed, "is not sorted by series and step, or holds a point twice")
    got = {k: r[3] for k, r in zip(keys, rows)}
    for r in rows:
        if r[4] not in ("event", "log") or float(r[2]) < 1.6e9:
            complain("odd row", r)
    true = {}
    for line in open(f"{d}/ledger.{seed}"):
        e = json.loads(line)
        if e["kind"] == "metric":
            v = e["value"]
            true[e["what"], e["step"]] = "%.9g" % v if isinstance(v, (int, float)) else str(v)
    if len(true) < 300 or ("rewards/train/sum", 50) not in true or ("eval/mean_reward", 51) not in true:
        complain("the ledger of seed", seed, "holds only", len(true), "values")
    for k in sorted(set(true) | set(got)):
        if true.get(k) != got.get(k):
            complain("seed", seed, k, "is", got.get(k), "in the csv,", true.get(k), "in the ledger")
    curves[seed] = {k: v for k, v in got.items() if k[0] == "rewards/train/sum"}
if curves["1"] == curves["2"]:
    complain("both seeds give the same curve")
sys.exit(bad > 0)
P
