/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one state of a run, as everyone reads it. It is changed by run_apply (core/run/event.h)
 * alone; views, verbs and the engine's own decisions read. Every change raises revision[topic] of
 * the topic it belongs to; a reader keeps the numbers it has drawn. Strings are owned by the state,
 * never NULL unless said so, cleaned and free of secrets. Times are ms since 1970 in run time, 0 =
 * not known.
 */
#ifndef RLPILOT_RUN_STATE_H
#define RLPILOT_RUN_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/map.h"
#include "core/base/vec.h"
#include "core/model/checkpoint.h"
#include "core/model/cost.h"
#include "core/model/jobset.h"
#include "core/model/kevent.h"
#include "core/model/node.h"
#include "core/model/pod.h"
#include "core/model/reservation.h"
#include "core/model/series.h"
#include "core/model/training.h"
#include "core/model/verdict.h"
#include "core/run/deploy.h"

/* enum, bit position */
#define STATE_TOPICS(X)                                                                            \
	X(TOPIC_RUN)    /* name, label, engine, mode, question, end */                             \
	X(TOPIC_VALUES) /* values, origins, deviations */                                          \
	X(TOPIC_STAGES) /* stage states, commands, progress */                                     \
	X(TOPIC_OUTPUT) /* output tail of a stage */                                               \
	X(TOPIC_JOBSET) /* phase, restarts, queue reason */                                        \
	X(TOPIC_PODS)                                                                              \
	X(TOPIC_NODES)                                                                             \
	X(TOPIC_EVENTS)                                                                            \
	X(TOPIC_CHECKPOINTS)                                                                       \
	X(TOPIC_SERIES)   /* points of the curves, evaluations */                                  \
	X(TOPIC_TRAINING) /* step, step phase, ETA */                                              \
	X(TOPIC_CHECKS)                                                                            \
	X(TOPIC_RESERVATIONS)                                                                      \
	X(TOPIC_FORM) /* lists that the account offers, drafts */                                  \
	X(TOPIC_ALERTS)                                                                            \
	X(TOPIC_HEARTBEATS)                                                                        \
	X(TOPIC_CLOCK) /* raised by the host once a second for ages */

enum state_topic {
#define X(name) name,
	STATE_TOPICS(X)
#undef X
		TOPIC_COUNT
};
#define TOPIC_BIT(topic) (1U << (topic))

/* The nine stages in order; ids are words of the contract. */
#define STAGE_IDS(X)                                                                               \
	X(STAGE_TOOLS, "tools")                                                                    \
	X(STAGE_TOOLKIT, "toolkit")                                                                \
	X(STAGE_LOGIN, "login")                                                                    \
	X(STAGE_BUCKET, "bucket")                                                                  \
	X(STAGE_CLUSTER, "cluster")                                                                \
	X(STAGE_CONVERT, "convert")                                                                \
	X(STAGE_TRAIN, "train")                                                                    \
	X(STAGE_EXPORT, "export")                                                                  \
	X(STAGE_CLEANUP, "cleanup")

enum stage_id {
#define X(name, word) name,
	STAGE_IDS(X)
#undef X
		STAGE_COUNT,
	STAGE_NONE = STAGE_COUNT
};

#define STAGE_STATES(X)                                                                            \
	X(ST_TODO, "todo")                                                                         \
	X(ST_BLOCKED, "blocked")                                                                   \
	X(ST_RUNNING, "running")                                                                   \
	X(ST_VERIFYING, "verifying")                                                               \
	X(ST_DONE, "done")                                                                         \
	X(ST_SKIPPED, "skipped")                                                                   \
	X(ST_FAILED, "failed")                                                                     \
	X(ST_CANCELLED, "cancelled")                                                               \
	X(ST_UNKNOWN, "unknown")

enum stage_state {
#define X(name, word) name,
	STAGE_STATES(X)
#undef X
		ST_COUNT
};

#define STATE_BUSY 6
/* Second thoughts are possible until the command has been told. A stop that was refused changes
 * nothing: another one can be asked for. */
enum stage_stop { STOP_NONE, STOP_ASKED, STOP_SENT, STOP_REFUSED, STOP_COUNT };

