/* SPDX-License-Identifier: Apache-2.0 */
#include "core/recipe/schema.h"

#include <string.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/recipe/recipe.h"
#include "core/recipe/rule.h"
#include "core/recipe/schema_in.h"

static const char *const quotes[] = {"none", "single", "double", NULL};
static const char *const kinds[] = {"run", "look", "wait", "builtin", NULL};
static const char *const written[] = {"also", "only", "never", NULL};
static const char *const derives[] = {
	"none", "region", "chips", "hosts", "platform", "step", "fixed", NULL};
static const char *const types[] = {"int", "real", "bool", "choice", "text", NULL};
static const char *const wheres[] = {"log", "event", "condition", "exit", "tool", NULL};
static const char *const severities[] = {"info", "warning", "fatal", "ignore", NULL};
static const char *const whos[] = {"you", "administrator", "google", NULL};
static const char *const discovers[] = {
	"project", "region", "zone", "bucket", "cluster", "reservation", "machine", NULL};
static const char *const builtins[] = {"need-tools", "make-folder", "detect-bundle",
	"edit-blueprint", "remove-folder", "wait-job", NULL};

static const struct {
	const char *id;
	const char *const args[5];
} facts[] = {
	{"tool", {"name"}},
	{"file", {"path"}},
	{"gcluster-version", {"version"}},
	{"gcloud-account", {NULL}},
	{"adc-token", {NULL}},
	{"quota-project", {"project"}},
	{"docker-helper", {"host"}},
	{"bucket", {"name", "project", "location"}},
	{"bucket-absent", {"name"}},
	{"cluster-running", {"project", "region", "cluster"}},
	{"cluster-absent", {"project", "region", "cluster"}},
	{"bucket-ours", {NULL}},
	{"deployment-ours", {"project", "region", "cluster"}},
	{"cluster-unused", {"project", "region", "cluster"}},
	{"nodes-ready", {"count", "pool"}},
	{"queue-ready", {NULL}},
	{"jobset-absent", {"name"}},
	{"jobset-ours", {"name"}},
	{"jobset-done", {"name"}},
	{"marker", {"uri"}},
	{"newest-step", {"tree", "uri", "item", "at_least"}},
	{"hf-index", {"uri"}},
	{"folder-absent", {"path"}},
	{"tree-absent", {"uri"}},
	{"pods-absent", {"name"}},
};

const char *const *recipe_fact_args(const char *id)
{
	for (size_t i = 0; i < COUNT(facts); i++) {
		if (!strcmp(facts[i].id, id))
			return facts[i].args;
	}
	return NULL;
}

const char *const *recipe_fact_ids(void)
{
	static const char *ids[COUNT(facts) + 1];

	for (size_t i = 0; i < COUNT(facts); i++)
		ids[i] = facts[i].id;
	return ids;
}

static bool pair_there(const struct recipe_pairs *p, const char *name)
{
	for (size_t i = 0; i < p->n; i++) {
		if (!strcmp(p->items[i].name, name))
			return true;
	}
	return false;
}

static int check_fact(struct decode *d, void *target)
{
	const struct recipe_fact *f = target;
	const char *const *args = recipe_fact_args(f->id);
	size_t wanted = 0;
	AUTO(buf_fini) struct buf hint = {0};

	if (!args) {
		yaml_path_add(&d->path, "fact");
		buf_adds(&hint, _("expected one of:"));
		for (size_t i = 0; i < COUNT(facts); i++)
			buf_addf(&hint, "%s %s", i ? "," : "", facts[i].id);
		return decode_error(d, buf_str(&hint), _("there is no fact called \"%s\""), f->id);
	}
	buf_addf(&hint, _("%s takes:"), f->id);
	for (; args[wanted]; wanted++)
		buf_addf(&hint, "%s %s", wanted ? "," : "", args[wanted]);
	for (size_t i = 0; i < wanted; i++) {
		if (!pair_there(&f->args, args[i]))
			return decode_error(d, buf_str(&hint), _("the fact \"%s\" has no \"%s\""),
				f->id, args[i]);
	}
	if (f->args.n > wanted)
		return decode_error(
			d, buf_str(&hint), _("the fact \"%s\" has too many arguments"), f->id);
	return 0;
}

