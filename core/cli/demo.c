/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `rlpilot demo`: a rehearsal. With a terminal the screen opens and the simulator ends with its
 * run; without one the nine stages are told in lines, clean-up included, with the rehearsal's own
 * pretend names as confirmation.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/cli/cli.h"
#include "core/cli/plain.h"
#include "core/cli/rehearsal.h"
#include "core/run/event.h"
#include "core/run/folder.h"
#include "core/run/journal.h"

#define SPEED_ON_SCREEN "120" /* the four hours in two minutes */

static bool is_speed(const char *s)
{
	int64_t n;

	return strcmp(s, "max") == 0 || text_to_i64(s, 1, 1000, &n) == 0;
}

static int in_lines(struct rehearsal *r)
{
	struct plain_opts o = {
		.engine = {.from = STAGE_TOOLS,
			.to = STAGE_CLEANUP,
			.to_end = true,
			.confirm_cluster = values_get(&r->run->values, "CLUSTER_NAME"),
			.confirm_bucket = values_get(&r->run->values, "GCS_BUCKET")},
	};
	struct err e = {0};
	int64_t pretend = 0;
	int done = 0;
	int code = plain_run(r->run, &o, &done, &pretend, &e);

	if (code != 0)
		err_print(&e);
	printf("rehearsal: %d/%d stages done, %" PRId64
	       ":%02d:%02d pretend, %.1f s real, ledger %s\n",
		done, (int)STAGE_COUNT, pretend / 3600000, (int)(pretend / 60000 % 60),
		(int)(pretend / 1000 % 60), (double)(clock_wall() - r->started_wall) / 1000,
		r->ledger);
	return code;
}

static void apply(void *arg, const struct event *ev)
{
	run_apply(arg, ev);
}

/* Nothing has begun, all is over, or the folder is gone: nobody goes on with it. */
static bool pretend_cloud_done(const char *dir)
{
	struct state s;
	struct err e = {0};
	int64_t offset = 0;
	bool done, begun = false;

	state_init(&s);
	done = journal_replay(dir, &offset, apply, &s, NULL, &e) != 0 || s.current == STAGE_NONE;
	for (unsigned i = 0; i < STAGE_COUNT; i++)
		begun |= s.stages[i].attempt > 0;
	state_fini(&s);
	return done || !begun;
}

/* Leaving the screen stops nothing: the simulator ends here only when nobody needs it any more,
 * else by itself after a time. */
static int on_screen(struct rehearsal *r, const struct cli_globals *g)
{
	AUTO_FREE char *dir = x_strdup(r->run->dir);
	int code;

	run_close(r->run);
	r->run = NULL;
	code = g->screen(dir, g);
	if (run_locked(dir, NULL, NULL, 0) || !pretend_cloud_done(dir))
		r->simulator = 0;
	return code;
}

int cli_demo(int argc, char **argv, const struct cli_globals *g)
{
	struct rehearsal_options o = {0};
	const struct cli_option options[] = {
		{"--speed", CLI_TEXT, &o.speed},
		{"--seed", CLI_TEXT, &o.seed},
	};
	struct rehearsal r;
	struct err e = {0};
	int code;

	if (cli_parse(options, COUNT(options), &argc, argv, &e) != 0)
		return cli_fail(&e);
	if (argc > 1) {
		err_set(&e, ERR_USAGE, _("usage: rlpilot demo [--speed N|max]"),
			_("demo does not take '%s'"), argv[1]);
		return cli_fail(&e);
	}
	o.speed = o.speed ? o.speed : SPEED_ON_SCREEN;
	if (!is_speed(o.speed)) {
		err_set(&e, ERR_USAGE, _("give a number from 1 to 1000, or max"),
			_("'%s' is not a speed"), o.speed);
		return cli_fail(&e);
	}
	if (rehearsal_start(&o, g, &r, &e) != 0)
		return cli_fail(&e);
	code = g->plain ? in_lines(&r) : on_screen(&r, g);
	run_close(r.run);
	rehearsal_stop(&r);
	return code;
}
