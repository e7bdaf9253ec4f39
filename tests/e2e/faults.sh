#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Faults of the pretend cloud, as faults.tsv lists them: what passes is got over, what lasts stops the stage with its
# cause and cure, a second run gets over what the first one left. `make check` takes a sample (FAULTS=all: the whole
# list, as ./dev faults does; FAULTS=ERE: the names that match).
set -u
: "${srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${builddir:=$srcdir/build}"
table=$srcdir/tests/e2e/faults.tsv
sample='retry-after|reset|cut-body|garbage|login-gone|stockout|state-lock|permission|deploy-webhook|deploy-503'
sample="$sample|disk-full|state-read-only|clock-back|watch-410|submit-webhook|image-denied|oom|write-denied|queue-never|worker-preempted|destroy-blocked"
# A machine that is busy with other tests is slow in pretend time.
: "${FAULTS_SLACK:=$([ "${FAULTS:-}" ] && echo 1 || echo 4)}"
export FAULTS_SLACK
: "${FAULTS:=$sample}"
[ "$FAULTS" != all ] || FAULTS='.*'
case ${1:-} in
--one)
	exec python3 "$srcdir/tests/e2e/faults.py" "$builddir" "$(grep "^$2	" "$table")"
	;;
esac

n=$(grep -vc '^#' "$table")
[ "$n" -ge 30 ] || {
	echo "faults.tsv has $n lines, 30 are wanted" >&2
	exit 1
}
# The table is whole: nine fields, names once.
bad=$(awk -F '\t' '!/^#/ && (NF != 9 || seen[$1]++) { print FILENAME ":" FNR ": nine fields, a name once" }' "$table")
# The sanitizers' own library must be the first one loaded: nothing can be preloaded into such a build.
! grep -q __asan_init "$builddir/rlpilot" || not_here='^(disk|clock) '
names=$(awk -F '\t' -v no="${not_here:-^$}" '!/^#/ && $4 !~ no { print $1 }' "$table" | grep -Ex "($FAULTS)")
wrong=$(echo "$names" | xargs -P "${FAULTS_JOBS:-3}" -I{} sh "$0" --one {} 2>&1)
[ -z "$bad$wrong" ] || {
	printf '%s\n%s\n' "$bad" "$wrong" | grep . >&2
	exit 1
}
echo "$(echo "$names" | wc -l) of $n faults taken as they should be"