struct state_progress {
	int64_t done, total; /* total 0 = not known */
	char *unit;          /* resource tensor pod step file object byte; "" = none yet */
	char *text;          /* what is being worked on */
	struct deploy_busy busy[STATE_BUSY]; /* of a deploy or destroy: at work, longest first */
	size_t n_busy, more;                 /* and how many more */
};

struct state_stage {
	enum stage_id id;
	enum stage_state state;
	int attempt; /* 0 = never started */
	int64_t started, ended;
	int64_t worked_until;   /* end of its last attempt, 0 = none has ended */
	int64_t usual_ms;       /* from the recipe */
	struct strvec commands; /* as told to people, secrets as names */
	struct state_progress progress;
	struct strvec output; /* last STATE_OUTPUT_LINES lines, cleaned */
	uint64_t output_seen; /* lines ever, so that a view knows how many it missed */
	char *waiting;        /* what is waited for now, not translated; "" = nothing */
	int64_t quiet_until;  /* silence is normal until then, 0 = not quiet */
	char *note;           /* end text: "recognised", "resumed", … */
	char *cause, *cure;   /* when blocked or failed, else "" */
	char *cause_id;       /* its word for programs, "" = none */
	int exit_code;        /* of the command, -1 = none yet */
	enum stage_stop stop; /* is it being stopped? */
	char *stop_why;       /* why that was refused or does not get on, else "" */
	int undo;             /* the undo that runs or ran last, 0 = none since its attempt */
	bool undo_refused;    /* its undo was not begun: cause says why */
	struct strvec undo_commands; /* as told to people; empty = it has none */
};
#define STATE_OUTPUT_LINES 500

struct state_value {
	char *name;
	char *value;  /* masked "••••" for a secret that is set */
	char *origin; /* set typed environment gcloud discovered default derived */
	bool secret, present;
};

struct state_deviation {
	char *id;
	bool on;
};

struct state_check {
	char *id, *group, *state, *question, *cause, *cure, *who, *source;
	struct strvec cure_argv;
};

struct state_reservation {
	struct reservation r;
	enum reservation_verdict verdict; /* for this run's zone, machine and topology */
	char *reason;
};

struct state_reservations {
	struct state_reservation *items;
	size_t n, cap;
	int64_t at; /* of the last whole answer, 0 = none yet */
	bool asking, incomplete;
	struct strvec unreachable; /* zones that did not answer */
	char *error;               /* why there is no answer; NULL or "" = there is one */
};

/* What an account offers for a variable. */
struct state_offer {
	char *value, *note;
	bool fits; /* goes with the other values */
};

struct state_offers {
	char *name; /* variable */
	struct state_offer *items;
	size_t n, cap;
	int64_t at; /* of the answer, 0 = none yet */
	bool asking, incomplete;
	struct strvec unreachable;
	char *error; /* "" = none */
};

/* Typed and kept, but not good enough to be used. */
struct state_draft {
	char *name, *text;
};

struct state_alert {
	char *id, *state, *text; /* state: raised, cleared, acknowledged */
	int64_t since;
	char *cause,
		*cure; /* id of fmt/cause and what to do, with the run's names; NULL or "" = none */
};

/* What everybody who looks from outside finds out and nobody records. */
#define ALERT_ENGINE_GONE    "engine-gone"
#define ALERT_ENGINE_STOPPED "engine-stopped"
#define ALERT_ENGINE_SILENT  "engine-silent"
#define ALERT_FOLDER_GONE    "run-folder-gone"

enum state_source { HEART_LOG, HEART_WATCH, HEART_METRICS, HEART_API, HEART_COUNT };

struct state {
	uint64_t revision[TOPIC_COUNT];
	unsigned changed; /* topic bits since the last state_take_changed */

	/* TOPIC_RUN */
	char *name, *recipe, *label; /* label "" = none */
	char *host;                  /* where the engine lives */
	int64_t engine_pid, engine_beat;
	bool mode_chosen; /* a person has answered the question "go-on" */
	bool go_on_alone; /* false = stop after each stage */
	bool stopped;     /* engine has ended */
	int exit_code;    /* of the engine, -1 = not ended */
	char *question;   /* "" or what a person is asked: "login", "go-on", "confirm-cleanup" */
	int64_t opened;
	struct strvec token_files; /* on this machine, left by gcluster with the token in them */
	struct strvec cleanup;     /* "gone  cluster gemma-rl", "there bucket …" after clean-up */

