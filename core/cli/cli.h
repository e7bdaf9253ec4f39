/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verbs. main.c reads the global options, then hands the rest of the line to one verb of the
 * table in cli.c. A verb writes data to stdout, messages to stderr (err_print) and returns the exit
 * code of contract.md. One verb a file, named after it.
 */
#ifndef RLPILOT_CLI_CLI_H
#define RLPILOT_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>

struct err;

/* Options that stand before or after any verb; strings are borrowed from argv, NULL when not given.
 */
struct cli_globals {
	const char *run, *recipe, *theme, *lang, *remote, *log_file;
	bool plain, read_only, ascii, no_color;
	const char *program; /* absolute path of this binary, for starting engines */
	/* Opens the screen on a run folder (main.c knows the views, the verbs do not). */
	int (*screen)(const char *run_dir, const struct cli_globals *g);
};

struct cli_verb {
	const char *name;
	const char *usage; /* arguments after the name */
	const char *does;  /* one line, N_() */
	int (*run)(int argc, char **argv, const struct cli_globals *g); /* argv[0] is the verb */
	bool internal;                                                  /* not in --help */
	bool remote;                                                    /* takes --remote */
	bool changes;                                                   /* not with --read-only */
};

/* NULL-name terminated. */
extern const struct cli_verb cli_verbs[];
const struct cli_verb *cli_find(const char *name);

/* Options of one verb, by table: {"--json", CLI_FLAG, &json}, {"--only", CLI_TEXT, &only}.
 * Values as "--opt V" or "--opt=V". What is left (operands) is moved to argv[1..*argc).
 * -1 and ERR_USAGE (with the verb's usage as cure) for anything unknown. */
enum cli_kind { CLI_FLAG, CLI_TEXT, CLI_LIST };
struct cli_option {
	const char *name;
	enum cli_kind kind;
	void *target; /* bool *, const char **, struct strvec * */
};
int cli_parse(const struct cli_option *options, size_t n, int *argc, char **argv, struct err *e);
/* -1 and ERR_USAGE when operands are left: for verbs that take none. */
int cli_no_operands(int argc, char **argv, struct err *e);
/* -1 and ERR_USAGE when both are given; names: "--json, --csv". */
int cli_one_of(bool a, bool b, const char *names, struct err *e);
/* -1 and ERR_USAGE with --read-only: for verbs that change something with some arguments only. */
int cli_may_change(const struct cli_globals *g, struct err *e);
/* err_print and the exit code. */
int cli_fail(const struct err *e);

int cli_check(int argc, char **argv, const struct cli_globals *g);
int cli_plan(int argc, char **argv, const struct cli_globals *g);
int cli_run(int argc, char **argv, const struct cli_globals *g);
int cli_status(int argc, char **argv, const struct cli_globals *g);
int cli_logs(int argc, char **argv, const struct cli_globals *g);
int cli_metrics(int argc, char **argv, const struct cli_globals *g);
int cli_checkpoints(int argc, char **argv, const struct cli_globals *g);
int cli_runs(int argc, char **argv, const struct cli_globals *g);
int cli_env(int argc, char **argv, const struct cli_globals *g);
int cli_demo(int argc, char **argv, const struct cli_globals *g);
int cli_doctor(int argc, char **argv, const struct cli_globals *g);
int cli_recipe(int argc, char **argv, const struct cli_globals *g);
int cli_engine(int argc, char **argv, const struct cli_globals *g);

#endif
