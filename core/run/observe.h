/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run seen from outside its engine: the state built from journal, records, spool and stage output
 * as they grow, and, when live, from own read-only questions to the cluster and the bucket. Writes
 * nothing, holds no lock; any number at once. Without an engine it shows what there is and asks the
 * curves itself.
 */
#ifndef RLPILOT_RUN_OBSERVE_H
#define RLPILOT_RUN_OBSERVE_H

#include "core/run/event.h"
#include "core/run/folder.h"

struct checks;
struct cloud;
struct err;
struct loop;
struct observe;
struct strvec;

struct observe_spec {
	struct loop *loop;
	struct run *run; /* opened, not locked; outlives the observer */
	bool live;       /* asks cluster and bucket too */
	/* Each event after it was applied, those of the opening too; may be NULL. */
	void (*on_event)(void *arg, const struct state *s, const struct event *ev);
	void *arg;
};

/* Everything that is on disk is in the state when this returns. */
struct observe *observe_open(const struct observe_spec *spec, struct err *e);
/* Borrowed; the pointer stays the same. A host may raise TOPIC_CLOCK and take `changed`. */
struct state *observe_state(struct observe *o);
/* For own questions (checks, reservations); made when first asked for. */
struct cloud *observe_cloud(struct observe *o);
/* Reads what has come to disk since the last look, without waiting for it. */
void observe_now(struct observe *o);
/* Asks the bucket for its trees now; EV_CHECKPOINTS follows, or nothing when it cannot be asked. */
void observe_ask_trees(struct observe *o);
/* Which of TOPIC_BIT(NODES, JOBSET, PODS, CHECKPOINTS, SERIES) have been answered by the cloud. */
unsigned observe_answered(const struct observe *o);
/* Is an engine alive? */
bool observe_engine_alive(const struct observe *o);
/* The folder has been removed or moved: there is nothing to write to or to start. */
bool observe_folder_gone(const struct observe *o);
/* Puts an event of the host's own (answers of checks, reservations) into the state. */
void observe_emit(void *observe, const struct event *ev);
void observe_close(struct observe **o);

#endif
