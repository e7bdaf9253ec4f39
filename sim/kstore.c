/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/kstore.h"

#include "core/base/map.h"
#include "core/base/mem.h"
#include "core/base/vec.h"
#include "core/fmt/time.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	char *key; /* "namespace/name" */
	json_t *object;
};

struct shelf {
	char *res;
	struct entry *items; /* sorted by key */
	size_t n, cap;
};

struct kstore {
	int64_t (*now)(void *);
	void *now_arg;
	uint64_t random;
	int64_t rv;
	struct map shelves;  /* res -> struct shelf */
	struct kevent *ring; /* ring_size slots, the oldest at ring_first */
	size_t ring_size, ring_first, ring_n;
	int64_t forgotten; /* newest version that left the history */
	void (*listen)(void *, const struct kevent *);
	void *listen_arg;
	bool (*gentle)(void *, const char *, json_t *);
	void *gentle_arg;
};

static void shelf_free(void *p)
{
	struct shelf *s = p;

	for (size_t i = 0; i < s->n; i++) {
		free(s->items[i].key);
		json_decref(s->items[i].object);
	}
	free(s->items);
	free(s->res);
	free(s);
}

struct kstore *kstore_new(int64_t (*now)(void *arg), void *arg, uint64_t seed)
{
	struct kstore *ks = X_NEW(struct kstore);

	ks->now = now;
	ks->now_arg = arg;
	ks->random = seed ^ 0x9e3779b97f4a7c15u;
	ks->rv = 1000;
	ks->forgotten = ks->rv;
	ks->shelves.free_value = shelf_free;
	kstore_set_history(ks, KSTORE_HISTORY);
	return ks;
}

static void ring_drop(struct kstore *ks, size_t keep)
{
	while (ks->ring_n > keep) {
		struct kevent *ev = &ks->ring[ks->ring_first];

		ks->forgotten = ev->rv;
		json_decref(ev->object);
		json_decref(ev->before);
		ks->ring_first = (ks->ring_first + 1) % ks->ring_size;
		ks->ring_n--;
	}
}

void kstore_free(struct kstore *ks)
{
	if (!ks)
		return;
	ring_drop(ks, 0);
	free(ks->ring);
	map_fini(&ks->shelves);
	free(ks);
}

void kstore_set_history(struct kstore *ks, size_t events)
{
	if (ks->ring_size)
		ring_drop(ks, 0);
	free(ks->ring);
	ks->ring_size = events ? events : 1;
	ks->ring = x_calloc(ks->ring_size, sizeof(*ks->ring));
	ks->ring_first = 0;
}

void kstore_listen(struct kstore *ks, void (*fn)(void *arg, const struct kevent *ev), void *arg)
{
	ks->listen = fn;
	ks->listen_arg = arg;
}

void kstore_on_cascade(
	struct kstore *ks, bool (*gentle)(void *arg, const char *res, json_t *object), void *arg)
{
	ks->gentle = gentle;
	ks->gentle_arg = arg;
}

int64_t kstore_version(const struct kstore *ks)
{
	return ks->rv;
}

static const char *meta_str(const json_t *object, const char *key)
{
	const char *s =
		json_string_value(json_object_get(json_object_get(object, "metadata"), key));

	return s ? s : "";
}

const char *kstore_name(const json_t *object)
{
	return meta_str(object, "name");
}

const char *kstore_ns(const json_t *object)
{
	return meta_str(object, "namespace");
}

const char *kstore_uid(const json_t *object)
{
	return meta_str(object, "uid");
}

char *kstore_key(const json_t *object)
{
	return x_asprintf("%s/%s", kstore_ns(object), kstore_name(object));
}

static struct shelf *shelf_of(const struct kstore *ks, const char *res)
{
	return map_get(&ks->shelves, res);
}

static struct shelf *shelf_make(struct kstore *ks, const char *res)
{
	struct shelf *s = shelf_of(ks, res);

	if (!s) {
		s = X_NEW(struct shelf);
		s->res = x_strdup(res);
		map_set(&ks->shelves, res, s);
	}
	return s;
}

