/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/discover.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/cloud/compute.h"
#include "core/cloud/gcs.h"
#include "core/cloud/gke.h"
#include "core/cloud/project.h"
#include "core/recipe/rule.h"

#define FILE_MAX  ((size_t)16 << 20)
#define FRESH_MS  300000 /* wall */
#define ITEMS_MAX 2000

struct question {
	struct discover *owner;
	const struct recipe_variable *variable;
	const struct lister *lister;
	char *key; /* the values it was asked with, NULL = not asked in this life */
	int64_t asked_wall;
	bool asking;
};

struct discover {
	struct discover_spec spec;
	struct question *items;
	size_t n, cap;
	json_t *lists; /* by variable, as in the file */
};

/* How one kind of list is asked and read. */
struct lister {
	const char *kind; /* `discover:` of the recipe */
	void (*ask)(struct question *q, struct cloud_done done);
	void (*read)(const struct question *q, const json_t *reply, json_t *items);
};

static const char *value(const struct question *q, const char *name)
{
	const char *v = values_get(&q->owner->spec.run->values, name);

	return v ? v : "";
}

static void add(json_t *items, const char *text, const char *note, bool fits)
{
	json_t *one;

	if (!text || !*text || json_array_size(items) >= ITEMS_MAX)
		return;
	one = json_object();
	json_object_set_new(one, "value", json_from_str(text));
	json_object_set_new(one, "note", json_from_str(note ? note : ""));
	json_object_set_new(one, "fits", json_boolean(fits));
	json_array_append_new(items, one);
}

/* --- one lister a kind */

static void ask_projects(struct question *q, struct cloud_done done)
{
	projects_list(q->owner->spec.cloud, done);
}

static void read_projects(const struct question *q, const json_t *reply, json_t *items)
{
	const json_t *one;
	size_t i;

	(void)q;
	json_array_foreach(json_path(reply, "projects"), i, one)
	{
		add(items, json_path_str(one, "projectId"), json_path_str(one, "displayName"),
			true);
	}
}

static void ask_zones(struct question *q, struct cloud_done done)
{
	compute_machine_zones(q->owner->spec.cloud, value(q, "PROJECT"),
		q->owner->spec.run->recipe->chips.machine, done);
}

static const char *last_part(const char *address)
{
	const char *slash = address ? strrchr(address, '/') : NULL;

	return slash ? slash + 1 : address;
}

static void read_zones(const struct question *q, const json_t *reply, json_t *items)
{
	const json_t *one;
	size_t i;

	(void)q;
	json_array_foreach(json_path(reply, "machineTypes"), i, one)
	{
		const char *zone = last_part(json_path_str(one, "zone"));
		char region[64];

		if (zone && rule_region_of(zone, region, sizeof(region)))
			add(items, zone, region, true);
	}
}

/* The regions of those zones, each with its zones. */
static void read_regions(const struct question *q, const json_t *reply, json_t *items)
{
	AUTO(json_auto) json_t *zones = json_array();
	AUTO(json_auto) json_t *regions = json_object();
	const char *region, *names;
	json_t *one;
	size_t i;

	read_zones(q, reply, zones);
	json_array_foreach(zones, i, one)
	{
		const char *at = json_path_str(one, "note");
		const char *was = json_path_str(json_object_get(regions, at), "");
		AUTO_FREE char *all = x_asprintf("%s%s%s", was ? was : "", was ? " " : "",
			json_path_str_or(one, "value", ""));

		json_object_set_new(regions, at, json_from_str(all));
	}
	json_object_foreach(regions, region, one)
	{
		names = json_string_value(one);
		add(items, region, names, true);
	}
}

static void ask_buckets(struct question *q, struct cloud_done done)
{
	gcs_buckets(q->owner->spec.cloud, value(q, "PROJECT"), done);
}

static void read_buckets(const struct question *q, const json_t *reply, json_t *items)
{
	const char *region = value(q, "REGION");
	const json_t *one;
	size_t i;

	json_array_foreach(json_path(reply, "items"), i, one)
	{
		const char *place = json_path_str_or(one, "location", "");

		add(items, json_path_str(one, "name"), place,
			!*region || strcasecmp(place, region) == 0);
	}
}