static int read_object(struct decode *d, const json_t *j, struct recipe_item *out);

static void number_or_word(struct recipe_item *out, const char *s)
{
	out->raw = !strcmp(s, "true") || !strcmp(s, "false") ||
		   (*s && strspn(s, "0123456789.-") == strlen(s));
}

static int read_members(struct decode *d, const json_t *j, struct recipe_item *out)
{
	const char *key;
	json_t *value;
	size_t i;

	out->list = json_is_array(j);
	out->items =
		decode_alloc(d, (json_object_size(j) + json_array_size(j)) * sizeof(*out->items));
	json_object_foreach((json_t *)(uintptr_t)j, key, value)
	{
		out->items[out->n].key = arena_strdup(d->arena, key);
		if (read_object(d, value, &out->items[out->n++]))
			return -1;
	}
	json_array_foreach(j, i, value)
	{
		if (read_object(d, value, &out->items[out->n++]))
			return -1;
	}
	return 0;
}

static int read_object(struct decode *d, const json_t *j, struct recipe_item *out)
{
	if (json_is_object(j) || json_is_array(j))
		return read_members(d, j, out);
	if (!json_is_string(j))
		return decode_error(d, "", _("a text is expected here"));
	out->value = decode_template(d, json_string_value(j));
	number_or_word(out, out->value);
	return 0;
}

static int own_object(struct decode *d, const json_t *j, void *target)
{
	struct recipe_item *item = decode_alloc(d, sizeof(*item));

	*(struct recipe_item **)target = item;
	return read_object(d, j, item);
}

static int check_variable(struct decode *d, void *target)
{
	const struct recipe_variable *v = target;

	yaml_path_add(&d->path, v->rule ? "rule" : "match");
	if (v->rule && !rule_exists(v->rule))
		return decode_error(d, _("use `match` with a pattern and a `reason`"),
			_("there is no rule called \"%s\""), v->rule);
	if (v->match && !v->reason.en)
		return decode_error(
			d, _("add reason: {en: …, ko: …}"), _("\"match\" needs a \"reason\""));
	return 0;
}

static int check_arg(struct decode *d, void *target)
{
	const struct recipe_arg *a = target;
	int values = !!a->value + !!a->pairs.n + !!a->container;

	if (!!a->word + !!a->flag != 1)
		return decode_error(d, _("write a word, {word: …} or {flag: --name, …}"),
			_("an argument is either a word or a flag"));
	if (values > 1 || (a->word && values))
		return decode_error(d, _("keep one of: value, pairs, container"),
			_("an argument has one value"));
	return 0;
}

static int check_step(struct decode *d, void *target)
{
	const struct recipe_step *s = target;

	if (!!s->export_name + !!s->patch_file + !!s->module != 1)
		return decode_error(d, _("write export, patch or module"),
			_("a step is one of: export, patch, module"));
	return 0;
}

static int check_command(struct decode *d, void *target)
{
	const struct recipe_command *c = target;
	bool builtin = c->kind == RECIPE_BUILTIN || c->kind == RECIPE_WAIT;

	if (builtin && !c->builtin && !c->program)
		return decode_error(d, _("add builtin: NAME"), _("a builtin needs its name"));
	if (!builtin && !c->program)
		return decode_error(d, _("add program: NAME"), _("a command needs a program"));
	if (c->builtin && !strcmp(c->builtin, "edit-blueprint") &&
		(!c->edits.n || !c->edit_source || !c->edit_target))
		return decode_error(d, _("add source, target and edits"),
			_("edit-blueprint needs a source, a target and edits"));
	return 0;
}

static int check_edit(struct decode *d, void *target)
{
	const struct recipe_edit *x = target;

	if (!x->count || !!(x->find && x->replace) + !!(x->after && x->add) != 1)
		return decode_error(d, _("write find and replace, or after and add; and count"),
			_("this is not an edit"));
	return 0;
}

