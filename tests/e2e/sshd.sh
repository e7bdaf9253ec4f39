# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# Sourced, after lib.sh, by the tests of stages on another machine: a real sshd on loopback as an ordinary process, with a
# home, programs and logins of its own, keys, and a known_hosts that the test fills.
# free_port: one that stays free while nobody listens on it: none that programs are given when they ask for any.
free_port() {
	python3 -c '
import random, socket
try:
    first = int(open("/proc/sys/net/ipv4/ip_local_port_range").read().split()[0])
except OSError:
    first = 32768
for _ in range(1000):
    s = socket.socket()
    try:
        s.bind(("127.0.0.1", random.randrange(first // 2, first) if first > 4096 else 0))
    except OSError:
        continue
    print(s.getsockname()[1])
    break
'
}

sshd=$(command -v sshd || ls /usr/sbin/sshd 2>/dev/null)
[ -n "$sshd" ] || skip "no sshd here"
me=$(id -un 2>/dev/null) || skip "OpenSSH wants a user with a name"
sim_start --seed 1
port=$(free_port)
ssh=$dir/ssh
there=$dir/there
front=$dir/front # programs that stand before the others on that machine
mkdir -p "$ssh" "$there" "$HOME/.ssh" "$front"
known=$HOME/.ssh/known_hosts
listener=

# own_environment [PATH]: what that machine has of itself: programs, home, logins, the cloud's addresses. No value of the
# run.
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
        print("\"PATH=%s\"" % (sys.argv[1] or sys.argv[2] + ":" + e[5:]), end=" ")
' "${1:-}" "$front"
	echo "\"XDG_STATE_HOME=$there\""
}

for key in host other user stranger; do
	ssh-keygen -q -t ed25519 -N '' -C "$key" -f "$ssh/$key" || die "no key"
done
cp "$ssh/user" "$HOME/.ssh/id_ed25519"
cp "$ssh/user.pub" "$ssh/authorized"
machine_has() { # machine_has [PATH]: what stands on that machine, from the next serve on
	cat >"$ssh/config" <<CONFIG
ListenAddress 127.0.0.1:$port
AuthorizedKeysFile "$ssh/authorized"
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
LogLevel VERBOSE
SetEnv $(own_environment "${1:-}")
CONFIG
}
machine_has
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

