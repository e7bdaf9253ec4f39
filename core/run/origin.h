/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where does a complete tree come from? A result that is there counts as a stage's own only where
 * what can be seen from outside says nothing else: the JobSet that made it (values of its command,
 * image), the step, what the checkpoint records about itself, its size, whether it is older than
 * what it should have been made from. Reads only; weights are never looked into.
 */
#ifndef RLPILOT_RUN_ORIGIN_H
#define RLPILOT_RUN_ORIGIN_H

#include "core/run/facts.h"

struct origin;

/* Texts for people, translated. */
struct origin_told {
	struct strvec differs; /* not empty: it is the result of something else */
	struct strvec same, unknown;
	char *uri;          /* of the tree */
	int64_t written_ms; /* its newest object; 0 = not known */
};

/* stage has a tree; step: the newest complete one, or -1; wanted: the one that the stage makes, or
 * -1 = any. fn is called once, from the loop. */
struct origin *origin_ask(const struct facts_place *place, const struct recipe_stage *stage,
	int64_t step, int64_t wanted, void (*fn)(void *arg, const struct origin_told *told),
	void *arg);
/* No callback any more; sets *o to NULL. */
void origin_drop(struct origin **o);

/* Pure, for origin_ask and the tests. */
struct checkpoint_list;
void origin_judge_tree(struct origin_told *told, const struct recipe_tree *tree,
	const struct checkpoint_list *list, int64_t step, int64_t wanted);
/* command: of the stage, masked; NULL = not known. */
void origin_judge_record(
	struct origin_told *told, const json_t *record, const char *command, int64_t step);
void origin_told_fini(struct origin_told *told);
/* "compared and the same: …; not compared: …", the caller's. */
char *origin_text(const struct origin_told *told);

#endif
