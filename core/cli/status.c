/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/cli/cli.h"
#include "core/cli/out_status.h"
#include "core/io/loop.h"
#include "core/run/look.h"

#define ASK_MS       6000
#define NO_ENGINE_MS 5000 /* wall: time for one to be started again */

struct status {
	bool json, openmetrics;
	const char *until, *timeout;
	int64_t timeout_ms; /* wall, -1 = none */
	struct look *look;
	int64_t no_engine; /* wall, since when; 0 = there is one */
	bool reachable;
};

static struct out_status view(const struct status *s)
{
	const struct recipe *r = look_recipe(s->look);
	const char *period = values_get(look_values(s->look), "checkpoint_period");
	const char *steps = values_get(look_values(s->look), "num_batches");
	struct out_status o = {
		.state = look_state(s->look), .now = clock_now(), .reachable = s->reachable};

	o.engine_stopped =
		o.state->stopped && state_unended(o.state) != STAGE_NONE && !look_engine(s->look);
	o.cluster_gone = look_cluster_gone(s->look);
	o.steps = steps ? strtoll(steps, NULL, 10) : (int64_t)r->watch.steps;
	o.checkpoint_period = period ? strtoll(period, NULL, 10) : 0;
	return o;
}

/* Engines that are gone do not beat: what the cloud says now is asked, not remembered. */
static void ask(struct status *s, struct err *e)
{
	unsigned what = 0;

	if (look_has_cluster(s->look))
		what = LOOK_CLUSTER | LOOK_TREES;
	if (look_is_training(s->look) && !look_engine(s->look))
		what |= LOOK_CURVES;
	s->reachable = look_ask(s->look, what, NULL, ASK_MS, e) == 0;
}

/* Its engine has ended by itself (done with a part, blocked, cancelled, a person needed) and
 * nothing is at work: there is nothing to wait for. */
static bool at_rest(const struct status *s)
{
	const struct state *st = look_state(s->look);

	return st->stopped && state_unended(st) == STAGE_NONE && !look_engine(s->look);
}

/* Whoever waits for a run that nobody moves waits for ever. */
static bool abandoned(struct status *s, const struct out_status *o)
{
	bool gone = state_alert_raised(o->state, ALERT_ENGINE_GONE);

	if (!gone && !o->engine_stopped)
		s->no_engine = 0;
	else if (!s->no_engine)
		s->no_engine = clock_wall();
	return s->no_engine && clock_wall() - s->no_engine > NO_ENGINE_MS;
}

static bool removed(const struct status *s)
{
	const char *dir = look_dir(s->look);

	return dir && !path_exists(dir);
}

static bool ended(const struct status *s)
{
	struct out_status o = view(s);
	enum verdict v = out_status_verdict(&o, NULL);

	return v == VERDICT_DONE || v == VERDICT_FAILED;
}

static bool over(void *arg)
{
	struct status *s = arg;
	struct out_status o = view(s);

	return ended(s) || at_rest(s) || removed(s) || abandoned(s, &o);
}

static void print(const struct status *s)
{
	struct out_status o = view(s);
	AUTO(buf_fini) struct buf b = {0};

	if (s->json) {
		AUTO(json_auto) json_t *j = out_status_json(&o);
		AUTO_FREE char *line = json_line(j);

		puts(line);
		return;
	}
	if (s->openmetrics)
		out_status_openmetrics(&o, &b);
	else
		out_status_plain(&o, &b);
	fputs(buf_str(&b), stdout);
}

static int read_options(struct status *s, int argc, char **argv, struct err *e)
{
	const struct cli_option options[] = {{"--json", CLI_FLAG, &s->json},
		{"--openmetrics", CLI_FLAG, &s->openmetrics}, {"--until", CLI_TEXT, &s->until},
		{"--timeout", CLI_TEXT, &s->timeout}};
	int64_t seconds;

	if (cli_parse(options, COUNT(options), &argc, argv, e))
		return -1;
	if (argc > 1)
		return err_set(e, ERR_USAGE, _("choose a run with --run NAME"),
			_("status does not take '%s'"), argv[1]);
	if (s->until && strcmp(s->until, "done") != 0 && strcmp(s->until, "failed") != 0)
		return err_set(e, ERR_USAGE, _("--until done or --until failed"),
			_("cannot wait for '%s'"), s->until);
	if (cli_one_of(s->json, s->openmetrics, "--json, --openmetrics", e))
		return -1;
	s->timeout_ms = -1;
	if (!s->timeout)
		return 0;
	if (!s->until)
		return err_set(e, ERR_USAGE, _("--until done or --until failed"),
			_("--timeout is for a wait"));
	if (text_to_i64(s->timeout, 0, INT32_MAX, &seconds))
		return err_set(e, ERR_USAGE, _("give whole seconds"),
			_("'%s' is not a number of seconds"), s->timeout);
	s->timeout_ms = seconds * 1000;
	return 0;
}

/* No run and no JobSet is an answer too: unknown, exit 3. */
static int nothing(const struct status *s, const struct err *e)
{
	struct state none;
	struct out_status o = {.state = &none, .now = clock_now()};
	AUTO(json_auto) json_t *j = NULL;

	if (e->code != ERR_FAILED)
		return cli_fail(e);
	state_init(&none);
	j = out_status_json(&o);
	if (s->json) {
		AUTO_FREE char *line = json_line(j);

		puts(line);
	} else if (s->openmetrics) {
		AUTO(buf_fini) struct buf b = {0};

		out_status_openmetrics(&o, &b);
		fputs(buf_str(&b), stdout);
	}
	state_fini(&none);
	err_print(e);
	return verdict_exit_code(VERDICT_UNKNOWN);
}

static void close_all(struct status *s, struct loop *loop)
{
	look_close(&s->look);
	loop_free(loop);
}

int cli_status(int argc, char **argv, const struct cli_globals *g)
{
	struct status s = {0};
	struct loop *loop;
	struct out_status o;
	struct err e = {0};
	int rc;

	if (read_options(&s, argc, argv, &e))
		return cli_fail(&e);
	loop = loop_new();
	if (look_open(loop, g->run, NULL, &s.look, &e)) {
		loop_free(loop);
		return nothing(&s, &e);
	}
	ask(&s, &e);
	if (s.until) {
		if (!look_run(s.look, over, &s, s.timeout_ms))
			fprintf(stderr, _("rlpilot: not %s after %lld s: it goes on\n"), s.until,
				(long long)(s.timeout_ms / 1000));
		else if (at_rest(&s) && !removed(&s) && !ended(&s))
			fprintf(stderr,
				_("rlpilot: not %s, and no engine is at work on it: it stays as it "
				  "is\n"),
				s.until);
		if (removed(&s)) {
			err_set(&e, ERR_FAILED, _("begin another run"),
				_("the run folder %s has been removed"), look_dir(s.look));
			rc = nothing(&s, &e);
			close_all(&s, loop);
			return rc;
		}
		ask(&s, &e);
	}
	print(&s);
	if (!s.reachable && !s.json)
		err_print(&e);
	o = view(&s);
	rc = verdict_exit_code(out_status_verdict(&o, NULL));
	close_all(&s, loop);
	return rc;
}
