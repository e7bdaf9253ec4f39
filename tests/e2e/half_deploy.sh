#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Supervisor, script and gcluster are killed while gcluster writes its deployment folder: what is left of that folder goes
# before the same stage goes on by itself, since gcluster refuses half of one.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
sim_start --seed 1
run "$rlpilot" run --from tools --to bucket
want_rc 0 "the first stages"
folder=$XDG_STATE_HOME/rlpilot/runs/run-1
tool=$folder/toolkit/cluster-toolkit/gcluster
mv "$tool" "$dir/gcluster"
cat >"$tool" <<G
#!/bin/bash
if [ "\$1" = deploy ] && [ ! -e "$dir/once" ]; then
	: >"$dir/once"
	mkdir -p "$CLUSTER_NAME/primary"
	: >"$CLUSTER_NAME/primary/outputs.tf.tmp1"
	ps -o pid= -s "\$(ps -o sid= -p \$\$ | tr -d ' ')" | xargs kill -9
fi
exec -a ./gcluster "$dir/gcluster" "\$@"
G
chmod 700 "$tool"
run "$rlpilot" run --stage cluster
[ -e "$dir/once" ] || fail "nothing was killed"
want_rc 0 "a deploy whose folder was left half made"
want out '^\[5/9\] cluster  done ' "a deploy whose folder was left half made"
grep -q '"ev":"stage-start","stage":"cluster","attempt":2' "$folder/journal.jsonl" || fail "no second attempt"
grep -q 'a deployment folder that is not whole is removed first' "$folder/journal.jsonl" || fail "nothing was removed"
equal 1 "$(made "cluster/$CLUSTER_NAME")" "clusters"
