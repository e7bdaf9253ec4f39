/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A train_rl run under way, shared by its start-up (load_boot.c), its steps (load_step.c) and its
 * whole (load_train.c). Numbers come from the command line, defaults from rl.yml.
 */
#ifndef RLPILOT_SIM_LOAD_TRAIN_H
#define RLPILOT_SIM_LOAD_TRAIN_H

#include "core/base/buf.h"
#include "sim/load.h"

struct train {
	uint64_t seed;
	int steps, batch, micro, generations, new_tokens;
	int period, eval_every, eval_size, schedule, log_period;
	int chunk; /* tensors per reshard call */
	double rate;
	char *root;  /* base_output_directory + run_name + "/" */
	char *input; /* load_parameters_path without a final slash */
	char *model, *dataset;
	struct buf file; /* the event file as it is now */
	char *file_name; /* "tensorboard/events.out.tfevents…" below root; NULL before */
	int64_t flushed, explicit_flush;
	bool dirty;
	int g;          /* global step, 0-based */
	int first;      /* where this process began: > 0 after a restored checkpoint */
	int saved_step; /* newest checkpoint, 0 = none */
	int64_t saving_until;
};

/* Start-up: queues everything up to "Creating RL cluster…" and on to the first evaluation; false
 * when it has queued a failure. */
bool train_boot(struct load *l, struct train *t);
/* Everything from the queue's place to the end of global step t->g. */
void train_step(struct load *l, struct train *t);

void train_kv_delete(struct load *l);
void train_kv_again(struct load *l);
/* A weight sync without its kv lines: n reshard lines over about `ms`. */
void train_reshard(struct load *l, const struct train *t, int64_t ms);
/* An evaluation after n optimizer steps; its result goes to the ledger as step `ledger_step`. what:
 * "Pre RL Training", "Post RL Training" or NULL for an intermediate one. */
void train_eval(struct load *l, struct train *t, int n, const char *what, int ledger_step);
/* Line, event file and ledger of optimizer step n (1-based). */
void train_actor(struct load *l, struct train *t, int n);
void train_rewards(struct load *l, struct train *t, int g);
/* Uploads the event file anew when it is due (or `now`). step: as in log_period. */
void train_flush(struct load *l, struct train *t, bool now, int step);
/* A checkpoint of step n: blocking part here, the rest in the background of the queue. */
void train_save(struct load *l, struct train *t, int n);

#endif