static void ask_clusters(struct question *q, struct cloud_done done)
{
	gke_clusters(q->owner->spec.cloud, value(q, "PROJECT"), "-", done);
}

static void read_clusters(const struct question *q, const json_t *reply, json_t *items)
{
	const char *region = value(q, "REGION");
	const json_t *one;
	size_t i;

	json_array_foreach(json_path(reply, "clusters"), i, one)
	{
		const char *place = json_path_str_or(one, "location", "");
		AUTO_FREE char *note =
			x_asprintf("%s %s", place, json_path_str_or(one, "status", ""));

		add(items, json_path_str(one, "name"), note, !*region || !strcmp(place, region));
	}
}

static void ask_machines(struct question *q, struct cloud_done done)
{
	compute_machine_types(q->owner->spec.cloud, value(q, "PROJECT"), value(q, "ZONE"), done);
}

/* Those of the recipe's family: "ct6e-…". */
static void read_machines(const struct question *q, const json_t *reply, json_t *items)
{
	const char *wanted = q->owner->spec.run->recipe->chips.machine;
	size_t family = wanted ? strcspn(wanted, "-") : 0;
	const json_t *one;
	size_t i;

	json_array_foreach(json_path(reply, "items"), i, one)
	{
		const char *name = json_path_str_or(one, "name", "");

		if (wanted && strncmp(name, wanted, family + 1) == 0)
			add(items, name, json_path_str(one, "description"),
				strcmp(name, wanted) == 0);
	}
}

static const struct lister listers[] = {
	{"project", ask_projects, read_projects},
	{"zone", ask_zones, read_zones},
	{"region", ask_zones, read_regions},
	{"bucket", ask_buckets, read_buckets},
	{"cluster", ask_clusters, read_clusters},
	{"machine", ask_machines, read_machines},
};

/* --- the record */

static char *file_of(const char *run_dir)
{
	return path_join(run_dir, "discover.json");
}

static void tell(struct discover *d)
{
	AUTO(json_auto) json_t *all = json_object();
	AUTO_FREE char *file = file_of(d->spec.run->dir);
	AUTO_FREE char *text = NULL;
	struct event ev = {.kind = EV_OFFERS};
	struct err e = {0};

	json_object_set_new(all, "v", json_integer(1));
	json_object_set(all, "lists", d->lists);
	text = json_pretty(all);
	if (path_write(file, text, strlen(text), &e) != 0)
		log_line("run", "discover: %s", e.what);
	ev.u.object = d->lists;
	d->spec.emit(d->spec.arg, &ev);
}

/* Puts the list of a question; items is taken over. */
static void put(struct question *q, json_t *items, const json_t *reply, const char *error)
{
	json_t *list = json_object();
	json_t *unreachable = json_path(reply, "unreachable");
	bool whole = !json_path_bool(reply, "incomplete", false);

	/* GKE names the places that did not answer in a key of its own. */
	if (json_array_size(json_path(reply, "missingZones"))) {
		unreachable = json_path(reply, "missingZones");
		whole = false;
	}
	json_object_set_new(list, "at", json_integer(reply ? clock_now() : 0));
	json_object_set_new(list, "asking", json_boolean(q->asking));
	json_object_set_new(list, "incomplete", json_boolean(!whole));
	json_object_set_new(list, "error", json_from_str(error));
	if (unreachable)
		json_object_set(list, "unreachable", unreachable);
	json_object_set_new(list, "items", items);
	json_object_set_new(q->owner->lists, q->variable->name, list);
	tell(q->owner);
}

/* Without a login every list fails alike, and what gcloud says about it is long. */
char *discover_why(const struct err *e)
{
	if (!e)
		return NULL;
	if (e->code == ERR_PERSON)
		return x_strdup(_("not logged in: the checks login.gcloud and login.adc cure it"));
	return x_strdup(e->what);
}

static void on_reply(void *arg, json_t *reply, const struct err *e)
{
	struct question *q = arg;
	json_t *items = json_array();
	AUTO_FREE char *why = discover_why(e);

	q->asking = false;
	if (reply)
		q->lister->read(q, reply, items);
	else
		q->asked_wall = 0;
	put(q, items, reply, why);
}

