/* SPDX-License-Identifier: Apache-2.0 */
#include "terminal.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/text.h"
#include "core/fmt/shell.h"
#include "core/io/child.h"
#include "core/io/loop.h"
#include "tui/host.h"
#include "tui/surface.h"
#include "tui/term.h"
#include "views/common.h"

static void typed(void *arg, int events);

static void listen(struct terminal *t)
{
	loop_fd_stop(&t->keys);
	t->keys = loop_fd_watch(t->loop, term_fd(), LOOP_READ, typed, t);
}

static void take_back(struct terminal *t)
{
	void (*done)(void *, int) = t->done;

	t->done = NULL;
	t->reading = false;
	host_take_back(t->host);
	listen(t);
	if (done)
		done(t->arg, t->code);
}

/* A line, or the end of input: it was read. */
static void typed(void *arg, int events)
{
	struct terminal *t = arg;
	char line[256];

	(void)events;
	if (!t->reading)
		host_input(t->host);
	else if (read(term_fd(), line, sizeof(line)) >= 0 || input_gone())
		take_back(t);
}

static void ended(void *arg, int code)
{
	struct terminal *t = arg;

	t->child = NULL;
	tty_restore(&t->tty, term_fd());
	t->code = code;
	t->reading = true;
	printf("\n%s", code == 0 ? _("It has ended well.") : "");
	if (code)
		printf(_("It has ended with code %d."), code);
	printf(" %s ", _("Press Enter to go back to rlpilot."));
	fflush(stdout);
	listen(t);
}

/* Wrapped at words, for the terminal as wide as it is at this moment. */
static void say(const char *text)
{
	struct winsize ws = {0};
	int cols = ioctl(term_fd(), TIOCGWINSZ, &ws) == 0 && ws.ws_col ? ws.ws_col : term_cols();

	for (size_t n, skip; *text; text += n + skip) {
		n = wrap_fit(text, cols, &skip);
		printf("%.*s\n", (int)n, text);
	}
}

static void show_command(const struct view_program *p)
{
	AUTO(buf_fini) struct buf line = {0};
	size_t n = 0;

	while (p->argv[n])
		n++;
	shell_words(&line, (char *const *)(uintptr_t)p->argv, n);
	putchar('\n');
	say(p->title ? p->title : "");
	printf("$ %s\n\n", buf_str(&line));
	fflush(stdout);
}

int terminal_run(void *arg, const struct view_program *p, struct err *e)
{
	struct terminal *t = arg;
	struct child_spec spec = {.argv = p->argv,
		.env = p->env,
		.cwd = p->cwd,
		.on_terminal = true,
		.on_exit = ended,
		.arg = t};

	if (terminal_lent(t))
		return err_set(e, ERR_FAILED, _("wait for its end"),
			_("another program has the terminal"));
	loop_fd_stop(&t->keys);
	host_lend(t->host);
	show_command(p);
	tty_keep(&t->tty, term_fd());
	t->done = p->done;
	t->arg = p->arg;
	t->child = child_start(t->loop, &spec, e);
	if (t->child)
		return 0;
	t->done = NULL;
	tty_restore(&t->tty, term_fd());
	take_back(t);
	return -1;
}

bool terminal_lent(const struct terminal *t)
{
	return t->child || t->reading;
}

bool terminal_takes_signal(struct terminal *t)
{
	bool lent = terminal_lent(t);

	if (t->reading)
		take_back(t);
	return lent;
}

void terminal_open(struct terminal *t, struct loop *l, struct host *h)
{
	*t = (struct terminal){.loop = l, .host = h};
	listen(t);
}

void terminal_close(struct terminal *t)
{
	loop_fd_stop(&t->keys);
	child_forget(&t->child);
}