/* Index of the first entry whose key is >= key, or > key with `after`. */
static size_t shelf_lower(const struct shelf *s, const char *key, bool after)
{
	size_t lo = 0, hi = s->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int c = strcmp(s->items[mid].key, key);

		if (c < 0 || (after && c == 0))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static struct entry *shelf_find(const struct shelf *s, const char *key)
{
	size_t i = s ? shelf_lower(s, key, false) : 0;

	return s && i < s->n && !strcmp(s->items[i].key, key) ? &s->items[i] : NULL;
}

json_t *kstore_get(const struct kstore *ks, const char *res, const char *ns, const char *name)
{
	AUTO_FREE char *key = x_asprintf("%s/%s", ns ? ns : "", name);
	struct entry *e = shelf_find(shelf_of(ks, res), key);

	return e ? e->object : NULL;
}

json_t *kstore_edit(const struct kstore *ks, const char *res, const char *ns, const char *name)
{
	json_t *o = kstore_get(ks, res, ns, name);

	return o ? json_deep_copy(o) : NULL;
}

static void set_version(json_t *object, int64_t rv)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRId64, rv);
	json_object_set_new(
		json_object_get(object, "metadata"), "resourceVersion", json_string(text));
}

/* Puts the event into the history and tells the listener. Takes references of its own. */
static void tell(
	struct kstore *ks, enum kevent_type type, const char *res, json_t *object, json_t *before)
{
	struct kevent *ev;

	ring_drop(ks, ks->ring_size - 1);
	ev = &ks->ring[(ks->ring_first + ks->ring_n++) % ks->ring_size];
	*ev = (struct kevent){.type = type,
		.res = res,
		.rv = ks->rv,
		.object = json_incref(object),
		.before = before ? json_incref(before) : NULL};
	if (ks->listen) {
		struct kevent copy = *ev;

		json_incref(copy.object);
		if (copy.before)
			json_incref(copy.before);
		ks->listen(ks->listen_arg, &copy);
		json_decref(copy.object);
		json_decref(copy.before);
	}
}

