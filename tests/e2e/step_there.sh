#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A training whose folder holds a smaller step of another run would go on from it without a word: before the submit it is
# told which step, of when and where, and only who begins the stage again after that goes on from it. A run that has begun
# a training goes on from its own steps unasked.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
sim_start --seed 1 --speed 400
runs=$XDG_STATE_HOME/rlpilot/runs
tree=gs://$GCS_BUCKET/$MODEL_NAME/trained/rl/checkpoints/actor

trained() { # trained RUN: trainings that were begun there
	grep -c '"ev":"stage-start","stage":"train"' "$runs/$1/journal.jsonl"
}

# An engine that goes on alone has chosen nothing, however often it begins.
alone_chooses_nothing() { # alone_chooses_nothing RUN: whose training is blocked
	dir_of=$runs/$1
	mkdir -p "$dir_of/inbox"
	for life in 1 2; do
		"$rlpilot" engine --run-dir "$dir_of" >"$dir/engine" 2>&1 </dev/null &
		engine=$!
		[ "$life" = 2 ] || echo '{"v":1,"intent":"go-on-alone"}' >"$dir_of/inbox/1-test.json"
		"$waitfor" -t 30 -p "$engine" lines "$dir_of/journal.jsonl" '.*"stage":"train".*"state":"blocked".*' $((life + 1)) ||
			die "$1, engine $life: $(tail -n 2 "$dir_of/journal.jsonl")"
		kill -9 "$engine"
		wait "$engine" 2>/dev/null
	done
}

run "$rlpilot" --run first run --from tools --to train --set num_batches=10
want_rc 0 "the first run"
run "$rlpilot" --run over run --from tools --to train
want_rc 2 "the ended job of another run"
want out '^  cure: try again: then it is deleted first' "the ended job of another run"
want out '^  several stages in a row .*: rlpilot --run over run --stage train$' "how to choose"
run "$rlpilot" --run over run --from tools --to train
want_rc 2 "the ended job of another run, by a script that tries again"
alone_chooses_nothing over
export KUBECONFIG="$runs/first/kubeconfig"
kubectl delete jobset gemma4-training >/dev/null || fail "the ended job was deleted"

for life in run alone; do
	run "$rlpilot" --run "$life" run --from tools --to train
	want_rc 2 "$life: a step of another run"
	want out "^\[7/9\] train +blocked .*a training of others has left step 10 there.*: $tree/10/, written 20..-..-..T.*; other runs that use this bucket: .*first.*" "$life"
	want out "^  cure: begin the stage again: then it goes on from step 10; or delete that first: gcloud storage rm -r $tree/; or choose another bucket" "$life"
	equal 0 "$(trained "$life")" "$life: trainings"
	run "$rlpilot" --run "$life" run --from tools --to train
	want_rc 2 "$life: a script that tries again"
	equal 0 "$(trained "$life")" "$life: trainings of a script that tries again"
done
equal 1 "$(made jobset/default/gemma4-training)" "trainings before it is chosen"

alone_chooses_nothing alone
equal 0 "$(trained alone)" "trainings of who goes on alone"

# Nor has who begins the stage without having seen what it is blocked over: two keys, one question.
blocked=$(grep -c '"stage":"train".*"state":"blocked"' "$runs/alone/journal.jsonl")
"$rlpilot" engine --run-dir "$runs/alone" >"$dir/engine" 2>&1 </dev/null &
engine=$!
"$waitfor" -t 30 -p "$engine" lines "$runs/alone/journal.jsonl" '.*"stage":"train".*"state":"blocked".*' $((blocked + 1)) ||
	die "the next engine: $(tail -n 2 "$runs/alone/journal.jsonl")"
echo '{"v":1,"intent":"retry","stage":"train","text":"-"}' >"$runs/alone/intent"
mv "$runs/alone/intent" "$runs/alone/inbox/2-test.json"
"$waitfor" -t 30 -p "$engine" lines "$runs/alone/journal.jsonl" '.*"stage":"train".*"state":"blocked".*' $((blocked + 2)) ||
	die "begun without having seen why not: $(tail -n 2 "$runs/alone/journal.jsonl")"
kill -9 "$engine"
wait "$engine" 2>/dev/null
equal 0 "$(trained alone)" "trainings of who has not seen the question"

# What was written anew since is another question.
put_object "${tree#gs://"$GCS_BUCKET"/}/10/commit_success.txt"
run "$rlpilot" --run run run --stage train
want_rc 2 "a step that was written anew"
want out "left step 10 there" "a step that was written anew"
equal 1 "$(made jobset/default/gemma4-training)" "trainings before it is chosen"

# Chosen; then its job disappears, and it goes on from what is there.
"$rlpilot" --run run run --stage train >"$dir/life" 2>&1 </dev/null &
engine=$!
"$waitfor" -t 60 -p "$engine" line "$dir/life" '^  step 12/50.*' || die "it does not go on: $(tail -n 3 "$dir/life")"
want life '^  step 11/50' "goes on from step 10"
grep -rq 'Restored params from step: 10 ' "$runs/run/logs" || fail "it has not begun at step 10"
kubectl delete jobset gemma4-training >/dev/null || fail "the job cannot be deleted"
rc=0
wait "$engine" || rc=$?
want_rc 1 "the job that disappeared"

# What others have written since is not its own, whatever it has begun before.
foreign_step() { # foreign_step N: complete, written now
	for f in _CHECKPOINT_METADATA model_params/_METADATA model_params/params/0.0 model_params/commit_success.txt commit_success.txt; do
		put_object "${tree#gs://"$GCS_BUCKET"/}/$1/$f"
	done
}
now() {
	"$rlpilot" --run run status --json >"$dir/now"
	date -d "$(json "$dir/now" asked_at)" +%s
}
later() { # later MINUTES: pretend time passes
	since=$(now)
	until [ $(($(now) - since)) -gt $(($1 * 60)) ]; do :; done
}
later 11
foreign_step 40
run "$rlpilot" --run run run --stage train
want_rc 2 "a step of others between two tries"
said="step 40 was written 20..-..-..T.*, after this run's training had ended .20.*: it may be of others.*: $tree/40/"
want out "^\\[7/9\\] train +blocked .*$said" "a step of others between two tries"
want out "^  cure: begin the stage again: then step 40 is used; or delete it first: gcloud storage rm -r $tree/40/" "its cure"
equal 1 "$(trained run)" "trainings"
gcloud storage rm -r "$tree/40/" >/dev/null 2>&1 || fail "the step cannot be deleted"
run "$rlpilot" --run run run --stage train
want_rc 0 "its own training is gone on with"
want out '^  step 50/50' "the last step"
want_not out 'blocked' "its own training is gone on with"

# Nor is the export made from one without a word.
later 11
foreign_step 60
run "$rlpilot" --run run run --stage export
want_rc 2 "an export of a step of others"
want out "^\\[8/9\\] export +blocked .*step 60 was written .* it may be of others" "an export of a step of others"
run "$rlpilot" --run run run --stage export
want out '^  .*step 60 was written .* it may be of others' "chosen"
equal 1 "$(made jobset/default/gemma4-mt-to-hf)" "exports"
