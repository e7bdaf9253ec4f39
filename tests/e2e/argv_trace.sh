#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# argv_trace.sh SCRIPT: runs a bash SCRIPT with recorders in place of every outside program and prints one JSON array a
# line: folder (relative), program, arguments. How a --command is laid out over lines does not matter.
set -u
script=$1
work=$(mktemp -d "${TMPDIR:-/tmp}/argv-trace.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/bin" "$work/cwd/cluster-toolkit"
cat >"$work/bin/recorder" <<'R'
#!/bin/sh
case ${0##*/} in
uname)
	case ${1:--s} in -m) echo x86_64 ;; *) echo Linux ;; esac
	exit 0
	;;
esac
# in one piece: two ends of a pipe write at the same time
printf '%s\0' "$PWD" "${0##*/}" "$@" "$(printf '\001')" >>"$TRACE_OUT"
R
chmod +x "$work/bin/recorder"
for c in gcloud gcluster kubectl terraform curl tar sed cp rm uname docker sleep; do
	ln -s recorder "$work/bin/$c"
done
ln -s "$work/bin/gcluster" "$work/cwd/cluster-toolkit/gcluster"
: >"$work/out"
(cd "$work/cwd" && TRACE_OUT="$work/out" PATH="$work/bin:$PATH" bash "$script" </dev/null >"$work/stdout" 2>"$work/stderr") || {
	echo "argv_trace: the script failed: $(tail -n 1 "$work/stderr")" >&2
	exit 2
}
python3 -c '
import json, os, re, sys
out, cwd = sys.argv[1:]
for call in open(out, errors="surrogateescape").read().split("\x01\0")[:-1]:
    a = call.split("\0")[:-1]
    a = [os.path.relpath(a[0], cwd)] + [re.sub(r"\s+", " ", x).strip() if x.startswith("--command=") else x for x in a[1:]]
    print(json.dumps(a, ensure_ascii=False))
' "$work/out" "$work/cwd"
