/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/view/world_log.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/mem.h"

#define MINUTE 60000

void world_log_line(struct state *s, int64_t now, enum stage_id id, int64_t ago, const char *line)
{
	struct trainlog_event parsed;
	struct event ev = {.kind = EV_TRAINLOG, .at = now};
	trainlog_parse(line, strlen(line), &parsed);
	ev.u.log.id = id;
	ev.u.log.line = &parsed;
	ev.u.log.time = now - ago;
	run_apply(s, &ev);
}

static void point(
	struct state *s, int64_t now, const char *series, int64_t step, double v, int64_t ago)
{
	struct event ev = {.kind = EV_POINT, .at = now};
	ev.u.point.series = series;
	ev.u.point.at = (struct series_point){step, v, now - ago, SERIES_EVENT};
	run_apply(s, &ev);
}

static void weight_sync(struct state *s, int64_t now, int64_t ago, int parts, bool whole)
{
	world_log_line(s, now, STAGE_TRAIN, ago,
		"INFO 09-10 09:31:35 [kv_cache_manager.py:1035] Deleting kv-cache | hbm=[(1, "
		"2)]Gb");
	for (int i = 0; i < parts; i++)
		world_log_line(s, now, STAGE_TRAIN, ago - 1000 - i * 100,
			"I0910 09:31:40.000000 139 reshard.py:236] Reshard finished in 0.21s");
	if (whole)
		world_log_line(s, now, STAGE_TRAIN, ago - 18000,
			"INFO 09-10 09:31:55 [kv_cache_manager.py:1047] Reinitializing kv-cache | "
			"hbm=[(1, 2)]Gb");
}

void world_train_log(struct state *s, int64_t now)
{
	static const char *const config[] = {"Config param steps: 50", "Config param batch_size: 4",
		"Config param eval_interval: 10", "Config param checkpoint_period: 50"};
	char line[256];
	for (size_t i = 0; i < COUNT(config); i++) {
		snprintf(line, sizeof(line), "I0910 08:00:00.000000 139 pyconfig.py:583] %s",
			config[i]);
		world_log_line(s, now, STAGE_TRAIN, 92 * MINUTE, line);
	}
	world_log_line(s, now, STAGE_TRAIN, 60 * MINUTE,
		"W0910 08:30:00.000000 139 train_rl.py:785] Pre RL Training: corr=14, total=20, "
		"accuracy=70.0%, partial_accuracy=75.0%, format_accuracy=75.0%, "
		"mean_reward=0.7750");
	world_log_line(s, now, STAGE_TRAIN, 59 * MINUTE,
		"W0910 08:31:00.000000 139 train_rl.py:810] Starting RL training...");
	weight_sync(s, now, 61 * MINUTE, 165, true);
	for (int step = 1; step <= 31; step++) {
		int64_t ago = (int64_t)(31 - step) * 74000 + 40000;
		double reward = 0.35 + 0.6 * (1 - exp(-step / 14.0)) + 0.09 * sin(step * 2.4);
		point(s, now, SERIES_REWARD, step, reward, ago);
		snprintf(line, sizeof(line),
			"I0910 08:40:00.000000 139 peft_trainer.py:735] Train step %d training "
			"loss: %f  - "
			"training perplexity: %f",
			step, -0.01, 0.99);
		world_log_line(s, now, STAGE_TRAIN, ago, line);
		if (step % 10)
			continue;
		snprintf(line, sizeof(line),
			"W0910 08:40:00.000000 139 hooks.py:98] Intermediate Eval (step=%d): "
			"corr=16, "
			"total=20, accuracy=80.0%%, partial_accuracy=80.0%%, "
			"format_accuracy=85.0%%, "
			"mean_reward=%.4f",
			step, 0.78 + step * 0.004);
		world_log_line(s, now, STAGE_TRAIN, ago - 500, line);
	}
	weight_sync(s, now, 25000, 96, false);
}
