/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/deploy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/json.h"

/* More resources than any deployment has: not a number of them. */
#define RESOURCES_MAX 1000000

static int64_t count(const json_t *j, const char *path)
{
	int64_t n = json_path_i64(j, path, 0);

	return n > 0 && n <= RESOURCES_MAX ? n : 0;
}

static bool json_event(struct deploy *d, const json_t *j)
{
	const char *type = json_path_str_or(j, "type", "");
	const char *addr = json_path_str_or(j, "hook.resource.addr", "");

	if (!d->json) {
		d->json = true;
		d->done = d->total = 0;
	}
	if (strcmp(type, "change_summary") == 0) {
		int64_t all = count(j, "changes.add") + count(j, "changes.change") +
			      count(j, "changes.remove");
		if (strcmp(json_path_str_or(j, "changes.operation", ""), "plan") == 0)
			d->total = all;
		else
			d->done = d->total = all > d->total ? all : d->total;
	} else if (strcmp(type, "apply_start") == 0) {
		(void)snprintf(d->at, sizeof(d->at), "%s", addr);
	} else if (strcmp(type, "apply_complete") == 0) {
		d->done++;
	} else {
		return false;
	}
	if (d->total && d->done > d->total)
		d->total = d->done;
	return true;
}

/* "… Plan: 34 to add, 0 to change, 0 to destroy." */
static bool plan_line(struct deploy *d, const char *line)
{
	const char *at = strstr(line, "Plan: ");
	long add, change, destroy;

	if (!at || sscanf(at, "Plan: %6ld to add, %6ld to change, %6ld to destroy", &add, &change,
			  &destroy) != 3 ||
	    add < 0 || change < 0 || destroy < 0)
		return false;
	d->total = add + change + destroy;
	d->done = 0;
	return true;
}

static bool text_event(struct deploy *d, const char *line)
{
	static const char *const begun[] = {": Creating...", ": Destroying...", ": Modifying..."};
	static const char *const over[] = {": Creation complete", ": Destruction complete",
					   ": Modifications complete"};

	for (size_t i = 0; i < COUNT(begun); i++) {
		const char *end = strstr(line, begun[i]);
		const char *start = line;
		if (!end)
			continue;
		for (const char *p = line; p < end; p++)
			if (*p == ' ')
				start = p + 1;
		(void)snprintf(d->at, sizeof(d->at), "%.*s", (int)(end - start), start);
		return true;
	}
	for (size_t i = 0; i < COUNT(over); i++) {
		if (!strstr(line, over[i]))
			continue;
		d->done++;
		if (d->total && d->done > d->total)
			d->total = d->done;
		return true;
	}
	return plan_line(d, line);
}

bool deploy_line(struct deploy *d, const char *line, size_t n)
{
	AUTO_FREE char *copy = x_strndup(line, n);
	bool changed = false;

	if (text_starts(copy, "{\"")) {
		json_t *j = json_parse(copy, strlen(copy), NULL);
		if (j && json_path_str(j, "type"))
			changed = json_event(d, j);
		json_decref(j);
	} else if (!d->json) {
		changed = text_event(d, copy);
	}
	return changed;
}
