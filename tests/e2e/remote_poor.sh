#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Another machine that is not what one hopes for: without gcloud, without the plain programs, without a home that can be
# written, without room, with a wrong clock; and a connection that is cut after so many bytes, at every part of the talk.
# What happened, why and what to do is said; nothing half taken there is used, nothing is made twice.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/e2e/sshd.sh
. "$(dirname "$0")/sshd.sh"
few=$dir/few # all programs of that machine
mkdir "$few"
knows host
run "$rlpilot" run --from tools --to login
want_rc 0 "the first stages, here"

only() { # only PROGRAM…: what is on that machine
	rm -f "$few"/*
	for p; do
		ln -s "$(command -v "$p")" "$few/$p"
	done
}

poor() { # poor WHAT WHY CURE: the stage fails for that reason
	serve host
	remote --stage bucket
	stop_serving
	want_rc 1 "$1"
	want err "^rlpilot: stage bucket: .*$2.* \\(.*$3.*\\)\$" "$1"
}

fake() { # fake PROGRAM LINE: stands before the real one there
	printf '#!/bin/sh\n%s\n' "$2" >"$front/$1"
	chmod 700 "$front/$1"
}

machine_has "$few"
only sh bash cat mkdir wc chmod mv rm uname readlink ln date tail head grep
poor "a machine without gcloud" "127\\.0\\.0\\.1:$port lacks a program of the stage: .*gcloud" 'bash, curl, tar and gcloud'
only sh cat date
poor "a machine without mkdir" 'code 73\): .*mkdir' 'install the programs of a plain system'
only
poor "a machine without a shell" 'code 127\): .*sh' 'install the programs of a plain system'
machine_has
rm -rf "$there"
: >"$there"
poor "a home that cannot be written" 'code 73\): .*mkdir' 'make the home folder writable'
rm "$there"
mkdir "$there"
# shellcheck disable=SC2016
fake cat 'head -c 100; echo "cat: write error: No space left on device" >&2; exit 1'
poor "a full disk" 'No space left' 'free some space'
rm "$front/cat"
fake mkdir 'echo "mkdir: cannot create directory: Read-only file system" >&2; exit 1'
poor "a read-only disk" 'Read-only' 'make the home folder writable'
rm "$front/mkdir"
equal 0 "$(made "bucket/$GCS_BUCKET")" "buckets"
equal '' "$(find "$there" -name script)" "scripts there"

now=$(date +%s)
fake date "echo $((now - 7200))"
serve host
remote --stage bucket
rm "$front/date"
want_rc 0 "a wrong clock"
want out '^  the clock of 127\.0\.0\.1 is (119|120) minutes slow: ' "a wrong clock"

# --- login scripts that print, and a login that may run nothing

gcloud storage rm --recursive "gs://$GCS_BUCKET" >/dev/null 2>&1 || fail "the bucket stays"
printf 'echo "Welcome to the machine"\nprintf "no end"\necho "tput: no terminal" >&2\n' >"$HOME/.bashrc"
remote --stage bucket
want_rc 0 "login scripts that print"
equal '' "$(grep -l Welcome "$XDG_STATE_HOME"/rlpilot/runs/run-1/stages/bucket/*/log)" "logs with what login scripts print"
rm "$HOME/.bashrc"
stop_serving
gcloud storage rm --recursive "gs://$GCS_BUCKET" >/dev/null 2>&1 || fail "the bucket stays"
echo "ForceCommand echo 'This account is not available'" >>"$ssh/config"
poor "a login that may run nothing" 'does not run what it is told; it says: "This account is not available"' 'ForceCommand'
machine_has
serve host
remote --stage bucket
want_rc 0 "a login that may run all again"

# --- the connection is cut

proxy=$(free_port)
cat >"$dir/proxy.py" <<'PROXY'
# proxy.py PORT TO LIMIT: the first connection after LIMIT was written is cut when so many bytes have gone "up" or "down"
import os, socket, sys, threading
port, to, limit = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]

def pump(a, b, room):
    try:
        while True:
            data = a.recv(4096)
            if not data:
                break
            if room is not None:
                data, room = data[:room], room - len(data)
            b.sendall(data)
            if room is not None and room <= 0:
                break
    except OSError:
        pass
    for s in (a, b):
        try:
            s.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listener.bind(("127.0.0.1", port))
listener.listen()
print("listening", flush=True)
while True:
    near, _ = listener.accept()
    up = down = None
    try:
        way, n = open(limit).read().split()
        os.unlink(limit)
        up, down = (int(n), None) if way == "up" else (None, int(n))
    except (OSError, ValueError):
        pass
    far = socket.create_connection(("127.0.0.1", to))
    threading.Thread(target=pump, args=(near, far, up), daemon=True).start()
    threading.Thread(target=pump, args=(far, near, down), daemon=True).start()
PROXY
python3 "$dir/proxy.py" "$proxy" "$port" "$dir/limit" >"$dir/proxy.out" &
proxy_pid=$!
trap 'kill "$proxy_pid" 2>/dev/null; end' EXIT
"$waitfor" -p "$proxy_pid" line "$dir/proxy.out" listening || die "no proxy"
printf '[127.0.0.1]:%s %s\n' "$proxy" "$(cut -d ' ' -f 1,2 "$ssh/host.pub")" >"$known"
cuts=0 again=0
for limit in 'up 20' 'up 1500' 'up 3000' 'up 6000' 'up 9000' 'up 12000' 'up 15000' 'down 300' 'down 1500' 'down 2800' \
	'down 4200'; do
	gcloud storage rm -r "gs://$GCS_BUCKET" >"$dir/rm" 2>&1 || fail "the bucket stays: $(cat "$dir/rm")"
	before=$(made "bucket/$GCS_BUCKET")
	echo "$limit" >"$dir/limit"
	run "$rlpilot" --remote "$me@127.0.0.1:$proxy" run --stage bucket
	[ ! -e "$dir/limit" ] || fail "cut at $limit: no connection"
	case $rc in
	0) grep -q 'was lost: ' "$dir/out" && again=$((again + 1)) ;;
	1)
		# Cut before anything began there: said, and the next try does it.
		want err '^rlpilot: stage bucket: the connection to .* was lost: .*\(.+\)$' "cut at $limit"
		cuts=$((cuts + 1))
		run "$rlpilot" --remote "$me@127.0.0.1:$proxy" run --stage bucket
		want_rc 0 "after the cut at $limit"
		;;
	*) want_rc 0 "cut at $limit" ;;
	esac
	equal $((before + 1)) "$(made "bucket/$GCS_BUCKET")" "buckets after the cut at $limit"
done
echo "$cuts cuts before the stage began there, $again after"
[ "$cuts" -gt 0 ] || fail "no cut before the stage began there"
[ "$again" -gt 0 ] || fail "no cut after the stage began there"
