#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# rlpilot plan, env and recipe as a person uses them: scripts that run, edits with exact counts, messages with a cure.
# shellcheck disable=SC2016 # dollars in single quotes are meant
set -eu
: "${srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${builddir:=$srcdir/build}"
work=$(mktemp -d "${TMPDIR:-/tmp}/rlpilot-plan.XXXXXX")
trap 'rm -rf "$work"' EXIT
bin=$builddir/rlpilot
recipe=$srcdir/assets/recipes/gemma4-26b-v6e.yaml
export HOME="$work" XDG_STATE_HOME="$work/state" XDG_CONFIG_HOME="$work/config"
export PROJECT=rl-lab-7 REGION=us-east5 ZONE=us-east5-b CLUSTER_NAME=gemma-rl GCS_BUCKET=rl-lab-7-gemma \
	RESERVATION=rl-v6e HF_TOKEN=hf_CanaryOfThisTest0001
failed=0

bad() {
	echo "FAIL: $*"
	failed=1
}
# wants CODE TEXT COMMAND…: exit code and a part of stderr
wants() {
	code=$1 text=$2
	shift 2
	rc=0
	"$@" >"$work/out" 2>"$work/err" </dev/null || rc=$?
	[ "$rc" = "$code" ] || bad "$*: exit $rc, not $code"
	grep -Fq -- "$text" "$work/err" || bad "$*: \"$(head -n 1 "$work/err")\" does not say \"$text\""
}

# Scripts: no token in any form, clean under shellcheck.
for options in "" "--script" "--as-written" "--as-written --script" "--stage train --script"; do
	# shellcheck disable=SC2086 # options are words
	"$bin" plan --recipe "$recipe" $options >"$work/plan" || bad "plan $options"
	grep -q hf_Canary "$work/plan" && bad "plan $options prints the token"
	case $options in
	*--script)
		bash -n "$work/plan" || bad "plan $options is no shell script"
		if command -v shellcheck >/dev/null; then
			shellcheck "$work/plan" || bad "plan $options: shellcheck"
		fi
		;;
	esac
done
"$bin" plan --recipe "$recipe" --set learning_rate=1e-5 --on checkpoint-every-10 --script >"$work/plan"
grep -q '^learning_rate=1e-5 ' "$work/plan" || bad "--set learning_rate is not in the script"
grep -q '^checkpoint_period=10 ' "$work/plan" || bad "--on checkpoint-every-10 is not in the script"
"$bin" plan --recipe "$recipe" --lang ko | grep -q '클러스터 배포' || bad "plan --lang ko is not Korean"

# The edits of the blueprint, by the script's awk.
mkdir -p "$work/bin" "$work/cwd/cluster-toolkit/examples/gke-tpu-v6e"
printf '#!/bin/sh\necho "$0 $*" >>"$CALLS"\n' >"$work/bin/gcloud"
chmod +x "$work/bin/gcloud"
cp "$work/bin/gcloud" "$work/cwd/cluster-toolkit/gcluster"
blueprint=$work/cwd/cluster-toolkit/examples/gke-tpu-v6e/gke-tpu-v6e-advanced.yaml
printf '%s\n' 'a: 1' '      system_node_pool_machine_type: "n2-standard-8"' '      - storage.objectViewer' 'z: 2' >"$blueprint"
"$bin" plan --recipe "$recipe" --stage cluster --script >"$work/cluster.sh"
run_cluster() (
	cd "$work/cwd"
	rm -f cluster-toolkit/gke-tpu-v6e-advanced.yaml "$work/calls"
	CALLS=$work/calls PATH="$work/bin:$PATH" bash "$work/cluster.sh"
)
run_cluster >"$work/out" 2>&1 || bad "the cluster script: $(tail -n 1 "$work/out")"
printf '%s\n' 'a: 1' '      system_node_pool_machine_type: "e2-standard-8"' '      system_node_pool_zones: [$(vars.zone)]' \
	'      - storage.admin' 'z: 2' >"$work/want"
