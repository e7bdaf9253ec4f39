/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/facts.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/cloud/auth.h"
#include "core/cloud/cloud.h"
#include "core/io/child.h"
#include "core/run/facts_ask.h"

static void ask_next(void *arg);

static void job_fini(struct fact_job *job)
{
	free(job->args);
	free(job->image);
	*job = (struct fact_job){0};
}

static void clear_question(struct facts *f)
{
	map_fini(&f->args);
	f->args.free_value = free;
	json_decref(f->kept);
	f->kept = NULL;
	free(f->text);
	free(f->bucket);
	free(f->root);
	f->text = f->bucket = f->root = NULL;
	f->tries = 0;
	f->number = -1;
	job_fini(&f->job);
	f->then = NULL;
}

static struct fact *answer(struct facts *f)
{
	struct fact *a = VEC_PUSH(&f->answers);
	const struct recipe_fact *wanted = &f->wanted->items[f->next];

	a->id = wanted->id;
	a->cause_id = wanted->id;
	a->why = recipe_text(&wanted->why);
	a->number = -1;
	return a;
}

const char *fact_arg(const struct facts *f, const char *name)
{
	const char *value = map_get(&f->args, name);

	return value ? value : "";
}

/* It holds the toolkit's. */
char *fact_run_dir(const struct facts *f)
{
	const char *toolkit = f->place.toolkit;

	return x_strndup(toolkit, (size_t)(strrchr(toolkit, '/') - toolkit));
}

static void go_on(struct facts *f)
{
	f->next++;
	clear_question(f);
	loop_defer(cloud_loop(f->place.cloud), ask_next, f);
}

void fact_end(struct facts *f, bool holds, const char *said, const char *cure)
{
	struct fact *a = answer(f);

	a->known = true;
	a->holds = holds;
	a->said = x_strdup(said ? said : "");
	a->cure = x_strdup(cure ? cure : "");
	a->number = f->number;
	a->job = f->job;
	f->job = (struct fact_job){0};
	a->person =
		!holds && (strcmp(a->id, "gcloud-account") == 0 || strcmp(a->id, "adc-token") == 0);
	go_on(f);
}

void fact_unknown(struct facts *f, const struct err *e)
{
	struct fact *a = answer(f);

	a->code = e ? e->code : ERR_FAILED;
	if (e && e->cause)
		a->cause_id = e->cause;
	a->said = x_strdup(e ? e->what : _("no answer"));
	a->cure = x_strdup(e ? e->hint : "");
	go_on(f);
}

static const struct fact_asker *find_asker(const char *id)
{
	static const struct fact_asker *const tables[] = {fact_askers_here, fact_askers_cloud,
		fact_askers_gone, fact_askers_clean, fact_askers_bucket};

	for (size_t t = 0; t < COUNT(tables); t++)
		for (const struct fact_asker *a = tables[t]; a->id; a++)
			if (strcmp(a->id, id) == 0)
				return a;
	return NULL;
}

static void list_fini(struct fact_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->items[i].said);
		free(l->items[i].cure);
		job_fini(&l->items[i].job);
	}
	free(l->items);
	memset(l, 0, sizeof(*l));
}

static void finish(struct facts *f)
{
	struct fact_list answers = f->answers;
	void (*fn)(void *, struct fact_list *) = f->fn;
	void *arg = f->arg;

	memset(&f->answers, 0, sizeof(f->answers));
	facts_drop(&f);
	fn(arg, &answers);
	list_fini(&answers);
}

static void ask_next(void *arg)
{
	struct facts *f = arg;
	const struct recipe_fact *wanted;
	const struct fact_asker *asker;

	if (f->next >= f->wanted->n || (!f->all && facts_failed(&f->answers))) {
		finish(f);
		return;
	}
	wanted = &f->wanted->items[f->next];
	asker = find_asker(wanted->id);
	if (!asker)
		die("fact %s has no asker", wanted->id);
	for (size_t i = 0; i < wanted->args.n; i++) {
		struct buf b = {0};
		struct err e = {0};
		if (values_expand_fact(f->place.values, f->place.recipe,
			    wanted->args.items[i].value, &b, &e) != 0) {
			buf_fini(&b);
			fact_unknown(f, &e);
			return;
		}
		map_set(&f->args, wanted->args.items[i].name, buf_take(&b));
	}
	asker->ask(f);
}

struct facts *facts_ask(const struct facts_place *place, const struct recipe_facts *wanted,
	bool all, void (*fn)(void *arg, struct fact_list *answers), void *arg)
{
	struct facts *f = X_NEW(struct facts);

	f->place = *place;
	f->wanted = wanted;
	f->all = all;
	f->fn = fn;
	f->arg = arg;
	f->args.free_value = free;
	f->number = -1;
	loop_defer(cloud_loop(place->cloud), ask_next, f);
	return f;
}

void facts_drop(struct facts **fp)
{
	struct facts *f = *fp;
	struct cloud *cloud;

	if (!f)
		return;
	*fp = NULL;
	cloud = f->place.cloud;
	loop_defer_drop(cloud_loop(cloud), f);
	loop_timer_cancel(&f->timer);
	cloud_cancel_all(cloud, f);
	auth_probe_drop(cloud_auth(cloud), f);
	child_forget(&f->child);
	clear_question(f);
	list_fini(&f->answers);
	free(f);
}

const struct fact *facts_failed(const struct fact_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (!l->items[i].holds)
			return &l->items[i];
	return NULL;
}

const struct fact *facts_find(const struct fact_list *l, const char *id)
{
	for (size_t i = 0; i < l->n; i++)
		if (strcmp(l->items[i].id, id) == 0)
			return &l->items[i];
	return NULL;
}
