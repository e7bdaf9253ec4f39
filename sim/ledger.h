/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The truth for tests: one JSON object a line, flushed per line, of every cloud object made or
 * gone, every call of a stand-in, every true metric value and every fault of the plan.
 * {"t","kind","what","argv","folder","value", "step"}; t is pretend time, keys that do not apply
 * are left out.
 */
#ifndef RLPILOT_SIM_LEDGER_H
#define RLPILOT_SIM_LEDGER_H

#include <jansson.h>

struct err;
struct sim;

/* Sets sim->ledger; the file is emptied. ERR_CANNOT_WRITE with a cure. */
int ledger_open(struct sim *sim, const char *path, struct err *e);
void ledger_close(struct sim *sim);

/* `what` as "kind/name": "bucket/b", "object/b/path/x", "cluster/c", "jobset/default/j",
 * "pod/default/p". */
void ledger_create(struct sim *sim, const char *what);
void ledger_delete(struct sim *sim, const char *what);
/* fault: its line of the plan; where: the request or thing it hit. */
void ledger_fault(struct sim *sim, const char *fault, const char *where);
/* argv: array of strings, borrowed. */
void ledger_argv(struct sim *sim, const json_t *argv, const char *folder);
/* what: the series' name as `rlpilot metrics` knows it; step 1-based (evaluations 0, 10 … 51). */
void ledger_metric(struct sim *sim, const char *what, int step, double value);

#endif
