/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/there.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/fmt/shell.h"
#include "core/io/loop.h"
#include "core/io/ssh.h"
#include "core/run/look_there.h"
#include "core/run/there_words.h"

#define LOOK_MS       100 /* wall, while the log grows; doubled in silence */
#define LOOK_LONG_MS  2000
#define BUSY_MS       1000
#define AGAIN_MS      1000 /* after a lost connection, doubled */
#define AGAIN_LONG_MS 60000
#define SCRIPT_MAX    ((size_t)1 << 20)

enum job { JOB_SUPERVISOR, JOB_LOOK, JOB_SCRIPT, JOB_START, JOB_GIVE_UP, JOB_STOP };

struct there {
	struct there_spec spec;
	char *dir, *folder, *stage; /* stage: stages/ID/N, below the folder there */
	struct ssh_address at;
	struct ssh *ssh;
	struct loop_timer *timer;
	enum job job, running; /* the next one, the one under way */
	bool give_up, stop, down, clock_told;
	int64_t pause, again;
};

static void connect_now(void *arg);
static void do_next(void *arg);

/* --- the files here */

static char *in_dir(const char *dir, const char *name)
{
	return path_join(dir, name);
}

static bool has(const char *dir, const char *name)
{
	AUTO_FREE char *file = in_dir(dir, name);

	return path_exists(file);
}

static int put(const char *dir, const char *name, const char *text, struct err *e)
{
	AUTO_FREE char *file = in_dir(dir, name);

	return path_write(file, text, strlen(text), e);
}

static off_t log_size(const struct there *t)
{
	AUTO_FREE char *file = in_dir(t->dir, "log");
	struct stat st;

	return stat(file, &st) == 0 ? st.st_size : 0;
}

static int add_log(const struct there *t, const char *data, size_t n, struct err *e)
{
	AUTO_FREE char *file = in_dir(t->dir, "log");

	return n ? path_append(file, data, n, e) : 0;
}

/* --- what is said to the login shell there: fixed texts of ours, and quoted words */

/* $1 the run's folder; then what the text needs. */
#define CHDIR "cd \"${XDG_STATE_HOME:-$HOME/.local/state}/rlpilot/remote/$1\" || exit 73; "

static const char put_text[] = /* $2 folder $3 name $4 bytes $5 keep or replace */
	"umask 077; d=\"${XDG_STATE_HOME:-$HOME/.local/state}/rlpilot/remote/$1\"; "
	"mkdir -p \"$d/$2\" && cd \"$d/$2\" || exit 73; "
	"if [ \"$5\" = keep ] && [ -e \"$3\" ]; then exit 0; fi; "
	"cat >\"$3.new\" && [ \"$(wc -c <\"$3.new\")\" -eq \"$4\" ] && chmod 700 \"$3.new\" && "
	"mv -f \"$3.new\" \"$3\" && date +%s";
static const char supervisor_text[] = /* $2 verb $3 stages/ID/N $4 … */
	CHDIR "v=$2; s=$3; shift 3; exec sh \"$PWD/supervisor\" \"$v\" \"$PWD/$s\" \"$@\"";

static void line_of(
	struct buf *line, const struct there *t, const char *text, const char *const *words)
{
	buf_adds(line, "exec sh -c ");
	shell_quote(line, text);
	buf_adds(line, " rlpilot ");
	shell_quote(line, t->folder);
	for (; *words; words++) {
		buf_addc(line, ' ');
		shell_quote(line, *words);
	}
}

/* --- ends */

static void fail(struct there *t, const struct err *e)
{
	t->spec.on_failed(t->spec.arg, e, has(t->dir, "sent"));
}

static void again_later(struct there *t, const struct err *e)
{
	ssh_close(&t->ssh);
	loop_timer_cancel(&t->timer);
	if (!has(t->dir, "sent")) {
		fail(t, e);
		return;
	}
	t->again = !t->again                      ? AGAIN_MS
		   : t->again * 2 > AGAIN_LONG_MS ? AGAIN_LONG_MS
						  : t->again * 2;
	t->timer = loop_after_wall(t->spec.loop, t->again, connect_now, t);
	if (!t->down)
		t->spec.on_link(t->spec.arg, e);
	t->down = true;
}

/* A command there did not do what it was to do. */
static void refused(struct there *t, int code, const char *said)
{
	struct err e = {0};

	(void)there_trouble(t->at.host, code, said, &e);
	again_later(t, &e);
}

/* Said once. */
static void compare_clocks(struct there *t, const struct buf *out)
{
	AUTO_FREE char *line =
		t->clock_told ? NULL : there_clock(t->at.host, buf_str(out), (int64_t)time(NULL));

	if (!line)
		return;
	t->clock_told = true;
	t->spec.on_note(t->spec.arg, line);
}

static void later(struct there *t, int64_t ms)
{
	loop_timer_cancel(&t->timer);
	t->timer = loop_after_wall(t->spec.loop, ms, do_next, t);
}

