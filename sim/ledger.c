/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/ledger.h"

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/fmt/json.h"
#include "sim/clock.h"
#include "sim/sim.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct ledger {
	FILE *file;
	bool failed;
};

int ledger_open(struct sim *sim, const char *path, struct err *e)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
	if (!file)
		return err_errno(e, ERR_CANNOT_WRITE, errno,
			"name a file in a folder you may write, with --ledger",
			"cannot write the ledger %s", path);
	sim->ledger = X_NEW(struct ledger);
	sim->ledger->file = file;
	return 0;
}

void ledger_close(struct sim *sim)
{
	if (!sim->ledger)
		return;
	fclose(sim->ledger->file);
	free(sim->ledger);
	sim->ledger = NULL;
}

/* Takes over rest: the members after t and kind. */
static void add(struct sim *sim, const char *kind, json_t *rest)
{
	struct ledger *l = sim->ledger;
	AUTO(json_auto) json_t *members = rest;
	AUTO_FREE char *t = sim_time_ms(sim_now(sim));
	AUTO(json_auto) json_t *j = json_pack("{s:s, s:s}", "t", t, "kind", kind);
	json_object_update(j, members);
	AUTO_FREE char *line = json_dumps(j, JSON_COMPACT | JSON_REAL_PRECISION(9));
	if (!line)
		die("a ledger entry that is no JSON");
	if ((fprintf(l->file, "%s\n", line) < 0 || fflush(l->file) != 0) && !l->failed) {
		l->failed = true;
		fputs("rlpilot-sim: the ledger cannot be written: the disk may be full\n", stderr);
	}
}

void ledger_create(struct sim *sim, const char *what)
{
	add(sim, "create", json_pack("{s:s}", "what", what));
}

void ledger_delete(struct sim *sim, const char *what)
{
	add(sim, "delete", json_pack("{s:s}", "what", what));
}

void ledger_fault(struct sim *sim, const char *fault, const char *where)
{
	add(sim, "fault", json_pack("{s:s, s:s}", "what", fault, "where", where));
}

void ledger_argv(struct sim *sim, const json_t *argv, const char *folder)
{
	add(sim, "argv", json_pack("{s:O, s:s}", "argv", argv, "folder", folder));
}

void ledger_metric(struct sim *sim, const char *what, int step, double value)
{
	add(sim, "metric",
		json_pack("{s:s, s:i, s:o}", "what", what, "step", step, "value",
			json_from_num(value)));
}
