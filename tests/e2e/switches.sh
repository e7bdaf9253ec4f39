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
