/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/json.h"
#include "sim/ctl.h"
#include "sim/kube_call.h"
#include "sim/kube_select.h"

#include <stdlib.h>
#include <string.h>

static bool dry_run(const struct kube_call *c)
{
	const char *v = req_query(c->req, "dryRun");

	return v && !strcmp(v, "All");
}

/* Replies with the object as this version shows it; takes nothing over. */
static void reply_object(struct kube_call *c, int status, json_t *o)
{
	json_t *items, *table;

	if (!kube_wants_table(c->req)) {
		reply_json(c->req, status, kube_view(c->type, o));
		return;
	}
	items = json_pack("[o]", kube_view(c->type, o));
	table = kube_table(c, items, true);
	json_decref(items);
	reply_json(c->req, status, table);
}

static void reply_stored(struct kube_call *c, int status, const char *name)
{
	reply_object(c, status, kstore_get(c->k->store, c->type->key, c->ns, name));
}

/* Reviews are answered from the request: everything is allowed to the one account there is. */
static void review(struct kube_call *c)
{
	json_t *body = req_json(c->req);
	json_t *o = json_is_object(body) ? json_deep_copy(body) : json_object();

	if (!strcmp(c->type->kind, "SelfSubjectReview"))
		json_object_set_new(o, "status",
			json_pack("{s:{s:s, s:[s]}}", "userInfo", "username",
				"you@rehearsal.example", "groups", "system:authenticated"));
	else
		json_object_set_new(o, "status", json_pack("{s:b}", "allowed", 1));
	reply_json(c->req, 201, o);
}

/* The body as an object of this resource, in the storage version; NULL: a reply has been given. */
static json_t *body_object(struct kube_call *c)
{
	json_t *body = req_json(c->req), *o;
	const struct kube_type *stored = kube_type_of_key(c->type->key);
	const char *kind = json_path_str_or(body, "kind", "");

	if (!json_is_object(body)) {
		kube_bad(c, "the object provided is unrecognized (must be of type JSON object)");
		return NULL;
	}
	if (strcmp(kind, c->type->kind) != 0) {
		AUTO_FREE char *why = x_asprintf("%s in version \"%s\" cannot be handled as a %s",
			*kind ? kind : "object", c->type->version, c->type->kind);

		kube_bad(c, why);
		return NULL;
	}
	o = json_deep_copy(body);
	json_object_set_new(o, "apiVersion",
		*stored->group ? json_sprintf("%s/%s", stored->group, stored->version)
			       : json_string(stored->version));
	kube_child(o, "metadata");
	if (stored->namespaced && !*kstore_ns(o))
		json_object_set_new(json_object_get(o, "metadata"), "namespace",
			json_string(c->ns ? c->ns : "default"));
	return o;
}

/* Five characters as the API server adds to generateName. */
static void name_from_prefix(struct kube *k, json_t *o)
{
	static const char set[] = "bcdfghjklmnpqrstvwxz2456789";
	const char *prefix = json_path_str_or(o, "metadata.generateName", "");
	uint64_t z = (uint64_t)kstore_version(k->store) * 0x9e3779b97f4a7c15u ^ k->sim->seed;
	char tail[6] = "";

	if (*kstore_name(o) || !*prefix)
		return;
	for (size_t i = 0; i < 5; i++) {
		z = (z ^ (z >> 29)) * 0xbf58476d1ce4e5b9u;
		tail[i] = set[(z >> 40) % (sizeof(set) - 1)];
	}
	json_object_set_new(
		json_object_get(o, "metadata"), "name", json_sprintf("%s%s", prefix, tail));
}

/* Admission; false: a reply has been given and o is gone. */
static bool admitted(struct kube_call *c, json_t *o, const json_t *old)
{
	const char *field = "";
	AUTO_FREE char *why = NULL;

	if (kube_admit(c->type, o, old, &field, &why))
		return true;
	kube_invalid(c, kstore_name(o), field, why);
	json_decref(o);
	return false;
}

