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

finish() {
	code=$?
	[ -z "$sim_pid" ] || kill "$sim_pid" 2>/dev/null
	if [ "$code" -eq 0 ] && [ "$failures" -eq 0 ]; then
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
