/* SPDX-License-Identifier: Apache-2.0 */
/* What is said to the login shell there: fixed texts of ours, quoted words, and bytes for stdin. */
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/vec.h"
#include "core/fmt/shell.h"
#include "core/run/look_there.h"
#include "core/run/there_in.h"
#include "core/run/there_words.h"

#define SCRIPT_MAX ((size_t)1 << 20)
#define LOGIN_TALK ((size_t)16 << 10) /* room for what login scripts print, bytes */

/* $1 the run's folder; then what the text needs. */
#define FOLDER "\"${XDG_STATE_HOME:-$HOME/.local/state}/rlpilot/remote/$1\""

static const char put_text[] = /* $2 folder $3 name $4 bytes $5 keep or replace */
	"umask 077; d=" FOLDER "; "
	"mkdir -p \"$d/$2\" && cd \"$d/$2\" || exit 73; "
	"if [ \"$5\" = keep ] && [ -e \"$3\" ]; then exit 0; fi; "
	"cat >\"$3.new\" && [ \"$(wc -c <\"$3.new\")\" -eq \"$4\" ] && chmod 700 \"$3.new\" && "
	"mv -f \"$3.new\" \"$3\" && date +%s";
static const char supervisor_text[] = /* $2 verb $3 stages/ID/N $4 … */
	"cd " FOLDER " || exit 73; "
	"v=$2; s=$3; shift 3; exec sh \"$PWD/supervisor\" \"$v\" \"$PWD/$s\" \"$@\"";

static void line_of(
	struct buf *line, const struct there *t, const char *text, const char *const *words)
{
	AUTO_FREE char *marked = x_asprintf("echo " THERE_MARK "; %s", text);

	buf_adds(line, "exec sh -c ");
	shell_quote(line, marked);
	buf_adds(line, " rlpilot ");
	shell_quote(line, t->folder);
	for (; *words; words++) {
		buf_addc(line, ' ');
		shell_quote(line, *words);
	}
}

static void run(
	struct there *t, const char *text, const char *const *words, const struct buf *input)
{
	AUTO(buf_fini) struct buf line = {0};
	struct ssh_command c = {.max = LOOK_THERE_LOG + LOGIN_TALK,
		.leave = t->running == JOB_START,
		.on_done = there_done,
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
		there_fail(t, &e);
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
		there_fail(t, &e);
}

static void take_script(struct there *t)
{
	AUTO_FREE char *file = path_join(t->dir, "script");

	take_file(t, file, t->stage, "script", true);
}

/* From here on the script may be at work there. */
static void start(struct there *t)
{
	AUTO(buf_fini) struct buf lines = {0};
	struct strvec env = {0};
	struct err e = {0};

	if (there_put(t->dir, "sent", "", &e) != 0) {
		there_fail(t, &e);
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
	AUTO_FREE char *from = x_asprintf("%lld", (long long)there_log_size(t));

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

void there_begin(struct there *t)
{
	static void (*const begin[])(struct there * t) = {
		[JOB_SUPERVISOR] = take_supervisor,
		[JOB_LOOK] = look,
		[JOB_SCRIPT] = take_script,
		[JOB_START] = start,
		[JOB_GIVE_UP] = give_up,
		[JOB_STOP] = stop,
	};

	begin[t->running](t);
}
