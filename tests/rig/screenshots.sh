#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# screenshots.sh BUILD: draws the pictures of the README (assets/pictures/*.svg) from the states that the
# golden screens show, in the dark theme.
set -eu
build=$(cd "$1" && pwd)
top=$(pwd)
pictures="$top/assets/pictures"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
make -s -C "$build" tests/view/views
(cd "$work" && srcdir=$top builddir=$build PICTURES=$work LC_ALL=C.UTF-8 "$build/tests/view/views" >"$work/out" 2>&1) || {
	cat "$work/out"
	exit 1
}
mkdir -p "$pictures"
for name in monitor stages-deploy stages-failed variables-typing preflight; do
	cp "$work/$name.svg" "$pictures/$name.svg"
	echo "assets/pictures/$name.svg"
done
