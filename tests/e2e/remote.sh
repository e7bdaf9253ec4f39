#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Stages on another machine over SSH, by a real sshd on loopback as an ordinary process: a connection and an engine killed
# in the middle. The stage goes on there, its log and code come here, nothing is made twice, and no token is in an
# argument or a file there.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/e2e/sshd.sh
. "$(dirname "$0")/sshd.sh"
waiting_gcloud "$front/gcloud"

stages=$XDG_STATE_HOME/rlpilot/runs/run-1/stages

run "$rlpilot" run --from tools --to login
want_rc 0 "the first stages, here"

serve host
knows host
for wrong in nobody "$me@" "$me@host:0" "$me@-oProxyCommand=x" "$me@a b"; do
	run "$rlpilot" --remote "$wrong" run --stage bucket
	want_rc 64 "--remote '$wrong'"
done
remote --stage cluster
want_rc 64 "a stage that needs the folder here"
run "$rlpilot" --remote "$me@127.0.0.1:$port" status
want_rc 64 "--remote with another verb"

# --- in the middle of a stage

begin() { # begin NAME [OPTION…]: the bucket's stage in the background
	name=$1
	shift
	"$rlpilot" "$@" --log-file "$dir/rlpilot.log" run --stage bucket >"$dir/$name" 2>&1 </dev/null &
	engine=$!
}

# Cancelled: what is at work there is told to end, the next attempt waits for that.
begin given-up --remote "$me@127.0.0.1:$port"
"$waitfor" -t 30 -p "$engine" line "$dir/given-up" '^\[4/9\] bucket +started ' || die "the stage does not begin"
"$waitfor" -t 30 -p "$engine" line "$stages/bucket/1/log" '^at the gate$' || die "no log comes here"
inbox=$XDG_STATE_HOME/rlpilot/runs/run-1/inbox
mkdir -p "$inbox"
echo '{"v":1,"intent":"cancel","stage":"bucket"}' >"$dir/cancel"
mv "$dir/cancel" "$inbox/999999999999999-cancel.json"
wait "$engine"
equal 5 $? "the exit code of a cancelled stage"
equal 0 "$(made "bucket/$GCS_BUCKET")" "buckets after the cancel"

begin first --remote "$me@127.0.0.1:$port"
"$waitfor" -t 30 -p "$engine" line "$dir/first" '^\[4/9\] bucket +started ' || die "the stage does not begin"
at=$stages/bucket/2
"$waitfor" -t 30 -p "$engine" line "$at/log" '^at the gate$' || die "no log comes here: $(cat "$dir/first")"
drop
"$waitfor" -t 30 -p "$engine" line "$dir/first" "^  the connection to $me@127.0.0.1:$port was lost" ||
	fail "a lost connection is not told"
"$waitfor" -t 30 -p "$engine" line "$dir/first" "^  the connection to $me@127.0.0.1:$port is there again" ||
	fail "the connection is not made again"
kill -9 "$engine"
wait "$engine" 2>/dev/null
# Whoever gets between the lives is not talked to, and the stage stays as it is.
stop_serving
serve other
run "$rlpilot" run --stage bucket
want_rc 3 "a host key that changes in the middle"
want err 'has changed' "a host key that changes in the middle"
stop_serving
serve host
begin second
"$waitfor" -t 30 -p "$engine" lines "$ssh/log" 'Starting session' 1 || die "no session"
echo open >"$dir/gate"
wait "$engine" || fail "the second life ends with $?: $(cat "$dir/second")"
grep -q '^\[4/9\] bucket *done ' "$dir/second" || fail "the bucket is not done: $(cat "$dir/second")"
equal 1 "$(made "bucket/$GCS_BUCKET")" "creations of the bucket"
equal 1 "$(grep '"kind":"argv"' "$dir/ledger.jsonl" | grep -c '"storage","buckets","create"')" "calls"
equal "at the gate" "$(head -n 1 "$at/log")" "the log's first line here"
far=$(find "$there" -path "*/bucket/${at##*/}/log")
cmp "$far" "$at/log" || fail "the log here is not the log there"
equal 0 "$(cat "$at/exit")" "the exit code here"

# --- a stage that needs the toolkit and the token

run "$rlpilot" run --stage cluster
want_rc 0 "the cluster, here"
remote --stage convert
want_rc 0 "the conversion, submitted there"
want out '^\[6/9\] convert +done ' "the conversion"
equal 1 "$(made jobset/default/gemma4-hf-to-mt)" "creations of the JobSet"
[ -x "$(find "$there" -name gcluster -type f)" ] || fail "no gcluster there"
[ -s "$stages/convert/1/log" ] || fail "the log of the submit is not here"
grep -q "$HF_TOKEN" "$HOME"/.gcluster/generated/*.yaml || fail "the token did not get there: this test tests nothing"
equal '' "$(grep -rl "$HF_TOKEN" "$there" "$dir/rlpilot.log" "$XDG_STATE_HOME" "$ssh/log")" "files with the token"
