#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The wizard in lines: back, list, save and quit at a question; what cannot be used is kept as a draft; shell lines are
# taken; a token is not shown, and written only when the person says so; a blocking check leads back to the values.
# shellcheck disable=SC2154
srcdir=${srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/term/lib.sh
. "$srcdir/tests/term/lib.sh"

lines() { # lines STEPS
	TERM=xterm-256color "$builddir/tests/rig/rig" --size 100x50 --deadline 60000 "$1" -- "$rlpilot" --plain ||
		fail "the talk of $(basename "$1") stopped"
}

sim_start
token=$HF_TOKEN
unset ZONE REGION RESERVATION HF_TOKEN
run=$XDG_STATE_HOME/rlpilot/runs/run-1

cat >"$dir/first" <<STEPS
wait ZONE:
keys :l<Enter>
wait us-east5-b  us-east5
keys us-east5<Enter>
wait kept, but not used: us-east5
keys :b<Enter>
wait PROJECT:
keys 나의-프로젝트<Enter>
wait plain ASCII only
keys :what<Enter>
wait The first letter is enough
keys :s<Enter>
wait kept in
keys :q<Enter>
wait nothing was started
exit 5
STEPS
lines "$dir/first"
grep -q '"ZONE": "us-east5"' "$run/drafts.json" || fail "no draft of ZONE"
grep -q 나의 "$run/run.yaml" && fail "a draft is in use"

cat >"$dir/second" <<STEPS
wait kept, but not used: us-east5
wait ZONE:
keys export ZONE="us-east5-b"<Enter>
wait RESERVATION:
keys :list<Enter>
wait v6e-rehearsal  us-east5-b  8/8
keys v6e-gone<Enter>
wait HF_TOKEN:
keys $token<Enter>
wait Type yes
keys <Enter>
wait Values of this run
gone $token
keys <Enter>
wait A check blocks
wipe
keys RESERVATION<Enter>
wait RESERVATION:
keys v6e-rehearsal<Enter>
wait Enter asks again
keys <Enter>
wait Type go
keys :b<Enter>
wait Enter goes on to the checks
wipe
keys HF_TOKEN<Enter>
wait HF_TOKEN:
keys $token<Enter>
wait Type yes
keys yes<Enter>
wait kept in /
keys :q<Enter>
wait nothing was started
exit 5
STEPS
lines "$dir/second"
[ "$(stat -c %a "$run/token")" = 600 ] || fail "mode of the kept token: $(stat -c %a "$run/token")"
grep -rl "$token" "$XDG_STATE_HOME" | grep -v '/runs/run-1/token$' | grep -q . && fail "the token is in another file"
grep -q '"ZONE"' "$run/drafts.json" && fail "the draft of ZONE is still there"

# The kept token is found again; without a terminal nothing but the last word is lacking.
"$rlpilot" --plain </dev/null >"$dir/out" 2>"$dir/err"
[ $? = 3 ] || fail "without a terminal: exit $?"
grep -q 'an answer is needed: go' "$dir/err" || fail "without a terminal: $(cat "$dir/err")"
rm "$run/token"
"$rlpilot" --plain </dev/null >"$dir/out" 2>"$dir/err"
grep -q 'an answer is needed: HF_TOKEN' "$dir/err" || fail "without a token: $(cat "$dir/err")"
mkdir -p "$HF_HOME"
echo "$token" >"$HF_HOME/token"
"$rlpilot" --plain </dev/null >"$dir/out" 2>"$dir/err"
grep -q 'an answer is needed: go' "$dir/err" || fail "the token of Hugging Face's own tools is not found"

# Money may have been spent: values stay as they are, but a token can always be given, also to a new engine.
rm "$HF_HOME/token"
sed -i 's/^frozen: .*/frozen: "true"/' "$run/run.yaml"
grep -q '^frozen: "true"' "$run/run.yaml" || fail "the run cannot be frozen by hand"
cat >"$dir/frozen" <<STEPS
wait ▸ e
keys e
wait HF_TOKEN                 needed
keys <Tab><Tab><Tab><Tab><Tab><Tab><Tab><Tab><Tab><Tab><Tab><Tab><Tab>
wait ▸ HF_TOKEN
paste $token
keys <Enter>
wait 14 of 14 set
keys q
exit 0
STEPS
TERM=xterm-256color "$builddir/tests/rig/rig" --size 80x24 --deadline 60000 "$dir/frozen" -- "$rlpilot" ||
	fail "a token cannot be given to a run that has begun"
stop_engine "$run"
sed -i 's/^frozen: .*/frozen: "false"/' "$run/run.yaml"

# A file of lines is read by the same importer: placeholders and the frame of a pasted block are no values.
{
	echo '```sh'
	echo '$ export PROJECT="YOUR_PROJECT_ID"'
	echo '$ export ZONE="us-east5-a"'
	echo 'export OTHER=1'
	echo '```'
} >"$dir/block"
"$rlpilot" --run "$run" env --import "$dir/block" 2>"$dir/err" || fail "the block is not imported: $(cat "$dir/err")"
grep -q 'PROJECT is still a placeholder' "$dir/err" || fail "nothing is said of the placeholder"
grep -q 'OTHER is not a variable' "$dir/err" || fail "nothing is said of the other line"
"$rlpilot" --run "$run" env | grep -q '^ZONE .*us-east5-a' || fail "the value of the block is not in use"
exit 0
