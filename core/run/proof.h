/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a deployment has made, by all kept copies of terraform's state and by what GKE makes beside
 * it, and whether it is gone: asked of the cloud, one thing after the other. What has no address of
 * its own is judged by the thing that it cannot outlive (its cluster, its account, its router); the
 * word of terraform counts only for types that nobody here knows. Changes nothing anywhere.
 */
#ifndef RLPILOT_RUN_PROOF_H
#define RLPILOT_RUN_PROOF_H

#include "core/base/vec.h"
#include "core/cloud/cloud.h"

struct proof;

/* Where the deployment was made. */
struct proof_place {
	const char *project, *region, *cluster;
};

/* Its cluster as terraform and the GKE API name it; the caller's. */
char *proof_cluster(const struct proof_place *at);

enum proof_kind {
	PROOF_THING,    /* path answers 404 when it is gone */
	PROOF_PART,     /* the thing at path names it among its `nats` */
	PROOF_WITHIN,   /* gone with the thing at path */
	PROOF_ROLES,    /* no role of the project names the account */
	PROOF_LIST,     /* a list of Compute that must be empty */
	PROOF_FIREWALL, /* the same for rules of a network */
	PROOF_WORD,     /* nobody can be asked */
};

struct proof_item {
	enum proof_kind kind;
	int rank;   /* what is to be deleted before others has the lower one */
	char *what; /* "google_compute_network.network gemma-rl-net-0" */
	char *path; /* to GET; a list: its filter */
	char *name; /* of a part; the account's address; a list: its kind; within: by what it goes
		     */
	char *cure; /* command that removes it, NULL = none is known */
	enum cloud_api api;
};

struct proof_list {
	struct proof_item *items;
	size_t n, cap;
};

/* What is not gone; lines: "gone WHAT[: by what]", "there WHAT[: COMMAND]", "unknown WHAT: why". */
struct proof_result {
	struct strvec lines;
	struct strvec left, commands; /* a command each, "" = none is known */
	struct strvec unknown;        /* "WHAT: why" */
};

/* Pure: adds what a state file holds and the list does not. */
void proof_read(struct proof_list *l, const struct proof_place *at, const json_t *tfstate);
/* Pure: adds the cluster and what GKE makes with it, for a run whose state may be lost. */
void proof_beside(struct proof_list *l, const struct proof_place *at);
/* By rank, otherwise as it was. */
void proof_sort(struct proof_list *l);
void proof_list_fini(struct proof_list *l);
/* A thing of one of Compute's lists: the command that deletes it; NULL for a kind or an answer that
 * is not known. The caller's. */
char *proof_cure_listed(const char *kind, const json_t *thing);
/* Roles that a project's policy still gives to an account, deleted or not: "roles/a, roles/b", and
 * in *cure the commands that take them; both the caller's, NULL = none. */
char *proof_roles(const json_t *policy, const char *project, const char *email, char **cure);

/* result is borrowed by fn. */
struct proof *proof_ask(struct cloud *c, const char *run_dir, const struct proof_place *at,
	void (*fn)(void *arg, const struct proof_result *result), void *arg);
/* No callback any more; sets *p to NULL. */
void proof_drop(struct proof **p);

#endif
