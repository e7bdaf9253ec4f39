/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of the Table form for the built-in kinds, as the API server's own printers fill them. Each
 * appends the cells after the name, in the order of the columns in kube_table.c.
 */
#ifndef RLPILOT_SIM_KUBE_COLUMNS_H
#define RLPILOT_SIM_KUBE_COLUMNS_H

#include "sim/kube_state.h"

void kube_row_pod(struct kube *k, const json_t *o, json_t *cells);
void kube_row_node(struct kube *k, const json_t *o, json_t *cells);
void kube_row_job(struct kube *k, const json_t *o, json_t *cells);
void kube_row_event(struct kube *k, const json_t *o, json_t *cells);
void kube_row_deployment(struct kube *k, const json_t *o, json_t *cells);
/* Age of a time against pretend now; "<unknown>" without one. */
json_t *kube_cell_age(const struct kube *k, const char *time);

#endif
