/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `status` prints, as pure functions of a state: contract.md's JSON, OpenMetrics and a page
 * for people. They ask nobody and read no clock.
 */
#ifndef RLPILOT_CLI_OUT_STATUS_H
#define RLPILOT_CLI_OUT_STATUS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/buf.h"
#include "core/fmt/json.h"
#include "core/run/state.h"

struct out_status {
	const struct state *state;
	int64_t now;               /* run time: ages count to it */
	bool reachable;            /* the cloud has answered */
	bool engine_stopped;       /* it was ended while a stage was at work */
	bool cluster_gone;         /* it was made, and is not there */
	int64_t checkpoint_period; /* of the recipe, when the log did not tell; 0 = not known */
	int64_t steps;             /* of the recipe, when the log did not tell; 0 = not known */
};

enum verdict out_status_verdict(const struct out_status *o, const char **why);
json_t *out_status_json(const struct out_status *o); /* new reference */
void out_status_openmetrics(const struct out_status *o, struct buf *out);
void out_status_plain(const struct out_status *o, struct buf *out);

#endif