/* Stores a new object and replies; takes o over. */
static void store_new(struct kube_call *c, json_t *o)
{
	AUTO_FREE char *name = NULL;

	name_from_prefix(c->k, o);
	if (!admitted(c, o, NULL))
		return;
	name = x_strdup(kstore_name(o));
	c->ns = c->type->namespaced ? c->ns : NULL;
	if (kstore_get(c->k->store, c->type->key, c->ns, name)) {
		json_decref(o);
		kube_exists(c, name);
		return;
	}
	if (dry_run(c)) {
		reply_object(c, 201, o);
		json_decref(o);
		return;
	}
	kube_add(c->k, c->type->key, o);
	reply_stored(c, 201, name);
}

static void evict(struct kube_call *c)
{
	json_t *pod = kstore_get(c->k->store, KUBE_PODS, c->ns, c->name);

	if (!pod) {
		kube_not_found(c, c->name);
		return;
	}
	kube_pod_delete(c->k, pod, -1);
	reply_json(c->req, 201,
		json_pack("{s:s, s:s, s:{}, s:s, s:i}", "kind", "Status", "apiVersion", "v1",
			"metadata", "status", "Success", "code", 201));
}

void kube_create(struct kube_call *c)
{
	json_t *o;

	if (c->type->review) {
		review(c);
		return;
	}
	if (c->name) {
		if (c->sub && !strcmp(c->sub, "eviction") && !strcmp(c->type->key, KUBE_PODS))
			evict(c);
		else
			kube_not_allowed(c->req);
		return;
	}
	if (c->type->namespaced && !c->ns) {
		kube_not_allowed(c->req);
		return;
	}
	if (c->ns && !kstore_get(c->k->store, "namespaces", NULL, c->ns)) {
		reply_kube_status(c->req, 404, "NotFound",
			json_pack("{s:s, s:s}", "name", c->ns, "kind", "namespaces"),
			"namespaces \"%s\" not found", c->ns);
		return;
	}
	o = body_object(c);
	if (!o)
		return;
	if (c->ns && strcmp(kstore_ns(o), c->ns) != 0) {
		json_decref(o);
		kube_bad(c, "the namespace of the provided object does not match the namespace "
			    "sent on the request");
		return;
	}
	store_new(c, o);
}

/* Stores a changed object and replies; takes o over. */
static void store_change(struct kube_call *c, json_t *o)
{
	AUTO_FREE char *name = x_strdup(c->name);
	json_t *old = kstore_get(c->k->store, c->type->key, c->ns, name);
	json_t *status = json_object_get(old, "status");

	if (strcmp(kstore_name(o), name) != 0 || strcmp(kstore_ns(o), c->ns ? c->ns : "") != 0) {
		json_decref(o);
		kube_bad(c, "the name of the object does not match the name on the URL");
		return;
	}
	/* without a status subresource in the path, the status stays */
	if (!c->sub && status)
		json_object_set(o, "status", status);
	if (!c->sub && !admitted(c, o, old))
		return;
	if (dry_run(c)) {
		reply_object(c, 200, o);
		json_decref(o);
		return;
	}
	if (kstore_update(c->k->store, c->type->key, o) == KSTORE_CONFLICT) {
		kube_conflict(c, name,
			"the object has been modified; please apply your changes to the "
			"latest version and try again");
		return;
	}
	reply_stored(c, 200, name);
	/* The last finalizer was what kept it. */
	old = kstore_get(c->k->store, c->type->key, c->ns, name);
	if (strcmp(c->type->key, KUBE_JOBSETS) == 0 &&
		json_path(old, "metadata.deletionTimestamp") &&
		!json_array_size(json_path(old, "metadata.finalizers")))
		kstore_delete(c->k->store, c->type->key, kstore_ns(old), name);
}

void kube_update(struct kube_call *c)
{
	json_t *o;

	if (!c->name || c->type->review) {
		kube_not_allowed(c->req);
		return;
	}
	o = body_object(c);
	if (!o)
		return;
	if (!kstore_get(c->k->store, c->type->key, c->ns, c->name)) {
		json_decref(o);
		kube_not_found(c, c->name);
		return;
	}
	store_change(c, o);
}

