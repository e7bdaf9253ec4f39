/* SPDX-License-Identifier: Apache-2.0 */
#include "core/model/kevent.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/cause.h"
#include "core/fmt/time.h"

/* The first path that holds a text; core/v1 and events.k8s.io/v1 name things differently. */
static char *text(const json_t *j, const char *const *paths)
{
	for (; *paths; paths++) {
		const char *s = json_path_str(j, *paths);

		if (s && *s)
			return text_clean_dup(s);
	}
	return x_strdup("");
}

static int64_t first_time(const json_t *j, const char *const *paths)
{
	int64_t t = TIME_NONE;

	for (; *paths && t == TIME_NONE; paths++)
		t = time_parse_ms(json_path_str(j, *paths));
	return t;
}

#define PATHS(...) ((const char *const[]){__VA_ARGS__, NULL})

bool kevent_decode(struct kevent *e, const json_t *object)
{
	const struct cause *c;

	*e = (struct kevent){0};
	if (!json_path_str(object, "metadata.name") && !json_path_str(object, "metadata.uid"))
		return false;
	e->uid = text(object, PATHS("metadata.uid", "metadata.name"));
	e->resource_version = text(object, PATHS("metadata.resourceVersion"));
	e->kind = text(object, PATHS("involvedObject.kind", "regarding.kind"));
	e->object = text(object, PATHS("involvedObject.name", "regarding.name"));
	e->reason = text(object, PATHS("reason"));
	e->message = text(object, PATHS("message", "note"));
	e->source = text(object, PATHS("source.component", "reportingComponent",
					 "reportingController", "deprecatedSource.component"));
	e->warning = !strcmp(json_path_str_or(object, "type", ""), "Warning");
	e->count = (int)json_path_i64(object, "series.count",
		json_path_i64(object, "count", json_path_i64(object, "deprecatedCount", 1)));
	e->last_ms = first_time(
		object, PATHS("series.lastObservedTime", "lastTimestamp", "deprecatedLastTimestamp",
				"eventTime", "metadata.creationTimestamp"));
	e->first_ms = first_time(object, PATHS("firstTimestamp", "deprecatedFirstTimestamp",
						 "eventTime", "metadata.creationTimestamp"));
	if (e->first_ms == TIME_NONE)
		e->first_ms = e->last_ms;
	c = cause_of_text(e->message, strlen(e->message));
	e->benign = e->warning && c && !strcmp(c->id, "leader-first");
	return true;
}

void kevent_fini(struct kevent *e)
{
	char *all[] = {
		e->uid, e->resource_version, e->kind, e->object, e->reason, e->message, e->source};

	for (size_t i = 0; i < COUNT(all); i++)
		free(all[i]);
	*e = (struct kevent){0};
}

int kevent_cmp(const void *a, const void *b)
{
	const struct kevent *x = a, *y = b;
	int c;

	if (x->last_ms != y->last_ms)
		return x->last_ms < y->last_ms ? -1 : 1;
	c = strcmp(x->object, y->object);
	return c ? c : strcmp(x->uid, y->uid);
}

int kevent_cmp_importance(const void *a, const void *b)
{
	const struct kevent *x = a, *y = b;
	bool wx = x->warning && !x->benign, wy = y->warning && !y->benign;

	if (wx != wy)
		return wx ? -1 : 1;
	return -kevent_cmp(a, b);
}
