/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cli/rehearsal.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/cli/cli.h"
#include "core/io/child.h"
#include "core/io/loop.h"
#include "core/run/folder.h"

#define SERVE_WITHIN_MS 10000
#define LOOK_EVERY_MS   20

/* The simulator stands beside this program in a build tree, else where it is installed. */
static char *find_simulator(const char *program, struct err *e)
{
	AUTO_FREE char *dir = x_strndup(program, (size_t)(strrchr(program, '/') - program));
	char *near = path_join(dir, "rlpilot-sim");

	if (path_exists(near))
		return near;
	free(near);
	near = path_find_program("rlpilot-sim", getenv("PATH"));
	if (!near)
		err_set(e, ERR_FAILED,
			_("build it without --disable-sim, or install the whole package"),
			_("the rehearsal's simulator rlpilot-sim is not here"));
	return near;
}

struct waiting {
	struct loop *loop;
	const char *env_file;
	int64_t until;
	bool serves, ended;
};

static void look(void *arg)
{
	struct waiting *w = arg;

	w->serves = path_exists(w->env_file);
	if (w->serves || w->ended || clock_wall() > w->until)
		loop_stop(w->loop);
	else
		loop_after_wall(w->loop, LOOK_EVERY_MS, look, w);
}

static void ended(void *arg, int code)
{
	(void)code;
	((struct waiting *)arg)->ended = true;
}

/* What the simulator said last, for the message when it did not come up. */
static char *last_words(const char *file)
{
	AUTO(buf_fini) struct buf b = {0};
	AUTO(buf_fini) struct buf clean = {0};

	if (path_read(file, 65536, &b, NULL) != 0)
		return x_strdup("");
	text_clean(&clean, buf_str(&b), b.len);
	return buf_take(&clean);
}

static int launch(const char *simulator, const struct rehearsal_options *o, const char *folder,
	struct rehearsal *out, struct waiting *w, struct err *e)
{
	AUTO_FREE char *log = path_join(folder, "simulator.log");
	AUTO(strvec_fini) struct strvec argv = {0};
	struct child_spec spec = {
		.out_file = log, .err_file = log, .detached = true, .on_exit = ended, .arg = w};
	const char *const words[] = {simulator, "--world", "ready", "--speed", o->speed, "--seed",
		o->seed ? o->seed : "1", "--ledger", out->ledger, "--env", w->env_file};
	struct child *child;

	for (size_t i = 0; i < COUNT(words); i++)
		strvec_push(&argv, words[i]);
	spec.argv = (const char *const *)argv.items;
	child = child_start(w->loop, &spec, e);
	if (!child)
		return -1;
	out->simulator = child_pid(child);
	w->until = clock_wall() + SERVE_WITHIN_MS;
	loop_after_wall(w->loop, LOOK_EVERY_MS, look, w);
	loop_run(w->loop);
	if (w->ended)
		out->simulator = 0; /* its id may be another's now */
	else
		child_forget(&child);
	if (!w->serves) {
		AUTO_FREE char *said = last_words(log);

		return err_set(e, ERR_FAILED, _("read its log, then try again"),
			_("the rehearsal's simulator did not come up; its log %s says: %s"), log,
			said);
	}
	return 0;
}

/* demo/worlds/N, the first that is free. */
static int new_world(const char *runs, char **folder, struct err *e)
{
	AUTO_FREE char *demo = x_strndup(runs, (size_t)(strrchr(runs, '/') - runs));
	AUTO_FREE char *worlds = path_join(demo, "worlds");

	return path_mkdir_next(worlds, folder, e);
}

int rehearsal_start(const struct rehearsal_options *o, const struct cli_globals *g,
	struct rehearsal *out, struct err *e)
{
	AUTO_FREE char *simulator = find_simulator(g->program, e);
	AUTO_FREE char *runs = NULL;
	AUTO_FREE char *folder = NULL;
	AUTO_FREE char *env_file = NULL;
	struct waiting w = {0};
	int rc;

	*out = (struct rehearsal){.started_wall = clock_wall()};
	if (!simulator || run_root(true, &runs, e) != 0 || new_world(runs, &folder, e) != 0)
		return -1;
	env_file = path_join(folder, "env");
	out->ledger = path_join(folder, "ledger.jsonl");
	w.env_file = env_file;
	w.loop = loop_new();
	rc = launch(simulator, o, folder, out, &w, e);
	loop_free(w.loop);
	if (rc == 0) {
		struct run_new n = {.name = g->run,
			.prefix = "demo",
			.recipe = g->recipe,
			.environment = env_file};

		rc = run_create(runs, &n, &out->run, e);
		out->started_now = clock_now();
	}
	if (rc != 0)
		rehearsal_stop(out);
	return rc;
}

void rehearsal_stop(struct rehearsal *r)
{
	if (r->simulator > 0)
		kill(r->simulator, SIGTERM);
	r->simulator = 0;
	free(r->ledger);
	r->ledger = NULL;
}
