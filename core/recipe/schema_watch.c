/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a recipe about watching: roles, series, trees, milestones, bars, quiet times. */
#include "core/recipe/schema_in.h"

#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/recipe/recipe.h"

static const char *const tree_kinds[] = {"orbax", "huggingface", NULL};
static const char *const units[] = {
	"resource", "tensor", "pod", "step", "file", "object", "byte", NULL};

static const struct field role_rows[] = {
	ROW("name", FIELD_STR, recipe_role, name, NEED),
	ROW("pods", FIELD_U32, recipe_role, pods, NEED),
	ROW("containers", FIELD_NAMES, recipe_role, containers, NEED),
	ROW("main", FIELD_STR, recipe_role, main),
	ROW("what", FIELD_TEXT, recipe_role, what, NEED),
};
static const struct schema role_schema = {
	N_("a role"), sizeof(struct recipe_role), FIELDS(role_rows)};

static const struct field series_rows[] = {
	ROW("id", FIELD_STR, recipe_series, id, NEED),
	ROW("tag", FIELD_STR, recipe_series, tag),
	ROW("base", FIELD_U32, recipe_series, base),
	ROW("label", FIELD_TEXT, recipe_series, label, NEED),
	ROW("why", FIELD_TEXT, recipe_series, why),
	ROW("unit", FIELD_STR, recipe_series, unit),
	ROW("headline", FIELD_BOOL, recipe_series, headline),
};
static const struct schema series_schema = {
	N_("a series"), sizeof(struct recipe_series), FIELDS(series_rows)};

static const struct field tree_rows[] = {
	ROW("id", FIELD_STR, recipe_tree, id, NEED),
	ROW("uri", FIELD_TEMPLATE, recipe_tree, uri, NEED),
	ROW("kind", FIELD_STR, recipe_tree, kind, NEED, WORDS(tree_kinds)),
	ROW("item", FIELD_STR, recipe_tree, item),
	ROW("stage", FIELD_STR, recipe_tree, stage, NEED, REFER(REF_STAGE)),
	ROW("label", FIELD_TEXT, recipe_tree, label, NEED),
	ROW("bytes", FIELD_U64, recipe_tree, bytes),
};
static const struct schema tree_schema = {
	N_("a tree"), sizeof(struct recipe_tree), FIELDS(tree_rows)};

static const struct field milestone_rows[] = {
	ROW("id", FIELD_STR, recipe_milestone, id, NEED),
	ROW("stage", FIELD_STR, recipe_milestone, stage, NEED, REFER(REF_STAGE)),
	ROW("match", FIELD_MATCH, recipe_milestone, match, NEED),
	ROW("label", FIELD_TEXT, recipe_milestone, label, NEED),
};
static const struct schema milestone_schema = {
	N_("a milestone"), sizeof(struct recipe_milestone), FIELDS(milestone_rows)};

static const struct field bar_rows[] = {
	ROW("id", FIELD_STR, recipe_bar, id, NEED),
	ROW("stage", FIELD_STR, recipe_bar, stage, NEED, REFER(REF_STAGE)),
	ROW("match", FIELD_MATCH, recipe_bar, match, NEED),
	ROW("unit", FIELD_STR, recipe_bar, unit, NEED, WORDS(units)),
	ROW("total", FIELD_U32, recipe_bar, total),
	ROW("label", FIELD_TEXT, recipe_bar, label, NEED),
};
static const struct schema bar_schema = {N_("a bar"), sizeof(struct recipe_bar), FIELDS(bar_rows)};

static const struct field quiet_rows[] = {
	ROW("id", FIELD_STR, recipe_quiet, id, NEED),
	ROW("stage", FIELD_STR, recipe_quiet, stage, NEED, REFER(REF_STAGE)),
	ROW("after", FIELD_MATCH, recipe_quiet, after, NEED),
	ROW("until", FIELD_MATCH, recipe_quiet, until, NEED),
	ROW("usual_seconds", FIELD_U32, recipe_quiet, usual_s, NEED),
	ROW("why", FIELD_TEXT, recipe_quiet, why, NEED),
};
static const struct schema quiet_schema = {
	N_("a quiet time"), sizeof(struct recipe_quiet), FIELDS(quiet_rows)};

static const struct field watch_rows[] = {
	ROW("jobset", FIELD_STR, recipe_watch, jobset, NEED),
	ROW("namespace", FIELD_STR, recipe_watch, ns, NEED),
	ROW("main_role", FIELD_STR, recipe_watch, main_role, NEED),
	ROW("steps", FIELD_U32, recipe_watch, steps, NEED),
	ROW("eval_every", FIELD_U32, recipe_watch, eval_every, NEED),
	ROW("tensorboard", FIELD_TEMPLATE, recipe_watch, tensorboard, NEED),
	ROW("roles", FIELD_LIST, recipe_watch, roles, NEED, .sub = &role_schema),
	ROW("series", FIELD_LIST, recipe_watch, series, NEED, .sub = &series_schema),
	ROW("trees", FIELD_LIST, recipe_watch, trees, NEED, .sub = &tree_schema),
	ROW("milestones", FIELD_LIST, recipe_watch, milestones, .sub = &milestone_schema),
	ROW("bars", FIELD_LIST, recipe_watch, bars, .sub = &bar_schema),
	ROW("quiet", FIELD_LIST, recipe_watch, quiet, .sub = &quiet_schema),
};
const struct schema schema_watch = {
	N_("the part about watching"), sizeof(struct recipe_watch), FIELDS(watch_rows)};
