/* SPDX-License-Identifier: Apache-2.0 */
/* Any log: each line becomes an event whose texts are whole, applied to a training. */
#include "tests/fuzz/fuzz.h"

#include "core/base/buf.h"
#include "core/fmt/cause.h"
#include "core/fmt/trainlog.h"
#include "core/model/series.h"
#include "core/model/training.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct training t = {0};
	struct series_set series = {0};
	AUTO(buf_fini) struct buf csv = {0};
	const uint8_t *end = data + size;
	int64_t now = 1000000;
	while (data < end) {
		const uint8_t *nl = memchr(data, '\n', (size_t)(end - data));
		size_t n = (size_t)((nl ? nl : end) - data);
		struct trainlog_event ev;
		trainlog_parse((const char *)data, n, &ev);
		MUST(trainlog_kind_name(ev.kind));
		MUST(memchr(ev.name, '\0', sizeof(ev.name)) &&
			memchr(ev.text, '\0', sizeof(ev.text)));
		MUST(!ev.cause || cause_by_id(ev.cause));
		training_apply(&t, &ev, now += 1000, &series);
		data += n + 1;
	}
	training_step_ms(&t);
	training_eta_ms(&t);
	training_quiet_ms(&t);
	series_csv(&series, &csv);
	series_set_fini(&series);
	return 0;
}
