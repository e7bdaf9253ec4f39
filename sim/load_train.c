/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/load_train.h"

#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/json.h"
#include "sim/kube_types.h"

#include <stdlib.h>
#include <string.h>

static void drop(void *p)
{
	struct train *t = p;

	free(t->root);
	free(t->input);
	free(t->model);
	free(t->dataset);
	free(t->file_name);
	buf_fini(&t->file);
	free(t);
}

/* Numbers of the command line, kept where the products of two of them fit. */
static int at_least(int64_t v, int least)
{
	return v < least ? least : v > 4096 ? 4096 : (int)v;
}

static char *root_of(const struct load_job *j)
{
	AUTO_FREE char *base = load_option_or(j, "base_output_directory", "");
	AUTO_FREE char *run = load_option_or(j, "run_name", "");

	return x_asprintf("%s%s%s%s", base, text_ends(base, "/") ? "" : "/", run, *run ? "/" : "");
}

static struct train *train_new(const struct load_job *j)
{
	struct train *t = X_NEW(struct train);
	AUTO_FREE char *rate = load_option_or(j, "learning_rate", "3e-6");

	t->seed = j->random;
	t->steps = at_least(load_option_i64(j, "num_batches", 4), 1);
	t->batch = at_least(load_option_i64(j, "batch_size", 1), 1);
	t->micro = at_least(load_option_i64(j, "train_micro_batch_size", t->batch), 1);
	t->generations = at_least(load_option_i64(j, "rl.num_generations", 2), 2);
	t->new_tokens = at_least(load_option_i64(j, "max_target_length", 1024) -
					 load_option_i64(j, "max_prefill_predict_length", 256),
		1);
	t->period = at_least(load_option_i64(j, "checkpoint_period", 50), 1);
	t->eval_every = at_least(load_option_i64(j, "eval_interval", 10), 0);
	t->eval_size = at_least(load_option_i64(j, "num_test_batches", 5), 1) * t->batch;
	t->schedule = at_least(load_option_i64(j, "learning_rate_schedule_steps", t->steps), 1);
	t->log_period = at_least(load_option_i64(j, "log_period", 20), 1);
	t->chunk = at_least(load_option_i64(j, "rl.reshard_chunk_size", 657), 1);
	t->rate = strtod(rate, NULL);
	t->root = root_of(j);
	t->input = load_option_or(j, "load_parameters_path", "");
	if (text_ends(t->input, "/"))
		t->input[strlen(t->input) - 1] = '\0';
	t->model = load_option_or(j, "model_name", "default");
	t->dataset = load_option_or(j, "dataset_name", "openai/gsm8k");
	return t;
}

/* Pods of the JobSet's worker job that are ready; true as well when there is no such job. */
static bool workers_ready(const struct load_job *j)
{
	AUTO_FREE char *name = x_asprintf("%s-worker-0", j->jobset);
	json_t *job = kstore_get(j->k->store, KUBE_JOBS, j->ns, name);

	return !job ||
	       json_path_i64(job, "status.ready", 0) >= json_path_i64(job, "spec.parallelism", 1);
}

static load_phase boot, steps, last_eval, finish;

/* Waits in silence while a worker is away: the controller has no devices then. */
static bool held(struct load *l, load_phase *again)
{
	if (workers_ready(load_job(l)))
		return false;
	load_wait(l, 5000);
	load_then(l, again);
	return true;
}

static void boot(struct load *l)
{
	struct train *t = load_job(l)->state;

	if (held(l, boot) || !train_boot(l, t))
		return;
	train_kv_delete(l);
	train_reshard(l, t, 9000);
	train_kv_again(l);
	train_eval(l, t, t->g, "Pre RL Training", 0);
	load_absl(l, 'W', "utils_rl.py:876",
		"[intermediate-eval] hook installed: evaluate(...) will fire every %d outer "
		"steps.",
		t->eval_every);
	load_absl(l, 'W', "train_rl.py:799", "Starting RL training...");
	load_wait(l, 1000);
	load_absl(l, 'I', "rl_learner.py:578",
		"Training with full_batch_size=%d, mini_batch_size=%d, train_micro_batch_size=%d, "
		"self._rollout_micro_batch_size=%d, self._compute_logps_micro_batch_size=%d, "
		"grad_acc_steps=%d",
		t->batch, t->batch, t->micro, t->micro, t->micro, t->batch / t->micro);
	load_then(l, t->g < t->steps ? steps : last_eval);
}

static void steps(struct load *l)
{
	struct train *t = load_job(l)->state;

	if (held(l, steps))
		return;
	train_step(l, t);
	t->g++;
	load_then(l, t->g < t->steps ? steps : last_eval);
}

/* close(): the delayed metrics of the last step, its evaluation, the forced save. */
static void last_eval(struct load *l)
{
	struct load_job *j = load_job(l);
	struct train *t = j->state;

	load_wait(l, 400);
	if (t->first < t->steps)
		train_actor(l, t, t->steps);
	if (t->first < t->steps && t->eval_every > 0 && t->steps % t->eval_every == 0)
		train_eval(l, t, t->steps, NULL, t->steps);
	if (t->saved_step < t->steps)
		train_save(l, t, t->steps);
	if (j->at < t->saving_until)
		j->at = t->saving_until;
	train_flush(l, t, true, t->steps);
	load_wait(l, 1300);
	load_absl(l, 'W', "train_rl.py:810", "RL Training Completed Successfully!");
	load_then(l, finish);
}

static void finish(struct load *l)
{
	struct train *t = load_job(l)->state;

	train_eval(l, t, t->steps, "Post RL Training", t->steps + 1);
	load_wait(l, 4000);
	load_exit(l, 0, NULL);
}

void load_train(struct load *l)
{
	struct load_job *j = load_job(l);

	j->state = train_new(j);
	j->drop = drop;
	load_then(l, boot);
}
