#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The API server's protocol by curl: tokens, lists in pages, watches, versions that are too old, errors.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
sim_start --speed 150
cluster_up
server=$(sed -n 's/^ *server: *//p' "$KUBECONFIG" | head -n 1)

token=
bearer() { # $token, else a new one: they end, an hour is 24 s here
	echo "Authorization: Bearer ${token:-$(gcloud auth print-access-token)}"
}

api() { # api METHOD PATH [CURL-OPTION…]: body in $dir/out, status in $code
	method=$1
	path=$2
	shift 2
	code=$(curl -sS --cacert "$RLPILOT_SIM_CA" -H "$(bearer)" -X "$method" \
		-o "$dir/out" -w '%{http_code}' "$@" "$server$path") || fail "$method $path"
}

# watch_for PATH ERE: follows a watch until a line matches; the line is in $dir/out.
watch_for() {
	curl -sN --cacert "$RLPILOT_SIM_CA" -H "$(bearer)" "$server$1" >"$dir/stream" &
	watcher=$!
	"$waitfor" -t 60 line "$dir/stream" ".*$2.*" || fail "$1: nothing matches $2"
	kill "$watcher"
	wait "$watcher" 2>/dev/null
	grep -E -m 1 -- "$2" "$dir/stream" >"$dir/out"
}

field() { # field PATH WANTED: a value of the last body
	equal "$2" "$(json "$dir/out" "$1")" "$1"
}

jobset() { # jobset NAME COMMAND LABELS: a JobSet of one pod
	printf '{"apiVersion":"jobset.x-k8s.io/v1alpha2","kind":"JobSet","metadata":{"name":"%s","labels":{%s}},
"spec":{"replicatedJobs":[{"name":"main","template":{"spec":{"backoffLimit":0,"template":{"spec":{"restartPolicy":"Never",
"containers":[{"name":"c","image":"busybox","command":["/bin/bash","-c","%s"]}]}}}}}]}}' "$1" "$3" "$2"
}

jobsets=/apis/jobset.x-k8s.io/v1alpha2/namespaces/default/jobsets
pods=/api/v1/namespaces/default/pods

# who asks
token=wrong
api GET /api/v1/nodes
equal 401 "$code" "a wrong token"
field reason Unauthorized
token=
api GET /readyz
equal 200 "$code" "readyz"

# what there is
api GET /apis/nobody.example
equal 404 "$code" "a group that is not there"
field reason NotFound
api GET /apis/kueue.x-k8s.io
field preferredVersion.version v1beta2
api GET "$jobsets/none"
equal 404 "$code" "no such JobSet"
field message 'jobsets.jobset.x-k8s.io "none" not found'
field details.group jobset.x-k8s.io

# pages
api GET '/api/v1/nodes?limit=7'
field metadata.remainingItemCount 3
next=$(json "$dir/out" metadata.continue)
rv=$(json "$dir/out" metadata.resourceVersion)
api GET "/api/v1/nodes?limit=7&continue=$next"
equal 3 "$(json "$dir/out" items | python3 -c 'import json,sys; print(len(json.load(sys.stdin)))')" "the second page"
field metadata.continue null
field metadata.resourceVersion "$rv"
api GET '/api/v1/nodes?continue=zz'
equal 400 "$code" "a token that is none"

# creation, refusals
api POST "$jobsets" -d '{'
equal 400 "$code" "a body that is no JSON"
api POST "$jobsets" -d "$(jobset Upper true '')"
equal 422 "$code" "a name with a capital"
field reason Invalid
api POST "$jobsets" -d "$(jobset quick 'echo hello; sleep 30; exit 3' '')"
equal 201 "$code" "a JobSet"
field spec.replicatedJobs.0.template.spec.completionMode Indexed
api POST "$jobsets" -d "$(jobset quick true '')"
equal 409 "$code" "the same name again"
field reason AlreadyExists
api PUT "$jobsets/quick" -d "$(jobset quick 'other' '')"
equal 422 "$code" "a change of what cannot change"

# a watch from a version: the pod from birth to failure, and the end of the JobSet
watch_for "$jobsets?watch=1&resourceVersion=$rv&fieldSelector=metadata.name%3Dquick" '"terminalState": *"Failed"'
want out '"type":"MODIFIED"' "the watch tells the end"
want out 'reason": *"FailedJobs"' "why the JobSet failed"
api GET "$pods?labelSelector=jobset.sigs.k8s.io%2Fjobset-name%3Dquick"
pod=$(json "$dir/out" items.0.metadata.name)
field items.0.status.phase Failed
field items.0.status.containerStatuses.0.state.terminated.exitCode 3
field items.0.status.containerStatuses.0.state.terminated.reason Error
api GET "$pods/$pod/log?timestamps=true"
want out '^[0-9T:-]{19}\.[0-9]{9}Z hello$' "its log, with times"
api GET "$pods/$pod/log?previous=true"
equal 400 "$code" "no earlier instance"
field message "previous terminated container \"c\" in pod \"$pod\" not found"
api GET "$pods/$pod/log?container=nobody"
field message "container nobody is not valid for pod $pod"

# watches: objects that are there, a bookmark at their end, versions that are too old
api GET '/api/v1/nodes?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=1'
equal 10 "$(grep -c '"type": *"ADDED"' "$dir/out")" "nodes of the first events"
want out '"type": *"BOOKMARK".*"k8s.io/initial-events-end": *"true"' "the bookmark after them"
api GET '/api/v1/nodes?watch=1&resourceVersion=1'
want out '"type": *"ERROR".*"code": *410' "a version that is too old"
api GET "$pods?fieldSelector=spec.unknown%3Dx"
equal 400 "$code" "a field that pods do not offer"
field message 'field label not supported: spec.unknown'

# Table form
api GET "$jobsets" -H 'Accept: application/json;as=Table;g=meta.k8s.io;v=v1'
field kind Table
field columnDefinitions.1.name TerminalState
field rows.0.cells.1 Failed

# two that want all chips: one waits, and says why; the other gone, it starts
tpu='"kueue.x-k8s.io/queue-name":"user-queue"'
chips='s/"name":"c"/"name":"c","resources":{"limits":{"google.com\/tpu":4}}/;s/"spec":{"backoffLimit"/"spec":{"parallelism":8,"backoffLimit"/'
for name in first second; do
	jobset $name 'sleep 100000' "$tpu" | sed "$chips" >"$dir/body"
	api POST "$jobsets" -d "@$dir/body"
	equal 201 "$code" "JobSet $name"
	field spec.suspend true
done
watch_for '/apis/kueue.x-k8s.io/v1beta2/namespaces/default/workloads?watch=1' 'more needed'
want out "insufficient unused quota for google.com/tpu in flavor flavor-tpu-v6e-slice, 32 more needed" "the reason"
api DELETE "$jobsets/first"
equal 200 "$code" "deletion"
field status Success
watch_for '/apis/batch/v1/namespaces/default/jobs?watch=1&fieldSelector=metadata.name%3Dsecond-main-0' '"ready": *8'
for what in create delete; do
	equal 1 "$(grep -c "\"kind\":\"$what\",\"what\":\"jobset/default/first\"" "$dir/ledger.jsonl")" "$what in the ledger"
done
