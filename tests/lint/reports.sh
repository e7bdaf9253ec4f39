#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/reports.tsv names a test for every demand of every public report; each of them must be run by a test program
# and carry the number of its report. Where the facts lie beside the repository or in $RLPILOT_SHARED, the list
# must hold all of their reports and demands, so that the wizard's (stages up to deploy: pre, parse) and the
# stages' (deploy, queue, clean-up: explain, alert) cannot be forgotten.
set -u
cd "${srcdir:-.}" || exit
list=tests/reports.tsv
tab=$(printf '\t')
failed=0
complain() {
	echo "$1"
	failed=1
}

rows=$(grep -v '^#' "$list")
echo "$rows" | awk -F'\t' 'NF != 4 || $1 !~ /^R[0-9][0-9]$/ || $3 !~ /^(pre|parse|explain|alert|app)$/ || seen[$1 $3]++ {
	print "tests/reports.tsv: a row is not in order: " $0; bad = 1 }
	END { exit bad }' || failed=1

# Written as a test function and given to a runner, so twice in one file.
names=$(grep -hoE '\bR[0-9]{2}(_R[0-9]{2})*_[A-Za-z0-9_]+' tests/unit/*.c tests/term/*.c tests/view/*.c | sort | uniq -d)
echo "$rows" | while IFS="$tab" read -r id _ demand test; do
	case $test in
	*"${id}_"*) ;;
	*) echo "$id ($demand): $test does not carry its number" ;;
	esac
	echo "$names" | grep -qx "$test" || echo "$id ($demand): no test $test is run"
done | grep . && failed=1

# Demands that the reports themselves make of the wizard and of the stages.
need() { # need STAGES DEMANDS: every report of these stages has a row with one of these demands
	echo "$rows" | awk -F'\t' -v stages="$1" -v demands="$2" '
		$2 ~ "^(" stages ")(,|$)" { all[$1] = 1; if ($3 ~ "^(" demands ")$") has[$1]++ }
		END { for (id in all) if (!has[id]) print id ": no test for " demands }'
}
{
	for id in R14 R40 R41 R43 R49 R53 R59 R60 R84; do
		echo "$rows" | grep -q "^${id}${tab}[^${tab}]*${tab}pre${tab}" || echo "$id: no test before money is spent"
	done
	for id in R31 R86 R88; do
		echo "$rows" | grep -q "^${id}${tab}[^${tab}]*${tab}app${tab}" || echo "$id: no test"
	done
	need 'env|deps|auth|IAM|APIs|quota|reservation|bucket' 'pre|parse'
	need 'queue' 'alert|parse'
} | grep . && failed=1

facts=${RLPILOT_SHARED:-../shared}/facts/reports.md
[ -r "$facts" ] || exit "$failed"
wanted=$(awk '
	function flush() { for (m in marks) print id "\t" m; if (id != "" && !length(marks)) print id "\tapp"; delete marks; id = "" }
	/^##/ { flush() }
	/^### R[0-9][0-9] / { id = $2 }
	id != "" { line = $0; while (match(line, /\[(pre|parse|explain|alert)\]/)) {
		marks[substr(line, RSTART + 1, RLENGTH - 2)] = 1; line = substr(line, RSTART + RLENGTH) } }
	END { flush() }' "$facts")
[ "$(echo "$wanted" | wc -l)" -ge 60 ] || complain "$facts: the marks are not read any more"
for w in $(echo "$wanted" | tr '\t' ':'); do
	echo "$rows" | cut -f1,3 | grep -qx "${w%:*}$tab${w#*:}" || complain "${w%:*}: $list has no row for ${w#*:}"
done
exit "$failed"
