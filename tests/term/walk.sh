#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The whole rehearsal in an 80x24 terminal by keys only, once in English and once in Korean: from the first page
# to the proof of clean-up. Waits for marks and contract words, which are the same in both languages.
# shellcheck disable=SC2154
srcdir=${srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/term/lib.sh
. "$srcdir/tests/term/lib.sh"

cat > "$dir/script" <<'STEPS'
wait ▸ e
keys s
wait · tools
keys <Enter>
wait ✓ tools
keys <Enter>
wait ✓ toolkit
keys <Enter>
wait − login
keys <Enter>
wait ✓ bucket
keys <Enter>
wait ✓ cluster
keys <Enter>
wait ▸
keys <Enter>
wait ▶ convert
keys m
wait 50/50
wait trained/50
keys s
wait ✓ export
keys <Enter>gemma-rl<Enter><Enter>
wait ✓ cleanup
wait 9/9
keys q
exit 0
STEPS

for lang in en ko; do
	walk "$dir/$lang" "$dir/script" --lang "$lang" || fail "the walk in $lang stopped"
	journal=$dir/$lang/rlpilot/demo/runs/demo-1/journal.jsonl
	for stage in tools toolkit login bucket cluster convert train export cleanup; do
		grep -q "\"ev\":\"stage-\(done\|skip\)\",\"stage\":\"$stage\"" "$journal" ||
			fail "$lang: the journal has no end of $stage"
	done
	grep -q '"proof":"\(left\|still there\)' "$journal" && fail "$lang: clean-up left something"
	stop_rehearsal "$dir/$lang"
done
exit 0
