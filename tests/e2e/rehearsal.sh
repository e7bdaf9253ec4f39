#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The whole rehearsal in lines, by one command and without a terminal: every line has its form, everything that must be
# shown is shown once, the cloud is empty at the end, and it takes at most half a minute.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
HOME=$dir/home
XDG_STATE_HOME=$dir/state
export HOME XDG_STATE_HOME
mkdir "$HOME"
run "$rlpilot" demo --plain --speed max
want_rc 0 "the rehearsal"
cp "$dir/out" "$dir/lines"

stages='tools toolkit login bucket cluster convert train export cleanup'
lines_good lines "the rehearsal"
n=0
for s in $stages; do
	n=$((n + 1))
	equal 1 "$(grep -Ec "^\[$n/9\] $s +(done|skipped) " "$dir/lines")" "ends of stage $s"
done
equal "$stages" "$(sed -En 's/^\[[1-9]\/9\] ([a-z]+) +(done|skipped) .*/\1/p' "$dir/lines" | tr '\n' ' ' | sed 's/ $//')" \
	"order of the stages"
want_not lines '^\[./9\] [a-z]+ +(failed|blocked) ' "a stage that failed"

i=1
while [ $i -le 50 ]; do
	equal 1 "$(grep -Ec "^  step $i/50( |$)" "$dir/lines")" "lines of step $i"
	i=$((i + 1))
done
for e in 0 10 20 30 40 50 51; do
	equal 1 "$(grep -Ec "^  eval $e mean_reward 0\.[0-9]{4}$" "$dir/lines")" "lines of evaluation $e"
done
equal 7 "$(grep -c '^  eval ' "$dir/lines")" "evaluations"
for bar in tensors step files; do
	last=$(sed -En "s/^  $bar ([0-9]+\/[0-9]+).*/\1/p" "$dir/lines" | tail -n 1)
	case $last in
	?*/?*) [ "${last%/*}" = "${last#*/}" ] ;;
	*) false ;;
	esac || fail "the bar of $bar ends at '$last'"
done
for tree in 'max-text-format step 0' 'trained step 50' hf-trained; do
	equal 1 "$(grep -Ec "^  tree $tree complete " "$dir/lines")" "complete tree $tree"
done
want lines '^  gone cluster gemma-rl$' "the clean-up's list"
want lines '^  gone bucket gs://' "the clean-up's list"
want_not lines '^  (left|still there) ' "the clean-up's list"

last=$(tail -n 1 "$dir/lines")
echo "$last" | grep -Eq '^rehearsal: 9/9 stages done, [0-9]+:[0-9]{2}:[0-9]{2} pretend, [0-9]+\.[0-9] s real, ledger /' ||
	fail "the last line is '$last'"
real=$(echo "$last" | sed -En 's/.* ([0-9]+)\.[0-9] s real.*/\1/p')
[ "${real:-99}" -lt 30 ] || fail "the rehearsal took $real s"
ledger=$(echo "$last" | sed 's/.*, ledger //')
[ -s "$ledger" ] || die "no ledger at $ledger"
cp "$ledger" "$dir/ledger.jsonl"
# What lives inside the cluster goes with it.
left_over "$dir/ledger.jsonl" | grep -Ev '^(pod|job|jobset|workload|node)/' >"$dir/left"
equal '' "$(cat "$dir/left")" "what is left in the cloud"
for what in cluster/gemma-rl jobset/default/gemma4-hf-to-mt jobset/default/gemma4-training jobset/default/gemma4-mt-to-hf; do
	equal 1 "$(made "$what")" "creations of $what"
done
equal '' "$(find "$HOME" -mindepth 1 | grep -v '/\.cache' | head -n 3)" "files in the user's own home"

# Its journal may have been cut at any byte.
mkdir "$dir/cuts"
"$builddir/tests/rig/cuts" "$XDG_STATE_HOME/rlpilot/demo/runs/demo-1/journal.jsonl" "$dir/cuts" ||
	fail "a beginning of the journal is no journal"
