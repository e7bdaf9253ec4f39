#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The pretend cloud from outside, with curl: start, credentials, storage, paging, services, deploy, stop.
set -eu
dir=$(mktemp -d "${TMPDIR:-/tmp}/sim-server-XXXXXX")
sim="$builddir/rlpilot-sim"
token='ya29.rehearsal-access-token-good-for-loopback-only'
pid=
no_proxy=127.0.0.1 NO_PROXY=127.0.0.1
export no_proxy NO_PROXY
trap 'test -z "$pid" || kill "$pid"; rm -rf "$dir"' EXIT
fail() { echo "FAIL: $*" >&2; exit 1; }
same() { test "$1" = "$2" || fail "$3: expected '$2', got '$1'"; }
has() { case $1 in *"$2"*) ;; *) fail "$3: no '$2' in: $1" ;; esac; }
call() { curl -sS -H "Authorization: Bearer $token" "$@"; }
code() { curl -sS -o /dev/null -w '%{http_code}' "$@"; }

# start: the environment file appears by rename once it serves; the line on stdout tells
mkfifo "$dir/said"
"$sim" --speed max --seed 7 --env "$dir/env" >"$dir/said" &
pid=$!
read -r line <"$dir/said"
has "$line" 'serving http://127.0.0.1:' 'first line'
test -f "$dir/env" || fail 'no environment file'
test "$(ls "$dir" | tr '\n' ' ')" = 'env env.world said ' || fail "left over: $(ls "$dir")"
eval "$(sed -n "s/^export \(RLPILOT_SIM\|RLPILOT_RELEASES\|RLPILOT_CLOCK\)=/\1=/p" "$dir/env")"
has "$RLPILOT_CLOCK" '*1000' 'clock'
same "$(stat -c %a "$dir/env")" 600 'mode of the environment file'
ledger="$dir/env.world/ledger.jsonl"
g="$RLPILOT_SIM"
p="$g/v1/projects/rehearsal-lab"
b="$g/storage/v1/b"

# the server's clock is the pretend one, 30 days behind
date=$(curl -sS -o /dev/null -D - "$g/sim/v1/health" | tr -d '\r' | sed -n 's/^Date: //p')
behind=$(($(date +%s) - $(date -d "$date" +%s)))
test "$behind" -gt $((28 * 86400)) && test "$behind" -le $((30 * 86400)) || fail "Date: $date"

# credentials
same "$(code "$b?project=rehearsal-lab")" 401 'no token'
same "$(code -H 'Authorization: Bearer ya29.other' "$b?project=rehearsal-lab")" 401 'foreign token'
given=$(curl -sS "$g/token" -d 'grant_type=refresh_token&client_id=c&refresh_token=1%2F%2F0rehearsal-refresh-token')
has "$given" '"access_token":"ya29.rehearsal-' 'token'
has "$given" '"expires_in":3599' 'token'
has "$(curl -sS "$g/token" -d 'grant_type=refresh_token&client_id=c&refresh_token=x')" invalid_grant 'revoked'

has "$(call -H 'x-goog-user-project: other' "$b?project=rehearsal-lab")" USER_PROJECT_DENIED 'foreign quota project'

# project, permissions, services
has "$(call "$g/v3/projects/rehearsal-lab")" '"name":"projects/481516234200"' 'project'
same "$(call -o /dev/null -w '%{http_code}' "$g/v3/projects/other")" 403 'foreign project'
has "$(call "$g/v3/projects/rehearsal-lab:testIamPermissions" -d '{"permissions":["compute.networks.create"]}')" \
	'{"permissions":["compute.networks.create"]}' 'permission'
same "$(call "$g/v3/projects/other:testIamPermissions" -d '{"permissions":["compute.networks.create"]}')" '{}' \
	'permissions of a foreign project'
got=$(call "$p/services:batchGet?names=projects/x/services/compute.googleapis.com&names=projects/x/services/file.googleapis.com")
has "$got" '"state":"ENABLED"' 'compute'
has "$got" '"state":"DISABLED"' 'file'
has "$(call "$p/services:batchEnable" -d '{"serviceIds":["compute.googleapis.com"]}')" noop.DONE_OPERATION 'enabled already'
op=$(call "$p/services:batchEnable" -d '{"serviceIds":["file.googleapis.com"]}' | sed 's/.*"name":"\([^"]*\)".*/\1/')
until case $(call "$g/v1/$op") in *'"done":true'*) true ;; *) false ;; esac; do :; done
has "$(call "$p/services/file.googleapis.com")" ENABLED 'file after enabling'
has "$(call "$g/compute/v1/projects/rehearsal-lab/zones/us-east5-b/reservations/v6e-rehearsal")" '"count":"8"' 'reservation'
same "$(call -o /dev/null -w '%{http_code}' "$g/compute/v1/projects/rehearsal-lab/zones/us-east5-c/machineTypes/ct6e-standard-4t")" \
	404 'no v6e in zone c'

