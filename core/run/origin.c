/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/origin.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/cloud/cloud.h"
#include "core/cloud/gcs.h"
#include "core/cloud/jobset.h"
#include "core/fmt/quantity.h"
#include "core/fmt/time.h"
#include "core/model/checkpoint.h"
#include "core/model/jobset.h"
#include "core/run/cluster.h"
#include "core/run/same.h"
#include "core/run/trees.h"

#define RECORD     "_CHECKPOINT_METADATA"
#define RECORD_MAX ((size_t)1 << 20)
/* Chunks are compressed, by how much is not known; another model has another order of size. */
#define LEAST(bytes) ((bytes) / 2)
#define MOST(bytes)  ((bytes) + (bytes) / 4)

struct origin {
	struct facts_place place;
	const struct recipe_stage *stage;
	const struct recipe_tree *tree;
	int64_t step, wanted;
	struct trees *trees;
	char *command; /* of the stage, masked; NULL = not known */
	struct origin_told told;
	void (*fn)(void *arg, const struct origin_told *told);
	void *arg;
};

/* --- pure */

static void judge_size(struct origin_told *told, int64_t bytes, int64_t usual)
{
	char there[QUANTITY_SIZE], here[QUANTITY_SIZE];

	if (usual <= 0)
		return;
	if (bytes >= LEAST(usual) && bytes <= MOST(usual))
		strvec_push(&told->same, _("the size"));
	else
		strvec_pushf(&told->differs, _("size: %s there, about %s here"),
			quantity_human(bytes, there), quantity_human(usual, here));
}

static int64_t item_bytes(const struct checkpoint *c, const char *name)
{
	for (size_t i = 0; name && i < c->n; i++)
		if (strcmp(c->items[i].name, name) == 0)
			return c->items[i].bytes;
	return c->bytes;
}

/* An export is made from a checkpoint: it cannot be the older one. */
static void judge_age(
	struct origin_told *told, const struct checkpoint *export, const struct checkpoint_list *l)
{
	int64_t step = checkpoint_safe_step(l, CHECKPOINT_TRAINED, NULL);
	const struct checkpoint *from =
		step < 0 ? NULL : checkpoint_find(l, CHECKPOINT_TRAINED, step);

	if (!from)
		strvec_push(&told->unknown, _("its checkpoint for want of one"));
	else if (export->first_ms < from->last_ms)
		strvec_pushf(&told->differs, _("it is older than the checkpoint of step %" PRId64),
			step);
	else
		strvec_pushf(&told->same, _("younger than step %" PRId64), step);
}

void origin_judge_tree(struct origin_told *told, const struct recipe_tree *tree,
	const struct checkpoint_list *list, int64_t step, int64_t wanted)
{
	enum checkpoint_tree which = checkpoint_tree_from_name(tree->id);
	bool export = which == CHECKPOINT_HF;
	const struct checkpoint *c = checkpoint_find(list, which, export ? -1 : step);

	strvec_push(&told->same, _("the folder"));
	if (wanted >= 0 && step != wanted)
		strvec_pushf(&told->differs, _("step: %" PRId64 " there, %" PRId64 " here"), step,
			wanted);
	else if (wanted >= 0)
		strvec_pushf(&told->same, _("step %" PRId64), step);
	if (!c)
		return;
	told->written_ms = c->last_ms == TIME_NONE ? 0 : c->last_ms;
	if (tree->item)
		strvec_pushf(&told->same, _("item %s"), tree->item);
	judge_size(told, item_bytes(c, tree->item), (int64_t)tree->bytes);
	if (export)
		judge_age(told, c, list);
}

static void judge_layers(struct origin_told *told, const json_t *record, const char *command)
{
	const json_t *there = json_path(record, "custom_metadata.scan_layers");
	AUTO_FREE char *here = command ? same_value(command, "scan_layers") : NULL;
	const char *word = json_is_true(there) ? "true" : "false";

	if (!json_is_boolean(there) || !here)
		return;
	if (strcasecmp(word, here) == 0)
		strvec_push(&told->same, "scan_layers");
	else
		strvec_pushf(&told->differs, _("%s: %s there, %s here"), "scan_layers", word, here);
}

void origin_judge_record(
	struct origin_told *told, const json_t *record, const char *command, int64_t step)
{
	int64_t said = json_path_i64(record, "custom_metadata.global_step", -1);

	judge_layers(told, record, command);
	if (said >= 0 && step >= 0 && said != step)
		strvec_pushf(&told->differs,
			_("the checkpoint calls itself step %" PRId64
			  " in the folder of step %" PRId64),
			said, step);
}

void origin_told_fini(struct origin_told *told)
{
	strvec_fini(&told->differs);
	strvec_fini(&told->same);
	strvec_fini(&told->unknown);
	free(told->uri);
	*told = (struct origin_told){0};
}

static char *list_text(const struct strvec *list)
{
	struct buf out = {0};

	for (size_t i = 0; i < list->n; i++)
		buf_addf(&out, "%s%s", i ? ", " : "", list->items[i]);
	return buf_take(&out);
}

