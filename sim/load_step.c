/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/mem.h"
#include "sim/ledger.h"
#include "sim/load_events.h"
#include "sim/load_model.h"
#include "sim/load_train.h"
#include "sim/load_tree.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RESHARD_TENSORS 657 /* of the rollout's tree: one line a chunk of them */

#define HBM_FULL "[(21.84, 31.25), (21.84, 31.25), (21.84, 31.25), (21.84, 31.25)]Gb"
#define HBM_FREE "[(4.02, 31.25), (4.02, 31.25), (4.02, 31.25), (4.02, 31.25)]Gb"

void train_kv_delete(struct load *l)
{
	load_vllm(l, "kv_cache_manager.py:1035",
		"Deleting kv-cache | num_layers=30 | hbm_before=" HBM_FULL);
	load_vllm(l, "kv_cache_manager.py:1047", "KV cache delete complete | hbm_after=" HBM_FREE);
}

void train_kv_again(struct load *l)
{
	load_vllm(l, "kv_cache_manager.py:1069", "Reinitializing kv-cache | hbm_before=" HBM_FREE);
	load_vllm(l, "kv_cache_manager.py:988", "Init kv-cache | num_layers=30 | hbm=" HBM_FULL);
}

void train_reshard(struct load *l, const struct train *t, int64_t ms)
{
	int n = (RESHARD_TENSORS + t->chunk - 1) / t->chunk;

	for (int i = 0; i < n; i++) {
		load_wait(l, ms / n);
		load_absl(l, 'I', "reshard.py:232", "Reshard finished in %.2fs",
			0.18 + 0.35 * load_random(l));
	}
}

static void rollout_bars(struct load *l, const struct train *t, int64_t ms)
{
	int n = t->micro * t->generations;
	char bar[40], took[16];
	double rate = (double)ms / 1000 / n, out = n * 196.0 / ((double)ms / 1000);

	load_write(l,
		"\rRendering prompts:   0%%|          | 0/%d [00:00<?, ?it/s]\rRendering prompts: "
		"100%%|%s| %d/%d [00:00<00:00, 1533.2it/s]\n",
		n, load_bar(n, n, bar), n, n);
	load_write(l,
		"\rProcessed prompts:   0%%|          | 0/%d [00:00<?, ?it/s, est. speed input: "
		"0.00 toks/s, output: 0.00 toks/s]",
		n);
	load_wait(l, ms * 2 / 3);
	load_write(l,
		"\x1b[A\rProcessed prompts:  50%%|%s| %d/%d [%s<00:04, %.2fs/it, est. speed "
		"input: 121.70 toks/s, output: %.2f toks/s]\x1b[A",
		load_bar(n / 2, n, bar), n / 2, n, load_mmss(ms * 2 / 3000, took), rate * 1.3,
		out * 0.7);
	load_wait(l, ms / 3);
	load_write(l,
		"\rProcessed prompts: 100%%|%s| %d/%d [%s<00:00, %.2fs/it, est. speed input: "
		"128.41 toks/s, output: %.2f toks/s]\n",
		load_bar(n, n, bar), n, n, load_mmss(ms / 1000, took), rate, out);
}

struct truth {
	char tag[64];
	int step;
	double value;
};

static void tell_ledger(struct load *l, void *arg)
{
	struct truth *t = arg;

	ledger_metric(load_job(l)->k->sim, t->tag, t->step, t->value);
}

/* The value as %.9g prints it, so that both sides compare the same number. */
static void truth(struct load *l, const char *tag, int step, double value)
{
	struct truth *t = X_NEW(struct truth);
	char text[40];

	snprintf(text, sizeof(text), "%.9g", value);
	snprintf(t->tag, sizeof(t->tag), "%s", tag);
	t->step = step;
	t->value = strtod(text, NULL);
	load_do(l, tell_ledger, t, free);
}

