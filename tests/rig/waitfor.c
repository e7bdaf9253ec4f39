/* SPDX-License-Identifier: Apache-2.0 */
/*
 * waitfor [-t SECONDS] [-p PID] CONDITION: returns 0 as soon as the condition holds, 1 when the
 * time is up, 3 when process PID has ended before. Conditions:
 *
 * - file PATH: the file is there
 * - filled PATH: it is there and not empty
 * - gone PATH: it is not there
 * - line PATH ERE: a whole line of it matches
 * - lines PATH ERE N: at least N lines match
 * - dead PID: no such process, or only its zombie
 *
 * Tests wait for what happens, never for a span of time; the deadline only ends a test that hangs.
 */
#include <poll.h>
#include <regex.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOOK_MS 5

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool is_there(char **a)
{
	return access(a[0], F_OK) == 0;
}

static bool is_gone(char **a)
{
	return access(a[0], F_OK) != 0;
}

static bool is_filled(char **a)
{
	struct stat st;
	return stat(a[0], &st) == 0 && st.st_size > 0;
}

static long matching(const char *path, const char *pattern)
{
	FILE *f = fopen(path, "re");
	regex_t re;
	char *line = NULL;
	size_t cap = 0;
	long n = 0;
	if (!f)
		return 0;
	if (regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB)) {
		fprintf(stderr, "waitfor: %s is no regular expression\n", pattern);
		exit(2);
	}
	for (ssize_t len; (len = getline(&line, &cap, f)) > 0;) {
		if (line[len - 1] != '\n')
			break;
		line[len - 1] = '\0';
		n += regexec(&re, line, 0, NULL, 0) == 0;
	}
	free(line);
	regfree(&re);
	fclose(f);
	return n;
}

static bool has_line(char **a)
{
	return matching(a[0], a[1]) > 0;
}

static bool has_lines(char **a)
{
	return matching(a[0], a[1]) >= strtol(a[2], NULL, 10);
}

static bool is_dead(char **a)
{
	char path[64], line[512];
	long pid = strtol(a[0], NULL, 10);
	if (pid <= 0 || kill((pid_t)pid, 0))
		return true;
	snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
	FILE *f = fopen(path, "re");
	if (!f)
		return false;
	char *end = fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
	fclose(f);
	return end && end[1] == ' ' && (end[2] == 'Z' || end[2] == 'X');
}

static const struct {
	const char *name;
	int arguments;
	bool (*holds)(char **a);
} conditions[] = {
	{"file", 1, is_there},
	{"gone", 1, is_gone},
	{"line", 2, has_line},
	{"filled", 1, is_filled},
	{"lines", 3, has_lines},
	{"dead", 1, is_dead},
};

static int wait_until(size_t c, char **a, double limit, char *pid)
{
	for (double end = now() + limit;; poll(NULL, 0, LOOK_MS)) {
		bool over = pid && is_dead(&pid);
		if (conditions[c].holds(a))
			return 0;
		if (over || now() > end) {
			fprintf(stderr, "waitfor: %s %s %s: %s\n", conditions[c].name, a[0],
				conditions[c].arguments > 1 ? a[1] : "",
				over ? "the process has ended" : "the time is up");
			return over ? 3 : 1;
		}
	}
}

int main(int argc, char **argv)
{
	double limit = 60;
	char *pid = NULL;
	for (int o; (o = getopt(argc, argv, "+t:p:")) != -1;) {
		if (o == 't')
			limit = strtod(optarg, NULL);
		else if (o == 'p')
			pid = optarg;
		else
			return 2;
	}
	for (size_t c = 0; optind < argc && c < sizeof(conditions) / sizeof(*conditions); c++)
		if (!strcmp(conditions[c].name, argv[optind]) &&
			argc - optind - 1 == conditions[c].arguments)
			return wait_until(c, argv + optind + 1, limit, pid);
	fprintf(stderr, "usage: waitfor [-t SECONDS] [-p PID] file PATH | filled PATH | gone PATH "
			"| line PATH "
			"ERE | lines PATH ERE "
			"N | dead PID\n");
	return 2;
}
