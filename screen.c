/* SPDX-License-Identifier: Apache-2.0 */
#include "screen.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/machine.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/cli/cli.h"
#include "core/cli/wizard.h"
#include "core/io/loop.h"
#include "core/run/engine.h"
#include "core/run/folder.h"
#include "core/run/observe.h"
#include "terminal.h"
#include "tui/glyph.h"
#include "tui/host.h"
#include "tui/term.h"
#include "tui/theme.h"
#include "views/common.h"
#include "views/views.h"

#define AGE_EVERY_MS 1000 /* ages on screen */
#define HEAL_MAX     5
#define START_MS     2000 /* an engine that was started holds the run by then */

/* One screen on one run: the loop, what is seen and what shows it. */
struct screen {
	const struct cli_globals *globals;
	struct loop *loop;
	struct run *run;
	struct observe *observe;
	struct host *host;
	struct loop_timer *wake;
	struct terminal terminal;
	struct views_context context;
	int caught;      /* signal that ended it, 0 = none */
	int healed;      /* how often the engine was started again */
	int64_t started; /* wall, the engine by this screen */
	bool wanted;     /* one was asked for while another was starting */
	char *next;      /* folder of the run that is to be shown after this one, NULL = none */
};

static void leave(void *arg)
{
	loop_stop(((struct screen *)arg)->loop);
}

static void hang_up(void *arg)
{
	((struct screen *)arg)->caught = SIGHUP;
	leave(arg);
}

static void end_asked(void *arg)
{
	((struct screen *)arg)->caught = SIGTERM;
	leave(arg);
}

static void key_signal(struct screen *s, int signo)
{
	if (terminal_takes_signal(&s->terminal))
		return;
	s->caught = signo;
	leave(s);
}

static void interrupted(void *arg)
{
	key_signal(arg, SIGINT);
}

static void quit_asked(void *arg)
{
	key_signal(arg, SIGQUIT);
}

/* Sent by somebody it means that nobody looks any more. Our own come of sockets and pipes, whose
 * writes tell. */
static void on_pipe(int signo, siginfo_t *info, void *context)
{
	(void)signo, (void)context;
	if (info->si_pid != getpid())
		(void)kill(getpid(), SIGHUP);
}

static void catch_pipe(void)
{
	struct sigaction sa = {.sa_sigaction = on_pipe, .sa_flags = SA_SIGINFO | SA_RESTART};

	(void)sigaction(SIGPIPE, &sa, NULL);
}

static void resized(void *arg)
{
	host_resize(((struct screen *)arg)->host);
}

static void woken(void *arg)
{
	((struct screen *)arg)->wake = NULL;
}

/* End of a turn: what changed wakes the views, a due frame is drawn, the next one is planned. */
static void turn(void *arg)
{
	struct screen *s = arg;
	unsigned changed = state_take_changed(observe_state(s->observe));
	int64_t wait;

	if (changed)
		host_changed(s->host, changed);
	host_frame(s->host);
	wait = host_wait_ms(s->host);
	loop_timer_cancel(&s->wake);
	if (wait >= 0)
		s->wake = loop_after_wall(s->loop, wait, woken, s);
}

/* One was started a moment ago. */
static bool starting(const struct screen *s)
{
	return s->started && clock_wall() - s->started < START_MS;
}

/* The engine that does the work, wherever this screen goes; after the first frame, and whenever
 * something is posted and nobody is there to take it. */
static void start_engine(void *arg)
{
	struct screen *s = arg;
	struct err e = {0};

	if (s->globals->read_only || observe_engine_alive(s->observe) ||
		observe_folder_gone(s->observe))
		return;
	s->wanted = starting(s);
	if (s->wanted)
		return;
	s->started = clock_wall();
	if (engine_start_detached(s->loop, s->globals->program, s->run->dir, &e) != 0)
		host_toast(s->host, ROLE_BAD, "%s: %s", e.what, e.hint);
}

static void start_engine_if_needed(void *arg)
{
	struct screen *s = arg;

	if (observe_state(s->observe)->current != STAGE_NONE)
		start_engine(s);
}

/* An engine that vanished without a word (killed, out of memory) is started again, a few times. */
static void heal_engine(struct screen *s)
{
	if (!state_alert_raised(observe_state(s->observe), ALERT_ENGINE_GONE) ||
		observe_folder_gone(s->observe) || s->globals->read_only || starting(s) ||
		s->healed >= HEAL_MAX)
		return;
	s->healed++;
	host_toast(s->host, ROLE_WARN, "%s", _("the engine had vanished; it is started again"));
	start_engine(s);
}

/* By a person's key, also when it has been started too often by itself. */
static void start_by_key(struct screen *s)
{
	const struct state *st = observe_state(s->observe);
	s->healed = 0;
	if (observe_folder_gone(s->observe)) /* the alert line says so */
		return;
	if (s->globals->read_only)
		host_toast(s->host, ROLE_WARN, "%s", _("this screen is read-only"));
	else if (observe_engine_alive(s->observe))
		host_toast(s->host, ROLE_TOAST, "%s", _("the engine is at work"));
	else if (*st->host && !machine_is(st->host) &&
		 clock_now() - st->engine_beat < RUN_ELSEWHERE_MS)
		host_toast(s->host, ROLE_WARN,
			_("the engine on %s may be at work: wait until its last sign is two "
			  "minutes "
			  "old"),
			st->host);
	else
		host_toast(s->host, ROLE_TOAST, "%s", _("the engine is started"));
	start_engine(s);
}

