/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bucket-ours, before the run's bucket is deleted whole: no other run works with it, and it holds
 * nothing but what this run's own commands name.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/cloud/cloud.h"
#include "core/cloud/gcs.h"
#include "core/recipe/command.h"
#include "core/run/facts_ask.h"
#include "core/run/neighbour.h"

static const char *bucket(const struct facts *f)
{
	return values_get(f->place.values, "GCS_BUCKET");
}

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
static void own_folders(const struct facts *f, struct strvec *out)
{
	const struct recipe *r = f->place.recipe;
	struct render how = {.recipe = r,
		.values = f->place.values,
		.deviations = *f->place.deviations,
		.names = true};
	AUTO_FREE char *root = x_asprintf("gs://%s/", bucket(f));

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

static void not_ours(struct facts *f, const struct strvec *own, const struct strvec *foreign)
{
	AUTO(buf_fini) struct buf names = {0};
	AUTO(buf_fini) struct buf mine = {0};
	AUTO_FREE char *said = NULL;
	AUTO_FREE char *cure = NULL;

	for (size_t i = 0; i < foreign->n && i < 3; i++)
		buf_addf(&names, "%s%s", i ? ", " : "", foreign->items[i]);
	if (foreign->n > 3)
		buf_addf(&names, _(" and %zu more"), foreign->n - 3);
	for (size_t i = 0; i < own->n; i++)
		buf_addf(&mine, " gs://%s/%s", bucket(f), own->items[i]);
	said = x_asprintf(_("gs://%s is kept: it holds what this run has not made: %s"), bucket(f),
		buf_str(&names));
	cure = x_asprintf(_("keep the bucket; this deletes the run's part alone: gcloud storage "
			    "rm -r%s"),
		buf_str(&mine));
	fact_end(f, false, said, cure);
}

static void on_content(void *arg, struct gcs_listing *l, const struct err *e)
{
	struct facts *f = arg;
	AUTO(strvec_fini) struct strvec own = {0};
	AUTO(strvec_fini) struct strvec foreign = {0};

	if (e && e->http == 404) {
		fact_end(f, true, NULL, NULL);
		return;
	}
	if (e) {
		fact_unknown(f, e);
		return;
	}
	own_folders(f, &own);
	for (size_t i = 0; i < l->n; i++)
		add_foreign(&foreign, &own, l->items[i].name);
	for (size_t i = 0; i < l->prefixes.n; i++)
		add_foreign(&foreign, &own, l->prefixes.items[i]);
	if (foreign.n)
		not_ours(f, &own, &foreign);
	else
		fact_end(f, true, NULL, NULL);
}

static void ask_bucket_ours(struct facts *f)
{
	AUTO_FREE char *dir = fact_run_dir(f);
	enum stage_id stage = STAGE_NONE;
	AUTO_FREE char *other = neighbour_writes(dir, bucket(f), &stage);
	AUTO_FREE char *said =
		other ? x_asprintf(_("gs://%s is kept: the run %s works with it: stage %s"),
				bucket(f), other, stage_word(stage))
		      : NULL;

	if (other)
		fact_end(f, false, said, _("wait for it, or stop it there"));
	else
		gcs_list(f->place.cloud, bucket(f), "", "/", on_content, f);
}

const struct fact_asker fact_askers_bucket[] = {
	{"bucket-ours", ask_bucket_ours},
	{NULL, NULL},
};
