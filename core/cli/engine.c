/* SPDX-License-Identifier: Apache-2.0 */
/* The headless engine of a run, started detached by a screen: `rlpilot engine --run-dir DIR`. */
#include <signal.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/cli/cli.h"
#include "core/io/loop.h"
#include "core/run/engine.h"
#include "core/run/folder.h"

static void on_term(void *arg)
{
	loop_stop(arg);
}

int cli_engine(int argc, char **argv, const struct cli_globals *g)
{
	const char *dir = NULL;
	const struct cli_option options[] = {{"--run-dir", CLI_TEXT, &dir}};
	struct engine_opts o = {.from = STAGE_TOOLS, .to = STAGE_CLEANUP};
	struct run *r = NULL;
	struct loop *l;
	struct loop_signal *term;
	struct err e = {0};
	int code;

	(void)g;
	if (cli_parse(options, COUNT(options), &argc, argv, &e) != 0)
		return cli_fail(&e);
	if (!dir) {
		err_set(&e, ERR_USAGE, "", _("engine needs --run-dir"));
		return cli_fail(&e);
	}
	if (run_open(dir, &r, &e) != 0)
		return cli_fail(&e);
	if (run_lock(r, &e) != 0 || run_reopen(&r, &e) != 0) {
		run_close(r);
		return cli_fail(&e);
	}
	l = loop_new();
	term = loop_signal(l, SIGTERM, on_term, l);
	code = engine_run(l, r, &o, &e);
	loop_signal_stop(&term);
	loop_free(l);
	run_close(r);
	if (code != 0)
		err_print(&e);
	return code;
}
