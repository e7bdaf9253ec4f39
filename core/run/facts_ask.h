/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of facts: the running question, and the table of ids. Each asker ends with exactly one
 * fact_end, in its own call or later.
 */
#ifndef RLPILOT_RUN_FACTS_ASK_H
#define RLPILOT_RUN_FACTS_ASK_H

#include "core/base/map.h"
#include "core/run/facts.h"

struct child;
struct err;
struct kube;

struct facts {
	struct facts_place place;
	const struct recipe_facts *wanted;
	size_t next;
	bool all;
	struct map args; /* name -> expanded value, of the fact asked now */
	struct fact_list answers;
	struct child *child;
	struct loop_timer *timer;
	int64_t tries;       /* of this fact */
	int64_t number;      /* becomes the answer's */
	struct fact_job job; /* so does this; moved */
	void (*then)(void *arg);
	json_t *kept;        /* a first answer that a second one is compared with */
	char *text;          /* output of a child */
	char *bucket, *root; /* of an address */
	void (*fn)(void *arg, struct fact_list *answers);
	void *arg;
};

/* Argument of the fact asked now, "" when it has none. */
const char *fact_arg(const struct facts *f, const char *name);
/* Folder of the run, the caller's. */
char *fact_run_dir(const struct facts *f);
/* The answer; texts are copied, may be NULL. */
void fact_end(struct facts *f, bool holds, const char *said, const char *cure);
/* The question could not be answered. */
void fact_unknown(struct facts *f, const struct err *e);
/* Bucket and root of the argument uri; false: it is none, and the fact has ended. */
bool fact_uri(struct facts *f);
/* The API server of the run's cluster; NULL: it is looked for, `again` is called in a while, or the
 * fact has ended because it was not found. */
struct kube *fact_kube(struct facts *f, void (*again)(void *arg));

struct fact_asker {
	const char *id;
	void (*ask)(struct facts *f);
};
extern const struct fact_asker fact_askers_here[];   /* this machine and the logins */
extern const struct fact_asker fact_askers_cloud[];  /* projects, buckets, clusters */
extern const struct fact_asker fact_askers_gone[];   /* what must not be there (any more) */
extern const struct fact_asker fact_askers_clean[];  /* before a cluster is destroyed */
extern const struct fact_asker fact_askers_bucket[]; /* and before its bucket is deleted */

#endif
