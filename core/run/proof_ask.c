/* SPDX-License-Identifier: Apache-2.0 */
/* Asking the cloud for each item of a proof. */
#include <stdlib.h>
#include <string.h>

#include "core/base/map.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/cloud/compute.h"
#include "core/fmt/json.h"
#include "core/run/proof.h"
#include "core/run/tfstate.h"

/* What a GET of an address has answered. */
enum found { FOUND_GONE, FOUND_THERE };

struct proof {
	struct cloud *cloud;
	struct proof_place at; /* owned */
	struct proof_list list;
	size_t next;
	struct map found; /* address -> enum found */
	json_t *policy;   /* NULL = not asked yet */
	struct proof_result result;
	void (*fn)(void *arg, const struct proof_result *result);
	void *arg;
};

static void ask_next(void *arg);

static const struct proof_item *item(const struct proof *p)
{
	return &p->list.items[p->next];
}

static void tell(struct proof *p, const char *word, const char *what, const char *why)
{
	AUTO_FREE char *line =
		x_asprintf("%s %s%s%s", word, what, why && *why ? ": " : "", why ? why : "");
	AUTO_FREE char *clean = text_clean_dup(line);

	strvec_push(&p->result.lines, clean);
}

static void go_on(struct proof *p)
{
	p->next++;
	loop_defer(cloud_loop(p->cloud), ask_next, p);
}

static void gone(struct proof *p, const char *by)
{
	tell(p, "gone", item(p)->what, by);
	go_on(p);
}

static void left(struct proof *p, const char *what, const char *command)
{
	AUTO_FREE char *clean = text_clean_dup(what);

	tell(p, "there", what, command);
	strvec_push(&p->result.left, clean);
	strvec_push(&p->result.commands, command ? command : "");
}

static void unknown(struct proof *p, const char *why)
{
	AUTO_FREE char *line = x_asprintf("%s: %s", item(p)->what, why);
	AUTO_FREE char *clean = text_clean_dup(line);

	tell(p, "unknown", item(p)->what, why);
	strvec_push(&p->result.unknown, clean);
	go_on(p);
}

/* --- things with an address */

static bool has_part(const json_t *reply, const char *name)
{
	size_t i;
	json_t *part;

	json_array_foreach(json_path(reply, "nats"), i, part)
	{
		if (strcmp(json_path_str_or(part, "name", ""), name) == 0)
			return true;
	}
	return false;
}

static void judge_thing(struct proof *p, enum found found, const json_t *reply)
{
	static const char *const by[] = {[PROOF_THING] = NULL, [PROOF_PART] = "with its router"};
	const struct proof_item *it = item(p);

	if (found == FOUND_GONE) {
		gone(p, it->kind == PROOF_WITHIN ? it->name : by[it->kind]);
	} else if (it->kind == PROOF_PART && !has_part(reply, it->name)) {
		gone(p, NULL);
	} else {
		/* what goes with another thing is told there */
		if (it->kind == PROOF_WITHIN)
			tell(p, "there", it->what, it->name);
		else
			left(p, it->what, it->cure);
		go_on(p);
	}
}

static void on_thing(void *arg, json_t *reply, const struct err *e)
{
	struct proof *p = arg;
	static enum found states[] = {FOUND_GONE, FOUND_THERE};

	if (e && e->http != 404) {
		unknown(p, e->what);
		return;
	}
	map_set(&p->found, item(p)->path, &states[!e]);
	judge_thing(p, states[!e], reply);
}

static void ask_thing(struct proof *p)
{
	const enum found *found = map_get(&p->found, item(p)->path);

	if (found && item(p)->kind != PROOF_PART)
		judge_thing(p, *found, NULL);
	else
		cloud_call(p->cloud, item(p)->api, NULL, item(p)->path, NULL,
			(struct cloud_done){on_thing, p});
}

/* --- roles */

static void judge_roles(struct proof *p)
{
	const struct proof_item *it = item(p);
	char *found = NULL;
	AUTO_FREE char *roles = proof_roles(p->policy, p->at.project, it->name, &found);
	AUTO_FREE char *cure = found;
	AUTO_FREE char *what = roles ? x_asprintf("%s (%s)", it->what, roles) : NULL;

	if (!roles) {
		gone(p, NULL);
		return;
	}
	left(p, what, cure);
	go_on(p);
}

static void on_policy(void *arg, json_t *reply, const struct err *e)
{
	struct proof *p = arg;

	if (e) {
		unknown(p, e->what);
		return;
	}
	p->policy = json_incref(reply);
	judge_roles(p);
}

static void ask_roles(struct proof *p)
{
	AUTO(json_auto) json_t *body = json_object();

	if (p->policy)
		judge_roles(p);
	else
		cloud_send(p->cloud, &(struct cloud_request){.api = item(p)->api,
					     .method = "POST",
					     .path = item(p)->path,
					     .body = body,
					     .repeatable = true,
					     .done = {on_policy, p}});
}

