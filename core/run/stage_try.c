/* SPDX-License-Identifier: Apache-2.0 */
/* The attempt of a stage: its script under the supervisor, its output, its end. */
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/run/engine_in.h"
#include "core/run/tfstate.h"

#define LOOK_MS  30  /* wall: at the supervisor's files */
#define NEVER_MS 400 /* wall: a claim without a script is believed dead after that */

static void on_output(void *arg, const char *line, size_t n)
{
	struct engine *en = arg;
	struct event ev = {.kind = EV_OUTPUT};
	AUTO(buf_fini) struct buf clean = {0};
	AUTO_FREE char *safe = NULL;

	text_clean(&clean, line, n);
	safe = redact_dup(buf_str(&clean));
	ev.u.output.id = en->stage;
	ev.u.output.line = safe;
	engine_emit(en, &ev);
}

static void on_deploy_line(void *arg, const char *line, size_t n)
{
	struct engine *en = arg;
	struct event ev = {.kind = EV_PROGRESS};

	if (!deploy_line(&en->deploy, line, n) || !en->deploy.total)
		return;
	ev.u.progress.id = en->stage;
	ev.u.progress.done = en->deploy.done;
	ev.u.progress.total = en->deploy.total;
	ev.u.progress.unit = "resource";
	ev.u.progress.text = en->deploy.at;
	engine_emit(en, &ev);
}

static void on_script_output(void *arg, const char *line, size_t n)
{
	struct engine *en = arg;

	on_output(en, line, n);
	if (en->recipe->uninterruptible)
		on_deploy_line(en, line, n);
}

void try_follow(struct engine *en)
{
	AUTO_FREE char *log = path_join(en->attempt_dir, "log");
	const char *cluster = values_get(&en->run->values, "CLUSTER_NAME");

	tail_close(&en->output);
	en->output = tail_open(en->loop, log, on_script_output, en);
	memset(&en->deploy, 0, sizeof(en->deploy));
	if (en->stage == STAGE_CLEANUP) {
		struct strvec names = {0};
		en->deploy.total = tfstate_resources(en->run->dir, &names);
		strvec_fini(&names);
	}
	if (en->stage == STAGE_CLUSTER && cluster) {
		AUTO_FREE char *events =
			x_asprintf("%s/cluster-toolkit/gcluster_output-%s.primary.json",
				   en->toolkit, cluster);
		tail_close(&en->deploy_tail);
		en->deploy_tail = tail_open(en->loop, events, on_deploy_line, en);
	}
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

void try_begin(struct engine *en)
{
	AUTO_FREE char *script = act_script(en);
	struct err e = {0};

	free(en->attempt_dir);
	en->attempt_dir = attempt_dir(en->run->dir, en->stage, en->attempt);
	if (attempt_prepare(en->attempt_dir, script, &e) != 0) {
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

static void exit_known(struct engine *en, int code)
{
	struct event ev = event_stage(en->stage, MOVE_EXIT, en->attempt);

	tail_rest(en->output);
	if (en->deploy_tail)
		tail_rest(en->deploy_tail);
	ev.u.stage.exit = code;
	if (en->state.stages[en->stage].exit_code != code)
		engine_emit(en, &ev);
	stage_script_over(en, code);
}

void try_look(void *arg)
{
	struct engine *en = arg;
	struct attempt_look look = attempt_look(en->attempt_dir);

	en->look = NULL;
	switch (look.state) {
	case ATTEMPT_EXITED:
		exit_known(en, look.exit);
		return;
	case ATTEMPT_LOST:
		tail_rest(en->output);
		engine_move(en, MOVE_UNKNOWN, NULL, NULL, NULL);
		en->lost = true;
		stage_script_over(en, -1);
		return;
	case ATTEMPT_NEVER:
		if (!en->never_since)
			en->never_since = clock_wall();
		if (clock_wall() - en->never_since > NEVER_MS) {
			en->never_since = 0;
			en->attempt++;
			engine_move(en, MOVE_START, _("the attempt before never began"), NULL, NULL);
			try_begin(en);
			return;
		}
		break;
	default:
		en->never_since = 0;
	}
	en->look = loop_after_wall(en->loop, LOOK_MS, try_look, en);
}
