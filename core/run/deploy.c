/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/deploy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/json.h"
#include "core/fmt/time.h"

/* More resources than any deployment has: not a number of them. */
#define RESOURCES_MAX 1000000
#define ELAPSED_MAX   ((int64_t)7 * 86400) /* seconds; longer is not believed */

/* --- what is at work */

static size_t busy_find(const struct deploy *d, const char *name)
{
	size_t i = 0;

	while (i < d->n && strcmp(d->busy[i].name, name) != 0)
		i++;
	return i;
}

static void busy_drop(struct deploy *d, const char *name)
{
	size_t i = busy_find(d, name);

	if (i == d->n)
		return;
	d->n--;
	memmove(&d->busy[i], &d->busy[i + 1], (d->n - i) * sizeof(d->busy[0]));
}

/* True when it is new; the newest are left out when there are too many. */
static bool busy_add(struct deploy *d, const char *address, int64_t since)
{
	struct deploy_busy b = {.since = since};
	size_t at = 0;

	(void)snprintf(b.name, sizeof(b.name), "%s", address);
	if (!*b.name || busy_find(d, b.name) < d->n)
		return false;
	while (at < d->n && d->busy[at].since <= since)
		at++;
	if (at == DEPLOY_BUSY)
		return false;
	if (d->n == DEPLOY_BUSY)
		d->n--;
	memmove(&d->busy[at + 1], &d->busy[at], (d->n - at) * sizeof(d->busy[0]));
	d->busy[at] = b;
	d->n++;
	return true;
}

static void busy_over(struct deploy *d, const char *address)
{
	char name[sizeof(d->busy[0].name)];

	(void)snprintf(name, sizeof(name), "%s", address);
	busy_drop(d, name);
}

static void one_done(struct deploy *d)
{
	d->done++;
	if (d->total && d->done > d->total)
		d->total = d->done;
}

/* --- JSON lines */

static int64_t count(const json_t *j, const char *path)
{
	int64_t n = json_path_i64(j, path, 0);

	return n > 0 && n <= RESOURCES_MAX ? n : 0;
}

static void summary(struct deploy *d, const json_t *j)
{
	int64_t all =
		count(j, "changes.add") + count(j, "changes.change") + count(j, "changes.remove");

	if (strcmp(json_path_str_or(j, "changes.operation", ""), "plan") == 0) {
		d->total = all;
		d->done = 0; /* what was told before was of another plan */
		d->n = 0;
		return;
	}
	d->done = d->total = all > d->total ? all : d->total;
	d->n = 0;
}

static bool hook(struct deploy *d, const char *type, const json_t *j, int64_t now)
{
	const char *address = json_path_str_or(j, "hook.resource.addr", "");
	bool reads = strcmp(json_path_str_or(j, "hook.action", ""), "read") == 0;
	int64_t at = time_parse_ms(json_path_str(j, "@timestamp"));
	int64_t elapsed = json_path_i64(j, "hook.elapsed_seconds", 0);

	if (at == TIME_NONE)
		at = now;
	if (elapsed < 0 || elapsed > ELAPSED_MAX)
		elapsed = 0;
	if (strcmp(type, "apply_start") == 0)
		return busy_add(d, address, at);
	if (strcmp(type, "apply_progress") == 0)
		return busy_add(d, address, at - elapsed * 1000);
	if (strcmp(type, "apply_complete") != 0 && strcmp(type, "apply_errored") != 0)
		return false;
	busy_over(d, address);
	if (strcmp(type, "apply_complete") == 0 && !reads)
		one_done(d);
	return true;
}

static bool json_event(struct deploy *d, const json_t *j, int64_t now)
{
	const char *type = json_path_str_or(j, "type", "");

	if (!d->json) {
		d->json = true;
		d->done = d->total = 0;
		d->n = 0;
	}
	if (strcmp(type, "change_summary") == 0) {
		summary(d, j);
	} else {
		return hook(d, type, j, now);
	}
	return true;
}

/* --- text */

/* "… Plan: 34 to add, 0 to change, 0 to destroy." */
static bool plan_line(struct deploy *d, const char *line)
{
	const char *at = strstr(line, "Plan: ");
	long add, change, destroy;

	if (!at ||
		sscanf(at, "Plan: %6ld to add, %6ld to change, %6ld to destroy", &add, &change,
			&destroy) != 3 ||
		add < 0 || change < 0 || destroy < 0)
		return false;
	d->total = add + change + destroy;
	d->done = 0;
	d->n = 0;
	return true;
}