static const struct field link_rows[] = {
	ROW("label", FIELD_TEXT, recipe_link, label, NEED),
	ROW("url", FIELD_STR, recipe_link, url, NEED),
};
static const struct schema link_schema = {
	N_("a link"), sizeof(struct recipe_link), FIELDS(link_rows)};

static const struct field note_rows[] = {
	ROW("id", FIELD_STR, recipe_note, id, NEED),
	ROW("says", FIELD_TEXT, recipe_note, says, NEED),
	ROW("happens", FIELD_TEXT, recipe_note, happens, NEED),
	ROW("source", FIELD_STR, recipe_note, source, NEED),
};
static const struct schema note_schema = {
	N_("a note"), sizeof(struct recipe_note), FIELDS(note_rows)};

static const struct field variable_rows[] = {
	ROW("name", FIELD_STR, recipe_variable, name, NEED),
	ROW("label", FIELD_TEXT, recipe_variable, label, NEED),
	ROW("why", FIELD_TEXT, recipe_variable, why, NEED),
	ROW("how", FIELD_TEXTS, recipe_variable, how),
	ROW("link", FIELD_STR, recipe_variable, how_link),
	ROW("rule", FIELD_STR, recipe_variable, rule),
	ROW("match", FIELD_MATCH, recipe_variable, match),
	ROW("reason", FIELD_TEXT, recipe_variable, reason),
	ROW("default", FIELD_STR, recipe_variable, dflt),
	ROW("discover", FIELD_STR, recipe_variable, discover, WORDS(discovers)),
	ROW("needs", FIELD_NAMES, recipe_variable, needs, REFER(REF_VARIABLE)),
	ROW("platforms", FIELD_PAIRS, recipe_variable, platforms),
	ROW("derive", FIELD_WORD, recipe_variable, derive, WORDS(derives)),
	ROW("shown_only", FIELD_BOOL, recipe_variable, derived_only),
	ROW("secret", FIELD_BOOL, recipe_variable, secret),
	ROW("optional", FIELD_BOOL, recipe_variable, optional),
};
static const struct schema variable_schema = {N_("a variable"), sizeof(struct recipe_variable),
	FIELDS(variable_rows), .check = check_variable};

static const struct field param_rows[] = {
	ROW("key", FIELD_STR, recipe_param, key, NEED),
	ROW("value", FIELD_TEMPLATE, recipe_param, value),
	ROW("object", FIELD_OWN, recipe_param, object, .own = own_object),
	ROW("quote", FIELD_WORD, recipe_param, quote, WORDS(quotes)),
	ROW("when", FIELD_STR, recipe_param, when, REFER(REF_DEVIATION)),
	ROW("label", FIELD_TEXT, recipe_param, label),
	ROW("why", FIELD_TEXT, recipe_param, why),
	ROW("type", FIELD_STR, recipe_param, type, WORDS(types)),
	ROW("upstream", FIELD_STR, recipe_param, upstream),
	ROW("source", FIELD_STR, recipe_param, source),
	ROW("min", FIELD_REAL, recipe_param, min),
	ROW("max", FIELD_REAL, recipe_param, max),
	ROW("choices", FIELD_NAMES, recipe_param, choices),
	ROW("editable", FIELD_BOOL, recipe_param, editable),
};
static const struct schema param_schema = {
	N_("a parameter"), sizeof(struct recipe_param), FIELDS(param_rows)};

static const struct field patch_rows[] = {
	ROW("file", FIELD_STR, recipe_step, patch_file, NEED),
	ROW("pattern", FIELD_STR, recipe_step, patch_pattern, NEED),
	ROW("replacement", FIELD_STR, recipe_step, patch_replacement, NEED),
};
static const struct schema patch_schema = {N_("a patch"), 0, FIELDS(patch_rows)};

static const struct field step_rows[] = {
	ROW("export", FIELD_STR, recipe_step, export_name),
	ROW("value", FIELD_TEMPLATE, recipe_step, value),
	{.key = "patch", .kind = FIELD_STRUCT, .sub = &patch_schema},
	ROW("module", FIELD_STR, recipe_step, module),
	ROW("env", FIELD_PAIRS, recipe_step, env),
	ROW("params", FIELD_LIST, recipe_step, params, .sub = &param_schema),
	ROW("parameters", FIELD_BOOL, recipe_step, parameters),
	ROW("why", FIELD_TEXT, recipe_step, why),
};
static const struct schema step_schema = {N_("a step in the container"), sizeof(struct recipe_step),
	FIELDS(step_rows), .check = check_step};

