/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What can happen to a run. An event is a plain value whose strings are borrowed for the call;
 * run_apply copies what it keeps. run_apply is the only place that changes struct state, it asks
 * nobody, does no input or output, and any event but EV_OUTPUT applied twice changes nothing the
 * second time, so that a replay is safe.
 */
#ifndef RLPILOT_RUN_EVENT_H
#define RLPILOT_RUN_EVENT_H

#include "core/fmt/json.h"
#include "core/run/state.h"

enum event_kind {
	EV_RUN,          /* name, recipe, label, at */
	EV_VALUE,        /* value */
	EV_DEVIATION,    /* deviation */
	EV_STAGE,        /* stage: a transition */
	EV_COMMANDS,     /* commands; number: usual time in ms; on: those of its undo */
	EV_PROGRESS,     /* progress */
	EV_OUTPUT,       /* output: one line */
	EV_MODE,         /* on: go on alone */
	EV_ENGINE,       /* engine */
	EV_END,          /* number: exit code of the engine */
	EV_CLEANUP,      /* text: one line of the proof */
	EV_JOBSET_NAME,  /* text: another JobSet is watched from now on; forgets pods of the old one
			  */
	EV_JOBSET,       /* object; NULL = absent */
	EV_WORKLOAD,     /* object: Kueue's */
	EV_POD,          /* object */
	EV_POD_GONE,     /* text: name */
	EV_NODE,         /* object */
	EV_NODE_GONE,    /* text: name */
	EV_CLUSTER_GONE, /* nothing of a cluster is known any more */
	EV_POOL,         /* pool: TPU chips that cost, and since when; 0 = none any more */
	EV_KEVENT,       /* object */
	EV_CHECKPOINTS,  /* checkpoints: swapped with the state's */
	EV_POINT,        /* point */
	EV_TRAINLOG,     /* log */
	EV_CHECK,        /* check */
	EV_RESERVATIONS, /* reservations: swapped with the state's */
	EV_OFFERS,       /* object: lists by variable, core/run/discover.h */
	EV_DRAFTS,       /* object: text by name, core/run/drafts.h */
	EV_ALERT,        /* alert */
	EV_AWAY,         /* away: the cluster does not answer; text "" = it does again */
	EV_HEART,        /* number: enum state_source, at */
	EV_TOKEN_FILES,  /* files: of gcluster with the token in them, core/run/secure.h */
	EV_KIND_COUNT
};

/* How a stage moved; the words are journal words where the contract has one. */
enum stage_move {
	MOVE_GATE,    /* its gate is being asked */
	MOVE_BLOCKED, /* the gate holds no more or not yet */
	MOVE_START,   /* an attempt begins */
	MOVE_EXIT,    /* its command has ended with `exit` */
	MOVE_VERIFY,  /* its result is being proved */
	MOVE_DONE,
	MOVE_FAILED,
	MOVE_SKIP,
	MOVE_CANCEL,
	MOVE_UNKNOWN,        /* exit code lost */
	MOVE_STOP_ASKED,     /* it is stopped in a moment, if nobody thinks again */
	MOVE_STOP_SENT,      /* it has been told to stop and ends what it has begun */
	MOVE_STOP_WITHDRAWN, /* it goes on after all */
	MOVE_STOP_REFUSED,   /* a stop was not meant for it: note says why */
	MOVE_UNDO,           /* what it made is being removed */
	MOVE_UNDONE,         /* and is gone: it is to do again */
	MOVE_UNDO_REFUSED,   /* nothing is removed: cause says why */
	MOVE_COUNT
};

struct event {
	enum event_kind kind;
	int64_t at; /* run time; 0 = now */
	const char *text;
	int64_t number;
	bool on;
	union {
		struct {
			const char *name, *recipe, *label;
		} run;
		struct {
			const char *name, *value, *origin;
			bool secret;
		} value;
		struct {
			const char *id;
		} deviation;
		struct {
			enum stage_id id;
			enum stage_move move;
			int attempt, exit, undo; /* undo: which one it is, from 1 on; 0 = none */
			const char *note, *cause, *cure; /* may be NULL */
			const char *cause_id; /* of fmt/cause, or the fact that does not hold */
		} stage;
		struct {
			enum stage_id id;
			const struct strvec *lines;
		} commands;
		struct {
			enum stage_id id;
			int64_t done, total;
			const char *unit, *text;
			const struct deploy_busy *busy; /* n of them */
			size_t n;
		} progress;
		struct {
			enum stage_id id;
			const char *line;
			bool ours; /* told by the engine, not by the command */
		} output;
		struct {
			const char *host;
			int64_t pid, beat;
		} engine;
		struct {
			const char *cause; /* NULL = not known */
		} away;
		const json_t *object; /* Kubernetes object as it came; a record */
		struct {
			int64_t chips, since;
		} pool;
		struct checkpoint_list *checkpoints;
		struct {
			const char *series;
			struct series_point at;
		} point;
		struct {
			enum stage_id id; /* whose workload wrote it */
			const struct trainlog_event *line;
			int64_t time; /* when it was written */
		} log;
		const struct state_check *check;
		struct state_reservations *reservations;
		const struct state_alert *alert;
		const struct strvec *files;
	} u;
};

const char *stage_move_word(enum stage_move m);         /* "stage-gate", "stage-start" … */
enum stage_move stage_move_from_word(const char *word); /* MOVE_COUNT if it is none */

/* Applies one event. */
void run_apply(struct state *s, const struct event *ev);

/* Shorthands for the common ones. */
struct event event_stage(enum stage_id id, enum stage_move move, int attempt);
struct event event_text(enum event_kind kind, const char *text);

#endif
