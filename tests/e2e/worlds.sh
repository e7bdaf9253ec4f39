#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every world of the pretend cloud, looked at by `rlpilot check --json`: exactly the checks that worlds.tsv names are not
# ok; together the worlds show every check in every state that it can take; a cure that can be run makes its check ok.
# worlds.sh --write prints what worlds.tsv would have to hold.
set -u
: "${srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${builddir:=$srcdir/build}"
recipe=$srcdir/assets/recipes/gemma4-26b-v6e.yaml
table=$srcdir/tests/e2e/worlds.tsv

# Worlds whose cures are all run: afterwards nothing is left that a command could cure.
cured='fresh apis-off few-apis no-login expired two-accounts no-quota-project no-billing half-roles left-accounts'

# The worlds that begin with recipe- are `ready` with another recipe.
own_recipe() { # own_recipe WORLD: into $work
	sed "$(edits "$1")" "$recipe" >"$work/recipe.yaml"
	cmp -s "$recipe" "$work/recipe.yaml" && echo "$1: the recipe is as before" >&2
}

edits() {
	case $1 in
	recipe-names) echo 's/gemma4-training/gemma4-training-with-a-much-too-long-name/g' ;;
	recipe-rollout) echo '/key: rollout_tensor_parallelism/s/value: 4/value: 3/' ;;
	recipe-trainer) echo '/key: ici_fsdp_parallelism/s/value: -1/value: 3/' ;;
	recipe-batch) echo '/key: batch_size/s/value: 4/value: 5/' ;;
	recipe-lengths) echo '/key: max_prefill_predict_length/s/value: 256/value: 640/' ;;
	recipe-steps) echo '/key: num_batches/s/value: 50/value: 40/' ;;
	recipe-generations) echo '/key: rl.num_generations/s/value: 4/value: 1/' ;;
	esac
}

# The checks that are not ok, "id<TAB>state", sorted; the exit code is told as "exit".
look() { # look OPTION…
	"$builddir/rlpilot" "$@" check --json >"$work/checks.json" 2>"$work/err"
	code=$?
	PATH=$usual "$python" - "$work/checks.json" "$code" <<'PY'
import json, sys
try:
    checks = json.load(open(sys.argv[1]))
except ValueError as e:
    sys.exit("no JSON: %s" % e)
bad = {c["id"]: c["state"] for c in checks if c["state"] != "ok"}
for c in checks:
    if c["state"] == "ok" and (c["cause"] or c["cure"] or c["cure_argv"] or c["who"]):
        sys.exit("%s is ok and says something" % c["id"])
    if c["state"] != "ok" and (not c["cause"] or c["who"] not in ("you", "administrator", "google")):
        sys.exit("%s is %s without cause or person" % (c["id"], c["state"]))
states = set(bad.values())
want = 1 if "blocking" in states else 2 if "unknown" in states else 0
if int(sys.argv[2]) != want:
    sys.exit("exit code %s, %d expected" % (sys.argv[2], want))
for i, s in sorted(bad.items()):
    print("%s\t%s" % (i, s))
PY
}