void kube_patch(struct kube_call *c)
{
	const char *type = req_header(c->req, "Content-Type");
	json_t *old, *o;
	AUTO_FREE char *why = NULL;

	if (!c->name || c->type->review) {
		kube_not_allowed(c->req);
		return;
	}
	old = kstore_get(c->k->store, c->type->key, c->ns, c->name);
	if (!old && type && text_starts(type, "application/apply-patch")) {
		o = body_object(c);
		if (o)
			store_new(c, o);
		return;
	}
	if (!old) {
		kube_not_found(c, c->name);
		return;
	}
	if (!req_json(c->req)) {
		kube_bad(c, "the body of the request was not a JSON patch");
		return;
	}
	o = kube_patch_apply(type ? type : "", old, req_json(c->req), &why);
	if (!o) {
		kube_bad(c, why);
		return;
	}
	if (strcmp(kube_type_of_key(c->type->key)->version, c->type->version) != 0)
		json_object_set(o, "apiVersion", json_object_get(old, "apiVersion"));
	store_change(c, o);
}

static json_t *success(const struct kube_call *c, const json_t *o)
{
	return json_pack("{s:s, s:s, s:{}, s:s, s:{s:s, s:s, s:s, s:s}}", "kind", "Status",
		"apiVersion", "v1", "metadata", "status", "Success", "details", "name",
		kstore_name(o), "group", c->type->group, "kind", c->type->plural, "uid",
		kstore_uid(o));
}

static int64_t grace_of(const struct kube_call *c)
{
	int64_t grace = json_path_i64(req_json(c->req), "gracePeriodSeconds", -1);

	return req_query_i64(c->req, "gracePeriodSeconds", grace);
}

static bool in_foreground(const struct kube_call *c)
{
	const char *asked = req_query(c->req, "propagationPolicy");

	return strcmp(asked ? asked : json_path_str_or(req_json(c->req), "propagationPolicy", ""),
		       "Foreground") == 0;
}

static void delete_one(struct kube_call *c, json_t *o)
{
	if (!strcmp(c->type->key, KUBE_PODS))
		kube_pod_delete(c->k, o, grace_of(c));
	else if (in_foreground(c) && !strcmp(c->type->key, KUBE_JOBSETS))
		ctl_jobset_leave(c->k, kstore_ns(o), kstore_name(o));
	else
		kstore_delete(c->k->store, c->type->key, kstore_ns(o), kstore_name(o));
}

static void delete_collection(struct kube_call *c)
{
	json_t *doomed = json_array(), *o;
	struct kube_select need = {0};
	AUTO_FREE char *why = NULL;
	size_t at = 0, i;

	if (!kube_select_labels(&need, req_query(c->req, "labelSelector"), &why) ||
		!kube_select_fields(
			&need, c->type->key, req_query(c->req, "fieldSelector"), &why)) {
		kube_select_fini(&need);
		json_decref(doomed);
		kube_bad(c, why ? why : "unable to parse the selector");
		return;
	}
	while ((o = kstore_next(c->k->store, c->type->key, c->ns, &at))) {
		if (kube_select_match(&need, o))
			json_array_append(doomed, o);
	}
	kube_select_fini(&need);
	json_array_foreach(doomed, i, o) delete_one(c, o);
	reply_json(c->req, 200,
		json_pack("{s:o, s:s, s:{}, s:o}", "kind", json_sprintf("%sList", c->type->kind),
			"apiVersion", c->type->version, "metadata", "items", doomed));
}

void kube_delete(struct kube_call *c)
{
	const char *want = json_path_str(req_json(c->req), "preconditions.uid");
	json_t *o;

	if (!c->name) {
		delete_collection(c);
		return;
	}
	o = json_incref(kstore_get(c->k->store, c->type->key, c->ns, c->name));
	if (!o) {
		kube_not_found(c, c->name);
		return;
	}
	if (want && strcmp(want, kstore_uid(o)) != 0) {
		kube_conflict(c, c->name,
			"Precondition failed: UID in precondition does not "
			"match");
	} else if (dry_run(c)) {
		reply_json(c->req, 200, success(c, o));
	} else {
		delete_one(c, o);
		if (!strcmp(c->type->key, KUBE_PODS)) {
			json_t *now = kstore_get(c->k->store, KUBE_PODS, c->ns, c->name);

			reply_json(c->req, 200, json_incref(now ? now : o));
		} else {
			reply_json(c->req, 200, success(c, o));
		}
	}
	json_decref(o);
}
