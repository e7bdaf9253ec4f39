# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced by the end-to-end tests: a folder of its own, a simulator of its own, checks that say what they expected.
# srcdir and builddir come from make check; run by hand they are found from this file's place.
: "${srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${builddir:=$srcdir/build}"
waitfor=$builddir/tests/rig/waitfor
rlpilot=$builddir/rlpilot # used by the tests
export rlpilot
test_name=$(basename "$0" .sh)
dir=$(mktemp -d "${TMPDIR:-/tmp}/rlpilot-$test_name.XXXXXX")
sim_pid=
failures=0
# The pretend cloud is here: no proxy of this machine has anything to do with it.
no_proxy=127.0.0.1,localhost NO_PROXY=127.0.0.1,localhost
export no_proxy NO_PROXY
# Whoever runs the tests may have values of the tutorial and logins in the environment: with them a run outside of a
# rehearsal would be a real one.
RLPILOT_LOOPBACK_ONLY=1
export RLPILOT_LOOPBACK_ONLY
unset PROJECT REGION ZONE CLUSTER_NAME GCS_BUCKET CLOUD_IMAGE_NAME COMPUTE_TYPE TPU_TYPE TOPOLOGY CLUSTER_NODEPOOL_COUNT \
	RESERVATION MODEL_NAME CLUSTER_TOOLKIT_VERSION HF_TOKEN CLOUD_SHELL

finish() {
	code=$?
	[ -z "$sim_pid" ] || kill "$sim_pid" 2>/dev/null
	if [ "$code" -eq 77 ] || { [ "$code" -eq 0 ] && [ "$failures" -eq 0 ]; }; then
		rm -rf "$dir"
	else
		echo "$test_name: the files are kept in $dir" >&2
		[ "$code" -ne 0 ] || code=1
	fi
	exit "$code"
}
trap finish EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

skip() {
	echo "skipped: $*"
	exit 77
}

die() {
	echo "FAIL: $*" >&2
	exit 1
}

fail() {
	echo "FAIL: $*" >&2
	failures=$((failures + 1))
}

# sim_start [OPTION…]: starts a simulator and reads its environment file into this shell.
sim_start() {
	[ -x "$builddir/rlpilot-sim" ] || die "$builddir/rlpilot-sim is not built"
	"$builddir/rlpilot-sim" --speed max --ledger "$dir/ledger.jsonl" --env "$dir/env" "$@" >"$dir/sim.out" 2>&1 &
	sim_pid=$!
	"$waitfor" -t 20 file "$dir/env" || die "the simulator does not start: $(cat "$dir/sim.out")"
	# shellcheck disable=SC1091
	. "$dir/env"
}

# real NAME: the tool of that name that is not ours; nothing when there is none.
real() {
	IFS_old=$IFS
	IFS=:
	for p in $PATH; do
		[ "$p" != "$builddir/sim/bin" ] && [ -x "$p/$1" ] && echo "$p/$1" && break
	done
	IFS=$IFS_old
}

# cluster_up: the tutorial's bucket and cluster by the stand-ins, the bundle in $dir/toolkit, its kubeconfig.
cluster_up() {
	mkdir -p "$dir/toolkit"
	cd "$dir/toolkit" || exit 1
	gcloud storage buckets create "gs://$GCS_BUCKET" --project="$PROJECT" --location="$REGION" 2>/dev/null ||
		die "the bucket cannot be made"
	curl -fsSL "$RLPILOT_RELEASES/$CLUSTER_TOOLKIT_VERSION/gcluster_bundle_linux_amd64.tgz" | tar -xz ||
		die "the bundle cannot be unpacked"
	sed -e 's/n2-standard-8/e2-standard-8/' -e 's/- storage.objectViewer/- storage.admin/' \
		examples/gke-tpu-v6e/gke-tpu-v6e-advanced.yaml >blueprint.yaml
	vars="project_id=$PROJECT,deployment_name=$CLUSTER_NAME,region=$REGION,zone=$ZONE,num_slices=1"
	vars="$vars,tpu_topology=$TOPOLOGY,authorized_cidr=0.0.0.0/0,reservation=$RESERVATION"
	./gcluster deploy blueprint.yaml --vars "$vars" -l IGNORE --auto-approve -w >"$dir/deploy.log" 2>&1 ||
		die "the cluster does not come up: $(tail -n 3 "$dir/deploy.log")"
	gcloud container clusters get-credentials "$CLUSTER_NAME" --location="$REGION" --project="$PROJECT" \
		2>/dev/null || die "no kubeconfig entry"
}