/* gcluster puts the time in front of terraform's lines, but not of all. */
static int64_t line_time(const char *line, int64_t now)
{
	struct time_stamp t;
	size_t used;

	return time_parse(line, strlen(line), &t, &used) && line[used] == ' ' ? time_stamp_ms(&t)
									      : now;
}

/* "[id=…, 05m10s elapsed]" or "[10s elapsed]": the milliseconds. */
static int64_t waited(const char *line)
{
	const char *end = strstr(line, " elapsed]"), *start = end;
	AUTO_FREE char *span = NULL;
	int64_t ms = 0;

	while (start && start > line && start[-1] != '[' && start[-1] != ' ')
		start--;
	span = start ? x_strndup(start, (size_t)(end - start)) : x_strdup("");
	if (!time_parse_duration(span, &ms) || ms < 0 || ms > ELAPSED_MAX * 1000)
		ms = 0;
	return ms;
}

/* What terraform says after the address of a resource. */
static const struct saying {
	const char *words;
	enum { SAYS_BEGUN, SAYS_STILL, SAYS_READ, SAYS_DONE } what;
} sayings[] = {
	{": Creating...", SAYS_BEGUN},
	{": Destroying...", SAYS_BEGUN},
	{": Modifying...", SAYS_BEGUN},
	{": Reading...", SAYS_BEGUN},
	{": Still creating...", SAYS_STILL},
	{": Still destroying...", SAYS_STILL},
	{": Still modifying...", SAYS_STILL},
	{": Still reading...", SAYS_STILL},
	{": Read complete", SAYS_READ},
	{": Creation complete", SAYS_DONE},
	{": Destruction complete", SAYS_DONE},
	{": Modifications complete", SAYS_DONE},
};

static bool said(struct deploy *d, const struct saying *s, const char *address, const char *line,
	int64_t now)
{
	int64_t at = line_time(line, now);

	switch (s->what) {
	case SAYS_BEGUN:
		return busy_add(d, address, at);
	case SAYS_STILL:
		return busy_add(d, address, at - waited(line));
	case SAYS_DONE:
		one_done(d);
		break;
	default:
		break;
	}
	busy_over(d, address);
	return true;
}

static bool text_event(struct deploy *d, const char *line, int64_t now)
{
	for (size_t i = 0; i < COUNT(sayings); i++) {
		const char *end = strstr(line, sayings[i].words);
		const char *start = end;
		AUTO_FREE char *address = NULL;
		if (!end)
			continue;
		while (start > line && start[-1] != ' ')
			start--;
		address = x_strndup(start, (size_t)(end - start));
		return said(d, &sayings[i], address, line, now);
	}
	if (strstr(line, "Apply complete!") || strstr(line, "Destroy complete!")) {
		d->n = 0;
		return true;
	}
	return plan_line(d, line);
}

bool deploy_line(struct deploy *d, const char *line, size_t n, int64_t now)
{
	AUTO_FREE char *copy = x_strndup(line, n);
	bool changed = false;

	if (text_starts(copy, "{\"")) {
		json_t *j = json_parse(copy, strlen(copy), NULL);
		if (j && json_path_str(j, "type"))
			changed = json_event(d, j, now);
		json_decref(j);
	} else if (!d->json) {
		changed = text_event(d, copy, now);
	}
	return changed;
}

/* --- names */

/* The end of "module.NAME" or "module.NAME[KEY]" with its dot; a key may hold dots. */
static size_t module_len(const char *s)
{
	size_t n = strlen("module.");

	n += strcspn(s + n, ".[");
	if (s[n] == '[') {
		const char *end = strstr(s + n, "].");
		n = end ? (size_t)(end - s) + 1 : strlen(s);
	}
	return n;
}

void deploy_name(const char *address, char *out, size_t size)
{
	AUTO(buf_fini) struct buf b = {0};

	while (text_starts(address, "module.")) {
		size_t n = module_len(address);
		if (b.len)
			buf_addc(&b, '/');
		buf_add(&b, address + strlen("module."), n - strlen("module."));
		address += n + (address[n] == '.');
	}
	(void)snprintf(out, size, "%s%s%s", buf_str(&b), b.len && *address ? ": " : "", address);
}
