/* SPDX-License-Identifier: Apache-2.0 */
#include "core/model/checkpoint.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/time.h"

/* Older writers put a partial step under such a name until it is finished. */
#define TMP_SUFFIX ".orbax-checkpoint-tmp"

void checkpoint_list_init(struct checkpoint_list *l, const char *bucket)
{
	*l = (struct checkpoint_list){.bucket = x_strdup(bucket)};
}

static void checkpoint_fini(struct checkpoint *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->items[i].name);
	free(c->items);
	free(c->uri);
	free(c->marker);
	strvec_fini(&c->missing);
	map_fini(&c->by_name);
}

void checkpoint_list_fini(struct checkpoint_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		checkpoint_fini(&l->items[i]);
	free(l->items);
	free(l->bucket);
	*l = (struct checkpoint_list){0};
}

static struct checkpoint *get(
	struct checkpoint_list *l, enum checkpoint_tree tree, const char *root, int64_t step)
{
	struct checkpoint *c;

	if (l->last < l->n && l->items[l->last].tree == tree && l->items[l->last].step == step)
		return &l->items[l->last];
	for (size_t i = 0; i < l->n; i++)
		if (l->items[i].tree == tree && l->items[i].step == step) {
			l->last = i;
			return &l->items[i];
		}
	c = VEC_PUSH(l);
	l->last = l->n - 1;
	c->tree = tree;
	c->step = step;
	c->first_ms = c->last_ms = TIME_NONE;
	c->uri = step < 0 ? x_asprintf("gs://%s/%s", l->bucket, root)
			  : x_asprintf("gs://%s/%s%lld/", l->bucket, root, (long long)step);
	return c;
}

static struct checkpoint_item *item(struct checkpoint *c, const char *name, size_t n)
{
	AUTO_FREE char *key = x_strndup(name, n);
	uintptr_t at = (uintptr_t)map_get(&c->by_name, key);
	struct checkpoint_item *it;

	if (at)
		return &c->items[at - 1];
	it = VEC_PUSH(c);
	it->name = x_strdup(key);
	it->first_ms = it->last_ms = TIME_NONE;
	map_set(&c->by_name, key, (void *)(uintptr_t)c->n);
	return it;
}

static void span(int64_t *first, int64_t *last, int64_t at)
{
	if (at == TIME_NONE)
		return;
	if (*first == TIME_NONE || at < *first)
		*first = at;
	if (*last == TIME_NONE || at > *last)
		*last = at;
}

static void count(struct checkpoint *c, struct checkpoint_item *it, int64_t bytes, int64_t at)
{
	c->bytes += bytes;
	c->objects++;
	span(&c->first_ms, &c->last_ms, at);
	if (!it)
		return;
	it->bytes += bytes;
	it->objects++;
	span(&it->first_ms, &it->last_ms, at);
}

static void set_marker(struct checkpoint *c, const char *bucket, const char *name)
{
	free(c->marker);
	c->marker = x_asprintf("gs://%s/%s", bucket, name);
}

static void add_export(struct checkpoint_list *l, const char *root, const char *name,
	const char *file, int64_t bytes, int64_t at)
{
	struct checkpoint *c = get(l, CHECKPOINT_HF, root, -1);
	bool weights = text_ends(file, ".safetensors");

	if (!strcmp(file, CHECKPOINT_INDEX))
		set_marker(c, l->bucket, name);
	count(c, weights ? item(c, file, strlen(file)) : NULL, bytes, at);
}

/* "50/…" or "50.orbax-checkpoint-tmp…/…": the step and what follows the slash; NULL otherwise. */
static const char *step_of(const char *s, int64_t *step, bool *partial)
{
	const char *slash = strchr(s, '/');
	int64_t v = 0;
	const char *p = s;

	for (; *p >= '0' && *p <= '9' && p - s < 15; p++)
		v = v * 10 + (*p - '0');
	*step = v;
	*partial = text_starts(p, TMP_SUFFIX);
	if (!slash || p == s || (p != slash && !*partial))
		return NULL;
	return slash + 1;
}

bool checkpoint_list_add(struct checkpoint_list *l, enum checkpoint_tree tree, const char *root,
	const char *name, int64_t bytes, int64_t updated_ms)
{
	size_t len = strlen(root);
	const char *rest, *slash;
	struct checkpoint *c;
	struct checkpoint_item *it = NULL;
	int64_t step;
	bool partial;

	if (strncmp(name, root, len) || !name[len] || text_ends(name, "/"))
		return false;
	if (tree == CHECKPOINT_HF) {
		add_export(l, root, name, name + len, bytes, updated_ms);
		return true;
	}
	rest = step_of(name + len, &step, &partial);
	if (!rest)
		return false;
	c = get(l, tree, root, step);
	slash = strchr(rest, '/');
	if (slash) {
		it = item(c, rest, (size_t)(slash - rest));
		if (!partial && !strcmp(slash + 1, CHECKPOINT_MARKER))
			it->marker = true;
	} else if (!partial && !strcmp(rest, CHECKPOINT_MARKER)) {
		set_marker(c, l->bucket, name);
	}
	count(c, it, bytes, updated_ms);
	return true;
}

