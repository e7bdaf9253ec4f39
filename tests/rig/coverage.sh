#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# coverage.sh CSV: lines of gcovr's CSV per room against the gate: core/fmt and core/model 95 %, the rest 85 %.
# Under it the files that lack most. Exit 1 below the gate.
set -u
awk -F, '
	NR == 1 { next }
	{
		n = split($1, part, "/")
		room = part[1] == "core" ? part[1] "/" part[2] : part[1]
		total[room] += $2; covered[room] += $3
		file[NR] = $1; of[NR] = room; lack[NR] = $2 - $3; lines[NR] = $2
	}
	END {
		for (room in total) {
			gate = room == "core/fmt" || room == "core/model" ? 95 : 85
			percent = 100 * covered[room] / total[room]
			below[room] = percent < gate
			failed += below[room]
			printf "%-4s %-12s %5.1f %% of %5d lines, gate %d %%\n", below[room] ? "FAIL" : "PASS", room, percent, total[room], gate | "sort -k2"
		}
		close("sort -k2")
		for (i in file)
			if (below[of[i]] && lack[i] > 0)
				printf "%5d of %4d lines not run: %s\n", lack[i], lines[i], file[i] | "sort -rn | head -n 60"
		exit failed > 0
	}' "$1"
