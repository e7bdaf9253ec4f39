/* SPDX-License-Identifier: Apache-2.0 */
#include "core/model/verdict.h"

#include <stddef.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/text.h"

enum verdict verdict_judge(const struct verdict_input *in, const char **why)
{
	const struct {
		bool when;
		enum verdict verdict;
		const char *why;
	} rules[] = {
		{!in->has_run, VERDICT_UNKNOWN, N_("there is no run and no JobSet")},
		{in->stage_failed, VERDICT_FAILED, N_("a stage failed")},
		{in->jobset_failed, VERDICT_FAILED, N_("the JobSet failed")},
		{in->stages_done, VERDICT_DONE, NULL},
		{in->engine_lost, VERDICT_DEGRADED, N_("the engine of the run has vanished")},
		{!in->reachable, VERDICT_UNKNOWN, N_("the cloud does not answer")},
		{in->stage_blocked, VERDICT_DEGRADED, N_("a stage is blocked")},
		{in->stage_cancelled, VERDICT_DEGRADED, N_("a stage was cancelled")},
		{in->alerts > 0, VERDICT_DEGRADED, N_("an alert is raised")},
		{in->jobset_done, VERDICT_DONE, NULL},
	};

	for (size_t i = 0; i < COUNT(rules); i++)
		if (rules[i].when) {
			if (why)
				*why = rules[i].why;
			return rules[i].verdict;
		}
	if (why)
		*why = NULL;
	return VERDICT_HEALTHY;
}

static const char *const names[] = {
#define X(name, word) [name] = word,
	VERDICTS(X)
#undef X
};

const char *verdict_name(enum verdict v)
{
	return (size_t)v < COUNT(names) ? names[v] : "unknown";
}

enum verdict verdict_from_name(const char *word)
{
	size_t i = 0;

	while (i < COUNT(names) && strcmp(names[i], word))
		i++;
	return (enum verdict)i;
}

int verdict_exit_code(enum verdict v)
{
	static const int codes[] = {
		[VERDICT_HEALTHY] = 0,
		[VERDICT_DONE] = 0,
		[VERDICT_DEGRADED] = 1,
		[VERDICT_FAILED] = 2,
		[VERDICT_UNKNOWN] = 3,
	};

	return (size_t)v < COUNT(codes) ? codes[v] : 3;
}
