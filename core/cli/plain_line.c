/* SPDX-License-Identifier: Apache-2.0 */
/* One line: for people, or a JSON object. */
#include <stdarg.h>
#include <stdio.h>

#include "core/base/mem.h"
#include "core/base/redact.h"
#include "core/base/text.h"
#include "core/cli/plain_in.h"
#include "core/fmt/json.h"
#include "core/fmt/time.h"

const struct plain_told plain_nothing = {.attempt = -1, .done = -1, .total = -1, .exit = -1};

static json_t *str_or_null(const char *s)
{
	AUTO_FREE char *clean = s && *s ? text_clean_dup(s) : NULL; /* of several lines one */
	AUTO_FREE char *safe = clean && *clean ? redact_dup(clean) : NULL;

	return safe ? json_from_str(safe) : json_null();
}

static json_t *int_or_null(int64_t n)
{
	return n >= 0 ? json_integer(n) : json_null();
}

void plain_json(struct plain *p, int64_t at, const struct plain_told *t)
{
	AUTO(json_auto) json_t *j = json_object();
	AUTO_FREE char *line = NULL;
	char when[TIME_SIZE];

	json_object_set_new(j, "v", json_integer(1));
	json_object_set_new(j, "seq", json_integer(++p->seq));
	json_object_set_new(j, "t", json_string(time_format_ms(at, when)));
	json_object_set_new(j, "event", json_from_str(t->event));
	json_object_set_new(j, "stage", str_or_null(t->stage));
	json_object_set_new(j, "attempt", int_or_null(t->attempt));
	json_object_set_new(j, "state", str_or_null(t->state));
	json_object_set_new(j, "done", int_or_null(t->done));
	json_object_set_new(j, "total", int_or_null(t->total));
	json_object_set_new(j, "unit", str_or_null(t->unit));
	json_object_set_new(j, "text", str_or_null(t->text));
	json_object_set_new(j, "exit", int_or_null(t->exit));
	json_object_set_new(j, "cause", str_or_null(t->cause));
	json_object_set_new(j, "cure", str_or_null(t->cure));
	line = json_line(j);
	puts(line);
	fflush(stdout);
}

void plain_say(const char *fmt, ...)
{
	AUTO_FREE char *text = NULL;
	AUTO_FREE char *clean = NULL;
	AUTO_FREE char *safe = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = x_vasprintf(fmt, ap);
	va_end(ap);
	clean = text_clean_dup(text);
	safe = redact_dup(clean);
	puts(safe);
	fflush(stdout);
}

void plain_progress(struct plain *p, int64_t at, enum stage_id id, int64_t done, int64_t total,
	const char *unit, const char *text)
{
	struct plain_told t = plain_nothing;

	t.event = "progress";
	t.stage = stage_word(id);
	t.done = done;
	t.total = total > 0 ? total : -1;
	t.unit = unit;
	t.text = text;
	plain_json(p, at, &t);
}
