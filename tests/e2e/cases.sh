# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# Sourced by the tests that let an engine die: many cases, each a process `sh TEST --one CASE…` that says "ok …" at its
# end, CRASH_JOBS of them side by side.

# run_cases TEST <CASES: a line each; leaves with 0 when all are ok
run_cases() {
	# The sanitizers' own library must be the first one loaded; the plain build does this test.
	if grep -q __asan_init "$builddir/rlpilot"; then
		echo "skipped: nothing can be preloaded into a sanitizer build"
		exit 77
	fi
	LC_ALL=C
	export LC_ALL srcdir builddir CRASH_JOBS
	began=$(date +%s)
	out=$(mktemp "${TMPDIR:-/tmp}/rlpilot-cases.XXXXXX")
	cat >"$out.cases"
	xargs -P "$CRASH_JOBS" -L 1 sh "$1" --one <"$out.cases" >"$out" 2>&1
	rc=$?
	grep -Ev '^(ok |Killed$)' "$out" | head -n 100
	echo "$(grep -c '^ok ' "$out") of $(wc -l <"$out.cases") cases in $(($(date +%s) - began)) s"
	[ "$(grep -c '^ok ' "$out")" -eq "$(wc -l <"$out.cases")" ] || rc=1
	rm -f "$out" "$out.cases"
	exit "$rc"
}
