/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/redact.h"
#include "core/base/std.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/cli/cli.h"
#include "core/fmt/ansi.h"
#include "core/fmt/json.h"
#include "core/fmt/time.h"
#include "core/io/loop.h"
#include "core/run/look.h"
#include "core/run/record.h"

/* The spool of one container, read line by line. */
struct source {
	char *pod, *container;
	FILE *file;
	char *line; /* the next one, whole */
	size_t cap, len;
	bool have;
};

struct logs {
	bool json, follow;
	const char *pod, *container; /* wanted, NULL = all */
	struct look *look;
	struct source *items;
	size_t n, cap;
};

static bool wanted(const char *want, const char *name)
{
	return !want || strcmp(want, name) == 0;
}

static bool known(const struct logs *g, const char *pod, const char *container)
{
	for (size_t i = 0; i < g->n; i++)
		if (!strcmp(g->items[i].pod, pod) && !strcmp(g->items[i].container, container))
			return true;
	return false;
}

/* A file name in a spool folder: CONTAINER.log */
static void add_source(struct logs *g, const char *pod, const char *file)
{
	AUTO_FREE char *container = NULL;
	AUTO_FREE char *path = NULL;
	struct source *s;
	FILE *f;

	if (!text_ends(file, ".log"))
		return;
	container = x_strndup(file, strlen(file) - 4);
	if (!wanted(g->container, container) || known(g, pod, container))
		return;
	path = record_spool_path(look_dir(g->look), pod, container);
	f = fopen(path, "re");
	if (!f)
		return;
	s = VEC_PUSH(g);
	s->pod = x_strdup(pod);
	s->container = x_strdup(container);
	s->file = f;
}

static void find_sources(struct logs *g)
{
	AUTO_FREE char *dir = path_join(look_dir(g->look), "logs");
	AUTO(strvec_fini) struct strvec pods = {0};

	if (path_list(dir, &pods, NULL))
		return;
	for (size_t i = 0; i < pods.n; i++) {
		AUTO_FREE char *folder = path_join(dir, pods.items[i]);
		AUTO(strvec_fini) struct strvec files = {0};

		if (!wanted(g->pod, pods.items[i]) || path_list(folder, &files, NULL))
			continue;
		for (size_t k = 0; k < files.n; k++)
			add_source(g, pods.items[i], files.items[k]);
	}
}

/* Reads the next whole line; a torn one is left for later. */
static void fill(struct source *s)
{
	long before = ftell(s->file);
	ssize_t n;

	if (s->have)
		return;
	clearerr(s->file);
	n = getline(&s->line, &s->cap, s->file);
	if (n <= 0)
		return;
	if (s->line[n - 1] != '\n') {
		if (fseek(s->file, before, SEEK_SET) != 0)
			clearerr(s->file);
		return;
	}
	s->line[--n] = '\0';
	s->len = (size_t)n;
	s->have = true;
}

/* Stamps are of one form, so their bytes are in the order of time. */
static struct source *oldest(struct logs *g)
{
	struct source *best = NULL;

	for (size_t i = 0; i < g->n; i++) {
		struct source *s = &g->items[i];
		struct time_stamp a, b;

		fill(s);
		if (!s->have)
			continue;
		if (!best || (time_parse(s->line, s->len, &a, NULL) &&
				     time_parse(best->line, best->len, &b, NULL) &&
				     time_stamp_cmp(&a, &b) < 0))
			best = s;
	}
	return best;
}

static void print_json(const struct source *s, const char *stamp, const char *text)
{
	AUTO(json_auto)
	json_t *j = json_pack("{s:o, s:o, s:o, s:o, s:b}", "t", json_from_str(stamp), "pod",
		json_from_str(s->pod), "container", json_from_str(s->container), "line",
		json_from_str(text), "gap", 0);
	AUTO_FREE char *line = json_line(j);

	puts(line);
}