static void record(struct load *l, struct train *t, const struct model_metric *m, size_t n,
	int step, int ledger_step)
{
	for (size_t i = 0; i < n; i++) {
		events_scalar(&t->file, (double)load_job(l)->at / 1000, step, m[i].tag, m[i].value);
		truth(l, m[i].tag, ledger_step, (double)m[i].value);
	}
	t->dirty = t->dirty || n > 0;
}

void train_flush(struct load *l, struct train *t, bool now, int step)
{
	const struct load_job *j = load_job(l);
	bool explicit = step % t->log_period == 0 && j->at - t->explicit_flush >= 30000;

	if (!t->file_name || !t->dirty || (!now && !explicit && j->at - t->flushed < 120000))
		return;
	if (explicit)
		t->explicit_flush = j->at;
	t->flushed = j->at;
	t->dirty = false;
	load_put(l, t->root, t->file_name, (int64_t)t->file.len, t->file.data);
}

void train_actor(struct load *l, struct train *t, int n)
{
	struct model_metric m[MODEL_METRICS_MAX];
	size_t count = model_actor(t->seed, n, t->steps, t->rate, t->schedule, m);

	load_absl(l, 'I', "peft_trainer.py:735",
		"Train step %d training loss: %f  - training perplexity: %f", n, (double)m[0].value,
		(double)m[1].value);
	record(l, t, m, count, n, n);
	train_flush(l, t, false, n);
}

void train_rewards(struct load *l, struct train *t, int g)
{
	struct model_metric m[MODEL_METRICS_MAX];
	size_t count =
		model_rewards(t->seed, g, t->steps, t->batch * t->generations, t->new_tokens, m);

	record(l, t, m, count, g, g + 1);
	train_flush(l, t, false, g);
}

static void eval_half(struct load *l, const struct model_eval *e, int done)
{
	int corr = e->corr * done / e->total, partial = e->partial * done / e->total;
	int format = e->format * done / e->total;

	if (done == e->total) {
		corr = e->corr;
		partial = e->partial;
		format = e->format;
	}
	load_absl(l, 'I', "evaluate_rl.py:314",
		"===> corr=%d, total=%d, corr / total * 100=%.1f, partially_corr / total * "
		"100=%.1f, corr_format / total * 100=%.1f",
		corr, done, 100.0 * corr / done, 100.0 * partial / done, 100.0 * format / done);
}

static void eval_sample(struct load *l)
{
	static const char *const lines[][2] = {
		{"128", "========================================"},
		{"129", "Evaluation Question: A baker sells 16 rolls a day and keeps 7 of them. "
			"How many "
			"are left to sell at 2 dollars each?"},
		{"130", "Evaluation Answer: ['18']"},
		{"131", "Evaluation Responses: ['<reasoning>16 - 7 = 9 rolls, 9 * 2 = "
			"18.</reasoning>\n"
			"<answer>18</answer>']"},
		{"132", "========================================"},
		{"105", "Result has_correct_format: True"},
		{"106", "Result is_correct: True"},
	};

	for (size_t i = 0; i < COUNT(lines); i++) {
		AUTO_FREE char *file = x_asprintf("evaluate_rl.py:%s", lines[i][0]);

		load_absl(l, 'I', file, "%s", lines[i][1]);
	}
	load_wait(l, 2600);
	load_absl(l, 'I', "math_verify_pool.py:257",
		"math_verify_pool: Processed 1/1 items (0 timed out).");
}

static double round4(double v)
{
	char text[40];

	snprintf(text, sizeof(text), "%.4f", v);
	return strtod(text, NULL);
}

