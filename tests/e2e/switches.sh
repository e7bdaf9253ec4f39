#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every deviation from the tutorial switched off: the run still comes to its end, and what is called is what the tutorial
# writes. The same with those switched on that are off by default.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
sim_start --seed 1

# calls WORD…: the stand-ins' calls that begin with these words, one a line
calls() {
	python3 - "$dir/ledger.jsonl" "$@" <<'P'
import json, sys
for line in open(sys.argv[1]):
    e = json.loads(line)
    if e["kind"] == "argv" and e["argv"][:len(sys.argv) - 2] == sys.argv[2:]:
        print(" ".join(e["argv"]))
P
}

set --
for id in no-await restarts-0 ttl-24h explicit-target own-kubeconfig edits-in-c validators-on json-output download-dependencies \
	robust-destroy wait-by-watch step-from-bucket stdin-closed; do
	set -- "$@" --set "$id=off"
done
run "$rlpilot" run --all "$@"
want_rc 0 "run --all without deviations"
calls gcluster deploy >"$dir/deploy"
want deploy ' -l IGNORE' "the deploy"
want_not deploy '--json-output|--skip-validators|--download-dependencies|--no-color' "the deploy"
calls gcluster job submit >"$dir/submit"
equal 3 "$(wc -l <"$dir/submit" | tr -d ' ')" "submits"
equal 2 "$(grep -c -e --await-job-completion "$dir/submit")" "submits that wait"
equal 1 "$(grep -c -e --restarts=0 "$dir/submit")" "submits without restarts (the tutorial's training)"
want_not submit ' -p ' "the submits"
equal 3 "$(calls gcluster job config set | wc -l | tr -d ' ')" "settings of gcluster"
want submit '/actor/50/model_params/' "the step that is exported"
run "$rlpilot" run --stage cleanup --confirm "$CLUSTER_NAME"
want_rc 0 "the clean-up"
calls gcluster destroy >"$dir/destroy"
want destroy '^gcluster destroy gemma-rl --auto-approve$' "the destroy"

# --- the other way round: another run, all that is offered
run "$rlpilot" --run offered run --from tools --to cluster --set cidr-own=on --set AUTHORIZED_CIDR=203.0.113.7/32
want_rc 0 "a cluster for one address"
calls gcluster deploy | tail -n 1 >"$dir/deploy"
want deploy 'authorized_cidr=203\.0\.113\.7/32' "the deploy"
want deploy '--json-output' "the deploy"

# --- each alone: what is called is what the plan of that run says. SWITCHES=all: every one, to the export and the
# clean-up; otherwise those whose commands are made in another way, to the cluster.
trace=$srcdir/../shared/check/argv-trace
[ -x "$trace" ] || trace="sh $srcdir/tests/e2e/argv_trace.sh"
cat >"$dir/calls.py" <<'P'
import json, re, sys
kind, path = sys.argv[1:]
for line in open(path):
    r = json.loads(line)
    if kind == "ledger":
        if r["kind"] != "argv":
            continue
        r = [r["folder"].rsplit("/toolkit/", 1)[-1]] + r["argv"]
    words = [x for x in r[2:] if not x.startswith("-")]
    changes = r[1] == "gcluster" and words[:1] == ["deploy"] or words[:2] == ["job", "submit"] or words[:2] == ["job", "config"] or \
        r[1] == "gcloud" and "get-credentials" in words
    if changes and r[0] == "cluster-toolkit":
        r = [re.sub(r"\s+", " ", x).strip() if x.startswith("--command=") else x for x in r]
        print(json.dumps([re.sub(r"^.*/(?=[^/]*\.yaml$)", "TMP/", x) for x in r], ensure_ascii=False))
P

alone() { # alone LAST ID WORD [OPTION…]
	last=$1
	id=$2
	word=$3
	shift 3
	kill "$sim_pid"
	wait "$sim_pid" 2>/dev/null
	rm -rf "$dir/env" "$dir/env.world" "$dir/ledger.jsonl"
	sim_start --seed 1
	run "$rlpilot" run --from tools --to "$last" --set "$id=$word" "$@"
	want_rc 0 "run with $id=$word"
	"$rlpilot" --run run-1 plan --script >"$dir/plan.sh" </dev/null || die "no plan with $id=$word"
	$trace "$dir/plan.sh" >"$dir/plan.trace" || fail "the plan with $id=$word does not run"
	python3 "$dir/calls.py" ledger "$dir/ledger.jsonl" >"$dir/got"
	python3 "$dir/calls.py" trace "$dir/plan.trace" >"$dir/all"
	many=$(wc -l <"$dir/got")
	[ "$last" = cluster ] || many=1000
	head -n "$many" "$dir/all" >"$dir/want"
	[ "$many" -gt 0 ] || fail "with $id=$word nothing is called"
	cmp -s "$dir/want" "$dir/got" || {
		fail "with $id=$word the run does something else than the plan (- plan, + run)"
		diff -u "$dir/want" "$dir/got" | cut -c1-300 >&2
	}
	[ "$last" = export ] || return 0
	run "$rlpilot" run --stage cleanup --confirm "$CLUSTER_NAME"
	want_rc 0 "the clean-up with $id=$word"
}

if [ "${SWITCHES:-}" = all ]; then
	for id in no-await restarts-0 ttl-24h explicit-target own-kubeconfig validators-on json-output download-dependencies \
		robust-destroy wait-by-watch step-from-bucket stdin-closed edits-in-c; do
		alone export "$id" off
	done
	alone export dataset-openmath on
	alone export checkpoint-every-10 on
	alone export cidr-own on --set AUTHORIZED_CIDR=203.0.113.7/32
else
	alone cluster edits-in-c off
	alone cluster cidr-own on --set AUTHORIZED_CIDR=203.0.113.7/32
fi