/* --- the jobs' ends */

static void after_supervisor(struct there *t, int code, const struct buf *out, const char *said)
{
	(void)code, (void)said;
	compare_clocks(t, out);
	t->job = JOB_LOOK;
	later(t, 0);
}

static void start_it(struct there *t, bool script)
{
	t->job = script ? JOB_START : JOB_SCRIPT;
	later(t, 0);
}

static int keep_end(struct there *t, const struct attempt_look *look, struct err *e)
{
	AUTO_FREE char *text = x_asprintf("%d\n", look->exit);

	if (look->state == ATTEMPT_EXITED)
		return has(t->dir, "exit") ? 0 : put(t->dir, "exit", text, e);
	return look->state == ATTEMPT_LOST ? put(t->dir, "ended", "lost\n", e) : 0;
}

static void after_look(struct there *t, int code, const struct buf *out, const char *said)
{
	struct look_there got;
	struct attempt_look look;
	struct err e = {0};

	(void)code, (void)said;
	if (!look_there_parse(buf_str(out), out->len, &got)) {
		refused(t, 0, _("the answer cannot be read"));
		return;
	}
	t->again = 0;
	if (t->down)
		t->spec.on_link(t->spec.arg, NULL);
	t->down = false;
	look = attempt_judge(&got.facts);
	if (look.state == ATTEMPT_NONE && has(t->dir, "sent") && !got.script)
		look.state = ATTEMPT_LOST; /* what was taken there has been removed */
	if (add_log(t, got.log, got.log_n, &e) != 0) {
		fail(t, &e);
	} else if (got.log_n == LOOK_THERE_LOG) {
		later(t, 0); /* there is more: first all of it */
	} else if (look.state == ATTEMPT_NONE) {
		start_it(t, got.script);
	} else if (keep_end(t, &look, &e) != 0) {
		fail(t, &e);
	} else {
		t->pause = got.log_n || !t->pause        ? LOOK_MS
			   : t->pause * 2 > LOOK_LONG_MS ? LOOK_LONG_MS
							 : t->pause * 2;
		later(t, t->pause);
		t->spec.on_look(t->spec.arg, &look);
	}
}

static void after_script(struct there *t, int code, const struct buf *out, const char *said)
{
	(void)code, (void)out, (void)said;
	start_it(t, true);
}

static void after_start(struct there *t, int code, const struct buf *out, const char *said)
{
	bool busy = text_starts(buf_str(out), "busy");

	t->job = JOB_LOOK;
	if (!busy && !text_starts(buf_str(out), "going")) {
		refused(t, code, said);
		return;
	}
	if (busy)
		log_line("run", "an earlier attempt still works on %s", t->at.host);
	later(t, busy ? BUSY_MS : LOOK_MS);
}

static void after_give_up(struct there *t, int code, const struct buf *out, const char *said)
{
	bool given = text_starts(buf_str(out), "given");
	struct err e = {0};

	(void)code, (void)said;
	t->give_up = false;
	if (given && put(t->dir, "ended", "never began\n", &e) != 0) {
		fail(t, &e);
		return;
	}
	later(t, LOOK_MS);
	t->spec.on_given_up(t->spec.arg, given);
}

static void after_stop(struct there *t, int code, const struct buf *out, const char *said)
{
	(void)code, (void)out, (void)said;
	t->stop = false;
	later(t, LOOK_MS);
}

static const struct {
	void (*after)(struct there *t, int code, const struct buf *out, const char *said);
	bool any_code; /* it may still run */
} jobs[] = {
	[JOB_SUPERVISOR] = {after_supervisor, false},
	[JOB_LOOK] = {after_look, false},
	[JOB_SCRIPT] = {after_script, false},
	[JOB_START] = {after_start, true},
	[JOB_GIVE_UP] = {after_give_up, false},
	[JOB_STOP] = {after_stop, true},
};

static enum job current(const struct there *t)
{
	if (t->job == JOB_SUPERVISOR)
		return t->job;
	return t->stop ? JOB_STOP : t->give_up ? JOB_GIVE_UP : t->job;
}

static void on_done(void *arg, int code, struct buf *out, const char *said)
{
	struct there *t = arg;

	if (code != 0 && !jobs[t->running].any_code)
		refused(t, code, said);
	else
		jobs[t->running].after(t, code, out, said);
}

/* --- their beginnings */

static void run(
	struct there *t, const char *text, const char *const *words, const struct buf *input)
{
	AUTO(buf_fini) struct buf line = {0};
	struct ssh_command c = {.max = LOOK_THERE_LOG + 1024,
		.leave = t->running == JOB_START,
		.on_done = on_done,
		.arg = t};

	line_of(&line, t, text, words);
	c.line = buf_str(&line);
	c.input = input ? buf_str(input) : NULL;
	c.input_n = input ? input->len : 0;
	ssh_run(t->ssh, &c);
}