/* What has no marker: still being written, or left behind. */
static enum checkpoint_state unmarked(int64_t last_ms, int64_t now_ms, bool ended)
{
	if (ended || last_ms == TIME_NONE || now_ms - last_ms > CHECKPOINT_ABANDONED_MS)
		return CHECKPOINT_ABANDONED;
	return CHECKPOINT_WRITING;
}

static void judge_step(struct checkpoint *c, int64_t now_ms, bool ended)
{
	bool whole = c->marker != NULL && c->n > 0;

	for (size_t i = 0; i < c->n; i++) {
		struct checkpoint_item *it = &c->items[i];

		it->state = it->marker ? CHECKPOINT_COMPLETE : unmarked(it->last_ms, now_ms, ended);
		whole &= it->marker;
	}
	c->state = whole ? CHECKPOINT_COMPLETE : unmarked(c->last_ms, now_ms, ended);
}

/* Complete: the index is there and lists nothing that is not. An index that was not read proves
 * nothing. */
static void judge_export(struct checkpoint *c, int64_t now_ms, bool ended, const json_t *index)
{
	json_t *files = json_path(index, "weight_map");
	const char *tensor;
	json_t *file;
	size_t there = c->n;

	json_object_foreach(files, tensor, file)
	{
		const char *name = json_string_value(file);

		if (!name || map_get(&c->by_name, name))
			continue;
		item(c, name, strlen(name));
		strvec_push(&c->missing, name);
	}
	for (size_t i = 0; i < c->n; i++) {
		c->items[i].marker = i < there;
		c->items[i].state = i < there ? CHECKPOINT_COMPLETE : CHECKPOINT_ABSENT;
	}
	if (c->marker && json_object_size(files) > 0 && c->missing.n == 0)
		c->state = CHECKPOINT_COMPLETE;
	else
		c->state = unmarked(c->last_ms, now_ms, ended);
}

static int by_name(const void *a, const void *b)
{
	const struct checkpoint_item *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int by_tree(const void *a, const void *b)
{
	const struct checkpoint *x = a, *y = b;

	if (x->tree != y->tree)
		return x->tree < y->tree ? -1 : 1;
	return (x->step > y->step) - (x->step < y->step);
}

void checkpoint_list_judge(struct checkpoint_list *l, int64_t now_ms,
	const bool jobset_ended[CHECKPOINT_TREE_COUNT], const json_t *hf_index)
{
	for (size_t i = 0; i < l->n; i++) {
		struct checkpoint *c = &l->items[i];

		if (c->tree == CHECKPOINT_HF)
			judge_export(c, now_ms, jobset_ended[c->tree], hf_index);
		else
			judge_step(c, now_ms, jobset_ended[c->tree]);
		if (c->n)
			qsort(c->items, c->n, sizeof(*c->items), by_name);
		map_fini(&c->by_name);
		c->by_name = (struct map){0};
		for (size_t k = 0; k < c->n; k++)
			map_set(&c->by_name, c->items[k].name, (void *)(uintptr_t)(k + 1));
	}
	if (l->n)
		qsort(l->items, l->n, sizeof(*l->items), by_tree);
	l->last = 0;
}

static bool has_complete(const struct checkpoint *c, const char *name)
{
	uintptr_t at = (uintptr_t)map_get(&c->by_name, name);

	return at && c->items[at - 1].state == CHECKPOINT_COMPLETE;
}

int64_t checkpoint_safe_step(
	const struct checkpoint_list *l, enum checkpoint_tree tree, const char *name)
{
	int64_t best = -1;

	for (size_t i = 0; i < l->n; i++) {
		const struct checkpoint *c = &l->items[i];

		if (c->tree == tree && c->state == CHECKPOINT_COMPLETE && c->step > best &&
			(!name || has_complete(c, name)))
			best = c->step;
	}
	return best;
}

const struct checkpoint *checkpoint_find(
	const struct checkpoint_list *l, enum checkpoint_tree tree, int64_t step)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->items[i].tree == tree && l->items[i].step == step)
			return &l->items[i];
	return NULL;
}

int64_t checkpoint_next_due(int64_t step, int64_t period, int64_t steps)
{
	int64_t next;

	if (steps <= 0 || step >= steps)
		return -1;
	next = period > 0 ? (step / period + 1) * period : steps;
	return next < steps ? next : steps;
}

static const char *const tree_names[] = {
#define X(name, word) [name] = word,
	CHECKPOINT_TREES(X)
#undef X
};

static const char *const state_names[] = {
#define X(name, word) [name] = word,
	CHECKPOINT_STATES(X)
#undef X
};

const char *checkpoint_tree_name(enum checkpoint_tree t)
{
	return (size_t)t < COUNT(tree_names) ? tree_names[t] : "";
}

enum checkpoint_tree checkpoint_tree_from_name(const char *word)
{
	size_t i = 0;

	while (i < COUNT(tree_names) && strcmp(tree_names[i], word))
		i++;
	return (enum checkpoint_tree)i;
}

const char *checkpoint_state_name(enum checkpoint_state s)
{
	return (size_t)s < COUNT(state_names) ? state_names[s] : "absent";
}