# submit NAME OPTION…: a job of the tutorial's shape by the stand-in gcluster.
submit() {
	name=$1
	shift
	"$dir/toolkit/gcluster" job submit -p "$PROJECT" -c "$CLUSTER_NAME" -l "$REGION" --name="$name" --num-slices=1 \
		--image="$CLOUD_IMAGE_NAME" --compute-type="$COMPUTE_TYPE" --topology="$TOPOLOGY" --restarts=0 \
		--gke-ttl-after-finished=24h "$@" >"$dir/submit.log" 2>&1 || die "submit of $name: $(tail -n 3 "$dir/submit.log")"
}

# The command of the conversion, as the tutorial writes it.
convert_command() {
	printf '%s' "[ \"\$JOB_COMPLETION_INDEX\" != \"0\" ] || python3 -m maxtext.checkpoint_conversion.to_maxtext" \
		" model_name=$MODEL_NAME hf_access_token=$HF_TOKEN --hf_model_path='google/gemma-4-26b-a4b-it'" \
		" base_output_directory=gs://$GCS_BUCKET/$MODEL_NAME/max-text-format/ scan_layers=False" \
		" use_multimodal=False skip_jax_distributed_system=true hardware=cpu --lazy_load_tensors=True"
}

# run COMMAND…: keeps its output in $dir/out and $dir/err and its exit code in $rc; stdin is closed.
run() {
	rc=0
	"$@" >"$dir/out" 2>"$dir/err" </dev/null || rc=$?
}

want_rc() { # want_rc CODE WHAT
	[ "$rc" -eq "$1" ] || {
		fail "$2: exit code $rc, $1 expected"
		tail -n 5 "$dir/out" "$dir/err" >&2
	}
}

want() { # want FILE ERE WHAT: a line matches
	grep -Eq -- "$2" "$dir/$1" || {
		fail "$3: no line matches: $2"
		tail -n 20 "$dir/$1" >&2
	}
}

want_not() { # want_not FILE ERE WHAT
	! grep -Eq -- "$2" "$dir/$1" || {
		fail "$3: a line matches: $(grep -E -m 1 -- "$2" "$dir/$1")"
	}
}

equal() { # equal WANTED GOT WHAT
	[ "$1" = "$2" ] || fail "$3: '$2', '$1' expected"
}

# made WHAT: how often the ledger says it was created.
made() {
	grep -cF "\"kind\":\"create\",\"what\":\"$1\"" "$dir/ledger.jsonl"
}

# put_object NAME [DATA]: of somebody else, into the run's bucket
put_object() {
	curl -fsS -X POST -H "Authorization: Bearer $(gcloud auth print-access-token)" -H 'Content-Type: text/plain' \
		--data-binary "${2:-x}" -o /dev/null \
		"$RLPILOT_SIM/upload/storage/v1/b/$GCS_BUCKET/o?uploadType=media&name=$(printf '%s' "$1" | sed 's,/,%2F,g')" ||
		fail "upload of $1"
}

# left_over LEDGER: what was created and not deleted, one name a line.
left_over() {
	python3 -c '
import json, sys
there = {}
for line in open(sys.argv[1]):
    e = json.loads(line)
    if e["kind"] in ("create", "delete"):
        there[e["what"]] = e["kind"] == "create"
print("\n".join(w for w, t in there.items() if t))
' "$1"
}

json() { # json FILE JQ-FREE-PATH… : reads values by python3
	python3 -c '
import json, sys
v = json.load(open(sys.argv[1]))
for p in sys.argv[2:]:
    x = v
    for k in p.split("."):
        x = x[int(k)] if isinstance(x, list) else x.get(k) if x is not None else None
    print(json.dumps(x) if isinstance(x, (dict, list, bool)) or x is None else x)
' "$@"
}

