#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The real gcloud lists the pretend cloud's reservations in every world that changes them.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
gcloud=$(real gcloud)
[ -n "$gcloud" ] || skip "no gcloud on this machine"

lists() { # lists WORLD NAMES: by name, in one line
	rm -f "$dir/env"
	sim_start --seed 1 --world "$1"
	run "$gcloud" compute reservations list --format='value(name)'
	want_rc 0 "$1: reservations list"
	equal "$2" "$(sort "$dir/out" | tr '\n' ' ')" "$1: names"
	kill "$sim_pid"
	wait "$sim_pid" 2>/dev/null
	sim_pid=
}

lists ready 'v6e-rehearsal '
lists many-reservations 'cpu-standing v6e-batch v6e-pool v6e-rehearsal '
lists chip-reservation 'v6e-rehearsal '
lists small-reservation 'v6e-rehearsal '
lists odd-reservation 'v6e-rehearsal '
lists no-reservation ''
lists shared-reservation ''
lists partial-reservations 'v6e-rehearsal '
exit 0