/* Another run with what was typed in this one; its engine, if there is one, goes on. */
static int make_run(const struct run *now, char **dir, struct err *e)
{
	AUTO_FREE char *root = NULL;
	struct run_new fresh = {.prefix = "run", .recipe = now->recipe_name, .like = now};
	struct run *r = NULL;

	if (run_root(false, &root, e) != 0 || run_create(root, &fresh, &r, e) != 0)
		return -1;
	*dir = x_strdup(r->dir);
	run_close(r);
	return 0;
}

static void new_run(struct screen *s)
{
	struct run *now = NULL; /* the values as they are now */
	struct err e = {0};

	if (s->globals->read_only) {
		host_toast(s->host, ROLE_WARN, "%s", _("this screen is read-only"));
	} else if (*s->run->label) {
		host_toast(s->host, ROLE_WARN, "%s",
			_("a rehearsal is one run: rlpilot demo makes another"));
	} else if (run_open(s->run->dir, &now, &e) != 0 || make_run(now, &s->next, &e) != 0) {
		host_toast(s->host, ROLE_BAD, "%s: %s", e.what, e.hint);
	} else {
		leave(s);
	}
	run_close(now);
}

/* What no view does. */
static void other_action(void *arg, enum action a)
{
	if (a == ACT_ENGINE)
		start_by_key(arg);
	else if (a == ACT_NEW_RUN)
		new_run(arg);
}

static void age(void *arg)
{
	struct screen *s = arg;

	heal_engine(s);
	if (s->wanted)
		start_engine(s);
	host_changed(s->host, TOPIC_BIT(TOPIC_CLOCK));
	loop_after_wall(s->loop, AGE_EVERY_MS, age, s);
}

static const struct view_ops *first_view(const struct state *s)
{
	bool begun = false, works = false;

	for (int i = 0; i < STAGE_COUNT; i++) {
		begun = begun || s->stages[i].attempt > 0;
		works = works || (i >= STAGE_CONVERT && s->stages[i].state == ST_RUNNING);
	}
	return works ? &view_monitor : begun ? &view_stages : &view_welcome;
}

static int show(struct screen *s, const struct theme *theme, const char *note, struct err *e)
{
	struct observe_spec spec = {.loop = s->loop, .run = s->run, .live = true};

	s->observe = observe_open(&spec, e);
	if (!s->observe)
		return -1;
	s->context = (struct views_context){.recipe = s->run->recipe,
		.run_dir = s->run->dir,
		.read_only = s->globals->read_only,
		.posted = start_engine,
		.arg = s,
		.program = s->globals->program,
		.run = terminal_run,
		.terminal = &s->terminal};
	s->host = host_new(&(struct host_options){.state = observe_state(s->observe),
		.theme = theme,
		.tabs = views_tabs,
		.context = &s->context,
		.quit = leave,
		.other = other_action,
		.arg = s});
	host_show(s->host, first_view(observe_state(s->observe)));
	if (*note)
		host_toast(s->host, ROLE_WARN, "%s", note);
	terminal_open(&s->terminal, s->loop, s->host);
	loop_signal(s->loop, SIGINT, interrupted, s);
	loop_signal(s->loop, SIGQUIT, quit_asked, s);
	loop_signal(s->loop, SIGWINCH, resized, s);
	loop_signal(s->loop, SIGHUP, hang_up, s);
	loop_signal(s->loop, SIGTERM, end_asked, s);
	catch_pipe();
	loop_on_turn(s->loop, turn, s);
	loop_after_wall(s->loop, AGE_EVERY_MS, age, s);
	host_frame(s->host);
	loop_defer(s->loop, start_engine_if_needed, s);
	loop_run(s->loop);
	terminal_close(&s->terminal);
	host_free(s->host);
	observe_close(&s->observe);
	return 0;
}

/* The screen on one run; before: the folder of the run shown before, or NULL; *next: the one to be
 * shown then, the caller's, or NULL. */
static int screen_on(
	const char *run_dir, const struct cli_globals *g, const char *before, char **next)
{
	struct screen s = {.globals = g, .loop = loop_new()};
	struct theme theme;
	char note[256] = "";
	struct err e = {0};
	int rc = theme_load(&theme, g->theme ? g->theme : "dark", &e);

	rc = rc ? rc : run_open(run_dir, &s.run, &e);
	if (rc == 0 && term_open(&(struct term_options){.no_color = g->no_color}, note,
			       sizeof(note)) == TERM_PLAIN) {
		struct cli_globals lines = *g;

		fprintf(stderr, "rlpilot: %s\n", note);
		lines.run = run_dir;
		rc = cli_wizard(0, NULL, &lines);
	} else if (rc == 0) {
		if (before && !*note)
			snprintf(note, sizeof(note),
				_("a new run; the one before: rlpilot --run %s"),
				strrchr(before, '/') + 1);
		rc = show(&s, &theme, note, &e);
		term_close();
	}
	run_close(s.run);
	loop_free(s.loop);
	*next = s.next;
	if (e.code)
		rc = cli_fail(&e);
	return s.caught ? 128 + s.caught : rc;
}

int screen_run(const char *run_dir, const struct cli_globals *g)
{
	AUTO_FREE char *before = NULL;
	char *dir = x_strdup(run_dir);
	int rc = 0;

	glyph_ascii(g->ascii);
	while (dir) {
		char *next = NULL;

		rc = screen_on(dir, g, before, &next);
		free(before);
		before = dir;
		dir = next;
	}
	return rc;
}
