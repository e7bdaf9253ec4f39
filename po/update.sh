#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Takes new and changed strings from the sources into po/*.po. Then translate what is empty or marked fuzzy.
set -eu
cd "$(dirname "$0")/.."
git ls-files 'core/*.c' 'core/*.h' 'tui/*.[ch]' 'views/*.[ch]' main.c |
	xgettext --files-from=- --from-code=UTF-8 --language=C --keyword=_ --keyword=N_ --no-location --sort-output \
		--package-name=rlpilot --msgid-bugs-address=none -o po/rlpilot.pot
for po in po/*.po; do
	msgmerge -q --update --backup=none --no-fuzzy-matching --no-location --sort-output "$po" po/rlpilot.pot
	msgattrib --no-obsolete --sort-output -o "$po" "$po"
	printf '%s: ' "$po"
	msgfmt --statistics -o /dev/null "$po"
done
rm -f po/rlpilot.pot
