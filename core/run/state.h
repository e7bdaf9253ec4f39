/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one state of a run, as everyone reads it. It is changed by run_apply (core/run/event.h) alone;
 * views, verbs and the engine's own decisions read. Every change raises revision[topic] of the topic
 * it belongs to; a reader keeps the numbers it has drawn. Strings are owned by the state, never
 * NULL unless said so, cleaned and free of secrets. Times are ms since 1970 in run time, 0 = not known.
 */
#ifndef RLPILOT_RUN_STATE_H
#define RLPILOT_RUN_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/buf.h"
#include "core/base/map.h"
#include "core/base/vec.h"

/* enum, bit position */
#define STATE_TOPICS(X)                                                          \
	X(TOPIC_RUN)         /* name, label, engine, mode, question, end */      \
	X(TOPIC_VALUES)      /* values, origins, deviations */                   \
	X(TOPIC_STAGES)      /* stage states, commands, progress */              \
	X(TOPIC_OUTPUT)      /* output tail of a stage */                        \
	X(TOPIC_JOBSET)      /* phase, restarts, queue reason */                 \
	X(TOPIC_PODS)                                                            \
	X(TOPIC_NODES)                                                           \
	X(TOPIC_EVENTS)                                                          \
	X(TOPIC_CHECKPOINTS)                                                     \
	X(TOPIC_SERIES)      /* points of the curves, evaluations */             \
	X(TOPIC_TRAINING)    /* step, step phase, ETA */                         \
	X(TOPIC_CHECKS)                                                          \
	X(TOPIC_RESERVATIONS)                                                    \
	X(TOPIC_ALERTS)                                                          \
	X(TOPIC_HEARTBEATS)                                                      \
	X(TOPIC_CLOCK)       /* raised by the host once a second for ages */

enum state_topic {
#define X(name) name,
	STATE_TOPICS(X)
#undef X
	TOPIC_COUNT
};
#define TOPIC_BIT(topic) (1U << (topic))

/* The nine stages in order; ids are words of the contract. */
#define STAGE_IDS(X) \
	X(STAGE_TOOLS, "tools") \
	X(STAGE_TOOLKIT, "toolkit") \
	X(STAGE_LOGIN, "login") \
	X(STAGE_BUCKET, "bucket") \
	X(STAGE_CLUSTER, "cluster") \
	X(STAGE_CONVERT, "convert") \
	X(STAGE_TRAIN, "train") \
	X(STAGE_EXPORT, "export") \
	X(STAGE_CLEANUP, "cleanup")

enum stage_id {
#define X(name, word) name,
	STAGE_IDS(X)
#undef X
	STAGE_COUNT,
	STAGE_NONE = STAGE_COUNT
};

#define STAGE_STATES(X) \
	X(ST_TODO, "todo") \
	X(ST_BLOCKED, "blocked") \
	X(ST_RUNNING, "running") \
	X(ST_VERIFYING, "verifying") \
	X(ST_DONE, "done") \
	X(ST_SKIPPED, "skipped") \
	X(ST_FAILED, "failed") \
	X(ST_CANCELLED, "cancelled") \
	X(ST_UNKNOWN, "unknown")

enum stage_state {
#define X(name, word) name,
	STAGE_STATES(X)
#undef X
	ST_COUNT
};

struct state_progress {
	int64_t done, total; /* total 0 = not known */
	char *unit;          /* resource tensor pod step file object byte; "" = none yet */
	char *text;          /* what is being worked on */
};

struct state_stage {
	enum stage_id id;
	enum stage_state state;
	int attempt;                /* 0 = never started */
	int64_t started, ended;
	int64_t usual_ms;           /* from the recipe */
	struct strvec commands;     /* as told to people, secrets as names */
	struct state_progress progress;
	struct strvec output;       /* last STATE_OUTPUT_LINES lines, cleaned */
	uint64_t output_seen;       /* lines ever, so that a view knows how many it missed */
	char *waiting;              /* what is waited for now, "" = nothing */
	int64_t quiet_until;        /* silence is normal until then, 0 = not quiet */
	char *note;                 /* end text: "recognised", "resumed", … */
	char *cause, *cure;         /* when blocked or failed, else "" */
	int exit_code;              /* of the command, -1 = none yet */
};
#define STATE_OUTPUT_LINES 500

struct state_value {
	char *name;
	char *value;   /* masked "••••" for a secret that is set */
	char *origin;  /* set typed environment gcloud discovered default derived */
	bool secret, present;
};

struct state_deviation {
	char *id;
	bool on;
};

/* JobSet phase: words of the contract. */
struct state_jobset {
	char *name, *uid, *phase; /* phase "absent" when there is none */
	int64_t since, created;
	int restarts;
	char *queue_reason;       /* Kueue's words, "" = none */
	char *terminal;           /* "", "Completed", "Failed" */
	char *message;            /* of the final condition */
	int exit_code;            /* of the main container, -1 = not known */
};

