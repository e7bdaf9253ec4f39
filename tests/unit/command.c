/* SPDX-License-Identifier: Apache-2.0 */
/* Commands: argv and shell text of the same command are the same work, for all deviations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/recipe/command.h"
#include "core/recipe/recipe.h"
#include "core/recipe/values.h"
#include "tests/unit/recipe_rig.h"

#define TOKEN "hf_CanaryOfThisTest0001"

static struct recipe *recipe;
static struct values values;

static const char *const given[][2] = {
	{"PROJECT", "rl-lab-7"},
	{"ZONE", "us-east5-b"},
	{"REGION", "us-east5"},
	{"CLUSTER_NAME", "gemma-rl"},
	{"GCS_BUCKET", "rl-lab-7-gemma"},
	{"RESERVATION", "rl-v6e"},
	{"AUTHORIZED_CIDR", "203.0.113.7/32"},
	{"EXPORT_STEP", "40"},
	{"HF_TOKEN", TOKEN},
};

static int setup(void **state)
{
	(void)state;
	recipe = recipe_rig();
	for (size_t i = 0; i < COUNT(given); i++)
		values_put(&values, given[i][0], given[i][1], VALUE_SET,
			!strcmp(given[i][0], "HF_TOKEN"));
	values_start(&values, recipe, NULL);
	for (size_t i = 0; i < values.n; i++)
		setenv(values.items[i].name, values.items[i].value, 1);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	values_fini(&values);
	recipe_free(recipe);
	return 0;
}

static struct render options(void)
{
	return (struct render){
		.recipe = recipe, .values = &values, .deviations = deviation_defaults(recipe)};
}

/* What a shell makes of the words behind the program: NUL ended, into out. */
static void shell_argv(const char *words, struct buf *out)
{
	AUTO_FREE char *script = x_asprintf("printf '%%s\\0'%s", words);
	char chunk[4096];
	int fd[2], status;
	ssize_t n;
	pid_t pid;

	assert_int_equal(pipe(fd), 0);
	pid = fork();
	if (pid == 0) {
		dup2(fd[1], 1);
		close(fd[0]);
		close(fd[1]);
		execl("/bin/sh", "sh", "-eu", "-c", script, (char *)NULL);
		_exit(127);
	}
	close(fd[1]);
	while ((n = read(fd[0], chunk, sizeof(chunk))) > 0)
		buf_add(out, chunk, (size_t)n);
	close(fd[0]);
	waitpid(pid, &status, 0);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void same_work(const struct command *c)
{
	AUTO(buf_fini) struct buf got = {0};
	AUTO(buf_fini) struct buf want = {0};
	const char *start = strstr(c->script, c->argv.items[0]);
	AUTO_FREE char *words = NULL;
	char *end;

	if (c->source->skip_script && strstr(start, "||\n  "))
		start = strstr(start, "||\n  ") + 5;
	words = x_strdup(start + strlen(c->argv.items[0]));
	end = strstr(words, " </dev/null");
	if (!end)
		end = strstr(words, " \\\n  |");
	if (!end)
		end = strstr(words, " ||\n");
	if (end)
		*end = '\0';
	shell_argv(words, &got);
	for (size_t i = 1; i < c->argv.n; i++)
		buf_add(&want, c->argv.items[i], strlen(c->argv.items[i]) + 1);
	assert_int_equal(got.len, want.len);
	assert_memory_equal(got.data, want.data, want.len);
	assert_null(strstr(c->script, TOKEN));
}

static size_t compare_all(const struct render *o)
{
	size_t seen = 0;

	for (size_t i = 0; i < recipe->stages.n; i++) {
		AUTO(command_list_fini) struct command_list list = {0};
		struct err e = {0};

		if (command_render(o, &recipe->stages.items[i], &list, &e))
			fail_msg("%s", e.what);
		for (size_t k = 0; k < list.n; k++) {
			if (list.items[k].kind != RECIPE_RUN)
				continue;
			same_work(&list.items[k]);
			seen++;
		}
	}
	return seen;
}

static void script_and_argv_are_the_same(void **state)
{
	struct render o = options();

	(void)state;
	assert_int_equal(compare_all(&o), 14);
	o.deviations.on = 0;
	assert_int_equal(compare_all(&o), 17);
	o.deviations.on = UINT32_MAX;
	compare_all(&o);
	o.as_written = true;
	assert_int_equal(compare_all(&o), 17);
}

static struct command *submit(struct command_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		if (list->items[i].argv.n > 2 && !strcmp(list->items[i].argv.items[2], "submit"))
			return &list->items[i];
	}
	fail_msg("no submit in the list");
	return NULL;
}

static const char *last(const struct command *c)
{
	return c->argv.items[c->argv.n - 1];
}

