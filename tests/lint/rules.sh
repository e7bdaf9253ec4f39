#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Code rules a compiler does not know: licence lines, banned functions, guards, sizes of files and functions,
# file headers, unfinished places.
set -u
cd "${srcdir:-.}" || exit
list=$(git ls-files '*.c' '*.h' 2>/dev/null)
[ -n "$list" ] || list=$(find core tui views sim tests main.c -name '*.[ch]')
failed=0
bad() { echo "$1"; failed=1; }
hits() { # hits WHY PATTERN [EXCEPT]
	found=$(echo "$list" | xargs grep -nE "$2" 2>/dev/null | grep -vE "${3:-^$}")
	[ -z "$found" ] || bad "$1:
$found"
}
hits 'banned function' '(^|[^a-zA-Z0-9_>.])(strcpy|strcat|sprintf|vsprintf|gets|strtok|atoi|alloca|system|popen|signal)[ ]?\('
hits 'raw allocation outside base/mem.c' '(^|[^a-zA-Z0-9_])(malloc|calloc|realloc|strdup|strndup|asprintf)[ ]?\(' '^core/base/mem\.c:'
hits 'curses output outside tui/surface.c' '(^|[^a-zA-Z0-9_])(mv)?w?(addstr|addnstr|addwstr|printw|addch|add_wch|add_wchnstr)[ ]?\(' '^tui/surface\.c:'
hits 'unfinished place' '\b(TODO|FIXME|XXX|HACK)\b'
hits 'typedef of a struct' '^typedef (struct|enum|union)'
hits 'waiting by time in a test' '(^|[^a-zA-Z0-9_])(sleep|usleep|nanosleep)[ ]?\(' '^(core|tui|views|sim|main)'
for f in $list; do
	head -n 1 "$f" | grep -q 'SPDX-License-Identifier: Apache-2.0' || bad "$f: no SPDX line"
	lines=$(wc -l < "$f")
	[ "$lines" -le 600 ] || bad "$f: $lines lines, 600 is the limit"
	case $f in
	tests/*) ;;
	*.h)
		guard=RLPILOT_$(echo "$f" | sed 's|^core/||; s|[/.-]|_|g' | tr '[:lower:]' '[:upper:]')
		grep -q "#ifndef $guard" "$f" || bad "$f: guard is not $guard"
		sed -n '2,3p' "$f" | grep -q '^/\*' || bad "$f: no header comment"
		;;
	esac
done
# A function: opens with { in column 1, closes with } in column 1.
echo "$list" | xargs awk '
	FNR == 1 { open = 0 }
	/^\{/ { open = FNR }
	/^\}/ { if (open && FNR - open - 1 > 60) { printf "%s:%d: function of %d lines, 60 is the limit\n", FILENAME, open, FNR - open - 1; e = 1 } open = 0 }
	END { exit e }' || failed=1
git ls-files '*.sh' dev autogen.sh .ci/run 'assets/supervisor' '*.yaml' '*.am' 2>/dev/null | while read -r f; do
	head -n 2 "$f" | grep -q 'SPDX-License-Identifier: Apache-2.0' || echo "$f: no SPDX line"
done | grep . && failed=1
exit $failed
