/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checkpoints as a bucket listing shows them. On Cloud Storage a partial checkpoint already has its
 * final name: only commit_success.txt (written last) tells, and for an export the index with every
 * file of its weight_map. Feed objects in any order, then judge. Pure.
 * Invariant: nothing is called complete without its marker.
 */
#ifndef RLPILOT_MODEL_CHECKPOINT_H
#define RLPILOT_MODEL_CHECKPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/map.h"
#include "core/base/vec.h"
#include "core/fmt/json.h"

#define CHECKPOINT_TREES(X)                                                                        \
	X(CHECKPOINT_MAX_TEXT, "max-text-format")                                                  \
	X(CHECKPOINT_TRAINED, "trained")                                                           \
	X(CHECKPOINT_HF, "hf-trained")

enum checkpoint_tree {
#define X(name, word) name,
	CHECKPOINT_TREES(X)
#undef X
		CHECKPOINT_TREE_COUNT
};

#define CHECKPOINT_STATES(X)                                                                       \
	X(CHECKPOINT_ABSENT, "absent")                                                             \
	X(CHECKPOINT_WRITING, "writing")                                                           \
	X(CHECKPOINT_COMPLETE, "complete")                                                         \
	X(CHECKPOINT_ABANDONED, "abandoned")

enum checkpoint_state {
#define X(name, word) name,
	CHECKPOINT_STATES(X)
#undef X
		CHECKPOINT_STATE_COUNT
};

#define CHECKPOINT_ABANDONED_MS (10 * 60 * 1000)
#define CHECKPOINT_MARKER       "commit_success.txt"
#define CHECKPOINT_INDEX        "model.safetensors.index.json"

struct checkpoint_item {
	char *name; /* model_params, items; for an export the file name */
	enum checkpoint_state state;
	int64_t bytes, objects;
	int64_t first_ms, last_ms; /* oldest and newest object; TIME_NONE = none */
	bool marker;
};

struct checkpoint {
	enum checkpoint_tree tree;
	int64_t step; /* -1 = none (hf-trained) */
	char *uri;    /* gs://bucket/…/50/ */
	enum checkpoint_state state;
	char *marker; /* uri of the commit marker or the index, NULL = absent */
	int64_t bytes, objects, first_ms, last_ms;
	struct checkpoint_item *items;
	size_t n, cap;
	struct strvec missing; /* files of the weight map that are not there */
	struct map by_name;    /* item name -> index + 1 */
};

struct checkpoint_list {
	char *bucket;
	struct checkpoint *items;
	size_t n, cap;
	size_t last; /* the one the previous object went to */
};

void checkpoint_list_init(struct checkpoint_list *l, const char *bucket);
void checkpoint_list_fini(struct checkpoint_list *l);
/* One object. root: the folder (with final slash, no bucket) that holds the step folders, or the
 * export's files; objects that do not begin with it, or not with a step, are left out (false). */
bool checkpoint_list_add(struct checkpoint_list *l, enum checkpoint_tree tree, const char *root,
	const char *name, int64_t bytes, int64_t updated_ms);
/* Decides every state and sorts by tree, step, item. jobset_ended: the JobSet that writes tree t
 * has ended (or is gone). hf_index: parsed index of the export, NULL when absent or not read. */
void checkpoint_list_judge(struct checkpoint_list *l, int64_t now_ms,
	const bool jobset_ended[CHECKPOINT_TREE_COUNT], const json_t *hf_index);
/* Newest complete step of a tree that holds item (NULL: any) complete; -1 = none. */
int64_t checkpoint_safe_step(
	const struct checkpoint_list *l, enum checkpoint_tree tree, const char *item);
const struct checkpoint *checkpoint_find(
	const struct checkpoint_list *l, enum checkpoint_tree tree, int64_t step);
/* Next step that will be saved after `step`: a multiple of period, at most steps; -1 = none. */
int64_t checkpoint_next_due(int64_t step, int64_t period, int64_t steps);

const char *checkpoint_tree_name(enum checkpoint_tree t);
enum checkpoint_tree checkpoint_tree_from_name(const char *word); /* …_COUNT if it is none */
const char *checkpoint_state_name(enum checkpoint_state s);

#endif
