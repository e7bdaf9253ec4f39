/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Label and field selectors of the Kubernetes API ("a=b,c in (d,e),!f",
 * "spec.nodeName=n,type!=Normal"). Pure: parses a text, answers for an object. A field that a kind
 * does not offer is an error, as in the real server.
 */
#ifndef RLPILOT_SIM_KUBE_SELECT_H
#define RLPILOT_SIM_KUBE_SELECT_H

#include "core/base/vec.h"

#include <jansson.h>
#include <stdbool.h>

struct kube_need;

struct kube_select {
	struct kube_need *items;
	size_t n, cap;
};

/* False with a message in *why (the caller's) when text is malformed. NULL or "" selects
 * everything. */
bool kube_select_labels(struct kube_select *s, const char *text, char **why);
/* key: the store's name of the resource, which decides about the fields there are. */
bool kube_select_fields(struct kube_select *s, const char *key, const char *text, char **why);
bool kube_select_match(const struct kube_select *s, const json_t *object);
void kube_select_fini(struct kube_select *s);

#endif
