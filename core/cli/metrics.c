/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/map.h"
#include "core/base/mem.h"
#include "core/base/std.h"
#include "core/base/text.h"
#include "core/cli/cli.h"
#include "core/cli/out_metrics.h"
#include "core/io/loop.h"
#include "core/run/look.h"

#define ASK_MS 10000

struct metrics {
	bool json, csv, follow;
	struct look *look;
	struct map shown; /* series -> int64_t *, newest step printed */
};

static bool is_new(struct metrics *m, const char *name, int64_t step)
{
	int64_t *last = map_get(&m->shown, name);

	if (last && *last >= step)
		return false;
	if (!last) {
		last = X_NEW(int64_t);
		map_set(&m->shown, name, last);
	}
	*last = step;
	return true;
}

static void print_row(struct metrics *m, const char *name, const struct series_point *p)
{
	AUTO(buf_fini) struct buf b = {0};

	if (m->json) {
		AUTO(json_auto) json_t *j = out_metrics_row(name, p);
		AUTO_FREE char *line = json_line(j);

		puts(line);
		return;
	}
	series_csv_row(&b, name, p);
	fputs(buf_str(&b), stdout);
}

/* Rows that were not printed yet, in the order of contract.md. Ends with the engine or the reader.
 */
static bool print_new(void *arg)
{
	struct metrics *m = arg;
	const struct series_set *set = &look_state(m->look)->series;
	size_t n;
	const char **names = series_names(set, &n);

	for (size_t i = 0; i < n; i++) {
		const struct series *s = series_find(set, names[i]);

		for (size_t k = 0; k < s->n; k++)
			if (is_new(m, s->name, s->items[k].step))
				print_row(m, s->name, &s->items[k]);
	}
	free(names);
	return !std_out_works() || !look_engine(m->look);
}

static void follow(struct metrics *m)
{
	if (!m->json)
		puts("series,step,wall_time,value,source");
	m->shown.free_value = free;
	look_run(m->look, print_new, m, -1);
	map_fini(&m->shown);
}

static void print_all(const struct metrics *m)
{
	const struct series_set *set = &look_state(m->look)->series;
	AUTO(buf_fini) struct buf b = {0};

	if (m->json) {
		AUTO(json_auto) json_t *j = out_metrics_json(set);
		AUTO_FREE char *text = json_pretty(j);

		fputs(text, stdout);
		return;
	}
	if (m->csv)
		series_csv(set, &b);
	else
		out_metrics_plain(set, &b);
	fputs(buf_str(&b), stdout);
}

int cli_metrics(int argc, char **argv, const struct cli_globals *g)
{
	struct metrics m = {0};
	const struct cli_option options[] = {{"--json", CLI_FLAG, &m.json},
		{"--csv", CLI_FLAG, &m.csv}, {"--follow", CLI_FLAG, &m.follow}};
	struct loop *loop;
	struct err e = {0};
	int rc = 0;

	if (cli_parse(options, COUNT(options), &argc, argv, &e) ||
		cli_no_operands(argc, argv, &e) || cli_one_of(m.json, m.csv, "--json, --csv", &e))
		return cli_fail(&e);
	loop = loop_new();
	if (look_open(loop, g->run, NULL, &m.look, &e)) {
		rc = cli_fail(&e);
	} else {
		/* What the engine has recorded is complete; without one the bucket may hold more.
		 */
		if (look_is_training(m.look) && !look_engine(m.look) &&
			look_ask(m.look, LOOK_CURVES, NULL, ASK_MS, &e))
			err_print(&e);
		if (m.follow)
			follow(&m);
		else
			print_all(&m);
	}
	look_close(&m.look);
	loop_free(loop);
	return rc;
}
