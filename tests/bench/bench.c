/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The figures of the product, measured on the built program: bench RLPILOT OUT.json
 * One line a figure on stdout and [{name,value,unit,target,ok}] in OUT.json; exit 1 when one is
 * missed.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"

#define STARTS  21
#define CHECKS  5
#define WAIT_MS 20000

static struct {
	struct buf json;
	int missed;
} report;

static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void figure(const char *name, double value, const char *unit, double target)
{
	int ok = value <= target;

	printf("%-44s %10.2f %-3s target %8.2f  %s\n", name, value, unit, target,
		ok ? "ok" : "MISSED");
	buf_addf(&report.json,
		"%s{\"name\":\"%s\",\"value\":%.3f,\"unit\":\"%s\",\"target\":%.3f,\"ok\":%s}",
		report.json.len ? ",\n " : "[", name, value, unit, target, ok ? "true" : "false");
	report.missed += !ok;
}

struct screen {
	pid_t pid;
	int terminal, frames;
};

/* The program on an 80x24 terminal; `frames` gets a byte for each settled frame. */
static struct screen open_screen(const char *program)
{
	struct winsize size = {.ws_row = 24, .ws_col = 80};
	struct screen s;
	int ends[2];
	char number[16];

	if (pipe(ends) != 0)
		die("pipe");
	s.pid = forkpty(&s.terminal, NULL, NULL, &size);
	if (s.pid < 0)
		die("forkpty");
	if (s.pid == 0) {
		close(ends[0]);
		snprintf(number, sizeof(number), "%d", ends[1]);
		setenv("RLPILOT_FRAME_FD", number, 1);
		setenv("TERM", "xterm-256color", 1);
		execl(program, program, (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	s.frames = ends[0];
	return s;
}

/* Next frame within WAIT_MS; terminal output is read away meanwhile. */
static void await_frame(struct screen *s)
{
	double until = seconds() + WAIT_MS / 1e3;
	char drain[65536];

	while (seconds() < until) {
		struct pollfd fds[2] = {
			{.fd = s->frames, .events = POLLIN}, {.fd = s->terminal, .events = POLLIN}};

		if (poll(fds, 2, 100) < 0 && errno != EINTR)
			break;
		if (fds[1].revents && read(s->terminal, drain, sizeof(drain)) < 0 &&
			!fds[0].revents)
			break;
		if (fds[0].revents) {
			if (read(s->frames, drain, 1) == 1)
				return;
			break;
		}
	}
	die("the screen showed no frame within %d ms", WAIT_MS);
}

static void close_screen(struct screen *s)
{
	kill(s->pid, SIGTERM);
	waitpid(s->pid, NULL, 0);
	close(s->terminal);
	close(s->frames);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void measure_start(const char *program)
{
	double took[STARTS];

	for (int i = 0; i < STARTS; i++) {
		double t0 = seconds();
		struct screen s = open_screen(program);

		await_frame(&s);
		took[i] = (seconds() - t0) * 1e3;
		close_screen(&s);
	}
	qsort(took, STARTS, sizeof(took[0]), by_value);
	figure("start to first frame, median of 21", took[STARTS / 2], "ms", 30);
}

/* A field of /proc/PID/smaps_rollup in MB. */
static double smaps(pid_t pid, const char *field)
{
	AUTO_FREE char *path = x_asprintf("/proc/%ld/smaps_rollup", (long)pid);
	AUTO(buf_fini) struct buf b = {0};
	const char *at;

	if (path_read(path, 65536, &b, NULL) != 0 || !(at = strstr(buf_str(&b), field)))
		die("no %s in %s", field, path);
	return strtod(at + strlen(field), NULL) / 1024;
}

/* The engine of the rehearsed run, holding its lock. */
static pid_t start_engine(const char *program, const char *state)
{
	AUTO_FREE char *run = x_asprintf("%s/rlpilot/demo/runs/demo-1", state);
	AUTO_FREE char *file = path_join(run, "lock");
	double until = seconds() + WAIT_MS / 1e3;
	int lock = open(file, O_RDONLY | O_CLOEXEC);
	pid_t pid = lock < 0 ? -1 : fork();

	if (pid == 0) {
		execl(program, program, "engine", "--run-dir", run, (char *)NULL);
		_exit(127);
	}
	while (pid > 0 && flock(lock, LOCK_SH | LOCK_NB) == 0 && seconds() < until) {
		flock(lock, LOCK_UN);
		poll(NULL, 0, 5);
	}
	if (pid < 0 || seconds() >= until)
		die("no engine of %s", run);
	close(lock);
	return pid;
}

/* Beside the run's engine, as a monitor is: alone, it is charged with every library page that the
 * two share. */
static void measure_memory(const char *program, const char *state)
{
	pid_t engine = start_engine(program, state);
	struct screen s = open_screen(program);

	await_frame(&s);
	if (write(s.terminal, "m", 1) != 1)
		die("no terminal");
	await_frame(&s);
	figure("monitor, resident", smaps(s.pid, "\nRss:"), "MB", 20);
	figure("monitor, private", smaps(s.pid, "Private_Clean:") + smaps(s.pid, "Private_Dirty:"),
		"MB", 9);
	close_screen(&s);
	kill(engine, SIGTERM);
	waitpid(engine, NULL, 0);
}

static void measure_rehearsal(const char *program)
{
	double t0 = seconds();
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);

		dup2(null, 0);
		dup2(null, 1);
		execl(program, program, "demo", "--plain", "--speed", "max", (char *)NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
		die("the rehearsal failed");
	figure("whole rehearsal, demo --speed max --plain", seconds() - t0, "s", 30);
}

/* The pretend cloud that stands beside the program, each answer 100 ms late. */
static pid_t start_cloud(const char *program, const char *env)
{
	const char *slash = strrchr(program, '/');
	AUTO_FREE char *sim =
		x_asprintf("%.*srlpilot-sim", (int)(slash ? slash + 1 - program : 0), program);
	double until = seconds() + WAIT_MS / 1e3;
	pid_t pid = fork();

	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);

		dup2(null, 1);
		execl(sim, sim, "--delay-ms", "100", "--env", env, (char *)NULL);
		_exit(127);
	}
	while (pid > 0 && !path_exists(env) && seconds() < until)
		poll(NULL, 0, 5);
	if (pid < 0 || !path_exists(env))
		die("%s does not start", sim);
	return pid;
}

static double one_preflight(const char *program, const char *env)
{
	double t0 = seconds();
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		execl("/bin/sh", "sh", "-c", ". \"$1\" && exec \"$0\" check --json >/dev/null",
			program, env, (char *)NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
		die("the checks failed");
	return seconds() - t0;
}

static void measure_preflight(const char *program, const char *state)
{
	AUTO_FREE char *env = path_join(state, "cloud");
	pid_t cloud = start_cloud(program, env);
	double took[CHECKS];

	for (int i = 0; i < CHECKS; i++)
		took[i] = one_preflight(program, env);
	kill(cloud, SIGTERM);
	waitpid(cloud, NULL, 0);
	qsort(took, CHECKS, sizeof(took[0]), by_value);
	figure("all checks, 100 ms a call, median of 5", took[CHECKS / 2], "s", 1.5);
}

int main(int argc, char **argv)
{
	char state[] = "/tmp/rlpilot-bench-XXXXXX";
	struct err e = {0};

	if (argc != 3) {
		fprintf(stderr, "usage: bench RLPILOT OUT.json\n");
		return 64;
	}
	if (!mkdtemp(state))
		die("no temporary folder");
	setenv("XDG_STATE_HOME", state, 1);
	measure_rehearsal(argv[1]);
	measure_preflight(argv[1], state);
	measure_start(argv[1]);
	measure_memory(argv[1], state);
	path_remove_tree(state, NULL);
	buf_adds(&report.json, "]\n");
	if (path_write(argv[2], report.json.data, report.json.len, &e) != 0)
		err_print(&e);
	return report.missed || e.code ? 1 : 0;
}
