#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Whom --remote talks to and with which key: host keys that are unknown, changed, revoked, vouched for by an authority
# alone, known by a name that is hashed or a pattern, of a kind that cannot be used; keys of ours that are missing, refused,
# locked, RSA or open to others. Each time what happened, why and what to do; nothing is begun, nothing is written there.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/e2e/sshd.sh
. "$(dirname "$0")/sshd.sh"
ours=$HOME/.ssh/id_ed25519
ssh-keygen -q -t rsa -b 2048 -N '' -C rsa -f "$ssh/rsa"
ssh-keygen -q -t ecdsa -N '' -C ecdsa -f "$ssh/ecdsa"
ssh-keygen -q -t ed25519 -N secret-phrase -C locked -f "$ssh/locked"

print() { # print KEY: its fingerprint, as an expression
	ssh-keygen -lf "$ssh/$1.pub" | cut -d ' ' -f 2 | sed 's/[+]/[+]/g'
}

refused() { # refused WHAT ERE…: the stage is not begun, a line says each of these
	what=$1
	shift
	remote --stage bucket
	want_rc 3 "$what"
	for p; do
		want err "$p" "$what"
	done
	want err '^rlpilot: stage bucket: .* \(.+\)$' "$what: what, why and what to do"
	want_not err 'lost' "$what"
}

knows_as() { # knows_as NAMES HOST-KEY [MARKER]
	printf '%s%s %s\n' "${3:+$3 }" "$1" "$(cut -d ' ' -f 1,2 "$ssh/$2.pub")" >"$known"
}

run "$rlpilot" run --from tools --to login
want_rc 0 "the first stages, here"
serve host
at="\\[127.0.0.1\\]:$port"

# --- the machine's key

: >"$known"
refused "an unknown machine" "$at is not known: .* shows the key $(print host) " "ssh -p $port $me@127.0.0.1"
equal '' "$(cat "$known")" "known_hosts"
knows other
refused "a changed host key" "key of $at has changed: it shows $(print host), known is $(print other) \\($known:1\\)" \
	"somebody may be in between .*ssh-keygen -f '?$known'? -R '$at'"
echo '# a line before it' >"$known.2"
knows_as '*' host @revoked
cat "$known" >>"$known.2"
mv "$known.2" "$known"
printf '[127.0.0.1]:%s %s\n' "$port" "$(cut -d ' ' -f 1,2 "$ssh/host.pub")" >>"$known"
refused "a revoked host key" "$at shows the key $(print host), which has been revoked \\($known:2\\)" 'do not log in'
knows_as '*' other @cert-authority
refused "an authority" "$at is known by an authority alone \\($known:1\\), .* shows the key $(print host) " \
	"ssh -p $port -o HostKeyAlgorithms=ssh-ed25519 $me@127.0.0.1"
knows rsa
refused "a host known by its RSA key" "$at is known by a key of the kind ssh-rsa \\($known:1\\)" \
	"HostKeyAlgorithms=ssh-ed25519"
LC_ALL=C.UTF-8 run "$rlpilot" --lang ko --remote "$me@127.0.0.1:$port" run --stage bucket
want err "ssh-rsa.*HostKeyAlgorithms" "the same in Korean"
want_not err 'is known by' "the same in Korean"

# --- a machine that is known, by every form of its name, and a key of ours that is not welcome there

cp "$ssh/stranger" "$ours"
for names in "[127.0.0.1]:$port" "dog,[127.0.0.*]:$port" "!dog,*" hashed; do
	if [ "$names" = hashed ]; then
		knows host
		ssh-keygen -q -H -f "$known" 2>/dev/null
		grep -q '^|1|' "$known" || fail "the name is not hashed"
	else
		knows_as "$names" host
	fi
	refused "a stranger's key, host known as $names" "does not let $me in: the key $ours is not accepted there " \
		'ssh-copy-id'
done
knows_as '!127.0.0.1,![127.0.0.1]:*,*' host
refused "a name that is denied" "$at is not known"
knows host

# --- keys of ours

cp "$ssh/locked" "$ours"
SSH_AUTH_SOCK='' refused "a passphrase" "key $ours cannot be used: it has a passphrase \\(make a key without one"
SSH_AUTH_SOCK=/nowhere/agent refused "a passphrase, with an agent" 'has a passphrase, and the ssh-agent is not asked yet'
cp "$ssh/user" "$ours"
chmod 644 "$ours"
refused "a key that others may read" "key $ours is not used: others may read it \\(its mode is 644\\) \\(chmod 600 '?$ours'?\\)"
rm -f "$ours"
refused "no key" 'there is no SSH key: .*ssh-keygen -t ed25519'
for name in id_rsa google_compute_engine; do
	cp "$ssh/rsa" "$HOME/.ssh/$name"
	refused "an RSA key alone" "key $HOME/.ssh/$name cannot be used: it is an RSA key" 'ssh-keygen -t ed25519'
	rm "$HOME/.ssh/$name"
done
cp "$ssh/user.pub" "$ours"
chmod 600 "$ours"
refused "a public key for a private one" "key $ours cannot be used: it is no key of the kind"
# A known leak of libssh2 is passed over by its name, which only whole stacks hold.
ASAN_OPTIONS=fast_unwind_on_malloc=0
LSAN_OPTIONS=suppressions=$srcdir/tests/rig/lsan.supp:print_suppressions=0
export ASAN_OPTIONS LSAN_OPTIONS
cp "$ssh/ecdsa" "$HOME/.ssh/id_ecdsa"
refused "the first key that can be used" "the key $HOME/.ssh/id_ecdsa is not accepted there"
unset ASAN_OPTIONS LSAN_OPTIONS
rm "$HOME/.ssh/id_ecdsa"
cp "$ssh/user" "$ours"
stop_serving
serve rsa
refused "a machine with an RSA key alone" "$at offers no host key or cipher that can be used here" 'ssh-keygen -A'
stop_serving
remote --stage bucket
want_rc 1 "nobody listens"
want err '^rlpilot: stage bucket: .*127\.0\.0\.1.* \(.+\)$' "nobody listens"
# Something else listens there: it sends without an end, or talks of other things.
for talk in 'b"x" * 65536' 'b"HTTP/1.0 400 no\r\n" * 4096'; do
	python3 -c "
import socket
s = socket.socket()
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(('127.0.0.1', $port))
s.listen()
print('listens', flush=True)
c = s.accept()[0]
try:
    while True:
        c.sendall($talk)
except OSError:
    pass
" >"$dir/talker" &
	talker=$!
	"$waitfor" -t 20 -p "$talker" line "$dir/talker" '^listens$' || die "no talker"
	remote --stage bucket
	kill "$talker" 2>/dev/null
	wait "$talker" 2>/dev/null
	want_rc 1 "endless $talk"
	want err "port $port of 127\\.0\\.0\\.1 does not answer as an SSH server does \\(.*--remote" "endless $talk"
done

equal '' "$(find "$there" -type f)" "files there after refusals"
equal 0 "$(made "bucket/$GCS_BUCKET")" "buckets after refusals"

# And once everything is as it must be, it goes on.
serve host
remote --stage bucket
want_rc 0 "the bucket after all"
equal 1 "$(made "bucket/$GCS_BUCKET")" "buckets"
