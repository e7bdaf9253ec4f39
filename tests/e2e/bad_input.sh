#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Bad input of every kind: a message with its place and a cure in brackets, the exit code of the contract, nothing
# half-written. The names of the cases carry the reports they come from.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
HOME=$dir/home
XDG_STATE_HOME=$dir/state
export HOME XDG_STATE_HOME
mkdir "$HOME" "$XDG_STATE_HOME"

refuse() { # refuse CODE ERE WHAT COMMAND…: one line on stderr that matches and ends with a cure
	code=$1
	pattern=$2
	what=$3
	shift 3
	run "$@"
	expr " $code " : ".* $rc " >/dev/null || want_rc "${code%% *}" "$what"
	want err "$pattern" "$what"
	grep -Eq '^[a-z-]+: .* \(.+\)$' "$dir/err" || fail "$what: no cure in: $(head -n 1 "$dir/err")"
	want_not err 'ERROR: AddressSanitizer|runtime error|Assertion|core dumped' "$what"
}

# options, verbs, arguments
refuse 64 "no option '--nope'" "unknown option" "$rlpilot" --nope
refuse 64 "no verb 'nope'" "unknown verb" "$rlpilot" nope
refuse 64 "no option '--frob'" "unknown option of a verb" "$rlpilot" plan --frob
refuse 64 'say which stages' "run without stages" "$rlpilot" run
refuse 64 'no stage "frob"' "unknown stage" "$rlpilot" run --stage frob
refuse 64 "no language 'xx'" "unknown language" "$rlpilot" --lang xx plan
refuse 64 "'fast' is not a speed" "bad speed" "$rlpilot" demo --speed fast
refuse 64 "is not a clock" "bad clock" env RLPILOT_CLOCK=abc "$rlpilot" plan
refuse 64 "--speed does not understand '0'" "bad speed of the simulator" "$builddir/rlpilot-sim" --speed 0 --env "$dir/no"
refuse 64 'no world|world' "unknown world" "$builddir/rlpilot-sim" --world nowhere --env "$dir/no"
[ ! -e "$dir/no" ] || fail "a refused simulator leaves an environment file"
for verb in check doctor logs metrics checkpoints; do
	refuse 64 'unexpected "gemma"' "an operand of $verb" "$rlpilot" "$verb" gemma
done
refuse 64 'json, --csv: not both' "two forms of curves" "$rlpilot" metrics --json --csv
refuse 64 'json, --csv: not both' "two forms of checkpoints" "$rlpilot" checkpoints --csv --json
refuse 64 'json, --openmetrics: not both' "two forms of a status" "$rlpilot" status --json --openmetrics
refuse 64 'timeout is for a wait' "a time without a wait" "$rlpilot" status --timeout 3
run "$rlpilot" status --run nowhere
want_rc 3 "status of an unknown run"

# recipes: place, and what was expected
recipe=$srcdir/assets/recipes/gemma4-26b-v6e.yaml
sed 's/^id: .*/id: [1,/' "$recipe" >"$dir/syntax.yaml"
refuse 65 "^rlpilot: $dir/syntax\.yaml:[0-9]+:[0-9]+: " "a recipe that is no YAML" "$rlpilot" recipe lint "$dir/syntax.yaml"
sed 's/^stages:/stagez:/' "$recipe" >"$dir/key.yaml"
line=$(grep -n '^stagez:' "$dir/key.yaml" | cut -d: -f1)
refuse 65 "^rlpilot: $dir/key\.yaml:$line:1: unknown key \"stagez\" \(.*stages" "an unknown key" \
	"$rlpilot" recipe lint "$dir/key.yaml"
sed '0,/^recipe: 1/s//recipe: 99/' "$recipe" >"$dir/newer.yaml"
refuse 65 "^rlpilot: $dir/newer\.yaml:[0-9]+:[0-9]+: " "a recipe of a newer format" "$rlpilot" recipe lint "$dir/newer.yaml"
: >"$dir/empty.yaml"
refuse 65 "$dir/empty\.yaml" "an empty recipe" "$rlpilot" recipe lint "$dir/empty.yaml"
head -c 4000 /dev/urandom >"$dir/noise.yaml"
refuse 65 "$dir/noise\.yaml" "noise for a recipe" "$rlpilot" recipe lint "$dir/noise.yaml"
refuse 65 '/nowhere\.yaml' "a recipe that is not there" "$rlpilot" --recipe /nowhere.yaml plan
refuse 65 '/nowhere' "an import that is not there" "$rlpilot" env --import /nowhere