# lines_good FILE WHAT: nothing but lines of a stage, lines of progress that begin with two blanks, the first line and
# the last one of a rehearsal.
lines_good() {
	kinds='1/9\] tools  |2/9\] toolkit|3/9\] login  |4/9\] bucket |5/9\] cluster|6/9\] convert|7/9\] train  |8/9\] export |9/9\] cleanup'
	ends='started|done   |skipped|failed |blocked'
	! grep -Ev "^\[($kinds)  ($ends) [0-9]+:[0-9]{2}:[0-9]{2}( [^ ].*)?$|^  [^ ].*$|^run [^ ]+(, .+)?$|^rehearsal: " "$dir/$1" ||
		fail "$2: these lines are of no known form"
}

# json_good FILE CODE WHAT: every object of run --json has the contract's form, and the last one tells CODE.
json_good() {
	python3 - "$dir/$1" "$2" <<'P' || fail "$3: not the events that the contract promises"
import json, re, sys
keys = "v seq t event stage attempt state done total unit text exit cause cure".split()
stages = "tools toolkit login bucket cluster convert train export cleanup".split()
ends = "done skipped failed blocked cancelled".split()
words = {
    "event": "run-start stage-start progress stage-end alert run-end".split(),
    "unit": [None] + "resource tensor pod step file object byte".split(),
    "stage": [None] + stages,
}
states = {"stage-start": ["running"], "stage-end": ends, "alert": ["raised", "cleared", "acknowledged"]}
wrong = []
def demand(what, holds, e):
    if not holds:
        wrong.append("%s: %s" % (what, json.dumps(e)[:300]))
events = [json.loads(line) for line in open(sys.argv[1])]
for i, e in enumerate(events):
    demand("keys", list(e) == keys and e["v"] == 1, e)
    demand("seq", e["seq"] == i + 1, e)
    demand("t", re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z", e["t"]), e)
    for k, known in words.items():
        demand(k, e[k] in known, e)
    for k in "attempt done total exit".split():
        demand(k, e[k] is None or type(e[k]) is int and e[k] >= 0, e)
    for k in "text cause cure".split():
        demand(k, e[k] is None or type(e[k]) is str and e[k] and not re.search("[\0-\x1f\x7f]|hf_[A-Za-z0-9]{20}", e[k]), e)
    demand("state", e["state"] in states.get(e["event"], [None]), e)
    demand("stage", (e["stage"] is None) == (e["event"] in ("run-start", "alert", "run-end")), e)
    demand("exit", e["exit"] is None or e["event"] in ("stage-end", "run-end"), e)
    demand("counts", (e["total"] is None or e["done"] <= e["total"]) and (e["unit"] or e["done"] is None), e)
    demand("cause", e["state"] not in ("failed", "blocked") or e["cause"] and e["cure"] and e["text"], e)
    demand("ends", (e["event"] == "run-start") == (i == 0) and (e["event"] == "run-end") == (i == len(events) - 1), e)
demand("exit code", events[-1]["exit"] == int(sys.argv[2]), events[-1])
demand("times go back", sorted(e["t"] for e in events) == [e["t"] for e in events], None)
print("\n".join(wrong), end="\n" if wrong else "")
sys.exit(bool(wrong))
P
}

# stop_engine RUN: its engine is told to stop, and is gone
stop_engine() {
	"$waitfor" -t 20 filled "$1/engine" || fail "no engine in $1"
	pid=$(sed -n 's/.*"pid":\([0-9]*\).*/\1/p' "$1/engine")
	mkdir -p "$1/inbox"
	echo '{"v":1,"intent":"stop"}' >"$1/stop.new"
	mv "$1/stop.new" "$1/inbox/999999999999999-stop.json"
	"$waitfor" -t 10 dead "$pid" || fail "the engine does not stop"
}

# waiting_gcloud FILE: one that waits at the gate before it makes a bucket, until a line is written to $dir/gate
waiting_gcloud() {
	mkfifo "$dir/gate"
	cat >"$1" <<SLOW
#!/bin/sh
case "\$*" in
*buckets*create*)
	echo "at the gate"
	read -r _ <"$dir/gate"
	;;
esac
exec "$(command -v gcloud)" "\$@"
SLOW
	chmod 700 "$1"
}
