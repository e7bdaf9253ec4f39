/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a deployment has made, by all kept copies of terraform's state, and whether it is gone:
 * asked of the cloud, one thing after the other, where there is an API that knows the thing by
 * itself; what lived in the cluster or in a policy is told on terraform's word. Changes nothing
 * anywhere.
 */
#ifndef RLPILOT_RUN_PROOF_H
#define RLPILOT_RUN_PROOF_H

#include "core/base/vec.h"
#include "core/cloud/cloud.h"

struct proof;

struct proof_item {
	char *what; /* "google_compute_network.network gemma-rl-net-0" */
	char *path; /* to GET, NULL = nobody can be asked */
	enum cloud_api api;
};

struct proof_list {
	struct proof_item *items;
	size_t n, cap;
};

/* Pure: adds what a state file holds and the list does not. */
void proof_read(struct proof_list *l, const json_t *tfstate);
void proof_list_fini(struct proof_list *l);

/* fn gets lines "gone WHAT", "there WHAT" or "unknown WHAT: why", and whether nothing is there. */
struct proof *proof_ask(struct cloud *c, const char *run_dir,
	void (*fn)(void *arg, const struct strvec *lines, bool gone), void *arg);
/* No callback any more; sets *p to NULL. */
void proof_drop(struct proof **p);

#endif
