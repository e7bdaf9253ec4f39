/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a container does once it runs: log lines, objects in buckets, an exit code. A load is a
 * queue of things to do at pretend times; a plan fills it phase by phase, saying what comes next.
 * Lines are written in the grammars of facts/maxtext-run.md with code of its own, shared with
 * nobody.
 */
#ifndef RLPILOT_SIM_LOAD_H
#define RLPILOT_SIM_LOAD_H

#include "sim/kube_log.h"
#include "sim/kube_state.h"

#include <stdint.h>

struct load;

/* Begins what the container's command asks for. exited(arg, code, message) is called once, from a
 * timer; message (may be NULL) is the termination message. The load is freed right after that call.
 */
struct load *load_start(struct kube *k, const json_t *pod, const json_t *container,
	struct klog *log, void (*exited)(void *arg, int code, const char *message), void *arg);
/* Ends it without a call (the container is killed). */
void load_stop(struct load *l);

/* --- for plans (load_*.c) --- */

/* A plan's next phase: queues what follows, an exit when nothing does. */
typedef void load_phase(struct load *l);

struct load_job {
	struct kube *k;
	char *ns, *pod, *uid, *node, *jobset, *container;
	char *command; /* the text after /bin/bash -c, or all of argv in one line */
	int index;     /* JOB_COMPLETION_INDEX */
	bool wrapped;  /* the toolkit's wrapper tells the exit code in the log */
	void *state;   /* the plan's own, freed by drop */
	void (*drop)(void *state);
	uint64_t random; /* seeded by --seed and the JobSet's name */
	int64_t at;      /* pretend ms: where the plan stands while it queues */
};

struct load_job *load_job(struct load *l);
/* Sets the next phase, called when everything queued has happened. */
void load_then(struct load *l, load_phase *next);
void load_wait(struct load *l, int64_t ms);
/* Raw bytes; the caller writes line ends. */
void load_write(struct load *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Does fn(l, arg) at this place of the queue; drop(arg) frees arg, may be NULL. */
void load_do(struct load *l, void (*fn)(struct load *, void *arg), void *arg, void (*drop)(void *));
/* The container ends here. message may be NULL. */
void load_exit(struct load *l, int code, const char *message);

double load_random(struct load *l);                           /* 0 <= x < 1 */
int64_t load_jitter(struct load *l, int64_t ms, double part); /* ms ± part */

/* Value of KEY=… (or --KEY=…) in the command, quotes taken off; the caller's; NULL if absent. */
char *load_option(const struct load_job *j, const char *key);
char *load_option_or(const struct load_job *j, const char *key, const char *dflt);
int64_t load_option_i64(const struct load_job *j, const char *key, int64_t dflt);
/* "gs://B/a/b/" + tail -> bucket B and object a/b/tail (the caller's both); false when it is no
 * gs:// name. */
bool load_gs(const char *uri, const char *tail, char **bucket, char **object);
bool load_object_exists(struct load *l, const char *uri, const char *tail);
/* Queues the creation of an object; data NULL: size made-up bytes. */
void load_put(struct load *l, const char *uri, const char *tail, int64_t size, const char *data);

/* Log lines with the pod's clock. absl: level 'I','W','E'; file "train_rl.py:785". */
void load_absl(struct load *l, char level, const char *file, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void load_vllm(struct load *l, const char *file, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* "INFO:absl:" form of to_maxtext. */
void load_root(struct load *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* tqdm's bar of ten cells for k of n, NUL terminated; returns out (size 40). */
const char *load_bar(int k, int n, char out[40]);
/* "mm:ss" or "h:mm:ss" as tqdm writes times. */
const char *load_mmss(int64_t s, char out[16]);

/* Checks hf_access_token; when the hub would refuse it, queues the traceback and exit 1 and returns
 * false. */
bool load_hub_ok(struct load *l, const char *model);

/* First phases. */
load_phase load_train, load_convert, load_export;

#endif
