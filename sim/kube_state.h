/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cluster's inside as one value, shared by kube_* (API), ctl_* (controllers) and load_* (what
 * containers do). Objects are read from the store and changed by kstore_edit + kube_put only; every
 * change wakes watches and controllers through the one listener.
 */
#ifndef RLPILOT_SIM_KUBE_STATE_H
#define RLPILOT_SIM_KUBE_STATE_H

#include "core/base/map.h"
#include "sim/kstore.h"
#include "sim/sim.h"

#include <jansson.h>

struct kube_watch;
struct ctl;

struct kube {
	struct sim *sim;
	struct kstore *store;
	struct map groups;          /* kube_crds_up names that are served */
	struct kube_watch *watches; /* open watch streams */
	struct map logs;            /* "uid/container" -> struct klog */
	struct ctl *ctl;            /* controllers' own memory */
};

int64_t kube_now(const struct kube *k); /* pretend ms */
json_t *kube_time(int64_t ms);          /* "2026-09-01T10:00:00Z" as a new reference */
json_t *kube_time_micro(int64_t ms);    /* with six decimals, for MicroTime fields */

/* Stores a changed copy (taken over) whatever its resourceVersion says. */
void kube_put(struct kube *k, const char *key, json_t *object);
/* Stores a new object (taken over); false if the name is taken. */
bool kube_add(struct kube *k, const char *key, json_t *object);

/* Labels and annotations; NULL when absent. */
const char *kube_label(const json_t *object, const char *name);
const char *kube_annotation(const json_t *object, const char *name);
/* The controlling owner's name when it is of that kind; NULL otherwise. */
const char *kube_owner(const json_t *object, const char *kind);
/* {"apiVersion","kind","name","uid","controller":true,"blockOwnerDeletion":true} */
json_t *kube_owner_ref(const json_t *owner);

/* Conditions: status ("True"…) or "" when there is none. */
const char *kube_condition(const json_t *object, const char *type);
bool kube_condition_true(const json_t *object, const char *type);
/* Sets or replaces a condition in object.status (a copy from kstore_edit); lastTransitionTime moves
 * only when the status does. message may be NULL. */
void kube_set_condition(struct kube *k, json_t *object, const char *type, const char *status,
	const char *reason, const char *message);
/* Child object `key` of o, made if absent; borrowed. */
json_t *kube_child(json_t *o, const char *key);

#endif