	struct {
		struct state_value *items;
		size_t n, cap;
	} values;
	struct {
		struct state_deviation *items;
		size_t n, cap;
	} deviations;

	struct state_stage stages[STAGE_COUNT];
	enum stage_id current; /* running or next; STAGE_NONE when all are over */
	enum stage_id held;    /* ended while a stop was open: the next one waits; or STAGE_NONE */

	bool jobset_asked; /* false = the cluster has not answered yet */
	bool jobset_there; /* jobset is filled */
	char *jobset_name; /* the one that is watched, "" = none */
	struct jobset jobset;
	struct jobset_queue queue;
	struct {
		char *terminal; /* "Completed", "Failed", "" = it had not ended; NULL = none was
				   seen */
		int64_t ended;  /* run time, 0 = not known */
		bool by_ttl;    /* its time to live was over */
	} past;                 /* the JobSet watched, gone from the cluster */
	enum jobset_phase phase;
	int64_t phase_since;
	struct map pods;    /* name -> struct pod, of the JobSet watched */
	struct map nodes;   /* name -> struct node */
	struct map kevents; /* uid -> struct kevent */
	int tpu_nodes_ready, tpu_nodes;

	struct checkpoint_list checkpoints;
	bool checkpoints_asked; /* the bucket has answered */
	struct series_set series;
	struct training
		work[STAGE_COUNT]; /* what a stage's log told; [STAGE_TRAIN] is the training */

	struct {
		struct state_check *items;
		size_t n, cap;
	} checks;
	struct state_reservations reservations;
	struct {
		struct state_offers *items;
		size_t n, cap;
	} offers;
	struct {
		struct state_draft *items;
		size_t n, cap;
	} drafts;
	struct {
		struct state_alert *items;
		size_t n, cap;
	} alerts;

	struct {
		char *said, *cause;      /* "" = it answers; cause: id of fmt/cause or "" */
	} away;                          /* why the cluster does not answer */
	int64_t heartbeats[HEART_COUNT]; /* run time of the last sign, 0 = never */
	struct cost cost;
};

void state_init(struct state *s);
void state_fini(struct state *s);
/* Topic bits changed since the last call. */
unsigned state_take_changed(struct state *s);

const char *stage_word(enum stage_id id);        /* "tools" … */
enum stage_id stage_from_word(const char *word); /* STAGE_NONE if it is none */
const char *stage_state_word(enum stage_state st);
enum stage_state stage_state_from_word(const char *word); /* ST_COUNT if it is none */
bool stage_state_over(enum stage_state st);               /* done or skipped */
bool stage_state_works(enum stage_state st);              /* runs or is verified */
bool stage_state_unended(enum stage_state st);            /* works, or nobody knows its end */

/* A stage that costs has started: values and deviations stay as they are (core/run/frozen.h). */
bool state_frozen(const struct state *s);

const struct state_value *state_value_find(const struct state *s, const char *name);   /* or NULL */
const struct state_offers *state_offers_find(const struct state *s, const char *name); /* or NULL */
const char *state_draft(const struct state *s, const char *name); /* NULL = none */
const struct state_check *state_check_find(const struct state *s, const char *id);
/* The training's facts, and the newest reward (NaN = none). */
const struct training *state_training(const struct state *s);
double state_reward(const struct state *s);
/* Newest complete step of tree "trained", -1 = none. */
int64_t state_safe_step(const struct state *s);
/* False: what the bucket holds has not been asked, so that "none" would be a guess. */
bool state_trees_known(const struct state *s);
/* Pods of a role that are ready (a succeeded one counts); *want gets how many there are. */
int state_pods_ready(const struct state *s, const char *role, int *want);
/* Restarts of all containers. */
int state_container_restarts(const struct state *s);
int state_alerts_raised(const struct state *s);
bool state_alert_raised(const struct state *s, const char *id);
/* Why it is, static, may be NULL; reachable: the last question to the cloud was answered. */
enum verdict state_verdict(const struct state *s, bool reachable, const char **why);

/* The first stage that is unended; STAGE_NONE = none. */
enum stage_id state_unended(const struct state *s);

#endif
