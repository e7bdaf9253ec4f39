/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/kube_state.h"

#include "core/base/mem.h"
#include "core/fmt/json.h"
#include "core/fmt/time.h"
#include "sim/clock.h"

#include <inttypes.h>
#include <string.h>

int64_t kube_now(const struct kube *k)
{
	return sim_now(k->sim);
}

json_t *kube_time(int64_t ms)
{
	char text[TIME_SIZE];

	return json_string(time_format(ms, text));
}

json_t *kube_time_micro(int64_t ms)
{
	char text[TIME_SIZE];
	char *dot;

	time_format_ms(ms, text);
	dot = strrchr(text, 'Z');
	return dot ? json_sprintf("%.*s000Z", (int)(dot - text), text) : json_null();
}

void kube_put(struct kube *k, const char *key, json_t *object)
{
	json_object_del(json_object_get(object, "metadata"), "resourceVersion");
	kstore_update(k->store, key, object);
}

bool kube_add(struct kube *k, const char *key, json_t *object)
{
	return kstore_create(k->store, key, object) == KSTORE_OK;
}

static const char *meta_map(const json_t *object, const char *map, const char *name)
{
	json_t *m = json_object_get(json_object_get(object, "metadata"), map);

	return json_string_value(json_object_get(m, name));
}

const char *kube_label(const json_t *object, const char *name)
{
	return meta_map(object, "labels", name);
}

const char *kube_annotation(const json_t *object, const char *name)
{
	return meta_map(object, "annotations", name);
}

const char *kube_owner(const json_t *object, const char *kind)
{
	json_t *refs = json_path(object, "metadata.ownerReferences"), *ref;
	size_t i;

	json_array_foreach(refs, i, ref)
	{
		if (!strcmp(json_path_str_or(ref, "kind", ""), kind))
			return json_path_str(ref, "name");
	}
	return NULL;
}

json_t *kube_owner_ref(const json_t *owner)
{
	return json_pack("{s:O?, s:O?, s:s, s:s, s:b, s:b}", "apiVersion",
		json_object_get(owner, "apiVersion"), "kind", json_object_get(owner, "kind"),
		"name", kstore_name(owner), "uid", kstore_uid(owner), "controller", 1,
		"blockOwnerDeletion", 1);
}

static json_t *find_condition(const json_t *object, const char *type)
{
	json_t *list = json_path(object, "status.conditions"), *c;
	size_t i;

	json_array_foreach(list, i, c)
	{
		if (!strcmp(json_path_str_or(c, "type", ""), type))
			return c;
	}
	return NULL;
}

const char *kube_condition(const json_t *object, const char *type)
{
	return json_path_str_or(find_condition(object, type), "status", "");
}

bool kube_condition_true(const json_t *object, const char *type)
{
	return !strcmp(kube_condition(object, type), "True");
}

json_t *kube_child(json_t *o, const char *key)
{
	json_t *child = json_object_get(o, key);

	if (!child) {
		child = json_object();
		json_object_set_new(o, key, child);
	}
	return child;
}

void kube_set_condition(struct kube *k, json_t *object, const char *type, const char *status,
	const char *reason, const char *message)
{
	json_t *st = kube_child(object, "status");
	json_t *list = json_object_get(st, "conditions");
	json_t *c = find_condition(object, type);

	if (!list) {
		list = json_array();
		json_object_set_new(st, "conditions", list);
	}
	if (!c) {
		c = json_pack("{s:s}", "type", type);
		json_array_append_new(list, c);
	}
	if (strcmp(json_path_str_or(c, "status", ""), status) != 0) {
		json_object_set_new(c, "status", json_string(status));
		json_object_set_new(c, "lastTransitionTime", kube_time(kube_now(k)));
	}
	if (reason)
		json_object_set_new(c, "reason", json_string(reason));
	else
		json_object_del(c, "reason");
	if (message)
		json_object_set_new(c, "message", json_string(message));
	else
		json_object_del(c, "message");
}
