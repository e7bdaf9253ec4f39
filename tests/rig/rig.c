/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rig as a program, for shell tests:
 *
 *	rig [--size 80x24] [--deadline MS] SCRIPT -- PROGRAM [ARG …]
 *
 * SCRIPT is a file or "-" (standard input), one step a line; empty lines and lines that begin with
 * # are left out. Exit 0: every step came about.
 *
 *	wait TEXT        until the screen shows it
 *	gone TEXT        until it shows it no more
 *	alone            until one process alone is at the terminal
 *	wipe             forgets what the screen shows: old text on it is not waited for
 *	keys KEYS        abc<Down><C-c><Enter>
 *	paste TEXT       as a bracketed paste
 *	flood N          a paste of so many characters
 *	resize COLSxROWS
 *	frame            until one more frame is drawn
 *	golden FILE      compares the screen
 *	svg FILE         writes it as a picture
 *	dump             prints it
 *	do COMMAND       by the shell, must end with 0
 *	exit N           waits for the end with code N
 *	signal NAME      HUP, TERM, PIPE
 *	hangup           closes the terminal's side
 *	leaves N MS      the end with code N (N-M: one of the two) in MS of wall time at most
 */
#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "tests/rig/golden.h"
#include "tests/rig/pty.h"
#include "tests/rig/vt.h"

#include <getopt.h>
#include <locale.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct rig {
	struct pty *pty;
	const char *title;
	int64_t asked; /* wall, to leave */
};

static bool size_parse(const char *s, int *cols, int *rows)
{
	AUTO_FREE char *copy = x_strdup(s);
	char *x = strchr(copy, 'x');
	int64_t c, r;
	if (!x)
		return false;
	*x = '\0';
	if (text_to_i64(copy, 1, 1000, &c) != 0 || text_to_i64(x + 1, 1, 1000, &r) != 0)
		return false;
	*cols = (int)c;
	*rows = (int)r;
	return true;
}

static bool step_wait(struct rig *r, const char *arg)
{
	return pty_wait_text(r->pty, arg);
}

static bool step_gone(struct rig *r, const char *arg)
{
	return pty_wait_gone(r->pty, arg);
}

static bool step_alone(struct rig *r, const char *arg)
{
	(void)arg;
	return pty_wait_alone(r->pty);
}

static bool step_wipe(struct rig *r, const char *arg)
{
	static const char clear[] = "\033[2J\033[H";
	(void)arg;
	vt_feed(pty_vt(r->pty), clear, sizeof(clear) - 1);
	return true;
}

static bool step_keys(struct rig *r, const char *arg)
{
	pty_keys(r->pty, arg);
	return true;
}

static bool step_paste(struct rig *r, const char *arg)
{
	pty_paste(r->pty, arg);
	return true;
}

static bool step_flood(struct rig *r, const char *arg)
{
	int64_t n;
	AUTO_FREE char *text = NULL;
	if (text_to_i64(arg, 1, 100000000, &n) != 0)
		return false;
	text = x_malloc((size_t)n + 1);
	memset(text, 'x', (size_t)n);
	text[n] = '\0';
	pty_paste(r->pty, text);
	return true;
}

static bool step_resize(struct rig *r, const char *arg)
{
	int cols, rows;
	if (!size_parse(arg, &cols, &rows))
		return false;
	pty_resize(r->pty, cols, rows);
	return true;
}

static bool step_frame(struct rig *r, const char *arg)
{
	(void)arg;
	return pty_wait_frame(r->pty, pty_frames(r->pty));
}

static bool step_golden(struct rig *r, const char *arg)
{
	return pty_wait_golden(r->pty, arg, false);
}

static bool step_svg(struct rig *r, const char *arg)
{
	AUTO(buf_fini) struct buf text = {0};
	FILE *f = fopen(arg, "w");
	if (!f)
		return false;
	svg_dump(pty_vt(r->pty), r->title, &text);
	bool ok = fwrite(text.data, 1, text.len, f) == text.len;
	return fclose(f) == 0 && ok;
}

static bool step_dump(struct rig *r, const char *arg)
{
	AUTO(buf_fini) struct buf text = {0};
	(void)arg;
	golden_dump(pty_vt(r->pty), false, &text);
	fputs(buf_str(&text), stdout);
	return true;
}

static bool step_exit(struct rig *r, const char *arg)
{
	int64_t want;
	int status;
	if (text_to_i64(arg, 0, 255, &want) != 0 || !pty_wait_exit(r->pty, &status))
		return false;
	if (WIFEXITED(status) && WEXITSTATUS(status) == want)
		return true;
	fprintf(stderr, "rig: the program ended with wait status %d\n", status);
	return false;
}