# Runs the first cure that can be run and has not been; says which check it was for. A login needs a code.
cure_one() {
	"$python" - "$work/checks.json" "$work/tried" <<'PY'
import json, subprocess, sys
try:
    tried = open(sys.argv[2]).read().split()
except OSError:
    tried = []
for c in json.load(open(sys.argv[1])):
    if c["state"] == "ok" or not c["cure_argv"] or tried.count(c["id"]) > 1:
        continue
    r = subprocess.run(c["cure_argv"], input=b"4/0code\n", stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    open(sys.argv[2], "a").write(c["id"] + "\n")
    if r.returncode != 0:
        sys.exit("%s: %s: %s" % (c["id"], " ".join(c["cure_argv"]), r.stderr.decode()[-300:]))
    print(c["id"])
    break
PY
}

cure() { # cure WORLD: every command that cures is run; each makes its check ok, if not at once then when repeated
	while id=$(cure_one) && [ -n "$id" ]; do
		look >"$work/now" || return 1
		if cut -f 1 "$work/now" | grep -qxF "$id" && [ "$(grep -cxF "$id" "$work/tried")" -gt 1 ]; then
			echo "$1: its cure does not make $id ok"
			return 1
		fi
	done || return 1
	"$python" - "$work/checks.json" "$1" <<'PY'
import json, sys
left = [c["id"] for c in json.load(open(sys.argv[1])) if c["state"] != "ok" and c["id"] != "net.authorized-cidr"]
if left:
    print("%s: after the cures these are left: %s" % (sys.argv[2], " ".join(left)))
PY
}

one() { # one WORLD: prints what is wrong with it, and nothing else
	world=$1
	work=$(mktemp -d "${TMPDIR:-/tmp}/rlpilot-world.XXXXXX")
	sim=$world
	case $world in recipe-*) sim=ready ;; esac
	"$builddir/rlpilot-sim" --world "$sim" --speed 20 --env "$work/env" >"$work/sim.out" 2>&1 &
	pid=$!
	trap 'kill $pid 2>/dev/null; wait $pid 2>/dev/null; PATH=$usual; rm -rf "$work"' EXIT
	usual=$PATH
	python=$(command -v python3)
	"$builddir/tests/rig/waitfor" -t 20 -p $pid file "$work/env" || {
		echo "$world: the simulator does not start: $(cat "$work/sim.out")"
		return
	}
	set --
	case $world in
	recipe-*)
		own_recipe "$world"
		set -- --recipe "$work/recipe.yaml"
		;;
	esac
	(
		# shellcheck disable=SC1091
		. "$work/env"
		cd "$HOME" || exit 1
		look "$@" 2>&1
	) >"$work/got"
	if [ "${WRITE:-}" ]; then
		sed "s/^/$world	/" "$work/got"
		return
	fi
	awk -F '\t' -v w="$world" '$1 == w && $2 != "" { print $2 "\t" $3 }' "$table" | LC_ALL=C sort >"$work/want"
	LC_ALL=C sort "$work/got" | diff "$work/want" - >"$work/diff" || {
		echo "$world: other checks than worlds.tsv says (< wanted, > found):"
		grep '^[<>]' "$work/diff"
		return
	}
	case " $cured " in
	*" $world "*)
		(
			# shellcheck disable=SC1091
			. "$work/env"
			cd "$HOME" || exit 1
			cure "$world" 2>&1
		)
		;;
	esac
}

worlds() {
	awk -F '\t' '!/^#/ && $1 != "" && !seen[$1]++ { print $1 }' "$table"
}

case ${1:-} in
--one)
	one "$2"
	exit 0
	;;
--write)
	for w in $(worlds); do
		echo "$w"
		WRITE=1 sh "$0" --one "$w"
	done
	exit 0
	;;
esac

failures=$(worlds | xargs -P 2 -I{} sh "$0" --one {})

# Every world that there is has its lines.
known=$("$builddir/rlpilot-sim" --help | sed -n 's/^worlds: //p' | tr -d ,)
for w in $known; do
	worlds | grep -qx "$w" || failures="$failures
world $w is not in worlds.tsv"
done

# Every check is seen in every state that it can take.
unseen=$("$builddir/tests/rig/check_ids" "$recipe" | awk -v table="$table" '
	BEGIN {
		while ((getline line < table) > 0) {
			if (line ~ /^#/ || split(line, f, "\t") < 1 || f[1] == "") continue
			worlds[f[1]] = 1
			if (f[2] != "") { state[f[2], f[3]] = 1; bad[f[2], f[1]] = 1; ids[f[2]] = 1 }
		}
	}
	{
		known[$1] = 1
		for (i = 2; i <= NF; i++) {
			if ($i == "ok") {
				seen = 0
				for (w in worlds) if (!(($1, w) in bad)) seen = 1
			} else seen = ($1, $i) in state
			if (!seen) print $1 " is never seen " $i
		}
		may[$1] = " " $0 " "
	}
	END {
		for (i in ids) if (!(i in known)) print i ": no such check"
		for (k in state) { split(k, f, SUBSEP); if (index(may[f[1]], " " f[2] " ") == 0) print f[1] " can be " f[2] ", its table does not say so" }
	}')
[ -z "$failures$unseen" ] || {
	printf '%s\n%s\n' "$failures" "$unseen" | grep . >&2
	exit 1
}
