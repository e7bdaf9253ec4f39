/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bucket, last: kept unless its name was typed. It is deleted whole, so it must hold nothing
 * but what this run's own commands name.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/cloud/gcs.h"
#include "core/run/engine_in.h"
#include "core/run/neighbour.h"

#define DAY_S 86400

struct bucket_look {
	bool tried;        /* its command has run */
	int64_t soft_days; /* what is deleted is kept and paid so long */
};

static const char *bucket(const struct engine *en)
{
	return engine_value(en, "GCS_BUCKET");
}

static void tell(struct engine *en, const char *state)
{
	AUTO_FREE char *what = x_asprintf("bucket gs://%s", bucket(en));

	prove_tell(en, state, what);
}

/* --- what is in it */

/* The first folder behind gs://BUCKET/ in a word, wherever it stands. */
static void add_folders(struct strvec *out, const char *word, const char *root)
{
	for (const char *p = word; (p = strstr(p, root)); p++) {
		const char *s = p + strlen(root);
		AUTO_FREE char *name = x_strndup(s, strcspn(s, "/ '\"\\"));
		if (*name && s[strlen(name)] == '/' && strvec_find(out, name) < 0)
			strvec_push(out, name);
	}
}

/* Folders of the bucket that the commands of this run name. */
static void own_folders(const struct engine *en, struct strvec *out)
{
	const struct recipe *r = en->run->recipe;
	struct render how = {.recipe = r,
		.values = &en->run->values,
		.deviations = en->run->deviations,
		.names = true};
	AUTO_FREE char *root = x_asprintf("gs://%s/", bucket(en));

	for (size_t i = 0; i < r->stages.n; i++) {
		struct command_list l = {0};
		if (command_render(&how, &r->stages.items[i], &l, NULL) == 0)
			for (size_t k = 0; k < l.n; k++)
				for (size_t w = 0; w < l.items[k].argv.n; w++)
					add_folders(out, l.items[k].argv.items[w], root);
		command_list_fini(&l);
	}
}

static void add_foreign(struct strvec *out, const struct strvec *own, const char *name)
{
	AUTO_FREE char *bare = x_strndup(name, strcspn(name, "/"));
	AUTO_FREE char *clean = text_clean_dup(name);

	if (strvec_find(own, bare) < 0 || !strchr(name, '/'))
		strvec_push(out, clean);
}

static void keep(struct engine *en, const char *cause, const char *cure)
{
	tell(en, "kept");
	en->cause_id = "bucket-shared";
	if (!en->ending)
		stage_failed(en, cause, cure);
}

/* A run beside this one writes into it right now. */
static bool others_write(struct engine *en)
{
	enum stage_id stage = STAGE_NONE;
	AUTO_FREE char *other = neighbour_writes(en->run->dir, bucket(en), &stage);
	AUTO_FREE char *cause =
		other ? x_asprintf(_("gs://%s is kept: the run %s works with it: stage %s"),
				bucket(en), other, stage_word(stage))
		      : NULL;

	if (other)
		keep(en, cause, _("wait for it, or stop it there"));
	return other != NULL;
}

static void refuse(struct engine *en, const struct strvec *own, const struct strvec *foreign)
{
	AUTO(buf_fini) struct buf names = {0};
	AUTO(buf_fini) struct buf mine = {0};
	AUTO_FREE char *cause = NULL;
	AUTO_FREE char *cure = NULL;

	for (size_t i = 0; i < foreign->n && i < 3; i++)
		buf_addf(&names, "%s%s", i ? ", " : "", foreign->items[i]);
	if (foreign->n > 3)
		buf_addf(&names, _(" and %zu more"), foreign->n - 3);
	for (size_t i = 0; i < own->n; i++)
		buf_addf(&mine, " gs://%s/%s", bucket(en), own->items[i]);
	cause = x_asprintf(_("gs://%s is kept: it holds what this run has not made: %s"),
		bucket(en), buf_str(&names));
	cure = x_asprintf(_("start the clean-up again and keep the bucket; this deletes the run's "
			    "part alone: gcloud storage rm -r%s"),
		buf_str(&mine));
	keep(en, cause, cure);
}

static void on_content(void *arg, struct gcs_listing *l, const struct err *e)
{
	struct engine *en = arg;
	AUTO(strvec_fini) struct strvec own = {0};
	AUTO(strvec_fini) struct strvec foreign = {0};

	if (e) {
		stage_failed(en, e->what, e->hint);
		return;
	}
	own_folders(en, &own);
	for (size_t i = 0; i < l->n; i++)
		add_foreign(&foreign, &own, l->items[i].name);
	for (size_t i = 0; i < l->prefixes.n; i++)
		add_foreign(&foreign, &own, l->prefixes.items[i]);
	if (foreign.n) {
		refuse(en, &own, &foreign);
		return;
	}
	en->bucket->tried = true;
	stage_again(en, _("all else is gone: now the bucket"));
}

/* --- is it there? */

static void is_gone(struct engine *en)
{
	int64_t days = en->bucket->soft_days;
	AUTO_FREE char *note =
		en->bucket->tried && days > 0
			? x_asprintf(_("Cloud Storage keeps what was in the bucket for %lld more "
				       "days and bills it: soft delete"),
				  (long long)days)
			: NULL;

	tell(en, "gone");
	if (!en->ending)
		stage_done(en, note);
}

static void is_there(struct engine *en)
{
	if (!engine_confirmed_bucket(en)) {
		tell(en, "kept");
		if (!en->ending)
			stage_done(en, NULL);
	} else if (!en->bucket->tried && others_write(en)) {
		return;
	} else if (!en->bucket->tried) {
		gcs_list(en->cloud, bucket(en), "", "/", on_content, en);
	} else if (en->lost) {
		stage_lost(en, _("the bucket is still there"));
	} else {
		tell(en, "there");
		if (!en->ending)
			stage_failed(en, _("the bucket is still there"), NULL);
	}
}

static void on_bucket(void *arg, json_t *reply, const struct err *e)
{
	struct engine *en = arg;

	if (e && e->http == 404) {
		is_gone(en);
	} else if (e && engine_confirmed_bucket(en)) {
		stage_failed(en, e->what, e->hint);
	} else {
		if (reply)
			en->bucket->soft_days =
				json_path_i64(
					reply, "softDeletePolicy.retentionDurationSeconds", 0) /
				DAY_S;
		is_there(en);
	}
}

void bucket_last(struct engine *en)
{
	if (!en->bucket)
		en->bucket = X_NEW(struct bucket_look);
	gcs_bucket(en->cloud, bucket(en), (struct cloud_done){on_bucket, en});
}

void bucket_leave(struct engine *en)
{
	if (!en->bucket)
		return;
	cloud_cancel_all(en->cloud, en);
	free(en->bucket);
	en->bucket = NULL;
}
