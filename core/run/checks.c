/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/checks.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/cloud/auth.h"
#include "core/cloud/cloud.h"
#include "core/cloud/kube.h"
#include "core/fmt/cause.h"
#include "core/io/child.h"
#include "core/run/checks_in.h"

static const struct check_row *const tables[] = {
	checks_here, checks_login, checks_place_rows, checks_store};

#define CHILD_GRACE_MS 500

static const char *const state_words[] = {
#define X(name, word) [name] = word,
	CHECK_STATES(X)
#undef X
};

static bool row_is_for(const struct check_row *r, const char *id)
{
	return text_ends(r->id, ".") ? text_starts(id, r->id) : strcmp(r->id, id) == 0;
}

const struct check_row *checks_row(const char *id)
{
	for (size_t t = 0; t < COUNT(tables); t++)
		for (const struct check_row *r = tables[t]; r->id; r++)
			if (row_is_for(r, id))
				return r;
	return NULL;
}

unsigned checks_states(const char *id)
{
	const struct check_row *r = checks_row(id);

	return r ? r->may & ~(unsigned)LACK_BLOCKS : 0;
}

static bool depends_on(const struct recipe *r, const struct recipe_check *q, const char *name)
{
	for (size_t i = 0; i < q->needs.n; i++) {
		const struct recipe_variable *v = recipe_variable(r, q->needs.items[i]);
		enum recipe_derive how = v ? v->derive : DERIVE_NONE;

		if (strcmp(q->needs.items[i], name) == 0 ||
			(how == DERIVE_REGION && strcmp(name, "ZONE") == 0) ||
			((how == DERIVE_CHIPS || how == DERIVE_HOSTS) &&
				strcmp(name, "TOPOLOGY") == 0))
			return true;
	}
	return false;
}

void checks_affected(const struct recipe *r, const char *name, struct strvec *ids)
{
	for (size_t i = 0; i < r->checks.n; i++)
		if (depends_on(r, &r->checks.items[i], name))
			strvec_push(ids, r->checks.items[i].id);
}

static const struct check_asker *find_asker(enum check_source s)
{
	const struct check_asker *a = check_askers;

	while (a->source != s)
		a++;
	return a;
}

void finding_ok(struct finding *f)
{
	free(f->cause);
	free(f->cure);
	strvec_fini(&f->argv);
	*f = (struct finding){.state = CHECK_OK};
}

void finding_set(struct finding *f, enum check_state s, const char *who, const char *cure,
	const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	free(f->cause);
	free(f->cure);
	f->state = s;
	f->who = who;
	f->cause = x_vasprintf(fmt, ap);
	f->cure = cure ? x_strdup(cure) : NULL;
	va_end(ap);
}

void finding_argv(struct finding *f, ...)
{
	va_list ap;
	const char *s;

	va_start(ap, f);
	while ((s = va_arg(ap, const char *)) != NULL)
		strvec_push(&f->argv, s);
	va_end(ap);
}

const char *checks_service(enum check_source s)
{
	return find_asker(s)->service;
}

static bool has_its_mark(const struct checks *c, enum check_source s)
{
	const char *mark = find_asker(s)->mark;

	return !mark || json_path(checks_reply(c, s), mark) != NULL;
}

bool finding_failed(struct finding *f, const struct checks *c, enum check_source s)
{
	const struct err *e = checks_error(c, s);
	const char *service = checks_service(s);
	const struct cause *cause = e && e->cause ? cause_by_id(e->cause) : NULL;

	if (!e && has_its_mark(c, s))
		return false;
	if (!e) {
		finding_set(f, CHECK_UNKNOWN, "you",
			_("check the network and its proxy, then try again"),
			_("the answer of %s is not what was asked for"), service);
		return true;
	}
	if (checks_caused(c, s, "api-off")) {
		finding_set(f, CHECK_UNKNOWN, cause_who_name(cause->who), _(cause->cure),
			_("%s is not enabled"), service);
		finding_argv(f, "gcloud", "services", "enable", service, "--project",
			checks_value(c, "PROJECT"), NULL);
	} else if (checks_caused(c, s, "billing")) {
		finding_set(f, CHECK_UNKNOWN, cause_who_name(cause->who), _(cause->cure),
			_("the project has no billing account: see project.billing"));
	} else if (e->code == ERR_PERSON && text_ends(service, ".googleapis.com")) {
		finding_set(f, CHECK_UNKNOWN, "you", e->hint[0] ? e->hint : NULL,
			_("no login gives a token now: see login.adc"));
	} else {
		finding_set(f, CHECK_UNKNOWN, cause ? cause_who_name(cause->who) : "you",
			e->hint[0] ? e->hint : NULL, "%s", e->what);
	}
	return true;
}