cmp "$work/want" "$work/cwd/cluster-toolkit/gke-tpu-v6e-advanced.yaml" || bad "the edited blueprint"
grep -q 'gcluster deploy' "$work/calls" || bad "nothing was deployed"
for line in 'n2-standard-8' ''; do
	if [ -n "$line" ]; then echo "b: $line" >>"$blueprint"; else sed -i.old '/objectViewer/d' "$blueprint"; fi
	run_cluster >"$work/out" 2>&1 && bad "deployed although an edit hit another number of lines"
	grep -q 'lines instead of 1' "$work/out" || bad "the count is not told: $(cat "$work/out")"
	grep -q 'gcluster deploy' "$work/calls" 2>/dev/null && bad "deployed a blueprint with wrong edits"
done

# Variables out and back.
"$bin" env --recipe "$recipe" --export >"$work/env"
grep -q '^export ZONE=us-east5-b$' "$work/env" || bad "env --export"
grep -q hf_Canary "$work/env" && bad "env --export prints the token"
(
	unset PROJECT ZONE REGION CLUSTER_NAME GCS_BUCKET RESERVATION
	"$bin" --recipe "$recipe" env --import "$work/env" >"$work/out"
	name=$(sed -n 's/^run //p' "$work/out")
	"$bin" --run "$name" env --export >"$work/env2"
) || bad "env --import"
cmp "$work/env" "$work/env2" || bad "env --import changed the values"

# What `rlpilot run` would go on with: the last run's values and switches, unless a recipe is named.
"$bin" run --stage tools --set validators-on=off >"$work/out" 2>&1 </dev/null || :
"$bin" plan >"$work/plan" || bad "plan of the last run"
grep -q '^Values of the run run-1$' "$work/plan" || bad "plan does not name its run"
grep -q '^  \[ \] validators-on' "$work/plan" || bad "plan does not take the run's switches"
"$bin" plan --on validators-on | grep -q '^  \[x\] validators-on' || bad "plan --on does not win over the run's switch"
"$bin" plan --recipe "$recipe" >"$work/plan" || bad "plan --recipe beside a run"
grep -q '^  \[x\] validators-on' "$work/plan" || bad "plan --recipe takes a run's switches"
grep -q '^Values$' "$work/plan" || bad "plan --recipe takes a run"

# Bad input.
wants 64 "no option '--no-such'" "$bin" plan --no-such
wants 64 "no stage called nowhere" "$bin" plan --recipe "$recipe" --stage nowhere
wants 64 "no deviation called nothing" "$bin" plan --recipe "$recipe" --on nothing
wants 64 "no variable or parameter called NOTHING" "$bin" plan --recipe "$recipe" --set NOTHING=1
wants 64 "at most 20" "$bin" plan --recipe "$recipe" --set CLUSTER_NAME=a-name-that-is-much-too-long
wants 65 "no recipe \"nowhere\"" "$bin" plan --recipe nowhere
wants 64 "the word lint and a file" "$bin" recipe
"$bin" recipe lint "$recipe" >"$work/out" || bad "the shipped recipe has a fault"
sed 's/^    usual: 20s-3m/    usualy: 20s-3m/' "$recipe" >"$work/bad.yaml"
wants 65 "unknown key \"usualy\"" "$bin" recipe lint "$work/bad.yaml"
grep -Eq 'bad\.yaml:[0-9]+:[0-9]+' "$work/err" || bad "no place: $(cat "$work/err")"
sed 's/max_prefill_predict_length, value: 256/max_prefill_predict_length, value: 999/' "$recipe" >"$work/bad.yaml"
wants 65 "train.lengths" "$bin" recipe lint "$work/bad.yaml"
sed 's/^    jobset: gemma4-hf-to-mt/    jobset: gemma4-hf-to-mt-with-a-long-name/' "$recipe" >"$work/bad.yaml"
wants 65 "at most 28 characters" "$bin" recipe lint "$work/bad.yaml"
printf 'export A=1\nZONE=$(reboot)\n' >"$work/bad.env"
wants 65 "not a plain assignment" "$bin" --recipe "$recipe" env --import "$work/bad.env"
grep -q 'bad\.env:2:6' "$work/err" || bad "no place: $(cat "$work/err")"
printf 'ZONE=us-east5\n' >"$work/bad.env"
wants 65 "this is a region" "$bin" --recipe "$recipe" env --import "$work/bad.env"
wants 65 "no-file" "$bin" --recipe "$recipe" env --import "$work/no-file"
exit "$failed"