# storage
same "$(call -o /dev/null -w '%{http_code}' "$b/box-1")" 404 'no bucket yet'
has "$(call "$b?project=rehearsal-lab" -d '{"name":"box-1","location":"us-east5"}')" '"location":"US-EAST5"' 'bucket'
same "$(call -o /dev/null -w '%{http_code}' "$b?project=rehearsal-lab" -d '{"name":"box-1"}')" 409 'bucket again'
for name in a/1 a/2 a/3 b; do
	call -o /dev/null "$g/upload/storage/v1/b/box-1/o?uploadType=media&name=$name" --data-binary "bytes of $name"
done
same "$(call "$b/box-1/o?delimiter=/&fields=prefixes,items(name)")" '{"prefixes":["a/"],"items":[{"name":"b"}]}' 'folders'
got=$(call "$b/box-1/o?prefix=a/&maxResults=2&fields=items(name),nextPageToken")
same "$got" '{"items":[{"name":"a/1"},{"name":"a/2"}],"nextPageToken":"a/3"}' 'first page'
same "$(call "$b/box-1/o?prefix=a/&maxResults=2&pageToken=a/3&fields=items(name),nextPageToken")" \
	'{"items":[{"name":"a/3"}]}' 'second page'
same "$(call -H 'Range: bytes=-3' "$b/box-1/o/a%2F1?alt=media")" a/1 'end of an object'
same "$(call -o /dev/null -w '%{http_code}' -H 'Range: bytes=4-5' "$b/box-1/o/a%2F1?alt=media")" 206 'part'
same "$(call -o /dev/null -w '%{http_code}' -H 'Range: bytes=99-' "$b/box-1/o/a%2F1?alt=media")" 416 'past the end'
same "$(call -o /dev/null -w '%{http_code}' "$b/box-1/o/a%2F1?ifGenerationMatch=1")" 412 'generation'
same "$(call -o /dev/null -w '%{http_code}' "$g/upload/storage/v1/b/box-1/o?uploadType=media&name=b&ifGenerationMatch=0" \
	-d x)" 412 'only if absent'
same "$(call -o /dev/null -w '%{http_code}' -X DELETE "$b/box-1")" 409 'bucket with objects'
same "$(call -o /dev/null -w '%{http_code}' -X DELETE "$b/box-1/o/b")" 204 'delete'
same "$(call -o /dev/null -w '%{http_code}' -X DELETE "$b/box-1/o/b")" 404 'delete again'
same "$(grep -c '"kind":"create","what":"object/box-1/' "$ledger")" 4 'objects in the ledger'

# Hugging Face
has "$(curl -sS -H 'Authorization: Bearer hf_RehearsalTokenOnly000000000000' "$g/api/whoami-v2")" '"role":"read"' 'whoami'
same "$(code -H 'Authorization: Bearer hf_wrong' "$g/api/whoami-v2")" 401 'wrong token'
has "$(curl -sS -i "$g/api/models/google/gemma-4-26b-a4b-it/auth-check")" 'X-Error-Code: GatedRepo' 'gate'

# the release
curl -sS "$RLPILOT_RELEASES/v1.103.0/gcluster_bundle_linux_amd64.tgz" | tar -tz >"$dir/names"
grep -qx 'gcluster' "$dir/names" || fail 'no gcluster in the bundle'
grep -qx 'examples/gke-tpu-v6e/gke-tpu-v6e-advanced.yaml' "$dir/names" || fail 'no blueprint in the bundle'
same "$(code "$RLPILOT_RELEASES/v0.0.1/gcluster_bundle_linux_amd64.tgz")" 404 'another version'

# deploy: a caller that hangs up stops nothing, two more join; everything is made once
want='{"deployment":"gemma-rl","region":"us-east5","zone":"us-east5-b","reservation":"v6e-rehearsal"}'
rc=0
curl -sSN -m 0.3 -d "$want" "$g/sim/v1/deploy" >"$dir/dropped" 2>/dev/null || rc=$?
same "$rc" 28 'the caller that hangs up'
curl -sSN -d "$want" "$g/sim/v1/deploy" >"$dir/second" &
second=$!
curl -sSN -d "$want" "$g/sim/v1/deploy" >"$dir/first"
wait "$second"
for f in first second; do
	tail -n 1 "$dir/$f" | grep -q '"event":"end","ok":true' || fail "$f caller: $(tail -n 1 "$dir/$f")"
