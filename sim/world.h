/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What exists in the pretend cloud outside the cluster: account, project, services, places, machine
 * types, one reservation, buckets with objects, the GKE cluster as Google sees it. Times are
 * pretend ms. Every object made or gone here goes to the ledger once, from these functions and
 * nowhere else.
 */
#ifndef RLPILOT_SIM_WORLD_H
#define RLPILOT_SIM_WORLD_H

#include "core/base/map.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct sim;

struct object {
	char *name;
	int64_t size;
	char *data;               /* NULL: bytes made up from name and offset, no hashes */
	char md5[32], crc32c[16]; /* base64, "" without data */
	char *content_type;       /* NULL: application/octet-stream */
	int64_t generation, metageneration;
	int64_t created, updated;
	bool hold; /* temporary: not deleted, not replaced */
};

struct bucket {
	char *name, *location; /* "US-EAST5" */
	bool uniform, hierarchical;
	int64_t created, metageneration;
	struct object **items; /* sorted by name (bytes) */
	size_t n, cap;
};

enum resource_state { RES_ABSENT, RES_PROVISIONING, RES_RUNNING, RES_STOPPING, RES_ERROR };

struct node_pool {
	char *name;
	char *machine_type;
	char *topology;    /* "4x8" or NULL */
	char *reservation; /* or NULL */
	int nodes;         /* nodes that exist once it runs */
	int max_nodes;     /* autoscaling limit, 0 = fixed size */
	enum resource_state state;
	int64_t created;
};

struct cluster {
	enum resource_state state;
	char *name, *location, *zone;
	int64_t created;
	struct node_pool *items; /* pools that are not absent */
	size_t n, cap;
};

struct operation {
	char *name, *type, *target, *zone; /* type as GKE says it: CREATE_CLUSTER … */
	bool done;
	int64_t started, ended;
	int total;    /* nodes that it makes, 0 = none */
	int64_t span; /* how long it takes, ms */
};

struct world {
	struct sim *sim;
	struct map settings;   /* differences from `ready`, by sim/worlds.h only */
	struct logins *logins; /* sim/logins.h */
	char *account;         /* "you@rehearsal.example" */
	char *project;         /* id */
	char *project_number;  /* decimal */
	char *region, *zone;
	char *token;                    /* an access token that never ends, for callers by hand */
	char *refresh_token, *hf_token; /* refresh_token: what a new login gives */
	struct map services;            /* name -> "" when enabled */
	struct map service_operations;  /* google_services.c's, by name */
	struct map accounts;            /* service account e-mail -> "" */
	struct {
		char *name, *machine_type;
		int count, in_use; /* VMs */
	} reservation;
	struct map buckets; /* name -> struct bucket */
	struct map uploads; /* gcs_upload.c's open sessions */
	struct cluster cluster;
	char *stray; /* disk of a claim that has outlived its cluster, or NULL */
	struct {
		struct operation *items;
		size_t n, cap;
	} operations;
	int64_t last_generation;
	uint64_t serial; /* for ids */
};

/* Sets sim->world to the named world; ERR_USAGE names the worlds there are. */
int world_open(struct sim *sim, const char *name, struct err *e);
void world_close(struct sim *sim);

/* NULL if absent. */
struct bucket *world_bucket(const struct world *w, const char *name);
struct bucket *world_bucket_create(struct world *w, const char *name, const char *location);
void world_bucket_delete(struct world *w, const char *name); /* with its objects */

/* Index of the first object whose name is >= name. */
size_t world_object_lower(const struct bucket *b, const char *name);
struct object *world_object(const struct world *w, const char *bucket, const char *name);
/* Creates or replaces (new generation). data NULL: `size` made-up bytes; else size bytes are
 * copied. A bucket that does not exist: NULL, nothing happens. */
struct object *world_object_put(
	struct world *w, const char *bucket, const char *name, int64_t size, const char *data);
/* False if it was not there. */
bool world_object_delete(struct world *w, const char *bucket, const char *name);
/* Bytes [from, from+n) of an object into out, made up where there is no data. */
void world_object_read(const struct object *o, int64_t from, size_t n, char *out);

/* Frees what is inside; the pool or cluster is absent then. */
void world_pool_fini(struct node_pool *p);
void world_cluster_clear(struct cluster *c);
/* A pool of the cluster by name; NULL if absent. */
struct node_pool *world_pool(const struct world *w, const char *name);
/* Begins an operation; returns its index (operations are never removed). */
size_t world_operation_begin(struct world *w, const char *type, const char *target);
void world_operation_end(struct world *w, size_t index);
/* "Bearer x" (NULL: no header) is good for this world. */
bool world_token_ok(const struct world *w, const char *authorization);
bool world_hf_token_ok(const struct world *w, const char *authorization);
/* Eight hexadecimal digits, other ones every time; the caller's. */
char *world_id(struct world *w);

#endif
