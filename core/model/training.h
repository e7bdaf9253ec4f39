/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a workload is, told from its log alone: step, phase of the step, evaluations, bars, done
 * marks. Applying an old line again changes nothing that matters (steps and points only grow).
 * Knows the three workloads of the recipes; other programs simply give fewer facts. Times are run
 * time, ms.
 */
#ifndef RLPILOT_MODEL_TRAINING_H
#define RLPILOT_MODEL_TRAINING_H

#include <stdbool.h>
#include <stdint.h>

#include "core/fmt/trainlog.h"
#include "core/model/series.h"

#define TRAINING_PHASES(X)                                                                         \
	X(TRAINING_ROLLOUT, "rollout")                                                             \
	X(TRAINING_TRAIN, "train")                                                                 \
	X(TRAINING_SYNC, "sync")                                                                   \
	X(TRAINING_EVAL, "eval")                                                                   \
	X(TRAINING_COMPILE, "compile")                                                             \
	X(TRAINING_SAVE, "save")

enum training_phase {
	TRAINING_NO_PHASE,
#define X(name, word) name,
	TRAINING_PHASES(X)
#undef X
};

#define TRAINING_TIMES 16

/* Parts of the two conversions, in their order; the words are those of the log's milestones. */
#define TRAINING_PARTS(X)                                                                          \
	X(PART_INDEX, "index")                                                                     \
	X(PART_PREPARE, "prepare")                                                                 \
	X(PART_LOAD, "load-tensors")                                                               \
	X(PART_WRITE, "write")                                                                     \
	X(PART_OPEN, "load-checkpoint")                                                            \
	X(PART_TRANSFORM, "transform")                                                             \
	X(PART_UPLOAD, "upload")

enum training_part {
#define X(name, word) name,
	TRAINING_PARTS(X)
#undef X
		PART_COUNT
};

struct training {
	int64_t step;  /* completed steps, 0 = none */
	int64_t steps; /* of the configuration, 0 = not known */
	int64_t batch_size, eval_interval, checkpoint_period, eval_prompts; /* 0 = not known */
	enum training_phase phase;
	int64_t phase_since;             /* ms, 0 = not known */
	int64_t phase_done, phase_total; /* k of n within the phase; total 0 = not known */
	int64_t sync_parts; /* reshard calls of the first sync of this run, 0 = not measured */
	int64_t syncs;      /* completed weight syncs, the two before step 1 included */
	bool started;       /* "Starting RL training" */
	bool saving;        /* a checkpoint is being written */
	bool finished;      /* the done mark of the workload */
	bool exited;        /* "Exit code: n" was seen */
	int exit_code;
	int64_t eval_step;             /* of the evaluation that runs or ran last */
	int64_t done, total;           /* conversion bar: tensors or files */
	const char *unit;              /* tensor, file; NULL = none yet */
	uint64_t shards[4];            /* export files seen, one bit each */
	int64_t bar_done, bar_at;      /* where this bar was seen first, ms; at 0 = not yet */
	int64_t bar_now;               /* when it moved last, ms */
	int64_t parts[PART_COUNT];     /* when each part of a conversion began, ms; 0 = not yet */
	int64_t loops;                 /* micro-batches trained in this step */
	int64_t first_line, last_line; /* when, ms; 0 = none */
	int64_t step_at;               /* when the last step ended */
	int64_t times[TRAINING_TIMES]; /* ring of recent step times without evaluations, ms */
	size_t n_times;                /* ever measured */
	bool step_has_eval;            /* the running step holds an evaluation */
	char error[256];               /* last error text, "" = none */
	const char *cause;             /* its cause id, or NULL */
};

/* Applies one event of a line that was written at t_ms. New points go to series (may be NULL).
 * Returns true when something that is shown has changed. */
bool training_apply(struct training *t, const struct trainlog_event *ev, int64_t t_ms,
	struct series_set *series);
/* Median of recent step times, ms; -1 = not known. */
int64_t training_step_ms(const struct training *t);
/* Remaining time, ms; -1 = not known, 0 when all steps are done. */
int64_t training_eta_ms(const struct training *t);
/* Tensors or files a minute of the bar that runs, 0 = not known; and the ms it has to go, -1 = not
 * known. */
double training_bar_rate(const struct training *t);
int64_t training_bar_eta_ms(const struct training *t);
const char *training_phase_name(enum training_phase p); /* "" for none */
/* Silence that is normal in the phase now, ms (back-end start, compile, load, save, else 15 min).
 */
int64_t training_quiet_ms(const struct training *t);

#endif