static const struct field container_rows[] = {
	ROW("only_index", FIELD_STR, recipe_container, only_index),
	ROW("steps", FIELD_LIST, recipe_container, steps, NEED, .sub = &step_schema),
};
static const struct schema container_schema = {
	N_("a container command"), sizeof(struct recipe_container), FIELDS(container_rows)};

static const struct field arg_rows[] = {
	ROW("word", FIELD_TEMPLATE, recipe_arg, word),
	ROW("flag", FIELD_STR, recipe_arg, flag),
	ROW("value", FIELD_TEMPLATE, recipe_arg, value),
	ROW("pairs", FIELD_PAIRS, recipe_arg, pairs),
	ROW("container", FIELD_PTR, recipe_arg, container, .sub = &container_schema),
	ROW("apart", FIELD_BOOL, recipe_arg, apart),
	ROW("when", FIELD_STR, recipe_arg, when, REFER(REF_DEVIATION)),
	ROW("why", FIELD_TEXT, recipe_arg, why),
};
static const struct schema arg_schema = {N_("an argument"), sizeof(struct recipe_arg),
	FIELDS(arg_rows), .string_at = offsetof(struct recipe_arg, word), .has_string = true,
	.check = check_arg};

static const struct field fact_rows[] = {
	ROW("fact", FIELD_STR, recipe_fact, id, NEED),
	ROW("why", FIELD_TEXT, recipe_fact, why),
};
static const struct schema fact_schema = {N_("a fact"), sizeof(struct recipe_fact),
	FIELDS(fact_rows), .rest_at = offsetof(struct recipe_fact, args), .has_rest = true,
	.check = check_fact};

static const struct field edit_rows[] = {
	ROW("find", FIELD_STR, recipe_edit, find),
	ROW("replace", FIELD_STR, recipe_edit, replace),
	ROW("after", FIELD_STR, recipe_edit, after),
	ROW("add", FIELD_STR, recipe_edit, add),
	ROW("count", FIELD_SIZE, recipe_edit, count, NEED),
	ROW("why", FIELD_TEXT, recipe_edit, why),
};
static const struct schema edit_schema = {
	N_("an edit"), sizeof(struct recipe_edit), FIELDS(edit_rows), .check = check_edit};

static const struct field confirm_rows[] = {
	ROW("env", FIELD_STR, recipe_command, confirm_env, NEED),
	ROW("value", FIELD_TEMPLATE, recipe_command, confirm_value, NEED),
};
static const struct schema confirm_schema = {N_("a confirmation"), 0, FIELDS(confirm_rows)};

static const struct field command_rows[] = {
	ROW("kind", FIELD_WORD, recipe_command, kind, WORDS(kinds)),
	ROW("builtin", FIELD_STR, recipe_command, builtin, WORDS(builtins)),
	ROW("program", FIELD_STR, recipe_command, program),
	ROW("args", FIELD_LIST, recipe_command, args, .sub = &arg_schema),
	ROW("pipe", FIELD_LIST, recipe_command, pipe, .sub = &arg_schema),
	ROW("env", FIELD_PAIRS, recipe_command, env),
	ROW("cwd", FIELD_STR, recipe_command, cwd, NEED),
	ROW("interactive", FIELD_BOOL, recipe_command, interactive),
	ROW("money", FIELD_BOOL, recipe_command, money),
	ROW("proven", FIELD_BOOL, recipe_command, proven),
	ROW("as_written", FIELD_WORD, recipe_command, written, WORDS(written)),
	ROW("when", FIELD_STR, recipe_command, when, REFER(REF_DEVIATION)),
	ROW("skip", FIELD_PTR, recipe_command, skip, .sub = &fact_schema),
	ROW("skip_script", FIELD_STR, recipe_command, skip_script),
	ROW("or_script", FIELD_STR, recipe_command, or_script),
	{.key = "confirm", .kind = FIELD_STRUCT, .sub = &confirm_schema},
	ROW("source", FIELD_STR, recipe_command, edit_source),
	ROW("target", FIELD_STR, recipe_command, edit_target),
	ROW("edits", FIELD_LIST, recipe_command, edits, .sub = &edit_schema),
	ROW("why", FIELD_TEXT, recipe_command, why, NEED),
};
static const struct schema command_schema = {N_("a command"), sizeof(struct recipe_command),
	FIELDS(command_rows), .check = check_command};

