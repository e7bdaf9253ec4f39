#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a person does when a stage fails, by keys in an 80x24 terminal: a shell in its folder (with ^C in it), undo
# by the typed name, again, a stop with second thoughts, a stop, skip with a reason. Then the logins on the screen's own
# terminal: given up with ^C, and done.
# shellcheck disable=SC2154
srcdir=${srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/term/lib.sh
. "$srcdir/tests/term/lib.sh"

echo 'convert load:*-main-job-0-0-* hf-gated 1' >"$dir/plan"
new_world --speed 100 --faults "$dir/plan"
cat >"$dir/failure" <<'STEPS'
wait ▸ e
keys s
wait · tools
keys A
wait How shall it go on?
keys <Down><Enter>
wait ✗ convert
wait licence
keys !
wait $ /bin/sh
keys echo here-is-$PROJECT-$(basename "$KUBECONFIG")<Enter>
wait here-is-rehearsal-lab-kubeconfig
keys sh -c 'trap "printf %s%s inter rupted; exit" INT; printf stand%s ing; while :; do sleep 0.1; done'<Enter>
wait standing
keys <C-c>
wait interrupted
keys exit<Enter>
wait Press Enter to go back
alone
wipe
keys <Enter>
wait ✗ convert
keys <Enter>
wait Open a shell
wait Skip it
keys <Esc>
keys Umax-text<Enter>
wait not the same name
keys -format<Enter>
wait · convert
keys <Enter>
wait ▶ convert
wait tensor
keys x
wait incomplete
keys <Esc>
keys x<Enter>
wait second thoughts
wait go on after all
keys x
gone second thoughts
keys x<Enter>
wait cancelled
keys S
wait Because
keys done elsewhere<Enter>
wait − convert
keys q
exit 0
STEPS
on_screen "$dir/failure" || fail "the walk after a failure stopped"
journal_says '"stage":"convert",.*"state":"undone"' "undo"
journal_says '"ev":"cancel","stage":"convert",.*"state":"withdrawn"' "second thoughts"
journal_says '"ev":"cancel","stage":"convert","attempt":2,"cause":"stopped: its JobSet' "the stop"
journal_says '"ev":"stage-skip","stage":"convert",.*"note":"done elsewhere"' "skip with its reason"
stop_engine "$run"

new_world --world no-login --speed 300
steps_to_login >"$dir/login"
cat >>"$dir/login" <<'STEPS'
keys <C-c>
wait Press Enter to go back
alone
wipe
keys <Enter>
wait was not finished
wait ✗ login
keys !
wait exit goes back
keys clear<Enter>
gone verification code
keys exit<Enter>
wait Press Enter to go back
alone
wipe
keys <Enter>
wait ✗ login
keys <Enter>
wait ▸ Log in
keys <Enter>
wait verification code
keys 4/0code<Enter>
wait You are now logged in
wait applicationdefault
keys 4/0code<Enter>
wait It has ended well
keys <Enter>
wait · bucket
gone ✗ login
keys q
exit 0
STEPS
on_screen "$dir/login" || fail "the login on the screen stopped"
journal_says '"stage":"login",.*"cause_id":"no-login"' "the login that is missing"
journal_says '"ev":"stage-(done|skip)","stage":"login"' "the login"
stop_engine "$run"
