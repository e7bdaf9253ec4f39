/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cli/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/cli/cli.h"
#include "core/fmt/json.h"
#include "core/io/loop.h"
#include "core/run/folder.h"
#include "core/run/look.h"
#include "core/run/record.h"

#define ASK_MS 60000

/* 0 nothing blocking or unknown, 1 something blocking, 2 nothing blocking but something unknown. */
static int exit_code(const json_t *checks)
{
	const json_t *c;
	size_t i;
	bool unknown = false;

	json_array_foreach(checks, i, c)
	{
		const char *state = json_path_str_or(c, "state", "unknown");

		if (strcmp(state, "blocking") == 0)
			return 1;
		unknown |= strcmp(state, "unknown") == 0;
	}
	return unknown ? 2 : 0;
}

static void print_argv(const json_t *argv)
{
	const json_t *word;
	size_t i;

	if (json_array_size(argv) == 0)
		return;
	printf("%-9s %-34s $", "", "");
	json_array_foreach(argv, i, word)
	{
		printf(" %s", json_string_value(word));
	}
	putchar('\n');
}

static const char *in_words(const char *word)
{
	static const char *const texts[][2] = {{"ok", N_("ok")}, {"warning", N_("warning")},
		{"blocking", N_("blocking")}, {"unknown", N_("unknown")}, {"you", N_("you")},
		{"administrator", N_("administrator")}, {"google", N_("Google")}};

	for (size_t i = 0; i < COUNT(texts); i++)
		if (strcmp(texts[i][0], word) == 0)
			return _(texts[i][1]);
	return word;
}

static void print_plain(const json_t *checks, bool skip_ok)
{
	const json_t *c;
	size_t i;

	json_array_foreach(checks, i, c)
	{
		const char *cause = json_path_str(c, "cause");
		const char *cure = json_path_str(c, "cure");

		AUTO(buf_fini) struct buf state = {0};

		if (skip_ok && strcmp(json_path_str_or(c, "state", ""), "ok") == 0)
			continue;
		text_pad(&state, in_words(json_path_str_or(c, "state", "")), 9);
		printf("%s %-34s", buf_str(&state), json_path_str_or(c, "id", ""));
		if (cause)
			printf(" %s", cause);
		if (cure)
			printf(" (%s: %s)", in_words(json_path_str_or(c, "who", "you")), cure);
		putchar('\n');
		if (strcmp(json_path_str_or(c, "state", ""), "blocking") == 0)
			print_argv(json_path(c, "cure_argv"));
	}
}

static json_t *find(const json_t *checks, const char *id)
{
	json_t *c;
	size_t i;

	json_array_foreach(checks, i, c)
	{
		if (strcmp(json_path_str_or(c, "id", ""), id) == 0)
			return c;
	}
	return NULL;
}

/* Only what was asked for now, in the order of the recipe. */
static json_t *asked_now(const struct state *s, const struct recipe *r, const struct strvec *only)
{
	json_t *all = record_checks_json(s);
	json_t *kept = json_array();

	for (size_t i = 0; i < r->checks.n; i++) {
		const char *id = r->checks.items[i].id;
		AUTO_FREE char *group = x_strndup(id, strcspn(id, "."));
		json_t *c = find(all, id);

		if (c && (only->n == 0 || strvec_find(only, id) >= 0 ||
				 strvec_find(only, group) >= 0))
			json_array_append(kept, c);
	}
	json_decref(all);
	return kept;
}

static int print(const struct look *l, const struct strvec *only, bool json)
{
	AUTO(json_auto) json_t *checks = asked_now(look_state(l), look_recipe(l), only);

	if (json) {
		AUTO_FREE char *text = json_pretty(checks);

		fputs(text, stdout);
	} else {
		print_plain(checks, false);
	}
	return exit_code(checks);
}

int cli_check_lines(const struct state *s, const struct recipe *r)
{
	const struct strvec all = {0};
	AUTO(json_auto) json_t *checks = asked_now(s, r, &all);

	print_plain(checks, true);
	return exit_code(checks);
}

int cli_check(int argc, char **argv, const struct cli_globals *g)
{
	bool json = false;
	const char *list = NULL;
	const struct cli_option options[] = {
		{"--json", CLI_FLAG, &json}, {"--only", CLI_TEXT, &list}};
	AUTO(strvec_fini) struct strvec only = {0};
	struct look *l = NULL;
	struct loop *loop;
	struct err e = {0};
	int rc;

	if (cli_parse(options, COUNT(options), &argc, argv, &e) || cli_no_operands(argc, argv, &e))
		return cli_fail(&e);
	if (list)
		strvec_split(&only, list, ",");
	loop = loop_new();
	if (look_open(loop, g->run, g->recipe ? g->recipe : RUN_RECIPE_DEFAULT, &l, &e))
		rc = cli_fail(&e);
	else if (look_ask(l, LOOK_CHECKS, &only, ASK_MS, &e) && e.code == ERR_USAGE)
		rc = cli_fail(&e);
	else
		rc = print(l, &only, json);
	look_close(&l);
	loop_free(loop);
	return rc;
}
