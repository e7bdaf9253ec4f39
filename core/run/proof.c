/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/proof.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/json.h"
#include "core/run/tfstate.h"

struct proof {
	struct cloud *cloud;
	struct proof_list list;
	size_t next;
	struct strvec lines;
	bool left;
	void (*fn)(void *arg, const struct strvec *lines, bool gone);
	void *arg;
};

/* Types whose id is the way to them. Sources: the Google provider's `id` attributes. */
static const struct {
	const char *type; /* a prefix when it ends in '_' */
	const char *id;   /* what the id begins with, "" = anything */
	const char *path; /* before the id */
	enum cloud_api api;
} known[] = {
	{"google_compute_", "projects/", "", CLOUD_COMPUTE},
	{"google_container_", "projects/", "v1/", CLOUD_CONTAINER},
	{"google_service_account", "projects/", "v1/", CLOUD_IAM},
	{"google_storage_bucket", "", "b/", CLOUD_STORAGE},
};

/* An id from a file goes into an address only when it is made of harmless characters. */
static bool harmless(const char *id)
{
	if (!*id || strstr(id, ".."))
		return false;
	for (; *id; id++)
		if (!isalnum((unsigned char)*id) && !strchr("-_./@:", *id))
			return false;
	return true;
}

static char *path_of(const char *type, const char *id, enum cloud_api *api)
{
	for (size_t i = 0; i < COUNT(known) && harmless(id); i++) {
		bool prefix = text_ends(known[i].type, "_");
		if (!text_starts(id, known[i].id) || (prefix ? !text_starts(type, known[i].type)
							     : strcmp(type, known[i].type) != 0))
			continue;
		*api = known[i].api;
		return x_asprintf("%s%s", known[i].path, id);
	}
	return NULL;
}

/* Takes over what and path. */
static void add(struct proof_list *l, char *what, char *path, enum cloud_api api)
{
	for (size_t i = 0; i < l->n; i++) {
		if (strcmp(l->items[i].what, what) != 0)
			continue;
		free(what);
		free(path);
		return;
	}
	*VEC_PUSH(l) = (struct proof_item){what, path, api};
}

static void add_instance(struct proof_list *l, const json_t *resource, const json_t *instance)
{
	const char *type = json_path_str_or(resource, "type", "");
	const char *name = json_path_str_or(resource, "name", "");
	const char *id = json_path_str_or(instance, "attributes.id", "");
	const char *last = strrchr(id, '/');
	enum cloud_api api = CLOUD_COMPUTE;
	char *path = path_of(type, id, &api);

	add(l,
		path ? x_asprintf("%s.%s %s", type, name, last ? last + 1 : id)
		     : x_asprintf("%s.%s", type, name),
		path, api);
}

void proof_read(struct proof_list *l, const json_t *tfstate)
{
	size_t i, k;
	json_t *r, *instance;

	json_array_foreach(json_path(tfstate, "resources"), i, r)
	{
		if (strcmp(json_path_str_or(r, "mode", "managed"), "managed") != 0)
			continue;
		json_array_foreach(json_path(r, "instances"), k, instance)
			add_instance(l, r, instance);
	}
}

void proof_list_fini(struct proof_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->items[i].what);
		free(l->items[i].path);
	}
	free(l->items);
	*l = (struct proof_list){0};
}

/* --- asking */

static void ask_next(void *arg);

static void told(struct proof *p, const char *word, const char *why)
{
	AUTO_FREE char *line =
		x_asprintf("%s %s%s%s", word, p->list.items[p->next].what, *why ? ": " : "", why);
	AUTO_FREE char *clean = text_clean_dup(line);

	strvec_push(&p->lines, clean);
	p->next++;
	loop_defer(cloud_loop(p->cloud), ask_next, p);
}

static void on_answer(void *arg, json_t *reply, const struct err *e)
{
	struct proof *p = arg;

	(void)reply;
	if (e && e->http == 404) {
		told(p, "gone", "");
	} else if (e) {
		told(p, "unknown", e->what);
	} else {
		p->left = true;
		told(p, "there", "");
	}
}

static void over(struct proof *p)
{
	void (*fn)(void *arg, const struct strvec *lines, bool gone) = p->fn;
	struct strvec lines = p->lines;
	void *arg = p->arg;
	bool gone = !p->left;

	p->lines = (struct strvec){0};
	proof_drop(&p);
	fn(arg, &lines, gone);
	strvec_fini(&lines);
}

static void ask_next(void *arg)
{
	struct proof *p = arg;
	const struct proof_item *it = &p->list.items[p->next];

	if (p->next == p->list.n)
		over(p);
	else if (it->path)
		cloud_call(
			p->cloud, it->api, NULL, it->path, NULL, (struct cloud_done){on_answer, p});
	else
		told(p, "gone", "by terraform's word");
}

static void on_copy(void *arg, const json_t *tfstate)
{
	struct proof *p = arg;

	proof_read(&p->list, tfstate);
}

struct proof *proof_ask(struct cloud *c, const char *run_dir,
	void (*fn)(void *arg, const struct strvec *lines, bool gone), void *arg)
{
	struct proof *p = X_NEW(struct proof);

	p->cloud = c;
	p->fn = fn;
	p->arg = arg;
	tfstate_each(run_dir, on_copy, p);
	loop_defer(cloud_loop(c), ask_next, p);
	return p;
}

void proof_drop(struct proof **pp)
{
	struct proof *p = *pp;

	if (!p)
		return;
	*pp = NULL;
	loop_defer_drop(cloud_loop(p->cloud), p);
	cloud_cancel_all(p->cloud, p);
	proof_list_fini(&p->list);
	strvec_fini(&p->lines);
	free(p);
}