bool checks_caused(const struct checks *c, enum check_source s, const char *cause)
{
	const struct err *e = checks_error(c, s);

	return e && e->cause && strcmp(e->cause, cause) == 0;
}

const char *checks_value(const struct checks *c, const char *name)
{
	const char *v = values_get(c->place.values, name);

	return v ? v : "";
}

const json_t *checks_reply(const struct checks *c, enum check_source s)
{
	return c->answers[s].reply;
}

const struct err *checks_error(const struct checks *c, enum check_source s)
{
	return c->answers[s].reply ? NULL : &c->answers[s].e;
}

char *checks_arg(const struct checks *c, const struct recipe_check *q, const char *name)
{
	for (size_t i = 0; i < q->args.n; i++) {
		struct buf b = {0};

		if (strcmp(q->args.items[i].name, name) != 0)
			continue;
		if (values_expand(c->place.values, q->args.items[i].value, &b, NULL) == 0)
			return buf_take(&b);
		buf_fini(&b);
	}
	return NULL;
}

/* The first variable that the check needs and nobody has given. */
static const char *missing(const struct checks *c, const struct recipe_check *q)
{
	for (size_t i = 0; i < q->needs.n; i++) {
		const struct recipe_variable *v =
			recipe_variable(c->place.recipe, q->needs.items[i]);

		if (v && !v->optional && !values_get(c->place.values, v->name))
			return v->name;
	}
	return NULL;
}

static char *group_of(const char *id)
{
	return x_strndup(id, strcspn(id, "."));
}

static void give(struct checks *c, const struct recipe_check *q, struct finding *f,
	const struct check_row *row)
{
	AUTO_FREE char *group = group_of(q->id);
	struct state_check out = {.id = (char *)(uintptr_t)q->id,
		.group = group,
		.state = (char *)(uintptr_t)state_words[f->state],
		.question = (char *)(uintptr_t)recipe_text(&q->question),
		.cause = f->cause ? f->cause : (char *)(uintptr_t) "",
		.cure = f->cure ? f->cure : (char *)(uintptr_t) "",
		.who = (char *)(uintptr_t)(f->state == CHECK_OK || !f->who ? "" : f->who),
		.source = (char *)(uintptr_t)checks_service(row->from),
		.cure_argv = f->argv};

	c->place.on_check(c->place.arg, &out);
}

static void judge(struct checks *c, size_t i)
{
	const struct recipe_check *q = &c->place.recipe->checks.items[i];
	const struct check_row *row = checks_row(q->id);
	const char *lacks = missing(c, q);
	struct finding f = {.state = CHECK_UNKNOWN};

	c->given[i] = true;
	if (lacks) {
		AUTO_FREE char *cure = x_asprintf("export %s=…", lacks);

		finding_set(&f, row->may & LACK_BLOCKS ? CHECK_BLOCKING : CHECK_UNKNOWN, "you",
			cure, _("%s has no value"), lacks);
	} else {
		row->judge(c, q, &f);
	}
	give(c, q, &f, row);
	free(f.cause);
	free(f.cure);
	strvec_fini(&f.argv);
}

static bool ready(const struct checks *c, const struct check_row *row)
{
	return c->answers[row->from].done && c->answers[row->and_from].done;
}

/* Judges what can be judged now; ends when everything was given. */
static void move(struct checks *c)
{
	bool all = true;
	struct checks_place place = c->place;

	for (size_t i = 0; i < c->place.recipe->checks.n; i++) {
		if (!c->wanted[i] || c->given[i])
			continue;
		if (ready(c, checks_row(c->place.recipe->checks.items[i].id)))
			judge(c, i);
		else
			all = false;
	}
	if (!all)
		return;
	checks_drop(&c);
	place.done(place.arg);
}