static const struct field undo_rows[] = {
	ROW("text", FIELD_TEXT, recipe_stage, undo_text, NEED),
	ROW("gate", FIELD_LIST, recipe_stage, undo_gate, .sub = &fact_schema),
	ROW("commands", FIELD_LIST, recipe_stage, undo, .sub = &command_schema),
	ROW("verify", FIELD_LIST, recipe_stage, undo_verify, .sub = &fact_schema),
};
static const struct schema undo_schema = {N_("an undo"), 0, FIELDS(undo_rows)};

static const char *const stage_ids[] = {"tools", "toolkit", "login", "bucket", "cluster", "convert",
	"train", "export", "cleanup", NULL};

static const struct field stage_rows[] = {
	ROW("id", FIELD_STR, recipe_stage, id, NEED, WORDS(stage_ids)),
	ROW("title", FIELD_TEXT, recipe_stage, title, NEED),
	ROW("does", FIELD_TEXT, recipe_stage, does, NEED),
	ROW("after", FIELD_TEXT, recipe_stage, after),
	ROW("trouble", FIELD_TEXT, recipe_stage, trouble),
	ROW("usual", FIELD_SPAN, recipe_stage, usual_min_s, NEED),
	ROW("jobset", FIELD_STR, recipe_stage, jobset),
	ROW("tree", FIELD_STR, recipe_stage, tree),
	ROW("alone", FIELD_BOOL, recipe_stage, alone),
	ROW("uninterruptible", FIELD_BOOL, recipe_stage, uninterruptible),
	ROW("holds_tpu", FIELD_BOOL, recipe_stage, holds_tpu),
	ROW("gate", FIELD_LIST, recipe_stage, gate, .sub = &fact_schema),
	ROW("verify", FIELD_LIST, recipe_stage, verify, .sub = &fact_schema),
	ROW("existing", FIELD_LIST, recipe_stage, existing, .sub = &fact_schema),
	ROW("commands", FIELD_LIST, recipe_stage, commands, NEED, .sub = &command_schema),
	{.key = "undo", .kind = FIELD_STRUCT, .sub = &undo_schema},
};
/* The name goes into a file's name, where it must lead nowhere else; whether a cluster takes it is
 * the check name.job. */
static int check_stage(struct decode *d, void *target)
{
	const struct recipe_stage *st = target;
	AUTO(buf_fini) struct buf why = {0};

	if (!st->jobset || !strchr(st->jobset, '/') || rule_named("job", st->jobset, &why))
		return 0;
	yaml_path_add(&d->path, "jobset");
	return decode_error(d, _("give another value"), "%s", buf_str(&why));
}

static const struct schema stage_schema = {
	N_("a stage"), sizeof(struct recipe_stage), FIELDS(stage_rows), .check = check_stage};

static const struct field deviation_rows[] = {
	ROW("id", FIELD_STR, recipe_deviation, id, NEED),
	ROW("default", FIELD_BOOL, recipe_deviation, dflt, NEED),
	ROW("stage", FIELD_NAMES, recipe_deviation, stages, NEED, REFER(REF_STAGE)),
	ROW("title", FIELD_TEXT, recipe_deviation, title, NEED),
	ROW("why", FIELD_TEXT, recipe_deviation, why, NEED),
	ROW("price", FIELD_TEXT, recipe_deviation, price),
	ROW("otherwise", FIELD_TEXT, recipe_deviation, otherwise),
	ROW("source", FIELD_STR, recipe_deviation, source, NEED),
};
static const struct schema deviation_schema = {
	N_("a deviation"), sizeof(struct recipe_deviation), FIELDS(deviation_rows)};

