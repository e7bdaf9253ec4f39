/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cli/out_checkpoints.h"

#include <stdbool.h>
#include <stdio.h>

#include "core/base/text.h"
#include "core/fmt/quantity.h"
#include "core/fmt/time.h"

static json_t *stamp(int64_t ms)
{
	char out[TIME_SIZE];

	return ms == TIME_NONE ? json_null() : json_string(time_format(ms, out));
}

static json_t *items(const struct checkpoint *c)
{
	json_t *all = json_array();

	for (size_t i = 0; i < c->n; i++) {
		const struct checkpoint_item *it = &c->items[i];

		json_array_append_new(
			all, json_pack("{s:o, s:s, s:I, s:I}", "name", json_from_str(it->name),
				     "state", checkpoint_state_name(it->state), "bytes",
				     (json_int_t)it->bytes, "objects", (json_int_t)it->objects));
	}
	return all;
}

static json_t *missing(const struct checkpoint *c)
{
	json_t *all = json_array();

	for (size_t i = 0; i < c->missing.n; i++)
		json_array_append_new(all, json_from_str(c->missing.items[i]));
	return all;
}

static json_t *one(const struct checkpoint *c)
{
	json_t *j = json_pack("{s:s, s:o, s:o, s:s, s:o}", "tree", checkpoint_tree_name(c->tree),
		"step", c->step < 0 ? json_null() : json_integer(c->step), "uri",
		json_from_str(c->uri), "state", checkpoint_state_name(c->state), "items", items(c));

	json_object_set_new(j, "bytes", json_integer(c->bytes));
	json_object_set_new(j, "objects", json_integer(c->objects));
	json_object_set_new(j, "first", stamp(c->first_ms));
	json_object_set_new(j, "last", stamp(c->last_ms));
	json_object_set_new(j, "marker", json_from_str(c->marker));
	if (c->tree == CHECKPOINT_HF)
		json_object_set_new(j, "missing", missing(c));
	return j;
}

json_t *out_checkpoints_json(const struct checkpoint_list *l)
{
	json_t *all = json_array();

	for (size_t i = 0; i < l->n; i++)
		json_array_append_new(all, one(&l->items[i]));
	return all;
}

void out_checkpoints_csv(const struct checkpoint_list *l, struct buf *out)
{
	buf_adds(out, "tree,step,state,bytes,objects,first,last,uri\n");
	for (size_t i = 0; i < l->n; i++) {
		const struct checkpoint *c = &l->items[i];
		char first[TIME_SIZE], last[TIME_SIZE], step[24] = "";

		if (c->step >= 0)
			snprintf(step, sizeof(step), "%lld", (long long)c->step);
		buf_addf(out, "%s,%s,%s,%lld,%lld,%s,%s,%s\n", checkpoint_tree_name(c->tree), step,
			checkpoint_state_name(c->state), (long long)c->bytes, (long long)c->objects,
			time_format(c->first_ms, first), time_format(c->last_ms, last), c->uri);
	}
}

static void line(const struct checkpoint *c, int64_t now, struct buf *out)
{
	char size[QUANTITY_SIZE], age[TIME_SIZE], step[24] = "-";

	if (c->step >= 0)
		snprintf(step, sizeof(step), "%lld", (long long)c->step);
	buf_addf(out, "%-16s %5s  %-9s %10s %7lld  %-6s %s\n", checkpoint_tree_name(c->tree), step,
		checkpoint_state_name(c->state), quantity_human(c->bytes, size),
		(long long)c->objects,
		c->last_ms == TIME_NONE ? "-" : time_format_age(now - c->last_ms, age), c->uri);
	for (size_t i = 0; c->tree != CHECKPOINT_HF && i < c->n; i++)
		buf_addf(out, "  %-20s  %-9s %10s %7lld\n", c->items[i].name,
			checkpoint_state_name(c->items[i].state),
			quantity_human(c->items[i].bytes, size), (long long)c->items[i].objects);
	for (size_t i = 0; i < c->missing.n; i++)
		buf_addf(out, _("  missing: %s\n"), c->missing.items[i]);
}

void out_checkpoints_plain(const struct checkpoint_list *l, int64_t now, struct buf *out)
{
	int64_t safe = checkpoint_safe_step(l, CHECKPOINT_TRAINED, NULL);

	buf_addf(out, "%-16s %5s  %-9s %10s %7s  %-6s %s\n", "TREE", "STEP", "STATE", "SIZE",
		"OBJECTS", "AGE", "URI");
	for (unsigned t = 0; t < CHECKPOINT_TREE_COUNT; t++) {
		bool any = false;

		for (size_t i = 0; i < l->n; i++)
			if (l->items[i].tree == t) {
				line(&l->items[i], now, out);
				any = true;
			}
		if (!any)
			buf_addf(out, "%-16s %5s  %s\n",
				checkpoint_tree_name((enum checkpoint_tree)t), "-",
				checkpoint_state_name(CHECKPOINT_ABSENT));
	}
	if (safe >= 0)
		buf_addf(out, _("safe checkpoint: step %lld\n"), (long long)safe);
	else
		buf_adds(out, _("safe checkpoint: none\n"));
}
