/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a person wants of a run. A screen, plain mode, a script or a test posts an intent as a file
 * in RUN/inbox by rename; the engine takes them in the order of their names and removes them. An
 * intent never carries a secret but in set-value, whose file is removed as soon as it is read; who
 * is not the engine never changes anything else in the run folder.
 */
#ifndef RLPILOT_RUN_INTENT_H
#define RLPILOT_RUN_INTENT_H

#include <stdbool.h>

#include "core/run/state.h"

struct err;

#define INTENTS(X)                                                                                 \
	X(INTENT_SET_VALUE, "set-value")   /* name, text */                                        \
	X(INTENT_TAKE_VALUE, "take-value") /* name, text: chosen from a list of the account */     \
	X(INTENT_KEEP_SECRET,                                                                      \
		"keep-secret")         /* name; text = on or off: kept in the run folder, 0600 */  \
	X(INTENT_DISCOVER, "discover") /* name: variable; text "again" = now */                    \
	X(INTENT_START, "start-stage") /* stage; text = cause id seen, see INTENT_SAW_NOTHING */   \
	X(INTENT_GO_ON, "go-on-alone") /* to the end of export */                                  \
	X(INTENT_STOP_AFTER, "stop-after-stage")                                                   \
	X(INTENT_RETRY, "retry")   /* stage; text as of start-stage */                             \
	X(INTENT_SKIP, "skip")     /* stage, text = reason */                                      \
	X(INTENT_CANCEL, "cancel") /* stage, text = typed cluster name for cluster and cleanup */  \
	X(INTENT_KEEP, "withdraw-cancel") /* stage: second thoughts, it goes on */                 \
	X(INTENT_UNDO, "undo")            /* stage, text = what undo_word says, as typed */        \
	X(INTENT_CONFIRM_CLEANUP, "confirm-cleanup") /* text = cluster name as typed */            \
	X(INTENT_CONFIRM_BUCKET, "confirm-bucket")   /* text = bucket name as typed */             \
	X(INTENT_KEEP_BUCKET, "keep-bucket")                                                       \
	X(INTENT_RERUN_CHECK, "rerun-check")               /* text = check id, "" = all */         \
	X(INTENT_CHOOSE_RESERVATION, "choose-reservation") /* name = reservation, text = zone */   \
	X(INTENT_DEVIATION, "set-deviation")               /* name, text = on or off */            \
	X(INTENT_ACK, "acknowledge")                       /* text = alert id */                   \
	X(INTENT_FORGET_TOKEN, "forget-token") /* gcluster's files with the token are deleted */   \
	X(INTENT_STOP, "stop")                 /* the engine ends; what runs detached goes on */

/* A stage that is blocked over something to be chosen goes on with it for who begins it after
 * having seen that: its cause id is the text. "" = whatever it says now. */
#define INTENT_SAW_NOTHING "-"

enum intent_kind {
#define X(name, word) name,
	INTENTS(X)
#undef X
		INTENT_COUNT
};

struct intent {
	enum intent_kind kind;
	enum stage_id stage; /* STAGE_NONE when it has none */
	char *name, *text;   /* "" when not used */
	int attempt;         /* of the stage, that is meant; 0 = whichever */
	char *file;          /* of one that was taken and has to be settled, else NULL */
};

void intent_fini(struct intent *i);
const char *intent_word(enum intent_kind k);
/* {"v":1,"intent":"cancel","stage":"convert","attempt":2,"name":"…","text":"…"}; the caller's. */
char *intent_to_json(const struct intent *i);
/* -1 with place when it is not an intent of this format. */
int intent_from_json(const char *data, size_t n, struct intent *out, struct err *e);
/* Writes one into run_dir/inbox. Strings may be NULL. */
int intent_post(const char *run_dir, enum intent_kind kind, enum stage_id stage, const char *name,
	const char *text, struct err *e);
/* The same for one attempt alone: refused when it is another one's turn by then. */
int intent_post_for(const char *run_dir, enum intent_kind kind, enum stage_id stage, int attempt,
	const char *text, struct err *e);
/* Takes the oldest: 1 = *out filled and its file removed, 0 = none. A file that is not an
 * intent is removed and logged. A cancel stays there until it is settled: it must not be lost with
 * an engine that dies before its journal knows of it, and twice is once. */
int intent_take(const char *run_dir, struct intent *out);
/* It has been acted upon. False: it stays in the inbox and is taken again. */
bool intent_settle(const struct intent *i);

#endif
