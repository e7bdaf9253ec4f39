#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The wizard by keys: every field is entered, left with something wrong in it and found again; a value is taken from
# what the account has; a pasted block is imported; the page is left in the middle of a word; a reservation is chosen.
# shellcheck disable=SC2154
srcdir=${srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/term/lib.sh
. "$srcdir/tests/term/lib.sh"

fields='PROJECT ZONE CLUSTER_NAME GCS_BUCKET CLOUD_IMAGE_NAME COMPUTE_TYPE TPU_TYPE TOPOLOGY CLUSTER_NODEPOOL_COUNT
RESERVATION MODEL_NAME CLUSTER_TOOLKIT_VERSION'

{
	echo 'wait ▸ e'
	echo 'keys e'
	echo 'wait PROJECT'
	for f in $fields; do
		# REGION follows from ZONE and cannot be entered: it lies between the first two.
		[ "$f" != ZONE ] || echo 'keys <Down>'
		echo 'keys <Enter><C-u>'
		echo "paste 나쁜-$f"
		echo 'wait ASCII'
		echo 'keys <Tab>'
		echo "wait 나쁜-$f"
	done
	# The token: masked, and what is wrong stays on this page alone.
	echo 'keys <Enter><C-u>'
	echo 'paste hf_two words'
	echo 'wait ASCII'
	echo 'keys <Tab>'
	echo 'wait HF_TOKEN is kept, but not used'
	# The last of the parameters behind the fourteen; what follows from others is passed over.
	echo 'keys <End><Enter><C-u>'
	echo 'paste 나쁜-parameter'
	echo 'keys <Tab>'
	echo 'wait 나쁜-parameter'
	# A novel is refused as a whole.
	echo 'keys <Home><Down><Down><Down><Enter>'
	echo 'flood 1000000'
	echo 'wait nothing of it was taken'
	echo 'wait 나쁜-CLUSTER_NAME'
	echo 'keys <Esc>'
	echo 'keys <Home>'
	echo 'keys c'
	echo 'wait checks'
	echo 'keys e'
	echo 'wait 나쁜-PROJECT'
	echo 'keys <End>q'
	echo 'exit 0'
} > "$dir/leave"
walk "$dir/state" "$dir/leave" || fail "leaving and returning stopped"
run=$dir/state/rlpilot/demo/runs/demo-1
for f in $fields; do
	"$waitfor" -t 20 line "$run/drafts.json" "나쁜-$f" || fail "$f: not kept"
	grep -q "\"$f\": \"나쁜-$f\"" "$run/drafts.json" || fail "$f: no draft"
	grep -q "나쁜" "$run/run.yaml" && fail "a draft is in use"
done

cat > "$dir/return" <<'STEPS'
wait ▸ e
keys e
wait 나쁜-PROJECT
keys <Enter><C-u>
wait Rehearsal lab
keys <Down>
wait ▸ rehearsal-lab
keys <Enter>
gone 나쁜-PROJECT
keys <Down><Down><Enter><C-u>us-east5
wait us-east5-a
keys <Down>
wait ▸ us-east5-a
keys <Down>
wait ▸ us-east5-b
keys <Enter>
gone 나쁜-ZONE
wait found in the account
paste export CLUSTER_NAME="gemma-rl"
wait Import
keys <Enter>
gone 나쁜-CLUSTER_NAME
keys <Home><Down><Down><Down><Down><Enter><C-u>Half_a_wo<F6>
wait v6e-rehearsal
wait fits
keys <Enter>
keys e
wait Half_a_wo
gone 나쁜-RESERVATION
wait found in the account
keys q
exit 0
STEPS
XDG_STATE_HOME=$dir/state TERM=xterm-256color "$builddir/tests/rig/rig" --size 80x24 --deadline 60000 "$dir/return" -- \
	"$rlpilot" --run "$run" || fail "taking values stopped"
grep -q '"origin": *"discovered"\|origin: *"\{0,1\}discovered' "$run/run.yaml" || fail "no value was discovered"
grep -q 'HF_TOKEN' "$run/drafts.json" && fail "a token is in the drafts"
stop_rehearsal "$dir/state"
exit 0