void train_eval(struct load *l, struct train *t, int n, const char *what, int ledger_step)
{
	struct model_eval e = model_eval(t->seed, n, t->steps, t->eval_size);
	int64_t ms = load_jitter(l, ledger_step ? 94000 : 128000, 0.05);
	char took[16];

	load_write(l, "\r0it [00:00, ?it/s]");
	for (int b = 1; b <= 5; b++) {
		load_wait(l, ms / 5);
		if (b == 1)
			eval_sample(l);
		load_write(l, "\r%dit [%s, %.1fs/it]%s", b, load_mmss(ms * b / 5000, took),
			(double)ms / 5000, b == 5 ? "\n" : "");
		if (b == 3)
			load_write(l, "\n");
		if (b == 3 && e.total >= 10)
			eval_half(l, &e, 10);
	}
	if (e.total >= 20)
		eval_half(l, &e, e.total);
	load_wait(l, 200);
	load_absl(l, 'W',
		!what         ? "hooks.py:98"
		: ledger_step ? "train_rl.py:823"
			      : "train_rl.py:785",
		"%s%.0d%s: corr=%d, total=%d, accuracy=%.1f%%, partial_accuracy=%.1f%%, "
		"format_accuracy=%.1f%%, mean_reward=%.4f",
		what ? what : "Intermediate Eval (step=", what ? 0 : n, what ? "" : ")", e.corr,
		e.total, 100.0 * e.corr / e.total, 100.0 * e.partial / e.total,
		100.0 * e.format / e.total, e.mean_reward);
	truth(l, "eval/mean_reward", ledger_step, round4(e.mean_reward));
}

static void save_background(struct load *l, struct train *t, const char *step, int n, int64_t began)
{
	struct load_job *j = load_job(l);
	int64_t back = j->at;
	AUTO_FREE char *custom = x_asprintf("\"global_step\": %d, \"role\": \"actor\"", n);

	load_tree_item(l, step, "model_params", "base.decoder", 50466283580, 96000);
	load_tree_item(l, step, "optimizer_state", "0.v_row.decoder", 171000000, 6000);
	load_absl(l, 'I', "atomicity.py:664", "Finalizing %smodel_params", step);
	load_tree_commit(l, step, "model_params");
	load_wait(l, 600);
	load_absl(l, 'I', "atomicity.py:664", "Finalizing %soptimizer_state", step);
	load_tree_commit(l, step, "optimizer_state");
	load_wait(l, 400);
	load_absl(l, 'I', "atomicity.py:664", "Finalizing %.*s", (int)strlen(step) - 1, step);
	load_tree_step(l, step,
		"\"model_params\": \"orbax.checkpoint.PyTreeCheckpointHandler\", "
		"\"optimizer_state\": \"orbax.checkpoint.PyTreeCheckpointHandler\"",
		custom, began);
	load_wait(l, 500);
	load_absl(l, 'I', "atomicity.py:844",
		"[process=0][thread=async_save] Finished saving checkpoint (finalized tmp dir) "
		"to `%.*s`.",
		(int)strlen(step) - 1, step);
	load_absl(l, 'I', "event_tracking.py:184",
		"[process=0] [async] Finished save (blocking + background) in %.2f seconds @ "
		"%.*s",
		(double)(j->at - began) / 1000, (int)strlen(step) - 1, step);
	load_absl(l, 'I', "checkpoint_manager.py:2196",
		"[process=0][thread=save_finalize][step=%d] CheckpointManager Save Finalize is "
		"done on all hosts.",
		n);
	t->saving_until = j->at;
	j->at = back;
}

void train_save(struct load *l, struct train *t, int n)
{
	struct load_job *j = load_job(l);
	AUTO_FREE char *step = x_asprintf("%scheckpoints/actor/%d/", t->root, n);
	int64_t began;

	if (j->at < t->saving_until)
		j->at = t->saving_until; /* one save at a time */
	began = j->at;
	load_absl(l, 'I', "checkpoint_manager.py:1526", "[process=0] Saving checkpoint at step %d",
		n);
	load_absl(l, 'I', "event_tracking.py:76",
		"[process=0] [async] Started save checkpoint @ %.*s.", (int)strlen(step) - 1, step);
	load_wait(l, 200);
	load_absl(l, 'I', "atomicity.py:140", "Creating tmp directory %.*s", (int)strlen(step) - 1,
		step);
	load_absl(l, 'I', "atomicity.py:140", "Creating tmp directory %smodel_params", step);
	load_absl(l, 'I', "atomicity.py:140", "Creating tmp directory %soptimizer_state", step);
	load_wait(l, 5800);
	load_absl(l, 'I', "event_tracking.py:171",
		"[process=0] [async] Finished blocking save in %.2f seconds. Continuing save @ "
		"%.*s.",
		(double)(j->at - began) / 1000, (int)strlen(step) - 1, step);
	t->saved_step = n;
	save_background(l, t, step, n, began);
}

