/* SPDX-License-Identifier: Apache-2.0 */
/* A journal of any bytes is replayed; what it told is written back as lines that tell the same. */
#include "tests/fuzz/fuzz.h"

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/run/event.h"
#include "core/run/journal.h"
#include "core/run/state.h"

#include <stdlib.h>
#include <string.h>

static void one(struct state *s, const char *line, size_t n)
{
	struct event ev, again;
	int64_t seq = 1, seq_again = 0;
	if (journal_event_parse(line, n, &ev, &seq) != 1)
		return;
	run_apply(s, &ev);
	AUTO_FREE char *text = journal_event_line(&ev, seq);
	if (!text)
		return;
	MUST(journal_event_parse(text, strlen(text), &again, &seq_again) == 1);
	MUST(again.kind == ev.kind && seq_again == seq);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct state s;
	const uint8_t *end = data + size;
	state_init(&s);
	while (data < end) {
		const uint8_t *nl = memchr(data, '\n', (size_t)(end - data));
		size_t n = (size_t)((nl ? nl : end) - data);
		one(&s, (const char *)data, n);
		data += n + 1;
	}
	state_take_changed(&s);
	state_fini(&s);
	return 0;
}