static void take_file(
	struct there *t, const char *file, const char *folder, const char *name, bool keep)
{
	AUTO(buf_fini) struct buf b = {0};
	AUTO_FREE char *bytes = NULL;
	struct err e = {0};

	if (path_read(file, SCRIPT_MAX, &b, &e) != 0) {
		fail(t, &e);
		return;
	}
	bytes = x_asprintf("%zu", b.len);
	run(t, put_text,
		(const char *const[]){folder, name, bytes, keep ? "keep" : "replace", NULL}, &b);
}

static void take_supervisor(struct there *t)
{
	struct err e = {0};
	AUTO_FREE char *file = attempt_supervisor(&e);

	if (file)
		take_file(t, file, t->stage, "../../../supervisor", false);
	else
		fail(t, &e);
}

static void take_script(struct there *t)
{
	AUTO_FREE char *file = in_dir(t->dir, "script");

	take_file(t, file, t->stage, "script", true);
}

/* From here on the script may be at work there. */
static void start(struct there *t)
{
	AUTO(buf_fini) struct buf lines = {0};
	struct strvec env = {0};
	struct err e = {0};

	if (put(t->dir, "sent", "", &e) != 0) {
		fail(t, &e);
		return;
	}
	t->spec.environment(t->spec.arg, &env);
	for (size_t i = 0; i < env.n; i++)
		buf_addf(&lines, "%*s", (int)strlen(env.items[i]) + 4, "");
	buf_clear(&lines); /* room for all: no secret is left behind when it grows */
	for (size_t i = 0; i < env.n; i++) {
		if (strchr(env.items[i], '\n'))
			log_line("run", "a value of several lines is not taken to %s", t->at.host);
		else
			buf_addf(&lines, "%s\n", env.items[i]);
		explicit_bzero(env.items[i], strlen(env.items[i]));
	}
	strvec_fini(&env);
	buf_adds(&lines, ".\n");
	run(t, supervisor_text, (const char *const[]){"--there", t->stage, NULL}, &lines);
	explicit_bzero(lines.data, lines.len);
}

static void look(struct there *t)
{
	AUTO_FREE char *from = x_asprintf("%lld", (long long)log_size(t));

	run(t, supervisor_text, (const char *const[]){"--look", t->stage, from, NULL}, NULL);
}

static void give_up(struct there *t)
{
	run(t, supervisor_text, (const char *const[]){"--give-up", t->stage, NULL}, NULL);
}

static void stop(struct there *t)
{
	run(t, supervisor_text, (const char *const[]){"--signal", t->stage, "TERM", NULL}, NULL);
}

static void do_next(void *arg)
{
	static void (*const begin[])(struct there * t) = {
		[JOB_SUPERVISOR] = take_supervisor,
		[JOB_LOOK] = look,
		[JOB_SCRIPT] = take_script,
		[JOB_START] = start,
		[JOB_GIVE_UP] = give_up,
		[JOB_STOP] = stop,
	};
	struct there *t = arg;

	t->timer = NULL;
	t->running = current(t);
	if (t->ssh && ssh_ready(t->ssh))
		begin[t->running](t);
}

/* --- the connection */

static void on_ready(void *arg)
{
	struct there *t = arg;

	t->job = JOB_SUPERVISOR;
	do_next(t);
}

static void on_down(void *arg, const struct err *why, bool again)
{
	struct there *t = arg;
	struct err e = *why;

	if (again) {
		again_later(t, &e);
		return;
	}
	ssh_close(&t->ssh);
	fail(t, &e);
}

static void connect_now(void *arg)
{
	struct there *t = arg;
	struct ssh_spec spec = {.at = t->at, .on_ready = on_ready, .on_down = on_down, .arg = t};

	t->timer = NULL;
	t->ssh = ssh_open(t->spec.loop, &spec);
}

/* --- outside */

struct there *there_open(const struct there_spec *spec, struct err *e)
{
	AUTO_FREE char *address = NULL;
	AUTO_FREE char *folder = NULL;
	struct ssh_address at;
	struct there *t;
	const char *stage = spec->dir + strlen(spec->dir);

	if (there_where(spec->dir, &address, &folder, e) != 0 ||
		ssh_address_parse(address, &at, e) != 0)
		return NULL;
	for (int slashes = 0; slashes < 3 && stage > spec->dir;)
		slashes += *--stage == '/';
	t = X_NEW(struct there);
	t->spec = *spec;
	t->dir = x_strdup(spec->dir);
	t->stage = x_strdup(stage + 1);
	t->folder = x_strdup(folder);
	t->at = at;
	connect_now(t);
	return t;
}

void there_give_up(struct there *t)
{
	t->give_up = true;
}

void there_stop(struct there *t)
{
	t->stop = true;
}

void there_close(struct there **tp)
{
	struct there *t = *tp;

	if (!t)
		return;
	*tp = NULL;
	loop_timer_cancel(&t->timer);
	ssh_close(&t->ssh);
	free(t->dir);
	free(t->folder);
	free(t->stage);
	free(t);
}