static void string_metrics(struct load *l, const struct train *t)
{
	int first = t->g * t->batch;
	AUTO(buf_fini) struct buf ids = {0};

	for (int r = 0; r < t->batch; r++) {
		for (int i = 0; i < t->generations; i++)
			buf_addf(&ids, "%s'%d_%d'",
				!ids.len                             ? "["
				: (r * t->generations + i) % 12 == 0 ? "\n "
								     : " ",
				first + r, i);
	}
	load_absl(l, 'I', "rl_cluster.py:724", "Rollout string metric trajectory_ids: %s]",
		buf_str(&ids));
	load_absl(l, 'I', "rl_cluster.py:724",
		"Rollout string metric prompts: [['<bos><|turn>user\\nYou are given a problem. "
		"...'\n"
		"  '<bos><|turn>user\\nYou are given a problem. ...']\n ['...'\n  '...']]");
	load_absl(l, 'I', "rl_cluster.py:724",
		"Rollout string metric completions: [['<reasoning>Five crates hold 12 jars each, "
		"so %d ...</reasoning>\\n<answer>%d</answer>'\n"
		"  '<reasoning>...</reasoning>\\n<answer>%d</answer>']\n ['...'\n  '...']]",
		60 + t->g, 60 + t->g, 65 + t->g);
}

static void loop_line(struct load *l, int64_t ms)
{
	load_wait(l, ms);
	load_absl(l, 'I', "peft_trainer.py:1038", "Train loop finished in: %.4f seconds",
		(double)ms / 1000);
}

/* The first step: XLA compiles between the two cache lines, without a word. */
static void compile_first(struct load *l)
{
	load_absl(l, 'I', "peft_trainer.py:855",
		"Training with mesh: Mesh('data': 1, 'stage': 1, 'fsdp': 2, 'fsdp_transpose': 1, "
		"'sequence': 1, 'context': 1, 'context_usp_ulysses': 1, "
		"'context_autoregressive': 1, 'tensor': 2, 'tensor_sequence': 1, 'expert': 4, "
		"'autoregressive': 1, axis_types=(Auto, Auto, Auto, Auto, Auto, Auto, Auto, Auto, "
		"Auto, Auto, Auto, Auto))");
	load_absl(l, 'I', "peft_trainer.py:865", "Compiled train_step cache size: 0");
}

void train_step(struct load *l, struct train *t)
{
	int g = t->g;

	rollout_bars(l, t, load_jitter(l, g > t->first ? 23500 : 29000, 0.12));
	if (g == t->first)
		compile_first(l);
	if (load_random(l) < 0.4)
		load_absl(l, 'I', "math_verify_pool.py:257",
			"math_verify_pool: Processed %d/%d items (0 timed out).", 1 + g % 3,
			1 + g % 3);
	loop_line(l, load_jitter(l, g > t->first ? 7600 : 402000, 0.06));
	if (g == t->first)
		load_absl(l, 'I', "peft_trainer.py:865", "Compiled train_step cache size: 1");
	rollout_bars(l, t, load_jitter(l, 23500, 0.12));
	if (g > t->first) {
		train_actor(l, t, g);
		if (t->eval_every > 0 && g % t->eval_every == 0)
			train_eval(l, t, g, NULL, g);
	}
	if (t->period > 0 && (g + 1) % t->period == 0)
		train_save(l, t, g + 1);
	loop_line(l, load_jitter(l, 7200, 0.06));
	train_kv_delete(l);
	train_reshard(l, t, load_jitter(l, 9000, 0.1));
	train_kv_again(l);
	string_metrics(l, t);
	train_rewards(l, t, g);
}