char *origin_text(const struct origin_told *told)
{
	AUTO_FREE char *same = list_text(&told->same);
	AUTO_FREE char *unknown = list_text(&told->unknown);
	struct buf out = {0};

	if (*same)
		buf_addf(&out, _("compared and the same: %s"), same);
	buf_adds(&out, *same && *unknown ? "; " : "");
	if (*unknown)
		buf_addf(&out, _("not compared: %s"), unknown);
	return buf_take(&out);
}

/* --- asking */

static void over(struct origin *o)
{
	void (*fn)(void *, const struct origin_told *) = o->fn;
	void *arg = o->arg;
	struct origin_told told = o->told;

	strvec_push(&told.unknown, _("the weights themselves"));
	o->told = (struct origin_told){0};
	origin_drop(&o);
	fn(arg, &told);
	origin_told_fini(&told);
}

static void judge_jobset(struct origin *o, const json_t *object)
{
	struct same s = {0};
	struct jobset js;

	if (!jobset_decode(&js, object))
		return;
	same_job(js.args, js.image, o->command, o->place.values, &s);
	if (!s.known)
		strvec_push(&o->told.unknown, _("the command of its job"));
	else if (!s.differs.n)
		strvec_pushf(&o->told.same, _("%zu values of its job's command"), s.equal);
	for (size_t i = 0; i < s.differs.n; i++)
		strvec_push(&o->told.differs, s.differs.items[i]);
	same_fini(&s);
	jobset_fini(&js);
}

static void on_jobset(void *arg, json_t *reply, const struct err *e)
{
	struct origin *o = arg;

	if (e && e->http == 404)
		strvec_push(&o->told.unknown, _("the command of its deleted job"));
	else if (e)
		strvec_push(&o->told.unknown, _("the command of its job for want of an answer"));
	else
		judge_jobset(o, reply);
	over(o);
}

static void ask_jobset(struct origin *o)
{
	struct kube *k = *o->place.cluster ? cluster_kube(*o->place.cluster) : NULL;

	if (k && o->stage->jobset) {
		jobset_get(k, "default", o->stage->jobset, (struct cloud_done){on_jobset, o});
		return;
	}
	strvec_push(&o->told.unknown, _("the command of its job for want of a cluster"));
	over(o);
}

static void on_record(
	void *arg, const char *data, size_t n, int64_t generation, const struct err *e)
{
	struct origin *o = arg;
	AUTO(json_auto) json_t *record = e ? NULL : json_parse(data, n, NULL);

	(void)generation;
	if (record)
		origin_judge_record(&o->told, record, o->command, o->step);
	else
		strvec_push(&o->told.unknown, _("what the checkpoint says about itself"));
	ask_jobset(o);
}

static void on_trees(void *arg, struct checkpoint_list *list, const struct err *e)
{
	struct origin *o = arg;
	bool orbax = strcmp(o->tree->kind, "orbax") == 0;
	AUTO_FREE char *bucket = NULL;
	AUTO_FREE char *root = NULL;
	AUTO_FREE char *object = NULL;

	o->trees = NULL;
	if (e)
		strvec_push(&o->told.unknown, _("size and age for want of an answer"));
	else
		origin_judge_tree(&o->told, o->tree, list, o->step, o->wanted);
	if (!orbax || !gcs_uri(o->told.uri, &bucket, &root)) {
		ask_jobset(o);
		return;
	}
	object = x_asprintf("%s%" PRId64 "/" RECORD, root, o->step);
	gcs_get(o->place.cloud, bucket, object, NULL, RECORD_MAX, on_record, o);
}

struct origin *origin_ask(const struct facts_place *place, const struct recipe_stage *stage,
	int64_t step, int64_t wanted, void (*fn)(void *arg, const struct origin_told *told),
	void *arg)
{
	struct origin *o = X_NEW(struct origin);
	AUTO(buf_fini) struct buf uri = {0};
	struct trees_spec spec = {.cloud = place->cloud,
		.recipe = place->recipe,
		.values = place->values,
		.state = place->state,
		.fn = on_trees,
		.arg = o};

	o->place = *place;
	o->stage = stage;
	o->tree = recipe_tree(place->recipe, stage->tree);
	o->wanted = wanted;
	/* A conversion writes step 0. */
	o->step = step < 0 && strcmp(o->tree->kind, "orbax") == 0 ? 0 : step;
	o->fn = fn;
	o->arg = arg;
	o->command = same_command(place->recipe, place->values, *place->deviations, stage);
	(void)values_expand(place->values, o->tree->uri, &uri, NULL);
	o->told.uri = x_strdup(buf_str(&uri));
	o->trees = trees_ask(&spec);
	return o;
}

void origin_drop(struct origin **op)
{
	struct origin *o = *op;

	if (!o)
		return;
	*op = NULL;
	trees_drop(&o->trees);
	cloud_cancel_all(o->place.cloud, o);
	origin_told_fini(&o->told);
	free(o->command);
	free(o);
}
