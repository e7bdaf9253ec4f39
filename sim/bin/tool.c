/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/bin/tool.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/fmt/json.h"
#include "core/fmt/time.h"
#include "sim/bin/web.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FILE_MAX ((size_t)16 << 20)

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} programs[] = {
	{"gcloud", gcloud_main},
	{"kubectl", kubectl_main},
	{"gke-gcloud-auth-plugin", plugin_main},
	{"docker-credential-gcloud", docker_helper_main},
	{"terraform", terraform_main},
	{"gcluster", gcluster_main},
};

const char *tool_env(const char *name)
{
	const char *v = getenv(name);
	return v && *v ? v : NULL;
}

const char *tool_sim(void)
{
	static char *address;
	if (!address) {
		const char *v = tool_env("RLPILOT_SIM");
		address = x_strdup(v ? v : "");
		for (size_t n = strlen(address); n && address[n - 1] == '/'; n--)
			address[n - 1] = '\0';
	}
	return address;
}

char *tool_stamp_at(int64_t ms)
{
	char text[TIME_SIZE];
	return x_strdup(time_format(ms, text));
}

char *tool_stamp(void)
{
	return tool_stamp_at(clock_now());
}

void say(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vfprintf(stdout, fmt, ap);
	va_end(ap);
	fputc('\n', stdout);
	fflush(stdout);
}

void warn(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

char *tool_read_line(void)
{
	AUTO(buf_fini) struct buf b = {0};
	int c;
	while ((c = fgetc(stdin)) != EOF && c != '\n')
		buf_addc(&b, (char)c);
	if (c == EOF && !b.len)
		return NULL;
	return buf_take(&b);
}

static int make_parents(const char *path)
{
	AUTO_FREE char *dir = x_strdup(path);
	for (char *p = dir + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		if (mkdir(dir, 0755) && errno != EEXIST)
			return -1;
		*p = '/';
	}
	return 0;
}

int tool_write(const char *path, const char *text, unsigned mode)
{
	AUTO_FREE char *tmp = x_asprintf("%s.tmp%ld", path, (long)getpid());
	size_t n = strlen(text), done = 0;
	int fd =
		make_parents(path) ? -1 : open(tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
	while (fd >= 0 && done < n) {
		ssize_t w = write(fd, text + done, n - done);
		if (w < 0 && errno != EINTR)
			break;
		done += w > 0 ? (size_t)w : 0;
	}
	if (fd >= 0)
		fchmod(fd, (mode_t)mode);
	if (fd < 0 || done < n || close(fd) || rename(tmp, path)) {
		warn("open %s: %s", path, strerror(errno));
		return -1;
	}
	return 0;
}

char *tool_read(const char *path)
{
	AUTO(buf_fini) struct buf b = {0};
	if (path_read(path, FILE_MAX, &b, NULL))
		return NULL;
	return x_strdup(buf_str(&b));
}

json_t *tool_read_json(const char *path)
{
	AUTO_FREE char *text = tool_read(path);
	return text ? json_parse(text, strlen(text), NULL) : NULL;
}

/* Reads what is there; false at the end of the pipe. */
static bool drain(int fd, struct buf *b)
{
	char chunk[8192];
	ssize_t n = read(fd, chunk, sizeof(chunk));
	if (n > 0)
		buf_add(b, chunk, (size_t)n);
	return n > 0 || (n < 0 && errno == EINTR);
}

static void become(char *const argv[], const int out[2], FILE *err)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	dup2(null, 0);
	dup2(out[1], 1);
	dup2(fileno(err), 2);
	setenv("RLPILOT_SIM_NESTED", "1", 1);
	execvp(argv[0], argv);
	_exit(127);
}

int tool_run(char *const argv[], struct buf *out, struct buf *err)
{
	AUTO_FREE char *program = path_find_program(argv[0], getenv("PATH"));
	int pipe_out[2], status = 0;
	FILE *messages = tmpfile();
	if (!program || !messages || pipe(pipe_out)) {
		if (messages)
			fclose(messages);
		return -1;
	}
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0)
		become(argv, pipe_out, messages);
	close(pipe_out[1]);
	while (drain(pipe_out[0], out))
		;
	close(pipe_out[0]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	rewind(messages);
	while (drain(fileno(messages), err))
		;
	fclose(messages);
	return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

const char *tool_str(const json_t *j, const char *path)
{
	const char *s = json_path_str(j, path);
	return s ? s : "";
}

const char *tool_tail(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* Enters this call in the simulator's ledger; -1 when there is no simulator. */
static int enter(int argc, char **argv)
{
	char folder[4096];
	json_t *list = json_array();
	json_array_append_new(list, json_string(tool_tail(argv[0])));
	for (int i = 1; i < argc; i++)
		json_array_append_new(list, json_stringn_nocheck(argv[i], strlen(argv[i])));
	json_t *body = json_pack(
		"{s:o,s:s}", "argv", list, "folder", getcwd(folder, sizeof(folder)) ? folder : "");
	AUTO_FREE char *text = json_dumps(body, JSON_COMPACT);
	AUTO_FREE char *url = x_asprintf("%s/sim/v1/argv", tool_sim());
	AUTO(web_reply_fini) struct web_reply reply = {0};
	json_decref(body);
	struct web_call call = {
		.method = "POST", .url = url, .content_type = "application/json", .body = text};
	if (web_do(&call, &reply) || reply.status >= 300) {
		warn("%s: the simulator at %s does not answer: %s", tool_tail(argv[0]), tool_sim(),
			*reply.why ? reply.why : buf_str(&reply.body));
		return -1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct err e = {0};
	const char *name = argc > 0 ? tool_tail(argv[0]) : "";
	if (clock_init(&e)) {
		err_print(&e);
		return 1;
	}
	for (size_t i = 0; i < COUNT(programs); i++) {
		if (strcmp(programs[i].name, name) != 0)
			continue;
		if (!*tool_sim()) {
			warn("%s: this stand-in works in a rehearsal only: RLPILOT_SIM is not set "
			     "(read the "
			     "simulator's environment file first)",
				name);
			return 1;
		}
		if (!tool_env("RLPILOT_SIM_NESTED") && enter(argc, argv))
			return 1;
		return programs[i].run(argc, argv);
	}
	warn("%s: no such stand-in (call it as gcloud, kubectl, terraform, gcluster, "
	     "gke-gcloud-auth-plugin or docker-credential-gcloud)",
		name);
	return 1;
}
