#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every report of facts/reports.md that the wizard must answer is named in a test (R15_…): those marked [pre] or
# [parse] for the stages up to deploy, and the ones listed below. Facts lie beside the repository or in
# $RLPILOT_SHARED.
set -u
cd "${srcdir:-.}" || exit
facts=${RLPILOT_SHARED:-../shared}/facts/reports.md
if [ ! -r "$facts" ]; then
	echo "skipped: $facts is not there"
	exit 0
fi
also='R14 R40 R41 R43 R49 R53 R59 R60 R84'
wanted=$(awk '
	/^## / { id = "" }
	/^### / { id = ""; line = $0; sub(/^### R[0-9]+ · /, "", line); sub(/[ ,(].*/, "", line)
		if (line ~ /^(env|deps|auth|IAM|APIs|quota|reservation|bucket|deploy)$/) id = $2 }
	id != "" && /\[(pre|parse)\]/ { print id; id = "" }' "$facts")
[ "$(echo "$wanted" | wc -l)" -ge 15 ] || { echo "$facts: the marks are not read any more"; exit 1; }
named=$(grep -rhoE 'R[0-9]{2}(_R[0-9]{2})*_[a-z]' tests --include='*.c' --include='*.sh' --include='*.tsv' | grep -oE 'R[0-9]{2}' | sort -u)
failed=0
for id in $wanted $also; do
	echo "$named" | grep -qx "$id" || { echo "$id: no test carries its id"; failed=1; }
done
exit "$failed"