void checks_settle(struct answer *a, json_t *reply, const struct err *e)
{
	a->done = true;
	json_decref(a->reply); /* parts that had come */
	a->reply = reply;
	if (e)
		a->e = *e;
	else if (!reply)
		err_set(&a->e, ERR_UNREACHABLE, "", _("no answer"));
}

void checks_answer(struct answer *a, json_t *reply, const struct err *e)
{
	if (a->done) {
		json_decref(reply);
		return;
	}
	checks_settle(a, reply, e);
	if (a->owner->begun)
		move(a->owner);
}

static void on_limit(void *arg)
{
	struct checks *c = arg;

	c->limit = NULL;
	for (unsigned s = 0; s < FROM_COUNT; s++) {
		struct err e = {0};

		if (!c->answers[s].needed || c->answers[s].done)
			continue;
		err_set(&e, ERR_UNREACHABLE, _("check the network, then try again"),
			_("%s has not answered within %d seconds"),
			checks_service((enum check_source)s), CHECKS_LIMIT_MS / 1000);
		checks_settle(&c->answers[s], NULL, &e);
	}
	move(c);
}

static void begin(void *arg)
{
	struct checks *c = arg;

	for (unsigned s = 0; s < FROM_COUNT; s++) {
		struct answer *a = &c->answers[s];

		if (a->needed && !a->asked && !a->done) {
			a->asked = true;
			if (find_asker(a->source)->ask)
				find_asker(a->source)->ask(a);
		}
	}
	c->begun = true;
	move(c);
}

static bool chosen(const struct strvec *only, const char *id)
{
	AUTO_FREE char *group = group_of(id);

	return !only || only->n == 0 || strvec_find(only, id) >= 0 || strvec_find(only, group) >= 0;
}

static int all_known(const struct recipe *r, const struct strvec *only, struct err *e)
{
	for (size_t k = 0; only && k < only->n; k++) {
		bool known = false;

		for (size_t i = 0; i < r->checks.n && !known; i++) {
			AUTO_FREE char *group = group_of(r->checks.items[i].id);

			known = strcmp(r->checks.items[i].id, only->items[k]) == 0 ||
				strcmp(group, only->items[k]) == 0;
		}
		if (!known)
			return err_set(e, ERR_USAGE, _("rlpilot check --json lists all ids"),
				_("there is no check '%s'"), only->items[k]);
	}
	return 0;
}

static void need(struct checks *c, enum check_source s)
{
	c->answers[s].needed = true;
}

struct checks *checks_ask(
	const struct checks_place *place, const struct strvec *only, struct err *e)
{
	const struct recipe *r = place->recipe;
	struct checks *c;

	if (all_known(r, only, e))
		return NULL;
	c = X_NEW(struct checks);
	c->place = *place;
	c->wanted = x_calloc(r->checks.n + 1, sizeof(*c->wanted));
	c->given = x_calloc(r->checks.n + 1, sizeof(*c->given));
	for (unsigned s = 0; s < FROM_COUNT; s++) {
		c->answers[s].owner = c;
		c->answers[s].source = (enum check_source)s;
	}
	c->answers[FROM_HERE].done = true;
	for (size_t i = 0; i < r->checks.n; i++) {
		const struct check_row *row = checks_row(r->checks.items[i].id);

		c->wanted[i] = row && chosen(only, r->checks.items[i].id);
		if (!c->wanted[i])
			continue;
		need(c, row->from);
		need(c, row->and_from);
	}
	c->limit = loop_after_wall(cloud_loop(place->cloud), CHECKS_LIMIT_MS, on_limit, c);
	loop_defer(cloud_loop(place->cloud), begin, c);
	return c;
}

void checks_drop(struct checks **cp)
{
	struct checks *c = *cp;

	if (!c)
		return;
	*cp = NULL;
	loop_defer_drop(cloud_loop(c->place.cloud), c);
	loop_timer_cancel(&c->limit);
	for (unsigned s = 0; s < FROM_COUNT; s++) {
		struct answer *a = &c->answers[s];

		auth_probe_drop(cloud_auth(c->place.cloud), a);
		cloud_cancel_all(c->place.cloud, a);
		if (a->kube)
			kube_free(a->kube);
		if (a->child)
			child_stop(a->child, CHILD_GRACE_MS);
		child_forget(&a->child);
		buf_fini(&a->text);
		json_decref(a->reply);
	}
	free(c->wanted);
	free(c->given);
	free(c);
}
