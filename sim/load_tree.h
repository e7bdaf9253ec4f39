/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checkpoint trees as Orbax writes them on Cloud Storage (facts/maxtext-run.md section 3): data
 * goes straight into its final place, commit_success.txt comes last, in each item first and then in
 * the step.
 */
#ifndef RLPILOT_SIM_LOAD_TREE_H
#define RLPILOT_SIM_LOAD_TREE_H

#include "sim/load.h"

/* Queues the data of step/item: about 60 objects of `bytes` in all, spread over `ms`. step ends
 * with "/". */
void load_tree_item(struct load *l, const char *step, const char *item, const char *prefix,
	int64_t bytes, int64_t ms);
/* The item's marker. */
void load_tree_commit(struct load *l, const char *step, const char *item);
/* The step's _CHECKPOINT_METADATA and, after it, its marker. handlers and custom: members of JSON
 * objects. */
void load_tree_step(
	struct load *l, const char *step, const char *handlers, const char *custom, int64_t began);
/* The bucket of a gs:// address is there; else queues the error and exit 1 and returns false. */
bool load_tree_bucket_ok(struct load *l, const char *uri);

#endif