static void deviations_change_the_commands(void **state)
{
	static const struct {
		const char *id, *stage, *on, *off; /* words of the submit or deploy */
	} table[] = {
		{"no-await", "convert", NULL, "--await-job-completion"},
		{"restarts-0", "convert", "--restarts=0", NULL},
		{"ttl-24h", "export", "--gke-ttl-after-finished=24h", NULL},
		{"explicit-target", "train", "-p", NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		for (int on = 0; on < 2; on++) {
			AUTO(command_list_fini) struct command_list list = {0};
			struct render o = options();
			struct command *c;

			assert_int_equal(
				deviation_switch(recipe, &o.deviations, table[i].id, on, NULL), 0);
			assert_int_equal(command_render(&o, recipe_stage(recipe, table[i].stage),
						 &list, NULL),
				0);
			c = submit(&list);
			if (table[i].on)
				assert_int_equal(strvec_find(&c->argv, table[i].on) >= 0, on);
			if (table[i].off)
				assert_int_equal(strvec_find(&c->argv, table[i].off) >= 0, !on);
			assert_int_equal(c->stdin_closed, true);
		}
	}
}

static void container_command_is_one_line(void **state)
{
	AUTO(command_list_fini) struct command_list list = {0};
	struct render o = options();
	const char *s;

	(void)state;
	assert_int_equal(command_render(&o, recipe_stage(recipe, "train"), &list, NULL), 0);
	s = last(submit(&list));
	assert_null(strchr(s, '\n'));
	assert_non_null(
		strstr(s, "--command=export VLLM_HOST_IP=$(hostname -I | awk '{print $1}') && "));
	assert_non_null(strstr(s, " hf_access_token=" TOKEN " "));
	assert_non_null(
		strstr(s, "vllm_hf_overrides='{\"architectures\": [\"MaxTextForCausalLM\"]}'"));
	assert_non_null(strstr(s, "\"{'maxtext_config': {'model_name': 'gemma4-26b', "));
	assert_non_null(strstr(s, "'enable_dp_attention': false, "));
	assert_null(strstr(s, "checkpoint_period"));
}

static void parameters_can_be_overridden(void **state)
{
	AUTO(values_fini) struct values own = {0};
	AUTO(command_list_fini) struct command_list list = {0};
	struct render o = options();
	struct err e = {0};

	(void)state;
	values_copy(&own, &values);
	o.values = &own;
	assert_int_equal(
		values_put_checked(&own, recipe, "learning_rate", "3e-5", VALUE_SET, &e), 0);
	deviation_switch(recipe, &o.deviations, "checkpoint-every-10", true, NULL);
	deviation_switch(recipe, &o.deviations, "dataset-openmath", true, NULL);
	assert_int_equal(command_render(&o, recipe_stage(recipe, "train"), &list, NULL), 0);
	assert_non_null(strstr(last(submit(&list)), " learning_rate=3e-5 "));
	assert_non_null(strstr(last(submit(&list)), " checkpoint_period=10 "));
	assert_non_null(strstr(last(submit(&list)), " dataset_name=nvidia/OpenMathInstruct-2 "));
	assert_non_null(strstr(submit(&list)->script, "learning_rate=3e-5 "));
}

static void export_takes_the_found_step(void **state)
{
	AUTO(command_list_fini) struct command_list list = {0};
	AUTO(command_list_fini) struct command_list fixed = {0};
	struct render o = options();

	(void)state;
	assert_int_equal(command_render(&o, recipe_stage(recipe, "export"), &list, NULL), 0);
	assert_non_null(strstr(last(submit(&list)), "/actor/40/model_params/"));
	assert_non_null(strstr(submit(&list)->script, "/actor/${EXPORT_STEP:-50}/model_params/"));
	o.as_written = true;
	assert_int_equal(command_render(&o, recipe_stage(recipe, "export"), &fixed, NULL), 0);
	assert_non_null(strstr(last(submit(&fixed)), "/actor/50/model_params/"));
}

static void a_missing_value_is_named(void **state)
{
	AUTO(values_fini) struct values none = {0};
	AUTO(command_list_fini) struct command_list list = {0};
	AUTO(command_list_fini) struct command_list shown = {0};
	struct render o = options();
	struct err e = {0};

	(void)state;
	o.values = &none;
	assert_int_equal(command_render(&o, recipe_stage(recipe, "bucket"), &list, &e), -1);
	assert_int_equal(e.code, ERR_PERSON);
	assert_non_null(strstr(e.what, "GCS_BUCKET"));
	o.names = true;
	assert_int_equal(command_render(&o, recipe_stage(recipe, "bucket"), &shown, &e), 0);
	assert_string_equal(shown.items[0].argv.items[4], "gs://${GCS_BUCKET}");
}

static void deleting_needs_a_confirmation(void **state)
{
	AUTO(buf_fini) struct buf b = {0};
	struct render o = options();
	const char *s, *confirm, *bucket;

	(void)state;
	assert_int_equal(command_script(&o, recipe_stage(recipe, "cleanup"), &b, NULL), 0);
	s = buf_str(&b);
	confirm = strstr(s, "if [ \"${CONFIRM_CLEANUP:-}\" = \"${CLUSTER_NAME:?}\" ]; then");
	bucket = strstr(s, "if [ \"${CONFIRM_BUCKET:-}\" = \"${GCS_BUCKET:?}\" ]; then");
	assert_non_null(confirm);
	assert_non_null(bucket);
	assert_true(confirm < strstr(s, "./gcluster destroy"));
	assert_true(bucket < strstr(s, "gcloud storage rm -r"));
	assert_true(strstr(s, "rm -rf .ghpc") < bucket);
	assert_null(strstr(s, TOKEN));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(script_and_argv_are_the_same),
		cmocka_unit_test(deviations_change_the_commands),
		cmocka_unit_test(container_command_is_one_line),
		cmocka_unit_test(parameters_can_be_overridden),
		cmocka_unit_test(export_takes_the_found_step),
		cmocka_unit_test(a_missing_value_is_named),
		cmocka_unit_test(deleting_needs_a_confirmation),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
