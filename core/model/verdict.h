/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One word for a whole run, and why: the worst that is known decides. Success is never inferred
 * from silence: without facts the verdict is unknown.
 */
#ifndef RLPILOT_MODEL_VERDICT_H
#define RLPILOT_MODEL_VERDICT_H

#include <stdbool.h>

#define VERDICTS(X)                                                                                \
	X(VERDICT_HEALTHY, "healthy")                                                              \
	X(VERDICT_DONE, "done")                                                                    \
	X(VERDICT_DEGRADED, "degraded")                                                            \
	X(VERDICT_FAILED, "failed")                                                                \
	X(VERDICT_UNKNOWN, "unknown")

enum verdict {
#define X(name, word) name,
	VERDICTS(X)
#undef X
		VERDICT_COUNT
};

struct verdict_input {
	bool has_run;     /* a run or a JobSet is known */
	bool stages_done; /* all that were asked for are done or skipped */
	bool stage_failed;
	bool stage_cancelled;
	bool stage_blocked;
	bool engine_lost; /* there should be one and its beat has stopped */
	bool jobset_known, jobset_failed, jobset_done;
	bool reachable; /* the last question to the cloud was answered */
	int alerts;     /* raised, not acknowledged */
};

/* why gets a static English text for _(), or NULL when all is well. */
enum verdict verdict_judge(const struct verdict_input *in, const char **why);
const char *verdict_name(enum verdict v);
enum verdict verdict_from_name(const char *word); /* VERDICT_COUNT if it is none */
/* Exit code of `rlpilot status`. */
int verdict_exit_code(enum verdict v);

#endif