/* --- asking */

static char *key_of(const struct question *q)
{
	struct buf b = {0};

	for (size_t i = 0; i < q->variable->needs.n; i++)
		buf_addf(&b, "%s\n", value(q, q->variable->needs.items[i]));
	buf_addf(&b, "%s", value(q, "REGION"));
	return buf_take(&b);
}

static const char *missing(const struct question *q)
{
	for (size_t i = 0; i < q->variable->needs.n; i++)
		if (!*value(q, q->variable->needs.items[i]))
			return q->variable->needs.items[i];
	return NULL;
}

/* What was known stays to be seen until the answer comes. */
static void put_asking(struct question *q)
{
	json_t *list = json_object_get(q->owner->lists, q->variable->name);

	json_object_set_new(list, "asking", json_true());
	tell(q->owner);
}

static void ask(struct question *q, char *key)
{
	const char *lacks = missing(q);
	bool same = !q->key || strcmp(q->key, key) == 0;

	cloud_cancel_all(q->owner->spec.cloud, q);
	free(q->key);
	q->key = key;
	q->asked_wall = clock_wall();
	q->asking = !lacks;
	if (lacks) {
		AUTO_FREE char *why = x_asprintf(_("%s is needed first"), lacks);

		put(q, json_array(), NULL, why);
		return;
	}
	if (same && json_is_object(json_object_get(q->owner->lists, q->variable->name)))
		put_asking(q);
	else
		put(q, json_array(), NULL, NULL);
	q->lister->ask(q, (struct cloud_done){on_reply, q});
}

void discover_ask(struct discover *d, const char *variable, bool again)
{
	for (size_t i = 0; i < d->n; i++) {
		struct question *q = &d->items[i];
		char *key;
		bool same;

		if (strcmp(q->variable->name, variable) != 0)
			continue;
		key = key_of(q);
		same = q->key && strcmp(q->key, key) == 0;
		if (same && !again &&
			(q->asking || (q->asked_wall && clock_wall() - q->asked_wall < FRESH_MS)))
			free(key);
		else
			ask(q, key);
	}
}

/* --- life */

static json_t *lists_read(const char *run_dir)
{
	AUTO_FREE char *file = file_of(run_dir);
	AUTO(json_auto)
	json_t *all = path_exists(file) ? json_read_file(file, FILE_MAX, NULL) : NULL;
	json_t *lists = json_path(all, "lists");

	return json_is_object(lists) ? json_incref(lists) : NULL;
}

struct discover *discover_open(const struct discover_spec *spec)
{
	struct discover *d = X_NEW(struct discover);
	const struct recipe *r = spec->run->recipe;
	const char *name;
	json_t *list;

	d->spec = *spec;
	d->lists = lists_read(spec->run->dir);
	if (!d->lists)
		d->lists = json_object();
	json_object_foreach(d->lists, name, list)
	{
		if (json_is_object(list))
			json_object_set_new(list, "asking", json_false());
	}
	for (size_t i = 0; i < r->variables.n; i++)
		for (size_t k = 0; k < COUNT(listers); k++) {
			const struct recipe_variable *v = &r->variables.items[i];

			if (v->discover && strcmp(v->discover, listers[k].kind) == 0)
				*VEC_PUSH(d) = (struct question){
					.owner = d, .variable = v, .lister = &listers[k]};
		}
	return d;
}

void discover_close(struct discover **dp)
{
	struct discover *d = *dp;

	if (!d)
		return;
	*dp = NULL;
	for (size_t i = 0; i < d->n; i++) {
		cloud_cancel_all(d->spec.cloud, &d->items[i]);
		free(d->items[i].key);
	}
	free(d->items);
	json_decref(d->lists);
	free(d);
}

void discover_read(const char *run_dir, void (*emit)(void *arg, const struct event *ev), void *arg)
{
	AUTO(json_auto) json_t *lists = lists_read(run_dir);
	struct event ev = {.kind = EV_OFFERS};

	if (!lists)
		return;
	ev.u.object = lists;
	emit(arg, &ev);
}
