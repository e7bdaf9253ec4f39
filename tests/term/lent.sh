#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs on the screen's own terminal, a login and a shell, and every way in which they end: ^\, an error, killed with
# the terminal in a strange mode, asleep, ^Z with a shell around us, another size of the terminal, the terminal closed.
# The screen comes back whole each time; the terminal is left as it was.
# shellcheck disable=SC2154
srcdir=${srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/term/lib.sh
. "$srcdir/tests/term/lib.sh"
new_world --world no-login --speed 300

steps_to_login >"$dir/ends"
cat >>"$dir/ends" <<'STEPS'
keys <C-\>
wait with code 131
wait Press Enter to go back
alone
wipe
keys <Enter>
wait was not finished
wait ✗ login
keys <Enter>
wait ▸ Log in
keys <Enter>
wait verification code
keys <Enter>
wait with code 1.
wait Press Enter to go back
alone
wipe
keys <C-c>
wait ✗ login
keys <Enter>
wait ▸ Log in
keys <Enter>
wait verification code
resize 100x30
keys <C-c>
wait Press Enter to go back
alone
wipe
keys <Enter>
wait c checks  ? help  q quit (safe)
resize 80x24
gone c checks
keys !
wait kubeconfig. exit goes back.
wait ~/.local/state/rlpilot/runs/run-1/stages/login
keys printf 'as%s' leep; kill -STOP $$; printf 'aw%s' ake<Enter>
wait asleep
wait awake
keys stty raw -echo; kill -9 $$<Enter>
wait with code 137
wait Press Enter to go back
alone
wipe
keys <Enter>
wait ✗ login
keys q
exit 0
STEPS
on_screen "$dir/ends" || fail "the walk through the ends stopped"

# A shell with jobs around the screen. What it has continued says nothing by itself.
cat >"$dir/start" <<'STEPS'
#!/bin/sh
echo $$ >"${0%/*}/pid"
exec "$rlpilot"
STEPS
cat >"$dir/continued" <<'STEPS'
#!/bin/sh
while grep -q '^State:.T' "/proc/$(cat "${0%/*}/pid")/status"; do :; done
STEPS
chmod +x "$dir/start" "$dir/continued"
export FOLDER="$dir"
cat >"$dir/jobs" <<'STEPS'
wait jobs1$
keys "$FOLDER/start"<Enter>
wait A login is needed
keys <Enter>
wait ▸ Log in
keys <Enter>
wait verification code
keys <C-z>
wait jobs2$
alone
keys clear; echo back-in-${0##*/}<Enter>
wait back-in-bash
gone verification
wait jobs3$
keys fg<Enter>
do "$FOLDER/continued"
keys <C-c>
wait Press Enter to go back
alone
wipe
keys <Enter>
wait ✗ login
keys <C-z>
wait jobs4$
alone
keys fg<Enter>
wait ✗ login
keys q
gone ✗ login
wait jobs5$
keys clear; stty -a | grep -wo -e icanon -e isig -e echo | tr '\n' +<Enter>
wait isig+icanon+echo+
keys exit<Enter>
exit 0
STEPS
PS1='jobs\#$ ' on_screen "$dir/jobs" bash --norc --noprofile -i || fail "the walk with jobs stopped"

cat >"$dir/closed" <<'STEPS'
wait A login is needed
keys <Enter>
wait ▸ Log in
keys <Enter>
wait verification code
hangup
leaves 0-129 1000
STEPS
on_screen "$dir/closed" || fail "a terminal that closes during a login"
pid=$(sed -n 's/.*"pid":\([0-9]*\).*/\1/p' "$run/engine")
kill -0 "$pid" || fail "the engine is gone with the terminal"
stop_engine "$run"

# `rlpilot run` on a terminal: the login gets it, its keys end it alone; somebody else can stop it.
cat >"$dir/run-keys" <<'STEPS'
wait verification code
keys <C-\>
wait login    blocked
exit 3
STEPS
on_screen "$dir/run-keys" "$rlpilot" run --stage login || fail "^\\ in the login of a run"
cat >"$dir/run-stop" <<'STEPS'
wait verification code
do mv "$FOLDER/wish" "$FOLDER/inbox/1-wish.json"
wait stop of login told
wait cancelled: stopped half-way
exit 5
STEPS
ln -s "$run/inbox" "$dir/inbox"
echo '{"v":1,"intent":"cancel","stage":"login"}' >"$dir/wish"
on_screen "$dir/run-stop" "$rlpilot" run --stage login || fail "a stop of the login of a run"
