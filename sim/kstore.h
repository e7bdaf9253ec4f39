/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The API server's memory: JSON objects by resource ("pods", "jobsets.jobset.x-k8s.io"), namespace
 * and name, one resourceVersion counter, a bounded history for watches. Invariants: a stored object
 * is never changed in place, a change stores a new one; listeners hear every event once, in order
 * of resourceVersion, after it happened. Owners take their dependants with them. Knows no HTTP.
 */
#ifndef RLPILOT_SIM_KSTORE_H
#define RLPILOT_SIM_KSTORE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kstore;

enum kevent_type { KEVENT_ADDED, KEVENT_MODIFIED, KEVENT_DELETED };

struct kevent {
	enum kevent_type type;
	const char *res; /* borrowed from the store */
	int64_t rv;
	json_t *object; /* after the event; DELETED: the last state, with the deletion's version */
	json_t *before; /* NULL for ADDED */
};

enum kstore_result {
	KSTORE_OK,
	KSTORE_MISSING,
	KSTORE_EXISTS,
	KSTORE_CONFLICT, /* resourceVersion or uid in the new object differs from the stored one */
};

#define KSTORE_HISTORY 8192 /* events kept for watches unless kstore_set_history says otherwise */

/* now(arg): ms since 1970 for creationTimestamp; uids come from seed. */
struct kstore *kstore_new(int64_t (*now)(void *arg), void *arg, uint64_t seed);
void kstore_free(struct kstore *ks);
void kstore_set_history(struct kstore *ks, size_t events);
/* Called after each event; the event and its objects are borrowed. One listener. */
void kstore_listen(struct kstore *ks, void (*fn)(void *arg, const struct kevent *ev), void *arg);
/* Asked for each dependant of a deleted owner: true = leave it, somebody will delete it gently. */
void kstore_on_cascade(
	struct kstore *ks, bool (*gentle)(void *arg, const char *res, json_t *object), void *arg);

int64_t kstore_version(const struct kstore *ks);
/* Borrowed, read only; NULL if absent. ns "" for objects without a namespace. */
json_t *kstore_get(const struct kstore *ks, const char *res, const char *ns, const char *name);
/* A copy to change and put back; NULL if absent; the caller's. */
json_t *kstore_edit(const struct kstore *ks, const char *res, const char *ns, const char *name);
/* Both take over `object`. Created objects get uid, creationTimestamp, generation 1. An update
 * keeps them, and without any change it is no event. */
enum kstore_result kstore_create(struct kstore *ks, const char *res, json_t *object);
enum kstore_result kstore_update(struct kstore *ks, const char *res, json_t *object);
/* Deletes with everything that it owns. */
enum kstore_result kstore_delete(
	struct kstore *ks, const char *res, const char *ns, const char *name);
/* Deletes everything, without events. */
void kstore_clear(struct kstore *ks);

/* Walks objects of a resource in order of namespace/name (ns NULL: all): start with *at = 0.
 * Objects may be deleted while walking only if the walk is started anew. Borrowed. */
json_t *kstore_next(const struct kstore *ks, const char *res, const char *ns, size_t *at);
/* Position of the first object whose "namespace/name" is greater than key: for paging. */
size_t kstore_after(const struct kstore *ks, const char *res, const char *key);

/* Calls fn for each kept event of res after version rv; false when rv is older than the history. */
bool kstore_replay(const struct kstore *ks, const char *res, int64_t rv,
	void (*fn)(void *arg, const struct kevent *ev), void *arg);

/* "namespace/name" of an object, the caller's. */
char *kstore_key(const json_t *object);
const char *kstore_name(const json_t *object); /* metadata.name, "" if absent; borrowed */
const char *kstore_ns(const json_t *object);   /* metadata.namespace, "" if absent; borrowed */
const char *kstore_uid(const json_t *object);  /* metadata.uid, "" if absent; borrowed */

#endif