struct state_pod {
	char *name, *uid, *role, *node, *phase, *reason, *job_index;
	int64_t created;
	int ready, containers, restarts;
	bool is_ready;
	int exit_code; /* of the main container, -1 = running or none */
};

struct state_node {
	char *name, *pool, *reason;
	bool ready;
	int64_t created;
	int tpu; /* chips it offers */
};

struct state_kevent {
	char *uid, *kind, *object, *reason, *message;
	bool warning;
	int count;
	int64_t first, last;
};

struct state_item { /* a part of a checkpoint: model_params, optimizer_state, a shard */
	char *name, *state;
	int64_t bytes, objects;
};

struct state_checkpoint {
	char *tree, *uri, *state, *marker; /* marker: uri of commit_success.txt or index, "" = absent */
	int64_t step;                      /* -1 = none (hf-trained) */
	int64_t bytes, objects, first, last;
	struct state_item *items;
	size_t n, cap;
	struct strvec missing;
};

struct state_point {
	int64_t step;
	double value;
	int64_t wall; /* ms */
};

struct state_series {
	char *name;   /* rewards/train/sum, actor/train/loss, eval/mean_reward … */
	char *source; /* log, event */
	struct state_point *items; /* ascending by step */
	size_t n, cap;
};

struct state_training {
	int64_t step, steps;       /* completed, of; 0 = not known */
	char *phase;               /* rollout train sync eval compile save, "" = not known */
	int64_t phase_since, phase_done, phase_total;
	int64_t eta_ms;            /* -1 = not known */
	double reward;             /* newest, NaN = none */
};

struct state_check {
	char *id, *group, *state, *question, *cause, *cure, *who, *source;
	struct strvec cure_argv;
};

struct state_reservation {
	char *name, *full_name, *zone, *machine, *status, *end, *verdict, *reason;
	int64_t total, used;
	bool specific, usable;
};

struct state_alert {
	char *id, *state, *text; /* state: raised, cleared, acknowledged */
	int64_t since;
};

enum state_source { HEART_LOG, HEART_WATCH, HEART_METRICS, HEART_API, HEART_COUNT };

struct state {
	uint64_t revision[TOPIC_COUNT];
	unsigned changed; /* topic bits since the last state_take_changed */

	/* TOPIC_RUN */
	char *name, *recipe, *label; /* label "" = none */
	char *host;                  /* where the engine lives */
	int64_t engine_pid, engine_beat;
	bool go_on_alone;            /* false = stop after each stage */
	bool stopped;                /* engine has ended */
	int exit_code;               /* of the engine, -1 = not ended */
	char *question;              /* "" or what a person is asked: "go-on", "confirm-cleanup", "login" … */
	int64_t opened;
	struct strvec cleanup;       /* "gone  cluster gemma-rl", "there bucket …" after clean-up */

	struct state_value *values;
	size_t n_values, cap_values;
	struct state_deviation *deviations;
	size_t n_deviations, cap_deviations;

	struct state_stage stages[STAGE_COUNT];
	enum stage_id current; /* running or next; STAGE_NONE when all are over */

	struct state_jobset jobset;
	struct map pods;        /* name -> struct state_pod */
	struct map nodes;       /* name -> struct state_node */
	struct map kevents;     /* uid -> struct state_kevent */
	int tpu_nodes_ready, tpu_nodes;

	struct state_checkpoint *checkpoints;
	size_t n_checkpoints, cap_checkpoints;
	struct map series; /* name -> struct state_series */
	struct state_training training;

	struct state_check *checks;
	size_t n_checks, cap_checks;
	struct state_reservation *reservations;
	size_t n_reservations, cap_reservations;
	struct state_alert *alerts;
	size_t n_alerts, cap_alerts;

	int64_t heartbeats[HEART_COUNT]; /* run time of the last sign, 0 = never */
	int64_t chips, cost_since;       /* since: creation of the TPU pool, 0 = no pool */
	double chip_hours;
};

void state_init(struct state *s);
void state_fini(struct state *s);
/* Topic bits changed since the last call. */
unsigned state_take_changed(struct state *s);

const char *stage_word(enum stage_id id);           /* "tools" … */
enum stage_id stage_from_word(const char *word);    /* STAGE_NONE if it is none */
const char *stage_state_word(enum stage_state st);
enum stage_state stage_state_from_word(const char *word); /* ST_COUNT if it is none */
bool stage_state_over(enum stage_state st);         /* done or skipped */

const struct state_value *state_value_find(const struct state *s, const char *name); /* or NULL */
const struct state_series *state_series_find(const struct state *s, const char *name);
const struct state_check *state_check_find(const struct state *s, const char *id);
/* Newest step of tree "trained" that is complete, -1 = none. */
int64_t state_safe_step(const struct state *s);
/* Pods of a role that are ready; *want gets how many there are. */
int state_pods_ready(const struct state *s, const char *role, int *want);
/* healthy done degraded failed unknown; *reason a static text or NULL. */
const char *state_verdict(const struct state *s, const char **reason);

#endif
