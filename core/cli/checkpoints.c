/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/cli/cli.h"
#include "core/cli/out_checkpoints.h"
#include "core/io/loop.h"
#include "core/run/look.h"

#define ASK_MS     60000 /* a large bucket needs many pages */
#define CLUSTER_MS 3000

/* Whether the writer has ended decides between writing and abandoned; without an answer the age of
 * the objects alone does. */
static int ask(struct look *l, struct err *e)
{
	if (look_has_cluster(l))
		(void)look_ask(l, LOOK_CLUSTER, NULL, CLUSTER_MS, NULL);
	return look_ask(l, LOOK_TREES, NULL, ASK_MS, e);
}

int cli_checkpoints(int argc, char **argv, const struct cli_globals *g)
{
	bool json = false, csv = false;
	const struct cli_option options[] = {
		{"--json", CLI_FLAG, &json}, {"--csv", CLI_FLAG, &csv}};
	AUTO(buf_fini) struct buf out = {0};
	struct look *l = NULL;
	struct loop *loop;
	struct err e = {0};
	int rc = 0;

	if (cli_parse(options, COUNT(options), &argc, argv, &e) ||
		cli_no_operands(argc, argv, &e) || cli_one_of(json, csv, "--json, --csv", &e))
		return cli_fail(&e);
	loop = loop_new();
	if (look_open(loop, g->run, NULL, &l, &e) || ask(l, &e)) {
		rc = cli_fail(&e);
	} else if (json) {
		AUTO(json_auto) json_t *j = out_checkpoints_json(&look_state(l)->checkpoints);
		AUTO_FREE char *text = json_pretty(j);

		fputs(text, stdout);
	} else {
		if (csv)
			out_checkpoints_csv(&look_state(l)->checkpoints, &out);
		else
			out_checkpoints_plain(&look_state(l)->checkpoints, clock_now(), &out);
		fputs(buf_str(&out), stdout);
	}
	look_close(&l);
	loop_free(loop);
	return rc;
}
