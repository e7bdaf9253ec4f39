#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# installed.sh BINDIR MANDIR PKGDATADIR: what `make install` has put there works from there, from an empty folder and an empty
# environment: the rehearsal with its recipe, supervisor, simulator and stand-ins, the catalogue, themes, man pages.
set -u
bin=$1 man=$2 data=$3
dir=$(mktemp -d "${TMPDIR:-/tmp}/rlpilot-installed.XXXXXX")
trap 'rm -rf "$dir"' EXIT
fail() {
	echo "FAIL: installed: $*" >&2
	exit 1
}
cd "$dir" || exit 1
mkdir home
installed() {
	env -i PATH=/usr/bin:/bin HOME="$dir/home" XDG_STATE_HOME="$dir/state" LC_ALL=C.UTF-8 "$bin/rlpilot" "$@"
}
installed demo --plain --speed max >lines 2>errors || fail "the rehearsal: $? $(tail -n 3 lines errors)"
grep -Eq '^rehearsal: 9/9 stages done' lines || fail "no last line of the rehearsal"
installed --lang ko --help | LC_ALL=C grep -q '사용법' || fail "the Korean catalogue is not found"
installed recipe lint "$data/recipes/gemma4-26b-v6e.yaml" >lint.out || fail "the recipe"
for file in "$man/man1/rlpilot.1" "$man/man1/rlpilot-sim.1" "$data/themes/dark.yaml"; do
	[ -s "$file" ] || fail "$file is not there"
done
echo "installed: all found"
