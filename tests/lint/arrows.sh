#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Who may include whom: reads every #include "…" and fails on any arrow that docs/rooms.md does not have.
# Also: one home per system header, own header first.
set -eu
cd "${srcdir:-.}" || exit
git ls-files '*.c' '*.h' 2>/dev/null | grep -v '^tests/' > "${TMPDIR:-/tmp}/arrows.$$" || true
[ -s "${TMPDIR:-/tmp}/arrows.$$" ] || find core tui views sim main.c -name '*.[ch]' > "${TMPDIR:-/tmp}/arrows.$$"
# shellcheck disable=SC2016
xargs awk '
function room(p,   a, n) {
	n = split(p, a, "/")
	if (a[1] == "core") return a[2]
	if (n == 1) return "main"
	return a[1]
}
BEGIN {
	may["base"] = "base"
	may["fmt"] = "base fmt"
	may["model"] = "base fmt model"
	may["io"] = "base fmt io"
	may["tui"] = "base fmt tui"
	may["recipe"] = "base fmt model recipe"
	may["cloud"] = "base fmt model io cloud"
	may["run"] = "base fmt model io cloud recipe run"
	may["cli"] = "base fmt model io recipe run cli"
	may["views"] = "base fmt model recipe run tui views"
	may["main"] = "base fmt model io cloud recipe run cli tui views main"
	may["sim"] = "base fmt io sim"
	n = split("curses.h=tui term.h=tui uv.h=io curl/curl.h=io,sim libssh2.h=io microhttpd.h=sim gnutls=sim " \
		"jansson.h=fmt,cloud,cli,sim yaml.h=fmt protobuf-c=fmt openssl=fmt pcre2.h=base libintl.h=base", h, " ")
	for (i = 1; i <= n; i++) { split(h[i], kv, "="); home[kv[1]] = kv[2] }
	one["term.h"] = "tui/term.c"; one["yaml.h"] = "core/fmt/yaml.c"; one["pcre2.h"] = "core/base/match.c"
	one["libintl.h"] = "core/base/text.h"; one["libssh2.h"] = "core/io/ssh_in.h"
	one["curl/curl.h:sim"] = "sim/bin/web.c"
	simfmt = " core/fmt/json.h core/fmt/time.h core/fmt/quantity.h "
}
function bad(msg) { printf "%s:%d: %s\n", FILENAME, FNR, msg; failed = 1 }
FNR == 1 { me = room(FILENAME); first = 1 }
/^[ \t]*#[ \t]*include[ \t]*"/ {
	split($0, q, "\""); p = q[2]; r = room(p)
	if (p == "config.h" || p ~ /\.pb-c\.h$/) next
	if (p !~ /\// && me != "main") bad("include \"" p "\" by its path from the root")
	else if (index(" " may[me] " ", " " r " ") == 0) bad("room " me " may not include " p)
	else if (me == "sim" && r == "fmt" && index(simfmt, " " p " ") == 0) bad("sim shares only json, time and quantity of fmt, not " p)
	own = FILENAME; sub(/\.c$/, ".h", own)
	if (first && FILENAME ~ /\.c$/ && p != own && (getline line < own) >= 0) { bad("own header first"); close(own) }
	first = 0
}
/^[ \t]*#[ \t]*include[ \t]*</ {
	split($0, q, /[<>]/); s = q[2]; base = s; sub(/\/.*/, "", base)
	key = (s in home) ? s : (base in home) ? base : ""
	if (key != "" && index("," home[key] ",", "," me ",") == 0) bad("<" s "> has its home in " home[key])
	if ((s in one) && FILENAME != one[s] && !(s ":" me in one)) bad("<" s "> only in " one[s])
	if ((s ":" me in one) && FILENAME != one[s ":" me]) bad("<" s "> only in " one[s ":" me])
}
END { exit failed }
' < "${TMPDIR:-/tmp}/arrows.$$" && rc=0 || rc=1
rm -f "${TMPDIR:-/tmp}/arrows.$$"
exit "$rc"
