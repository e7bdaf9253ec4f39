/* SPDX-License-Identifier: Apache-2.0 */
/* The attempt of a stage: its script under the supervisor, its output, its end. */
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/run/engine_in.h"

#define LOOK_MS      30  /* wall: at the supervisor's files */
#define LOOK_LONG_MS 250 /* once it lasts */
#define LASTS_MS     10000
/* A claim without a script is believed dead after so many looks in a row. Counted, not timed: while
 * the machine stood still nobody could begin. */
#define NEVER_LOOKS 14

static struct follow_spec of_attempt(struct engine *en)
{
	return (struct follow_spec){.loop = en->loop,
		.run_dir = en->run->dir,
		.cluster = values_get(&en->run->values, "CLUSTER_NAME"),
		.stage = en->stage,
		.attempt = en->attempt,
		.emit = engine_emit,
		.arg = en};
}

void try_follow(struct engine *en)
{
	struct follow_spec spec = of_attempt(en);

	follow_close(&en->follow);
	en->follow = follow_open(&spec);
	en->look_since = clock_wall();
}

static int start_attempt(struct engine *en, struct err *e)
{
	struct strvec env = {0};
	int rc;

	act_environment(en, &env);
	rc = attempt_start(en->loop, en->attempt_dir, (const char *const *)env.items, e);
	act_environment_wipe(&env);
	return rc;
}

/* Who was killed while gcluster wrote its folder has left half of one, which gcluster refuses. Only
 * for an attempt that is new in this life: nobody can have begun it already. */
static int clear_lost(struct engine *en, struct err *e)
{
	bool lost = en->left_lost && en->stage == STAGE_CLUSTER;

	en->left_lost = false;
	return lost ? left_deployment(en, e) : 0;
}

static void begin_now(struct engine *en)
{
	struct follow_spec spec = of_attempt(en);
	AUTO_FREE char *script = NULL;
	struct err e = {0};

	free(en->attempt_dir);
	en->attempt_dir = attempt_dir(en->run->dir, en->stage, en->attempt);
	if (en->remote || there_is(en->attempt_dir)) {
		stage_there(en);
		return;
	}
	if (clear_lost(en, &e) != 0) {
		stage_failed(en, e.what, e.hint);
		return;
	}
	script = act_script(en);
	if (follow_put_aside(&spec, &e) != 0 || attempt_prepare(en->attempt_dir, script, &e) != 0) {
		engine_end(en, err_exit_code(e.code), &e);
		return;
	}
	try_follow(en);
	if (start_attempt(en, &e) != 0) {
		stage_failed(en, e.what, e.hint);
		return;
	}
	try_look(en);
}

/* An earlier attempt whose tools still work (cancelled a moment ago): nothing runs twice. */
static bool earlier_lives(const struct engine *en)
{
	for (int n = en->attempt - 1; n > 0; n--) {
		AUTO_FREE char *dir = attempt_dir(en->run->dir, en->stage, n);
		struct attempt_look look = attempt_look(dir);
		if (there_is(dir))
			continue; /* seen to there, or in the way */
		if (look.state == ATTEMPT_RUNNING || look.state == ATTEMPT_CLAIMED ||
			attempt_lingers(dir))
			return true;
	}
	return false;
}

static void begin_later(void *arg)
{
	struct engine *en = arg;

	en->look = NULL;
	try_begin(en);
}

void try_begin(struct engine *en)
{
	if (cancel_before_script(en) || stage_there_in_way(en))
		return;
	if (earlier_lives(en)) {
		log_line("run", "stage %s: an earlier attempt still ends", stage_word(en->stage));
		loop_timer_cancel(&en->look);
		en->look = loop_after_wall(en->loop, LOOK_LONG_MS, begin_later, en);
		return;
	}
	begin_now(en);
}

static void exit_known(struct engine *en, int code)
{
	struct event ev = event_stage(en->stage, MOVE_EXIT, en->attempt);

	follow_rest(en->follow);
	act_ended(en);
	ev.u.stage.exit = code;
	if (en->state.stages[en->stage].exit_code != code)
		engine_emit(en, &ev);
	stage_script_over(en, code);
}

void try_never(struct engine *en)
{
	en->never_since = 0;
	en->never_looks = 0;
	en->attempt++;
	engine_move(en, MOVE_START, _("the previous attempt never began"), NULL, NULL);
	try_begin(en);
}

bool try_judge(struct engine *en, const struct attempt_look *look)
{
	switch (look->state) {
	case ATTEMPT_EXITED:
		exit_known(en, look->exit);
		return false;
	case ATTEMPT_LOST:
		follow_rest(en->follow);
		act_ended(en);
		engine_move(en, MOVE_UNKNOWN, NULL, NULL, NULL);
		en->lost = true;
		en->blind = look->elsewhere;
		stage_script_over(en, -1);
		return false;
	default:
		return true;
	}
}

bool try_given_up(struct engine *en, const struct attempt_look *look)
{
	en->never_looks = look->state == ATTEMPT_NEVER ? en->never_looks + 1 : 0;
	return en->never_looks > NEVER_LOOKS && attempt_give_up(en->attempt_dir);
}

void try_look(void *arg)
{
	struct engine *en = arg;
	struct attempt_look look = attempt_look(en->attempt_dir);

	en->look = NULL;
	if (!try_judge(en, &look))
		return;
	if (try_given_up(en, &look)) {
		try_never(en);
		return;
	}
	en->look = loop_after_wall(en->loop,
		clock_wall() - en->look_since > LASTS_MS ? LOOK_LONG_MS : LOOK_MS, try_look, en);
}