static uint64_t next_random(struct kstore *ks)
{
	uint64_t z = (ks->random += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static json_t *new_uid(struct kstore *ks)
{
	uint64_t a = next_random(ks), b = next_random(ks);
	char text[40];

	snprintf(text, sizeof(text), "%08x-%04x-4%03x-%04x-%012" PRIx64, (unsigned)(a >> 32),
		(unsigned)(a >> 16) & 0xffffu, (unsigned)a & 0xfffu,
		((unsigned)(b >> 48) & 0x3fffu) | 0x8000u, b & 0xffffffffffffu);
	return json_string(text);
}

static json_t *timestamp(int64_t ms)
{
	char text[TIME_SIZE];

	return json_string(time_format(ms, text));
}

enum kstore_result kstore_create(struct kstore *ks, const char *res, json_t *object)
{
	struct shelf *s = shelf_make(ks, res);
	char *key = kstore_key(object);
	size_t i = shelf_lower(s, key, false);
	json_t *meta = json_object_get(object, "metadata");

	if (i < s->n && !strcmp(s->items[i].key, key)) {
		free(key);
		json_decref(object);
		return KSTORE_EXISTS;
	}
	json_object_set_new(meta, "uid", new_uid(ks));
	json_object_set_new(meta, "creationTimestamp", timestamp(ks->now(ks->now_arg)));
	json_object_set_new(meta, "generation", json_integer(1));
	ks->rv++;
	set_version(object, ks->rv);
	VEC_PUSH(s);
	memmove(&s->items[i + 1], &s->items[i], (s->n - 1 - i) * sizeof(*s->items));
	s->items[i] = (struct entry){.key = key, .object = object};
	tell(ks, KEVENT_ADDED, s->res, object, NULL);
	return KSTORE_OK;
}

/* Fields that a client cannot change, from the stored object. */
static void keep_identity(json_t *object, const json_t *old)
{
	static const char *const kept[] = {
		"uid", "creationTimestamp", "generation", "resourceVersion"};
	json_t *meta = json_object_get(object, "metadata");
	json_t *was = json_object_get(old, "metadata");

	for (size_t i = 0; i < COUNT(kept); i++) {
		json_t *v = json_object_get(was, kept[i]);

		if (v)
			json_object_set(meta, kept[i], v);
	}
}

static bool conflicts(const json_t *object, const json_t *old)
{
	const char *rv = meta_str(object, "resourceVersion");
	const char *uid = kstore_uid(object);

	return (*rv && strcmp(rv, meta_str(old, "resourceVersion")) != 0) ||
	       (*uid && strcmp(uid, kstore_uid(old)) != 0);
}

enum kstore_result kstore_update(struct kstore *ks, const char *res, json_t *object)
{
	struct shelf *s = shelf_of(ks, res);
	AUTO_FREE char *key = kstore_key(object);
	struct entry *e = shelf_find(s, key);
	json_t *old;

	if (!e || conflicts(object, e->object)) {
		json_decref(object);
		return e ? KSTORE_CONFLICT : KSTORE_MISSING;
	}
	old = e->object;
	keep_identity(object, old);
	if (json_equal(old, object)) {
		json_decref(object);
		return KSTORE_OK;
	}
	if (!json_equal(json_object_get(old, "spec"), json_object_get(object, "spec"))) {
		json_t *meta = json_object_get(object, "metadata");
		json_int_t g = json_integer_value(json_object_get(meta, "generation"));

		json_object_set_new(meta, "generation", json_integer(g + 1));
	}
	ks->rv++;
	set_version(object, ks->rv);
	e->object = object;
	tell(ks, KEVENT_MODIFIED, s->res, object, old);
	json_decref(old);
	return KSTORE_OK;
}

static bool owned_by(const json_t *object, const char *uid)
{
	json_t *refs = json_object_get(json_object_get(object, "metadata"), "ownerReferences");
	json_t *ref;
	size_t i;

	json_array_foreach(refs, i, ref)
	{
		const char *u = json_string_value(json_object_get(ref, "uid"));

		if (u && !strcmp(u, uid))
			return true;
	}
	return false;
}

/* First dependant that is to go at once; NULL when there is none (left). Gentle ones are asked once
 * each: `seen` counts entries of the walk that are done with. */
static struct entry *next_dependant(
	struct kstore *ks, const char *uid, struct map *asked, const char **res)
{
	const char *name;
	void *v;

	for (size_t i = 0; map_next(&ks->shelves, &i, &name, &v);) {
		struct shelf *s = v;

		for (size_t k = 0; k < s->n; k++) {
			json_t *o = s->items[k].object;

			if (!owned_by(o, uid) || map_get(asked, kstore_uid(o)))
				continue;
			map_set(asked, kstore_uid(o), ks);
			*res = s->res;
			return &s->items[k];
		}
	}
	return NULL;
}

enum kstore_result kstore_delete(
	struct kstore *ks, const char *res, const char *ns, const char *name)
{
	AUTO_FREE char *key = x_asprintf("%s/%s", ns ? ns : "", name);
	struct shelf *s = shelf_of(ks, res);
	struct entry *e = shelf_find(s, key);
	AUTO(map_fini) struct map asked = {0};
	json_t *old, *last;
	size_t i;

	if (!e)
		return KSTORE_MISSING;
	old = e->object;
	i = (size_t)(e - s->items);
	free(e->key);
	memmove(&s->items[i], &s->items[i + 1], (s->n - 1 - i) * sizeof(*s->items));
	s->n--;
	last = json_deep_copy(old);
	ks->rv++;
	set_version(last, ks->rv);
	tell(ks, KEVENT_DELETED, s->res, last, old);
	while ((e = next_dependant(ks, kstore_uid(last), &asked, &res))) {
		json_t *o = json_incref(e->object);

		if (!ks->gentle || !ks->gentle(ks->gentle_arg, res, o))
			kstore_delete(ks, res, kstore_ns(o), kstore_name(o));
		json_decref(o);
	}
	json_decref(last);
	json_decref(old);
	return KSTORE_OK;
}

void kstore_clear(struct kstore *ks)
{
	ring_drop(ks, 0);
	ks->forgotten = ++ks->rv;
	map_fini(&ks->shelves);
	ks->shelves.free_value = shelf_free;
}

json_t *kstore_next(const struct kstore *ks, const char *res, const char *ns, size_t *at)
{
	const struct shelf *s = shelf_of(ks, res);
	size_t n = ns ? strlen(ns) : 0;

	while (s && *at < s->n) {
		const struct entry *e = &s->items[(*at)++];

		if (!ns || (!strncmp(e->key, ns, n) && e->key[n] == '/'))
			return e->object;
	}
	return NULL;
}

size_t kstore_after(const struct kstore *ks, const char *res, const char *key)
{
	const struct shelf *s = shelf_of(ks, res);

	return s ? shelf_lower(s, key, true) : 0;
}

bool kstore_replay(const struct kstore *ks, const char *res, int64_t rv,
	void (*fn)(void *arg, const struct kevent *ev), void *arg)
{
	if (rv < ks->forgotten)
		return false;
	for (size_t i = 0; i < ks->ring_n; i++) {
		const struct kevent *ev = &ks->ring[(ks->ring_first + i) % ks->ring_size];

		if (ev->rv > rv && !strcmp(ev->res, res))
			fn(arg, ev);
	}
	return true;
}
