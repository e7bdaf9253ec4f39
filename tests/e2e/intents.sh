# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# Sourced by the tests that steer a run by intents: engines in the background, files in the inbox, lines in the journal.
# shellcheck source=tests/e2e/lib.sh
. "$srcdir/tests/e2e/lib.sh"
n=0
engine=

on_run() { # after sim_start
	run=$XDG_STATE_HOME/rlpilot/runs/run-1
}

put() { # put JSON: an intent into the inbox
	n=$((n + 1))
	mkdir -p "$run/inbox"
	printf '%s\n' "$1" >"$run/post.new"
	mv "$run/post.new" "$run/inbox/9999999999999$((10 + n))-test.json"
}

post() { # post JSON: and waits until it is taken
	put "$1"
	"$waitfor" -t 20 -p "$engine" gone "$run/inbox/9999999999999$((10 + n))-test.json" || die "nobody takes: $1"
}

says() { # says ERE: the journal holds such a line
	"$waitfor" -t 120 -p "$engine" line "$run/journal.jsonl" ".*$1.*" || die "the journal never says: $1"
}

shows() { # shows ERE: the lines of the engine hold such a line
	"$waitfor" -t 120 -p "$engine" line "$dir/lines" "$1" || die "the engine never says $1: $(tail -n 3 "$dir/lines")"
}

begin() { # begin ARG…: an engine in the background
	: >"$dir/lines"
	"$rlpilot" run "$@" >"$dir/lines" 2>&1 </dev/null &
	engine=$!
}

ended() { # ended CODE WHAT
	rc=0
	wait "$engine" || rc=$?
	equal "$1" "$rc" "$2: $(tail -n 2 "$dir/lines")"
}

killed() { # the engine dies
	kill -9 "$engine"
	wait "$engine" 2>/dev/null
}

cancel() { # cancel STAGE ATTEMPT: the wish, with the name that deploy and destroy need
	echo '{"v":1,"intent":"cancel","stage":"'"$1"'","attempt":'"$2"',"text":"'"$CLUSTER_NAME"'"}'
}

cancelled() { # cancelled STAGE ATTEMPT CAUSE: the journal says so
	grep -q '"ev":"cancel","stage":"'"$1"'","attempt":'"$2"',"cause":"'"$3"'.*"cure":"' "$run/journal.jsonl" ||
		fail "$1 is not cancelled: $(grep '"ev":"cancel"' "$run/journal.jsonl" | tail -n 1)"
}

# interrupted FOLDER N: so many terraforms were told there, each once
interrupted() {
	equal "$2" "$(grep -c 'Interrupt received' "$1/log")" "terraforms that were told in $1"
	! grep -q 'Two interrupts' "$1/log" || fail "a terraform got a second SIGINT in $1"
}