done
made=$(grep -c '"kind":"create","what":"[^"]*gemma-rl' "$ledger")
test "$made" -gt 30 || fail "only $made resources"
same "$(grep -o '"kind":"create","what":"[^"]*gemma-rl[^"]*"' "$ledger" | sort | uniq -d)" '' 'made twice'
made=$(sed -n 's/.*"event":"end".*"added":\([0-9]*\).*/\1/p' "$dir/first")
has "$(curl -sSN -d "$want" "$g/sim/v1/deploy")" '"add":0,"change":0,"destroy":0' 'deploy again'
got=$(call "$p/locations/-/clusters/gemma-rl")
has "$got" '"status":"RUNNING"' 'cluster'
has "$got" '"name":"gke-tpu-v6e-pool","status":"RUNNING"' 'pool'
has "$(call "$p/locations/us-east5/operations")" '"operationType":"CREATE_NODE_POOL","status":"DONE"' 'operation'
has "$(call "$g/compute/v1/projects/rehearsal-lab/zones/us-east5-b/reservations/v6e-rehearsal")" '"inUseCount":"8"' 'in use'
endpoint=$(echo "$got" | sed 's/.*"publicEndpoint":"\([^"]*\)".*/\1/')
same "$(code --cacert "$dir/env.world/ca.pem" -H "Authorization: Bearer $token" "https://$endpoint/api/v1/nodes")" 200 'nodes over TLS'
same "$(code --cacert "$dir/env.world/ca.pem" "https://$endpoint/api/v1/nodes")" 401 'TLS without token'
curl -sSN -d '{"deployment":"gemma-rl"}' "$g/sim/v1/destroy" >"$dir/gone"
has "$(tail -n 1 "$dir/gone")" "\"ok\":true,\"added\":0,\"changed\":0,\"destroyed\":$made" 'destroy'
same "$(call "$p/locations/-/clusters")" '{}' 'no cluster'

# bad input: an answer, never an end
for path in "/%ff" "/v1/projects/%ff%fe" "/storage/v1/b/%00%ff/o/%2f" "/storage/v1/b/box-1/o?prefix=%ff"; do
	same "$(call -o /dev/null -w '%{http_code}' "$g$path")" 400 "GET $path"
done
has "$(call -H "x-goog-user-project: $(printf '\377')" "$b/box-1")" USER_PROJECT_DENIED 'header that is no UTF-8'
call -o /dev/null -H "Content-Type: $(printf '\377')" "$g/upload/storage/v1/b/box-1/o?uploadType=media&name=odd" -d x
has "$(call "$b/box-1/o/odd")" '"contentType":"application/octet-stream"' 'content type that is no UTF-8'
same "$(call -o /dev/null -w '%{http_code}' -X PURGE "$g/")" 404 'unknown method'
same "$(call -o /dev/null -w '%{http_code}' "$g/sim/v1/deploy" -d '{"deployment":')" 400 'half a body'
same "$(call -o /dev/null -w '%{http_code}' "$g/upload/storage/v1/b/box-1/o?uploadType=multipart" -d x)" 400 'no multipart'

# argv
same "$(code "$g/sim/v1/argv" -d '{"argv":["gcloud","storage","ls"],"folder":"/x"}')" 200 'argv'
has "$(tail -n 1 "$ledger")" '"kind":"argv","argv":["gcloud","storage","ls"],"folder":"/x"' 'ledger of argv'
same "$(code "$g/sim/v1/argv" -d '{"argv":[]}')" 400 'empty argv'

# a taken port: a cure, exit 69, nothing left behind
rc=0
"$sim" --port "${g##*:}" --env "$dir/other" 2>"$dir/why" || rc=$?
same "$rc" 69 'taken port'
has "$(cat "$dir/why")" '--port' 'cure'
test ! -e "$dir/other" && test ! -e "$dir/other.world" || fail 'half-written world'
rc=0
"$sim" --env "$dir/no/such/env" 2>"$dir/why" || rc=$?
same "$rc" 73 'no folder for the environment'
rc=0
"$sim" --world sunny --env "$dir/other" 2>"$dir/why" || rc=$?
same "$rc" 64 'unknown world'
rc=0
"$sim" --faults "$dir/no-plan" --env "$dir/other" 2>"$dir/why" || rc=$?
same "$rc" 65 'a plan of faults that is not there'
bad_plan() { # bad_plan LINE PLACE: refused, the place is told
	printf '# a comment\n\n%s\n' "$1" >"$dir/plan"
	rc=0
	"$sim" --faults "$dir/plan" --env "$dir/other" 2>"$dir/why" || rc=$?
	same "$rc" 65 "plan: $1"
	grep -qF "plan:3:$2: " "$dir/why" || fail "plan: $1: no place $2 in: $(cat "$dir/why")"
}
bad_plan 'any GET:/x reset' 17
bad_plan 'any GET:/x reset 1 2' 20
bad_plan 'noon GET:/x reset 1' 1
bad_plan 'train+soon GET:/x reset 1' 1
bad_plan 'train#0 GET:/x reset 1' 1
bad_plan 'any /x reset 1' 5
bad_plan 'any GET: reset 1' 5
bad_plan 'any GET:/x explode 1' 12
bad_plan 'any GET:/x oom 1' 12
bad_plan 'any GET:/x delay 1' 12
bad_plan 'any GET:/x delay=much 1' 12
bad_plan 'any GET:/x status=200 1' 12
bad_plan 'any GET:/x reset=1 1' 12
bad_plan 'any GET:/x reset often' 18
bad_plan "$(printf '\377\001 \033[2J')" 8

# end
kill -TERM "$pid"
rc=0
wait "$pid" || rc=$?
pid=
same "$rc" 0 'SIGTERM'
