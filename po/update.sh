#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Takes new and changed strings from the sources into po/*.po. Then translate what is empty or marked fuzzy.
# With --extract FILE: only writes the strings of the sources to FILE.
set -eu
cd "$(dirname "$0")/.."

sources() {
	git ls-files 'core/*.[ch]' 'tui/*.[ch]' 'views/*.[ch]' ':(glob)*.c' 2>/dev/null | grep . ||
		find core tui views ./*.c -name '*.[ch]'
}

extract() {
	sources | sort | xgettext --files-from=- --from-code=UTF-8 --language=C --keyword=_ --keyword=N_ --no-location \
		--sort-output --package-name=rlpilot --msgid-bugs-address=none -o "$1"
}

if [ "${1:-}" = --extract ]; then
	extract "$2"
	exit
fi
extract po/rlpilot.pot
for po in po/*.po; do
	msgmerge -q --update --backup=none --no-fuzzy-matching --no-location --sort-output "$po" po/rlpilot.pot
	msgattrib --no-obsolete --sort-output -o "$po" "$po"
	# a date of the last run: changes with nothing
	sed '/^"POT-Creation-Date/d' "$po" >"$po.new" && mv "$po.new" "$po"
	printf '%s: ' "$po"
	msgfmt --statistics -o /dev/null "$po"
done
rm -f po/rlpilot.pot
