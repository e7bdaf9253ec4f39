/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `metrics` prints beside the CSV of core/model/series: a JSON array of the same rows (a value
 * that is no number is null) and a summary for people.
 */
#ifndef RLPILOT_CLI_OUT_METRICS_H
#define RLPILOT_CLI_OUT_METRICS_H

#include "core/base/buf.h"
#include "core/fmt/json.h"
#include "core/model/series.h"

json_t *out_metrics_row(const char *name, const struct series_point *p); /* new reference */
json_t *out_metrics_json(const struct series_set *s);                    /* new reference */
void out_metrics_plain(const struct series_set *s, struct buf *out);

#endif
