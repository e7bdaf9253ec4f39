/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One line of a workload's log (train_rl, to_maxtext, to_huggingface, vLLM, Orbax) as an event. A
 * table of PCRE2 patterns, no state: whoever applies the events keeps it. Any bytes are fine: bars
 * with \r, ESC[A, lines glued to a bar, continuation lines (no event). Source: facts on MaxText
 * 0.2.4 logs.
 */
#ifndef RLPILOT_FMT_TRAINLOG_H
#define RLPILOT_FMT_TRAINLOG_H

#include <stddef.h>
#include <stdint.h>

/* X(NAME, word) */
#define TRAINLOG_KINDS(X)                                                                          \
	X(NONE, "none")                                                                            \
	X(PARAM, "param")             /* name, text: a Config param */                             \
	X(STEP, "step")               /* step done; value = loss, value2 = perplexity */           \
	X(TRAJECTORY, "trajectory")   /* done = first row: global step = row / batch_size */       \
	X(EVAL, "eval")               /* step (0 before, -1 after training), value = mean_reward;  \
				       * done = correct, total */                                  \
	X(EVAL_PART, "eval-part")     /* done = prompts judged so far */                           \
	X(EVAL_FAILED, "eval-failed") /* step */                                                   \
	X(BAR, "bar")                 /* name (unit: tensor, prompt, …), done, total */          \
	X(UPLOAD, "upload")           /* name = file; done, total for shards, else 0 */            \
	X(LOOP, "loop")               /* a micro-batch was trained; value = seconds */             \
	X(SYNC_START, "sync-start")   /* weight sync begins */                                     \
	X(SYNC_PART, "sync-part")     /* one reshard call; value = seconds */                      \
	X(SYNC_END, "sync-end")                                                                    \
	X(COMPILE, "compile")       /* name; done = 0 begins, 1 ended; value = seconds or NaN */   \
	X(SAVE_START, "save-start") /* step */                                                     \
	X(SAVE_END, "save-end")     /* value = seconds */                                          \
	X(LOAD_START, "load-start")                                                                \
	X(LOAD_END, "load-end")   /* value = seconds */                                            \
	X(MILESTONE, "milestone") /* name = id of the milestone */                                 \
	X(ELAPSE, "elapse")       /* name = of what; value = minutes */                            \
	X(DATASET, "dataset")     /* name, done = rows, text = split */                            \
	X(DONE, "done")           /* the workload says that its work is complete; name */          \
	X(EXIT, "exit")           /* done = exit code of the wrapped command */                    \
	X(ERROR, "error")         /* cause = id or NULL, text */

enum trainlog_kind {
#define X(name, word) TRAINLOG_##name,
	TRAINLOG_KINDS(X)
#undef X
};

struct trainlog_event {
	enum trainlog_kind kind;
	char level;   /* I W E F of the prefix, or 0 */
	int64_t step; /* 1-based completed step, or 0 */
	int64_t done, total;
	double value, value2;
	const char *cause; /* static */
	char name[64];
	char text[256];
};

/* Fills ev; kind NONE for everything unknown. line has no line feed and no timestamp. */
void trainlog_parse(const char *line, size_t n, struct trainlog_event *ev);
const char *trainlog_kind_name(enum trainlog_kind kind);

#endif
