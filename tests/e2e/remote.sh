#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Stages on another machine over SSH, by a real sshd on loopback as an ordinary process: unknown and changed host keys,
# a login that is refused, a connection and an engine killed in the middle. The stage goes on there, its log and code
# come here, nothing is made twice, and no token is in an argument or a file there.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
sshd=$(command -v sshd || ls /usr/sbin/sshd 2>/dev/null)
[ -n "$sshd" ] || skip "no sshd here"
sim_start --seed 1
me=$(id -un)
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
ssh=$dir/ssh
there=$dir/there
mkdir -p "$ssh" "$there" "$HOME/.ssh" "$dir/slow"
known=$HOME/.ssh/known_hosts
listener=

# gcloud there waits at the gate before it makes a bucket.
mkfifo "$dir/gate"
cat >"$dir/slow/gcloud" <<SLOW
#!/bin/sh
case "\$*" in
*buckets*create*)
	echo "at the gate"
	read -r _ <"$dir/gate"
	;;
esac
exec "$(command -v gcloud)" "\$@"
SLOW
chmod 700 "$dir/slow/gcloud"

# What that machine has of itself: programs, home, logins, the cloud's addresses. No value of the run.
own_environment() {
	env -0 | python3 -c '
import sys
names = ("HOME", "NO_GCE_CHECK", "NO_PROXY", "no_proxy", "DOCKER_CONFIG")
parts = ("CLOUDSDK_", "XDG_C", "RLPILOT_", "HF_ENDPOINT", "HF_HOME")
for e in sys.stdin.read().split("\0"):
    name = e.partition("=")[0]
    if name in names or name.startswith(parts):
        print("\"%s\"" % e, end=" ")
    if name == "PATH":
        print("\"PATH=%s:%s\"" % (sys.argv[1], e[5:]), end=" ")
' "$dir/slow"
	echo "\"XDG_STATE_HOME=$there\""
}

for key in host other user stranger; do
	ssh-keygen -q -t ed25519 -N '' -C "$key" -f "$ssh/$key" || die "no key"
done
cp "$ssh/user" "$HOME/.ssh/id_ed25519"
cp "$ssh/user.pub" "$ssh/authorized"
cat >"$ssh/config" <<CONFIG
ListenAddress 127.0.0.1:$port
AuthorizedKeysFile $ssh/authorized
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
LogLevel VERBOSE
SetEnv $(own_environment)
CONFIG
[ "$(id -u)" != 0 ] || mkdir -p /run/sshd

serve() { # serve HOST-KEY
	"$sshd" -D -f "$ssh/config" -h "$ssh/$1" -E "$ssh/log" &
	listener=$!
	served=$((served + 1))
	"$waitfor" -t 20 -p "$listener" lines "$ssh/log" 'Server listening' "$served" || die "sshd: $(cat "$ssh/log")"
}
served=0

stop_serving() {
	drop
	kill "$listener"
	wait "$listener" 2>/dev/null
	listener=
}

children() { # children PID: those that are still sshd, not what they have started
	for c in $(cat "/proc/$1/task/$1/children" 2>/dev/null); do
		[ "$(cat "/proc/$c/comm" 2>/dev/null)" != sshd ] || echo "$c"
	done
}

drop() { # the connection breaks: every session that our sshd has begun
	for p in $(children "$listener"); do
		for c in $(children "$p") "$p"; do
			kill -9 "$c" 2>/dev/null
		done
	done
}

engine=
end() {
	code=$?
	[ -z "$engine" ] || kill -9 "$engine" 2>/dev/null
	[ -z "$listener" ] || stop_serving
	for p in $(find "$there" -path '*/claim/pid' -exec cut -d ' ' -f 1 {} +); do
		kill -9 -- "-$p" 2>/dev/null # what a failed test has left at work
	done
	(exit "$code")
	finish
}
trap end EXIT

knows() { # knows HOST-KEY
	printf '[127.0.0.1]:%s %s\n' "$port" "$(cut -d ' ' -f 1,2 "$ssh/$1.pub")" >"$known"
}

remote() {
	run "$rlpilot" --remote "$me@127.0.0.1:$port" --log-file "$dir/rlpilot.log" run "$@"
}

stages=$XDG_STATE_HOME/rlpilot/runs/run-1/stages

run "$rlpilot" run --from tools --to login
want_rc 0 "the first stages, here"

# --- before anything is begun there

serve host
: >"$known"
remote --stage bucket
want_rc 1 "an unknown machine"
want err "127.0.0.1\]:$port is not known: " "an unknown machine"
grep -qF "the key $(ssh-keygen -lf "$ssh/host.pub" | cut -d ' ' -f 2) (" "$dir/err" || fail "the fingerprint is not shown"
want err "ssh -p $port $me@127.0.0.1" "the cure of an unknown machine"
equal '' "$(cat "$known")" "known_hosts"
knows other
remote --stage bucket
want_rc 1 "a changed host key"
want err 'key of .* has changed: .* somebody may be in between .*ssh-keygen -R' "a changed host key"
knows host
cp "$ssh/stranger" "$HOME/.ssh/id_ed25519"
remote --stage bucket
want_rc 1 "a key that is not accepted"
want err "does not let $me in: the key .*id_ed25519 is not accepted there .*ssh-copy-id" "a key that is not accepted"
ssh-keygen -q -t ed25519 -N secret-phrase -f "$ssh/locked"
cp "$ssh/locked" "$HOME/.ssh/id_ed25519"
remote --stage bucket
want_rc 1 "a key with a passphrase"
want err 'cannot be used: it has a passphrase' "a key with a passphrase"
rm "$HOME/.ssh/id_ed25519"
remote --stage bucket
want_rc 1 "no key"
want err 'there is no SSH key: .*ssh-keygen -t ed25519' "no key"
cp "$ssh/user" "$HOME/.ssh/id_ed25519"
equal '' "$(find "$there" -type f)" "files there after refusals"
equal 5 "$(find "$stages/bucket" -mindepth 1 -maxdepth 1 | wc -l)" "attempts that were refused"
equal 0 "$(made "bucket/$GCS_BUCKET")" "buckets after refusals"

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
"$waitfor" -t 30 -p "$engine" line "$stages/bucket/6/log" '^at the gate$' || die "no log comes here"
inbox=$XDG_STATE_HOME/rlpilot/runs/run-1/inbox
mkdir -p "$inbox"
echo '{"v":1,"intent":"cancel","stage":"bucket"}' >"$dir/cancel"
mv "$dir/cancel" "$inbox/999999999999999-cancel.json"
wait "$engine"
equal 5 $? "the exit code of a cancelled stage"
equal 0 "$(made "bucket/$GCS_BUCKET")" "buckets after the cancel"

begin first --remote "$me@127.0.0.1:$port"
"$waitfor" -t 30 -p "$engine" line "$dir/first" '^\[4/9\] bucket +started ' || die "the stage does not begin"
at=$stages/bucket/7
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
