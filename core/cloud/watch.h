/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One kind of Kubernetes object kept in step: list in pages of 500, then watch from that
 * resourceVersion with bookmarks. A clean end watches again at once; 410 or ERROR lists again with
 * back-off; lost connections back off; 404 on the group means "not installed yet" and is asked
 * again. Invariant: between two `synced` calls the receiver sees every change of the set exactly
 * once, deletions during an absence included.
 */
#ifndef RLPILOT_CLOUD_WATCH_H
#define RLPILOT_CLOUD_WATCH_H

#include "core/cloud/kube.h"

enum watch_event { WATCH_ADDED, WATCH_MODIFIED, WATCH_DELETED };

enum watch_state {
	WATCH_LISTING,       /* first list, or again after a loss */
	WATCH_LIVE,          /* in step */
	WATCH_LOST,          /* waiting to ask again; e says why */
	WATCH_NOT_INSTALLED, /* the API group does not exist (yet) */
	WATCH_REFUSED,       /* 401 or 403; asked again every 30 s */
};

struct watch;
struct watch_spec {
	const char *path;           /* "/api/v1/namespaces/default/pods" */
	const char *label_selector; /* NULL = all */
	const char *field_selector; /* NULL = all */
	/* object borrowed (json_incref to keep). WATCH_DELETED after an absence: only kind,
	 * metadata name, namespace and uid. */
	void (*on_object)(void *arg, enum watch_event ev, json_t *object);
	void (*on_synced)(void *arg); /* a list is complete; may be NULL */
	/* Any sign of life of the server: object, bookmark, page; may be NULL. */
	void (*on_beat)(void *arg);
	void (*on_state)(void *arg, enum watch_state state, const struct err *e); /* may be NULL */
	void *arg;
};

struct watch *watch_open(struct kube *k, const struct watch_spec *spec);
/* May be called from a callback of the watch; sets *w to NULL. */
void watch_close(struct watch **w);
enum watch_state watch_state(const struct watch *w);
size_t watch_count(const struct watch *w); /* objects present */

#endif