static bool step_signal(struct rig *r, const char *arg)
{
	static const struct {
		const char *name;
		int number;
	} signals[] = {{"HUP", SIGHUP}, {"TERM", SIGTERM}, {"PIPE", SIGPIPE}};
	for (size_t i = 0; i < COUNT(signals); i++)
		if (strcmp(signals[i].name, arg) == 0) {
			r->asked = clock_wall();
			return kill(pty_pid(r->pty), signals[i].number) == 0;
		}
	return false;
}

static bool step_hangup(struct rig *r, const char *arg)
{
	(void)arg;
	r->asked = clock_wall();
	pty_hang_up(r->pty);
	return true;
}

static bool step_leaves(struct rig *r, const char *arg)
{
	int one, other, most, status, took;
	int n = sscanf(arg, "%d-%d %d", &one, &other, &most);
	if (n == 1) {
		n = sscanf(arg, "%d %d", &one, &most) + 1;
		other = one;
	}
	if (n != 3 || !pty_wait_exit(r->pty, &status))
		return false;
	took = (int)(clock_wall() - r->asked);
	printf("left with %d in %d ms, %d ms of processor time in all\n",
		WIFEXITED(status) ? WEXITSTATUS(status) : -1, took, (int)pty_cpu_ms(r->pty));
	return WIFEXITED(status) && (WEXITSTATUS(status) == one || WEXITSTATUS(status) == other) &&
	       took <= most;
}

/* By the shell; its output goes where ours goes. */
static bool step_do(struct rig *r, const char *arg)
{
	int status;
	pid_t pid = fork();
	(void)r;
	if (pid == 0) {
		execl("/bin/sh", "sh", "-c", arg, (char *)NULL);
		_exit(127);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	       WEXITSTATUS(status) == 0;
}

static const struct {
	const char *word;
	bool (*run)(struct rig *, const char *);
} steps[] = {
	{"wait", step_wait},
	{"gone", step_gone},
	{"alone", step_alone},
	{"wipe", step_wipe},
	{"keys", step_keys},
	{"paste", step_paste},
	{"flood", step_flood},
	{"resize", step_resize},
	{"frame", step_frame},
	{"golden", step_golden},
	{"svg", step_svg},
	{"dump", step_dump},
	{"exit", step_exit},
	{"signal", step_signal},
	{"hangup", step_hangup},
	{"leaves", step_leaves},
	{"do", step_do},
};

static bool rig_step(struct rig *r, const char *line)
{
	size_t n = strcspn(line, " ");
	for (size_t i = 0; i < COUNT(steps); i++)
		if (strlen(steps[i].word) == n && strncmp(steps[i].word, line, n) == 0)
			return steps[i].run(r, line[n] ? line + n + 1 : line + n);
	fprintf(stderr, "rig: no such step\n");
	return false;
}

static int rig_script(struct rig *r, FILE *f, const char *name)
{
	char line[4096];
	for (int at = 1; fgets(line, sizeof(line), f); at++) {
		line[strcspn(line, "\n")] = '\0';
		if (!*line || *line == '#')
			continue;
		if (!rig_step(r, line)) {
			fprintf(stderr, "%s:%d: %s\n", name, at, line);
			return 1;
		}
	}
	return 0;
}

static int usage(void)
{
	fprintf(stderr,
		"usage: rig [--size COLSxROWS] [--deadline MS] [--title T] SCRIPT -- PROGRAM "
		"[ARG …]\n");
	return 64;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"size", required_argument, NULL, 's'},
		{"deadline", required_argument, NULL, 'd'},
		{"title", required_argument, NULL, 't'},
		{0},
	};
	int cols = 80, rows = 24, c;
	int64_t deadline = PTY_DEADLINE_MS;
	struct rig r = {.title = "rlpilot"};
	setlocale(LC_ALL, "C.UTF-8");
	while ((c = getopt_long(argc, argv, "+", options, NULL)) != -1) {
		if (c == 's' && size_parse(optarg, &cols, &rows))
			continue;
		if (c == 'd' && text_to_i64(optarg, 1, INT32_MAX, &deadline) == 0)
			continue;
		if (c != 't')
			return usage();
		r.title = optarg;
	}
	if (argc - optind < 3 || strcmp(argv[optind + 1], "--") != 0)
		return usage();
	const char *script = argv[optind];
	FILE *f = strcmp(script, "-") == 0 ? stdin : fopen(script, "r");
	if (!f) {
		fprintf(stderr, "rig: cannot read %s\n", script);
		return 65;
	}
	r.pty = pty_open(cols, rows, argv + optind + 2, NULL);
	pty_deadline(r.pty, (int)deadline);
	int rc = rig_script(&r, f, script);
	pty_close(r.pty);
	if (f != stdin)
		fclose(f);
	return rc;
}
