#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The same by words, without a screen: a login given up with ^C ends with 3 and its cure; without a terminal it is never
# begun; then done on the terminal. After a failure: a shell, a skip that needs its reason, undo by the typed name, again.
# shellcheck disable=SC2154
srcdir=${srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/term/lib.sh
. "$srcdir/tests/term/lib.sh"

new_world --world no-login
run "$rlpilot" run --from tools --to login
want_rc 3 "a login without a terminal"
want out '^\[3/9\] login +blocked .* this needs a person at a terminal$' "a login without a terminal"
want out '^  cure: gcloud auth login$' "its cure"
run=${XDG_STATE_HOME:-$HOME/.local/state}/rlpilot/runs/run-1
cat >"$dir/login" <<'STEPS'
wait verification code
keys <C-c>
wait was not finished
wait cure: gcloud auth login
exit 3
STEPS
on_screen "$dir/login" "$rlpilot" run --stage login || fail "a login with ^C"
cat >"$dir/again" <<'STEPS'
wait verification code
keys 4/0code<Enter>
wait applicationdefault
keys 4/0code<Enter>
wait login    done
exit 0
STEPS
on_screen "$dir/again" "$rlpilot" run --stage login || fail "the login"

echo 'convert load:*-main-job-0-0-* hf-gated 2' >"$dir/plan"
new_world --speed 300 --faults "$dir/plan"
cat >"$dir/failure" <<'STEPS'
wait Enter goes on to the checks
keys <Enter>
wait Type go
keys go<Enter>
wait convert: what now? retry, skip REASON, undo, shell, leave:
keys what<Enter>
wait what now? retry, skip REASON, undo, shell, leave: what
keys shell<Enter>
wait exit goes back
keys echo here-is-$PROJECT<Enter>
wait here-is-rehearsal-lab
keys exit<Enter>
keys skip<Enter>
wait Because:
keys <Enter>
wait a reason is needed
keys undo<Enter>
wait Type max-text-format to go on:
keys max<Enter>
wait nothing was done
wipe
keys undo<Enter>
wait Type max-text-format to go on:
keys max-text-format<Enter>
wait undone: convert
wipe
keys retry<Enter>
wait rlpilot: stage convert:
wait leave:
keys leave<Enter>
exit 1
STEPS
on_screen "$dir/failure" "$rlpilot" --plain || fail "the words after a failure"
grep -q '"stage":"convert",.*"state":"undone"' "$run/journal.jsonl" || fail "nothing was undone"
equal 2 "$(grep -c '"ev":"stage-failed","stage":"convert"' "$run/journal.jsonl")" "failures of the conversion"