# values
refuse 64 '^rlpilot: PROJECT: ' "a value that breaks its rule" "$rlpilot" plan --set PROJECT=Bad_Name
refuse 64 '^rlpilot: CLUSTER_NAME: ' "a name that is too long" "$rlpilot" plan --set CLUSTER_NAME=a-name-longer-than-twenty
refuse 64 '^rlpilot: GCS_BUCKET: ' "R93 a value that is not ASCII" "$rlpilot" plan --set GCS_BUCKET=버킷
refuse 3 'PROJECT' "a missing value" "$rlpilot" run --all
[ -z "$(find "$XDG_STATE_HOME" -name 'journal.jsonl' -size +0)" ] || fail "a refused run leaves a journal"

# a port that is taken, no room and no rights for state
mkfifo "$dir/hold"
python3 -c '
import socket, sys
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()
print(s.getsockname()[1], flush=True)
sys.stdin.read()
' <"$dir/hold" >"$dir/port" &
holder=$!
exec 9>"$dir/hold"
"$waitfor" -p "$holder" line "$dir/port" '^[0-9]+$' || die "no port to take"
refuse 69 "$(cat "$dir/port")" "a port that is taken" "$builddir/rlpilot-sim" --port "$(cat "$dir/port")" --env "$dir/no"
exec 9>&-
wait "$holder"
[ ! -e "$dir/no" ] || fail "a simulator without a port leaves an environment file"
refuse 73 '/proc/nowhere' "no folder for state" env XDG_STATE_HOME=/proc/nowhere "$rlpilot" demo --plain --speed max
if [ -w /dev/full ]; then
	rc=0
	"$rlpilot" plan --script --recipe "$recipe" --set PROJECT=some-project >/dev/full 2>"$dir/err" </dev/null || rc=$?
	want_rc 73 "output to a full device"
fi

# the run folder: another format, damaged, held by another engine
sim_start --seed 1
run "$rlpilot" run --stage tools
want_rc 0 "a run to work on"
folder=$XDG_STATE_HOME/rlpilot/runs/run-1
cp "$folder/run.yaml" "$dir/run.yaml"
sed 's/^format: 1/format: 99/' "$dir/run.yaml" >"$folder/run.yaml"
refuse 65 "run\.yaml:[0-9]+:[0-9]+: .*99" "a run folder of a newer format" "$rlpilot" --run run-1 run --stage toolkit
cmp -s "$folder/run.yaml" "$dir/run.yaml" && fail "the newer run.yaml was written over"
printf 'format: 1\nvalues: [' >"$folder/run.yaml"
refuse 65 'run\.yaml' "a damaged run folder" "$rlpilot" --run run-1 run --stage toolkit
cp "$dir/run.yaml" "$folder/run.yaml"
"$rlpilot" --run run-1 run --from toolkit --to cluster >"$dir/life" 2>&1 </dev/null &
engine=$!
"$waitfor" -p "$engine" line "$dir/life" '^\[2/9\] toolkit +started ' || die "the engine does not start"
refuse 4 'engine' "a run that another engine holds" "$rlpilot" --run run-1 run --stage toolkit
wait "$engine" || fail "the engine was disturbed"
equal 1 "$(made "cluster/$CLUSTER_NAME")" "clusters"
refuse 3 'CLUSTER|confirm' "clean-up without its word" "$rlpilot" --run run-1 run --stage cleanup
refuse '3 2' 'confirm|gemma-rl' "clean-up with a wrong word" "$rlpilot" --run run-1 run --stage cleanup --confirm nope
equal 0 "$(grep -c '"kind":"delete","what":"cluster/' "$dir/ledger.jsonl")" "clusters destroyed without the word"

# terminals
for term in dumb '' xterm-kitty-of-tomorrow; do
	run env TERM="$term" "$rlpilot" --run run-1 status
	want_rc 0 "R89 R90 status with TERM='$term'"
done
run env -u TERM "$rlpilot" </dev/null
want_not out "$(printf '\033')" "R90 control sequences without a terminal"
case $rc in 0 | 2 | 3) ;; *) fail "R90 without a terminal: exit code $rc" ;; esac
