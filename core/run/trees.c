/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/trees.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/cloud/cloud.h"
#include "core/cloud/gcs.h"

#define INDEX_MAX ((size_t)8 << 20)

struct trees {
	struct trees_spec spec;
	struct checkpoint_list list;
	size_t next;         /* tree of the recipe that is asked now */
	char *bucket, *root; /* of that tree */
	char *index_object;  /* of an export, NULL = none seen */
	char *hf_bucket;
	json_t *index;
	struct err error;
};

static void ask_next(struct trees *t);

static bool writer_ended(const struct trees *t, const struct recipe_tree *tree)
{
	enum stage_id id = stage_from_word(tree->stage);
	const struct state_stage *st;

	if (id == STAGE_NONE)
		return true;
	st = &t->spec.state->stages[id];
	if (st->state != ST_RUNNING && st->state != ST_VERIFYING)
		return true;
	return t->spec.state->jobset_there && jobset_ended(t->spec.state->phase);
}

static void finish(struct trees *t)
{
	bool ended[CHECKPOINT_TREE_COUNT];
	const struct recipe *r = t->spec.recipe;
	struct trees_spec spec = t->spec;
	struct checkpoint_list list;
	struct err error = t->error;

	for (unsigned i = 0; i < CHECKPOINT_TREE_COUNT; i++)
		ended[i] = true;
	for (size_t i = 0; i < r->watch.trees.n; i++) {
		enum checkpoint_tree which = checkpoint_tree_from_name(r->watch.trees.items[i].id);
		if (which != CHECKPOINT_TREE_COUNT)
			ended[which] = writer_ended(t, &r->watch.trees.items[i]);
	}
	checkpoint_list_judge(&t->list, clock_now(), ended, t->index);
	list = t->list;
	checkpoint_list_init(&t->list, "");
	trees_drop(&t);
	spec.fn(spec.arg, &list, error.code ? &error : NULL);
	checkpoint_list_fini(&list);
}

static void on_index(void *arg, const char *data, size_t n, int64_t generation, const struct err *e)
{
	struct trees *t = arg;

	(void)generation;
	if (e)
		t->error = *e;
	else
		t->index = json_parse(data, n, NULL);
	finish(t);
}

static void on_list(void *arg, struct gcs_listing *listing, const struct err *e)
{
	struct trees *t = arg;
	enum checkpoint_tree tree =
		checkpoint_tree_from_name(t->spec.recipe->watch.trees.items[t->next].id);

	if (e && e->http != 404)
		t->error = *e;
	for (size_t i = 0; listing && i < listing->n; i++) {
		const struct gcs_object *o = &listing->items[i];
		checkpoint_list_add(&t->list, tree, t->root, o->name, o->size, o->updated);
		if (tree == CHECKPOINT_HF && !t->index_object &&
			strcmp(o->name + strlen(t->root), CHECKPOINT_INDEX) == 0) {
			t->index_object = x_strdup(o->name);
			t->hf_bucket = x_strdup(t->bucket);
		}
	}
	t->next++;
	ask_next(t);
}

static void ask_next(struct trees *t)
{
	const struct recipe *r = t->spec.recipe;

	for (; t->next < r->watch.trees.n; t->next++) {
		AUTO(buf_fini) struct buf uri = {0};
		free(t->bucket);
		free(t->root);
		t->bucket = t->root = NULL;
		if (checkpoint_tree_from_name(r->watch.trees.items[t->next].id) ==
				CHECKPOINT_TREE_COUNT ||
			values_expand(t->spec.values, r->watch.trees.items[t->next].uri, &uri,
				&t->error) != 0 ||
			!gcs_uri(buf_str(&uri), &t->bucket, &t->root))
			continue;
		if (!*t->list.bucket) {
			checkpoint_list_fini(&t->list);
			checkpoint_list_init(&t->list, t->bucket);
		}
		gcs_list(t->spec.cloud, t->bucket, t->root, NULL, on_list, t);
		return;
	}
	if (t->index_object)
		gcs_get(t->spec.cloud, t->hf_bucket, t->index_object, NULL, INDEX_MAX, on_index, t);
	else
		finish(t);
}

static void begin(void *arg)
{
	ask_next(arg);
}

struct trees *trees_ask(const struct trees_spec *spec)
{
	struct trees *t = X_NEW(struct trees);

	t->spec = *spec;
	checkpoint_list_init(&t->list, "");
	loop_defer(cloud_loop(spec->cloud), begin, t);
	return t;
}

void trees_drop(struct trees **tp)
{
	struct trees *t = *tp;

	if (!t)
		return;
	*tp = NULL;
	loop_defer_drop(cloud_loop(t->spec.cloud), t);
	cloud_cancel_all(t->spec.cloud, t);
	checkpoint_list_fini(&t->list);
	json_decref(t->index);
	free(t->bucket);
	free(t->root);
	free(t->index_object);
	free(t->hf_bucket);
	free(t);
}
