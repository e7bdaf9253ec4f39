#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every catalogue has every string of the sources, translated, none fuzzy, with the same printf forms and the same
# blanks at both ends. Prints what is wrong; changes nothing. Cure: po/update.sh, then fill in the empty msgstr.
set -u
cd "${srcdir:-.}" || exit
work=$(mktemp -d "${TMPDIR:-/tmp}/po.XXXXXX") || exit
trap 'rm -rf "$work"' EXIT
failed=0
sh po/update.sh --extract "$work/pot" || exit
for po in po/*.po; do
	out=$(msgfmt --check --check-format -o /dev/null "$po" 2>&1) || { echo "$out"; failed=1; }
	msgmerge -q --no-fuzzy-matching --no-wrap -o "$work/po" "$po" "$work/pot" || exit
	for kind in untranslated only-fuzzy; do
		found=$(msgattrib "--$kind" --no-obsolete --no-wrap "$work/po" | sed '1,/^$/d' | grep '^msgid ')
		[ -z "$found" ] || { printf '%s: %s:\n%s\n' "$po" "$kind" "$found"; failed=1; }
	done
	found=$(msgattrib --translated --no-obsolete --no-wrap "$work/po" | sed '1,/^$/d' | awk '
		function ends(s,   a, z) { a = s; sub(/[^ ].*$/, "", a); z = s; sub(/^.*[^ ]/, "", z); return a "|" z }
		/^msgid "/ { id = substr($0, 8, length($0) - 8) }
		/^msgstr "/ { s = substr($0, 9, length($0) - 9); if (s != "" && ends(s) != ends(id)) print id }')
	[ -z "$found" ] || { printf '%s: other blanks at an end:\n%s\n' "$po" "$found"; failed=1; }
done
exit "$failed"