static const struct field check_rows[] = {
	ROW("id", FIELD_STR, recipe_check, id, NEED),
	ROW("question", FIELD_TEXT, recipe_check, question, NEED),
	ROW("needs", FIELD_NAMES, recipe_check, needs),
	ROW("args", FIELD_PAIRS, recipe_check, args),
};
static const struct schema check_schema = {
	N_("a check"), sizeof(struct recipe_check), FIELDS(check_rows)};

static const struct field cause_rows[] = {
	ROW("id", FIELD_STR, recipe_cause, id, NEED),
	ROW("where", FIELD_STR, recipe_cause, where, NEED, WORDS(wheres)),
	ROW("match", FIELD_MATCH, recipe_cause, match, NEED),
	ROW("severity", FIELD_STR, recipe_cause, severity, NEED, WORDS(severities)),
	ROW("who", FIELD_STR, recipe_cause, who, WORDS(whos)),
	ROW("stage", FIELD_NAMES, recipe_cause, stages, REFER(REF_STAGE)),
	ROW("meaning", FIELD_TEXT, recipe_cause, meaning, NEED),
	ROW("cure", FIELD_TEXT, recipe_cause, cure),
	ROW("source", FIELD_STR, recipe_cause, source),
};
static const struct schema cause_schema = {
	N_("a cause"), sizeof(struct recipe_cause), FIELDS(cause_rows)};

static const struct field chips_rows[] = {
	ROW("machine", FIELD_STR, recipe_chips, machine, NEED),
	ROW("generation", FIELD_STR, recipe_chips, generation, NEED),
	ROW("price_link", FIELD_STR, recipe_chips, price_link, NEED),
	ROW("count", FIELD_U32, recipe_chips, count, NEED),
	ROW("per_host", FIELD_U32, recipe_chips, per_host, NEED),
	ROW("hbm_gib", FIELD_REAL, recipe_chips, hbm_gib),
	ROW("heads", FIELD_U32, recipe_chips, heads, NEED),
	ROW("kv_heads", FIELD_U32, recipe_chips, kv_heads, NEED),
};
static const struct schema chips_schema = {
	N_("the part about chips"), sizeof(struct recipe_chips), FIELDS(chips_rows)};

static int own_format(struct decode *d, const json_t *j, void *target)
{
	(void)target;
	if (json_path_i64(j, "", 0) == 1)
		return 0;
	return decode_error(d, _("write recipe: 1, or take a newer rlpilot"),
		_("this program reads recipes of format 1 only"));
}

static const struct field recipe_rows[] = {
	{.key = "recipe", .kind = FIELD_OWN, .required = true, .own = own_format},
	ROW("id", FIELD_STR, recipe, id, NEED),
	ROW("title", FIELD_TEXT, recipe, title, NEED),
	ROW("summary", FIELD_TEXT, recipe, summary, NEED),
	ROW("usual", FIELD_SPAN, recipe, usual_min_s, NEED),
	ROW("links", FIELD_LIST, recipe, links, NEED, .sub = &link_schema),
	ROW("notes", FIELD_LIST, recipe, notes, .sub = &note_schema),
	ROW("chips", FIELD_STRUCT, recipe, chips, NEED, .sub = &chips_schema),
	ROW("variables", FIELD_LIST, recipe, variables, NEED, .sub = &variable_schema),
	ROW("parameters", FIELD_LIST, recipe, parameters, NEED, .sub = &param_schema),
	ROW("checks", FIELD_LIST, recipe, checks, NEED, .sub = &check_schema),
	ROW("deviations", FIELD_LIST, recipe, deviations, NEED, .sub = &deviation_schema),
	ROW("stages", FIELD_LIST, recipe, stages, NEED, .sub = &stage_schema),
	ROW("watch", FIELD_STRUCT, recipe, watch, NEED, .sub = &schema_watch),
	ROW("causes", FIELD_LIST, recipe, causes, NEED, .sub = &cause_schema),
};
const struct schema recipe_schema = {N_("a recipe"), sizeof(struct recipe), FIELDS(recipe_rows)};
