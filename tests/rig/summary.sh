#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# summary.sh BUILD: what automake's test run of BUILD found, failures with the end of their logs, and as last line
# "N passed, N failed, N skipped". A cmocka program counts each of its tests. Exit 1 when something failed or
# nothing ran.
set -u
build=$1
passed=0 failed=0 skipped=0
for trs in $(find "$build" -name '*.trs' | sort); do
	log=${trs%.trs}.log
	result=$(sed -n 's/^:test-result: //p' "$trs" | head -n 1)
	ok=$(grep -c '^\[       OK \]' "$log")
	no=$(grep -c '^\[  FAILED  \] [a-zA-Z]' "$log")
	case $result in
	PASS) passed=$((passed + (ok > 0 ? ok : 1))) ;;
	SKIP)
		skipped=$((skipped + 1))
		echo "SKIP: ${log#"$build"/}: $(head -n 1 "$log")"
		;;
	*)
		passed=$((passed + ok))
		failed=$((failed + (no > 1 ? no / 2 : 1)))
		echo "FAIL: ${log#"$build"/}"
		tail -n 40 "$log"
		;;
	esac
done
if [ "$((passed + failed))" -eq 0 ]; then
	echo "no test ran: the build failed:"
	tail -n 40 "$build/check.out"
	failed=1
elif [ "$failed" -eq 0 ] && grep -q '\*\*\*' "$build/check.out"; then
	echo "make check stopped early:"
	grep -B 10 '\*\*\*' "$build/check.out" | head -n 40
	failed=1
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
