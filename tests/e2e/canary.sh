#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The Hugging Face token of a whole run is nowhere but where it cannot be kept out: gcluster's own argv, the pod spec and
# the manifest that gcluster leaves, which only its owner may read afterwards.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
sim_start --seed 1
# a manifest of an earlier time, as gcluster leaves it; writing it again does not change its mode
mkdir -p "$HOME/.gcluster/generated"
: >"$HOME/.gcluster/generated/gemma4-training.yaml"
chmod 644 "$HOME/.gcluster/generated/gemma4-training.yaml"
"$rlpilot" run --all --log-file "$dir/rlpilot.log" >"$dir/life" 2>&1 </dev/null &
engine=$!
"$waitfor" -t 60 -p "$engine" line "$dir/life" '^  step 5/50' || die "the run does not get to training"
equal 600 "$(stat -c %a "$HOME/.gcluster/generated/gemma4-training.yaml")" "mode of a manifest while its job runs"
grep -q '^  token in .*/gemma4-training\.yaml, readable by you alone' "$dir/life" || fail "the manifest is not told"
# of this run alone: other rehearsals on the machine have the same token, and a gcluster of theirs
for p in /proc/[0-9]*; do
	grep -qzF "$dir" "$p/environ" 2>/dev/null || continue
	{ tr "\0" "\n" <"$p/cmdline"; } 2>/dev/null | grep -q "$HF_TOKEN" && fail "the token is in the argv of process ${p#/proc/}"
done
wait "$engine" || die "the run ends with $?: $(tail -n 3 "$dir/life")"
for verb in "plan --script" plan env "status --json" "checkpoints --json" "metrics --csv" logs "report" "runs --json"; do
	# shellcheck disable=SC2086
	"$rlpilot" $verb </dev/null >>"$dir/verbs" 2>&1
done

# what the pods said stays here, with the sidecars of the head
for log in main-job-0-0-*/workload-container pathways-head-0-0-*/workload-container pathways-head-0-0-*/pathways-proxy \
	pathways-head-0-0-*/pathways-rm worker-0-0-*/pathways-worker; do
	# shellcheck disable=SC2086
	find "$XDG_STATE_HOME"/rlpilot/runs/run-1/logs/*-$log.log -size +0 2>/dev/null | grep -q . || fail "no log of $log is kept"
done
equal '' "$(find "$XDG_STATE_HOME/rlpilot/runs/run-1/logs" -name '*.log' -size 0)" "logs without a line"

# the canary must sing: where it is expected, it is found
grep -q "$HF_TOKEN" "$dir/env" || fail "the token is not in the environment file: this test tests nothing"
grep '"kind":"argv"' "$dir/ledger.jsonl" | grep -q "$HF_TOKEN" || fail "the token is not in gcluster's argv"
found=0
for m in "$HOME"/.gcluster/generated/*.yaml; do
	[ -f "$m" ] || continue
	found=$((found + 1))
	equal 600 "$(stat -c %a "$m")" "mode of $(basename "$m")"
done
equal 3 "$found" "manifests"

grep -rl "$HF_TOKEN" "$dir" >"$dir.hits" 2>/dev/null
while read -r file; do
	case $file in
	"$dir/env" | "$dir"/env.world/home/.gcluster/generated/*.yaml) ;;
	"$dir/ledger.jsonl")
		! grep "$HF_TOKEN" "$file" | grep -v '"argv":\["gcluster","job","submit",' | grep -q . ||
			fail "the token is in another line of the ledger"
		;;
	*) fail "the token is in $file" ;;
	esac
done <"$dir.hits"
rm -f "$dir.hits"
# and no part of it that would do
grep -rl "${HF_TOKEN#hf_}" "$XDG_STATE_HOME" | grep -q . && fail "the token without its prefix is in the state"

# the clean-up takes them away and proves it
run "$rlpilot" run --stage cleanup --confirm "$CLUSTER_NAME"
want_rc 0 "clean-up"
for job in gemma4-hf-to-mt gemma4-training gemma4-mt-to-hf; do
	want out "^  gone manifest .*/\.gcluster/generated/$job\.yaml" "the proof"
	[ ! -e "$HOME/.gcluster/generated/$job.yaml" ] || fail "the manifest of $job is still there"
done