/* --- lists */

/* Of a cluster of the same name in another region? */
static bool elsewhere(const struct proof *p, const json_t *thing)
{
	const char *at = json_path_str_or(thing, "labels.goog-k8s-cluster-location", "");

	return *at && strcmp(at, p->at.region) != 0;
}

/* Has terraform's state an item of its own for it? */
static bool in_state(const struct proof *p, const json_t *thing)
{
	const char *link = strstr(json_path_str_or(thing, "selfLink", ""), "/projects/");

	for (size_t i = 0; link && i < p->list.n; i++)
		if (p->list.items[i].kind == PROOF_THING &&
			strcmp(p->list.items[i].path, link + 1) == 0)
			return true;
	return false;
}

static const struct {
	const char *list, *one;
} lists[] = {{"instances", "VM"}, {"disks", "disk"},
	{"networkEndpointGroups", "network endpoint group"}, {"firewalls", "firewall rule"}};

static const char *one_of(const char *list)
{
	size_t i = 0;

	while (i < COUNT(lists) - 1 && strcmp(lists[i].list, list) != 0)
		i++;
	return lists[i].one;
}

static void on_list(void *arg, json_t *reply, const struct err *e)
{
	struct proof *p = arg;
	const char *key = item(p)->kind == PROOF_FIREWALL ? "items" : item(p)->name;
	size_t i, n = 0;
	json_t *thing;

	if (e || json_path_bool(reply, "incomplete", false)) {
		unknown(p, e ? e->what : _("not every zone has answered"));
		return;
	}
	json_array_foreach(json_object_get(reply, key), i, thing)
	{
		AUTO_FREE char *what = x_asprintf(
			"%s %s", one_of(item(p)->name), json_path_str_or(thing, "name", "?"));
		AUTO_FREE char *cure = proof_cure_listed(item(p)->name, thing);
		if (elsewhere(p, thing) || in_state(p, thing))
			continue;
		left(p, what, cure);
		n++;
	}
	if (n)
		go_on(p);
	else
		gone(p, NULL);
}

static void ask_list(struct proof *p)
{
	const struct proof_item *it = item(p);
	struct cloud_done done = {on_list, p};

	if (it->kind == PROOF_FIREWALL)
		compute_firewalls(p->cloud, p->at.project, it->path, done);
	for (size_t i = 0; it->kind == PROOF_LIST && i < COUNT(lists); i++)
		if (strcmp(it->name, lists[i].list) == 0)
			compute_everywhere(p->cloud, p->at.project, lists[i].list, it->path, done);
}

/* --- */

static void over(struct proof *p)
{
	void (*fn)(void *arg, const struct proof_result *result) = p->fn;
	struct proof_result result = p->result;
	void *arg = p->arg;

	p->result = (struct proof_result){0};
	proof_drop(&p);
	fn(arg, &result);
	strvec_fini(&result.lines);
	strvec_fini(&result.left);
	strvec_fini(&result.commands);
	strvec_fini(&result.unknown);
}

static void ask_next(void *arg)
{
	struct proof *p = arg;

	if (p->next == p->list.n) {
		over(p);
		return;
	}
	switch (item(p)->kind) {
	case PROOF_ROLES:
		ask_roles(p);
		break;
	case PROOF_LIST:
	case PROOF_FIREWALL:
		ask_list(p);
		break;
	case PROOF_WORD:
		gone(p, N_("by terraform's word"));
		break;
	default:
		ask_thing(p);
	}
}

static void on_copy(void *arg, const json_t *tfstate)
{
	struct proof *p = arg;

	proof_read(&p->list, &p->at, tfstate);
}

struct proof *proof_ask(struct cloud *c, const char *run_dir, const struct proof_place *at,
	void (*fn)(void *arg, const struct proof_result *result), void *arg)
{
	struct proof *p = X_NEW(struct proof);

	p->cloud = c;
	p->at = (struct proof_place){
		x_strdup(at->project), x_strdup(at->region), x_strdup(at->cluster)};
	p->fn = fn;
	p->arg = arg;
	proof_beside(&p->list, &p->at);
	tfstate_each(run_dir, on_copy, p);
	if (tfstate_damaged(run_dir))
		strvec_push(&p->result.unknown,
			_("what terraform's state names, whose newest copy cannot be read"));
	proof_sort(&p->list);
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
	map_fini(&p->found);
	json_decref(p->policy);
	strvec_fini(&p->result.lines);
	strvec_fini(&p->result.left);
	strvec_fini(&p->result.commands);
	strvec_fini(&p->result.unknown);
	free((char *)p->at.project);
	free((char *)p->at.region);
	free((char *)p->at.cluster);
	free(p);
}
