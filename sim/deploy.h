/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What terraform's providers would do: a deployment of about 45 resources that come and go group by
 * group in pretend time. One deployment at a time. Each resource is made and removed exactly once,
 * however often it is asked for. A caller that hangs up was killed: what is under way ends, nothing
 * further begins; the next caller goes on, and joins while something is under way.
 */
#ifndef RLPILOT_SIM_DEPLOY_H
#define RLPILOT_SIM_DEPLOY_H

#include "sim/world.h"
#include <jansson.h>
#include <stddef.h>

struct req;
struct sim;

enum deploy_effect {
	DEPLOY_NOTHING,
	DEPLOY_ACCOUNT,
	DEPLOY_BUCKET,
	DEPLOY_CLUSTER, /* from here on: gone when the cluster is gone */
	DEPLOY_POOL_SYSTEM,
	DEPLOY_POOL_CPU,
	DEPLOY_POOL_TPU,
	DEPLOY_INSIDE, /* an object in the cluster */
	DEPLOY_GROUP,  /* makes the cluster serve `arg` */
};

/* `what` names it in the ledger; %d = deployment, %x = its eight hexadecimal digits. */
struct deploy_resource {
	const char *address, *what;
	int create_s, delete_s; /* pretend seconds */
	int group;              /* made in this order, removed in reverse */
	enum deploy_effect effect;
	const char *arg;
};

extern const struct deploy_resource deploy_resources[];
extern const size_t deploy_resources_n;

/* What the caller asked for; texts are the owner's. */
struct deploy_values {
	char *name, *region, *zone, *reservation, *topology, *suffix;
	int slices;
};

void deploy_open(struct sim *sim);
void deploy_close(struct sim *sim);
/* POST /sim/v1/deploy and /sim/v1/destroy: a stream of one JSON line an event:
 * made{resource,type,id} of what the caller's state lacks · planned{add,change,destroy} ·
 * start|progress|complete|error{resource,type,action,elapsed_s,id,summary, detail} ·
 * end{ok,added,changed,destroyed}. */
void deploy_create(struct req *req);
void deploy_destroy(struct req *req);
/* POST /sim/v1/interrupt: what a terraform does that is told to stop. */
void deploy_interrupt(struct req *req);

/* Is the resource there, by the ledger's name? */
bool deploy_there(const struct sim *sim, const char *what);

/* Walks the ledger's names of what is there: for (size_t i = 0; (what = deploy_next(sim, &i));) */
const char *deploy_next(const struct sim *sim, size_t *i);
const char *deploy_name(const struct sim *sim); /* "" = nothing was ever deployed */
/* Somebody deletes it by hand: only what has no effect of its own; false otherwise. */
bool deploy_drop(struct sim *sim, const char *what);

/* deploy_things.c */
/* The `id` that the provider gives it; the caller's. */
char *deploy_id(
	const struct sim *sim, const char *region, const char *deployment, const char *what);
/* True: it gives the account *email (the caller's) the role *role (without "roles/") of the
 * project. */
bool deploy_role(const struct sim *sim, const char *what, char **email, const char **role);

/* deploy_parts.c: the effects. what: the ledger's name of the resource. */
/* NULL, or why it cannot come (a pool of that name is there); the caller's. */
char *deploy_part_start(struct sim *sim, const struct deploy_resource *r,
	const struct deploy_values *v, const char *what, size_t *operation);
void deploy_part_made(struct sim *sim, const struct deploy_resource *r,
	const struct deploy_values *v, const char *what, size_t operation);
/* It is not made after all; left: a node pool stays behind in ERROR. */
void deploy_part_failed(struct sim *sim, const struct deploy_resource *r, const char *what,
	size_t operation, bool left);
/* NULL, or why it cannot go (a full bucket); the caller's. */
char *deploy_part_stop(struct sim *sim, const struct deploy_resource *r,
	const struct deploy_values *v, const char *what, size_t *operation);
void deploy_part_gone(struct sim *sim, const struct deploy_resource *r,
	const struct deploy_values *v, const char *what, size_t operation);
/* Does the world still hold it? (others may have removed it) */
bool deploy_part_there(const struct sim *sim, const struct deploy_resource *r, const char *what);

/* The cluster by itself, for the GKE API: begins and gives the operation's index. */
size_t deploy_cluster_begin(
	struct sim *sim, const char *name, const char *location, const char *zone);
size_t deploy_cluster_stopping(struct sim *sim);
void deploy_cluster_later(struct sim *sim);
/* Begins to delete a pool, for the GKE API; gives the operation's index. */
size_t deploy_pool_delete(struct sim *sim, const char *name);

#endif