static void print(const struct logs *g, struct source *s)
{
	AUTO(buf_fini) struct buf shown = {0};
	AUTO(buf_fini) struct buf safe = {0};
	AUTO_FREE char *stamp = NULL;
	size_t stamp_n;
	int64_t ms;

	s->have = false;
	if (!record_spool_split(s->line, s->len, &stamp_n, &ms))
		return;
	stamp = x_strndup(s->line, stamp_n);
	ansi_visible(&shown, s->line + stamp_n + 1, s->len - stamp_n - 1);
	redact(&safe, buf_str(&shown), shown.len);
	if (g->json)
		print_json(s, stamp, buf_str(&safe));
	else
		printf("%s %s/%s %s\n", stamp, s->pod, s->container, buf_str(&safe));
}

static void sources_fini(struct logs *g)
{
	for (size_t i = 0; i < g->n; i++) {
		fclose(g->items[i].file);
		free(g->items[i].pod);
		free(g->items[i].container);
		free(g->items[i].line);
	}
	free(g->items);
}

/* What could have been asked for: POD/CONTAINER, as many as a line holds. */
static char *kept(const struct logs *g)
{
	struct logs all = {.look = g->look};
	AUTO(buf_fini) struct buf b = {0};
	char *text;

	find_sources(&all);
	for (size_t i = 0; i < all.n; i++) {
		const struct source *s = &all.items[i];

		if (b.len > 300) {
			buf_adds(&b, ", …");
			break;
		}
		buf_addf(&b, "%s%s/%s", b.len ? ", " : "", s->pod, s->container);
	}
	text = b.len ? x_asprintf(_("there are: %s"), buf_str(&b))
		     : x_strdup(_("they are kept from the first stage with a job on, convert"));
	sources_fini(&all);
	return text;
}

/* Nothing was printed: because there is nothing yet, or because of what was asked for. */
static int nothing(const struct logs *g, struct err *e)
{
	AUTO_FREE char *hint = kept(g);

	if (g->n)
		return 0;
	if (!g->pod && !g->container)
		err_set(e, ERR_FAILED, hint, _("this run has no log lines yet"));
	else if (!g->container)
		err_set(e, ERR_FAILED, hint, _("no log of a pod %s is kept"), g->pod);
	else if (!g->pod)
		err_set(e, ERR_FAILED, hint, _("no log of a container %s is kept"), g->container);
	else
		err_set(e, ERR_FAILED, hint, _("no log of a container %s of a pod %s is kept"),
			g->container, g->pod);
	err_print(e);
	return g->pod || g->container ? err_exit_code(e->code) : 0;
}

/* Everything that is there now; following ends when no engine writes any more, or nobody reads. */
static bool print_there(void *arg)
{
	struct logs *g = arg;
	bool engine = look_engine(g->look);
	struct source *s;

	find_sources(g);
	while ((s = oldest(g)) != NULL)
		print(g, s);
	return !std_out_works() || !engine;
}

int cli_logs(int argc, char **argv, const struct cli_globals *globals)
{
	struct logs g = {0};
	const struct cli_option options[] = {{"--json", CLI_FLAG, &g.json},
		{"--follow", CLI_FLAG, &g.follow}, {"--pod", CLI_TEXT, &g.pod},
		{"--container", CLI_TEXT, &g.container}};
	struct loop *loop;
	struct err e = {0};
	int rc = 0;

	if (cli_parse(options, COUNT(options), &argc, argv, &e) || cli_no_operands(argc, argv, &e))
		return cli_fail(&e);
	loop = loop_new();
	if (look_open(loop, globals->run, NULL, &g.look, &e))
		rc = cli_fail(&e);
	else if (g.follow)
		look_run(g.look, print_there, &g, -1);
	else
		print_there(&g);
	if (g.look)
		rc = nothing(&g, &e);
	sources_fini(&g);
	look_close(&g.look);
	loop_free(loop);
	return rc;
}
