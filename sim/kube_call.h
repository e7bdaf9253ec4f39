/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One request to the API server, taken apart: resource, namespace, name, subresource. Verbs that
 * read live in kube_read.c, verbs that write in kube_write.c; each replies exactly once.
 */
#ifndef RLPILOT_SIM_KUBE_CALL_H
#define RLPILOT_SIM_KUBE_CALL_H

#include "core/base/vec.h"
#include "sim/kube_state.h"
#include "sim/kube_types.h"
#include "sim/route.h"

struct kube_call {
	struct req *req;
	struct kube *k;
	const struct kube_type *type;
	const char *ns;   /* NULL: all namespaces, or a resource without namespace */
	const char *name; /* NULL: the collection */
	const char *sub;  /* NULL, "status", "log", … */
};

void kube_read(struct kube_call *c);   /* GET: object, list, watch, log */
void kube_create(struct kube_call *c); /* POST */
void kube_update(struct kube_call *c); /* PUT */
void kube_patch(struct kube_call *c);  /* PATCH */
void kube_delete(struct kube_call *c); /* DELETE, object or collection */
void kube_watch_open(struct kube_call *c);
void kube_log(struct kube_call *c);

/* Discovery documents; false if the path is none of them. parts: the path's segments. */
bool kube_discovery(struct kube *k, struct req *req, const struct strvec *parts);

/* Status bodies in the API server's words. */
void kube_not_found(struct kube_call *c, const char *name);
void kube_conflict(struct kube_call *c, const char *name, const char *why);
void kube_exists(struct kube_call *c, const char *name);
/* "Pod \"x\" is invalid: field: why", 422. */
void kube_invalid(struct kube_call *c, const char *name, const char *field, const char *why);
void kube_bad(struct kube_call *c, const char *why); /* 400 */
void kube_no_such_path(struct req *req);             /* 404 */
void kube_not_allowed(struct req *req);              /* 405 */

/* The object as the version of this call shows it; a new reference. */
json_t *kube_view(const struct kube_type *type, json_t *object);
/* The client asked for a Table. */
bool kube_wants_table(const struct req *req);
/* A Table of one or more objects. columns: with their definitions. */
json_t *kube_table(struct kube_call *c, json_t *items, bool columns);

/* Pods that a deletion hits: marks it (kubelet ends it) or removes it at once. grace < 0: the pod's
 * own. */
void kube_pod_delete(struct kube *k, json_t *pod, int64_t grace);

/* Admission: fills defaults as the webhooks do, and judges. old: the stored object of an update.
 * False: *field and *why (the caller's) say what is wrong. */
bool kube_admit(const struct kube_type *type, json_t *object, const json_t *old, const char **field,
	char **why);
/* Defaults of a pod as the API server fills them. */
void kube_default_pod(json_t *pod);
/* patch_type: the Content-Type. Result is a new object, NULL with *why. target is not changed. */
json_t *kube_patch_apply(const char *patch_type, const json_t *target, json_t *patch, char **why);

#endif
