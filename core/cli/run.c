/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/cli/cli.h"
#include "core/cli/plain.h"
#include "core/io/ssh.h"
#include "core/run/cloud_shell.h"
#include "core/run/folder.h"
#include "core/run/frozen.h"
#include "core/run/journal.h"

struct asked {
	bool all, json;
	const char *from, *to, *stage, *confirm, *confirm_bucket;
	struct strvec sets;
};

static int stage_of(const char *word, enum stage_id *id, struct err *e)
{
	*id = stage_from_word(word);
	if (*id != STAGE_NONE)
		return 0;
	return err_set(e, ERR_USAGE,
		_("stages: tools toolkit login bucket cluster convert train export cleanup"),
		_("there is no stage \"%s\""), word);
}

/* Which stages: --all, --stage ID, or --from ID --to ID. */
static int read_span(const struct asked *a, struct engine_opts *o, struct err *e)
{
	o->from = STAGE_TOOLS;
	o->to = STAGE_EXPORT;
	o->again = a->stage != NULL;
	if (a->all + (a->stage != NULL) + (a->from || a->to) != 1)
		return err_set(e, ERR_USAGE,
			_("rlpilot run --all, or --stage ID, or --from ID --to ID"),
			_("say which stages shall run"));
	if (a->stage) {
		if (stage_of(a->stage, &o->from, e) != 0)
			return -1;
		o->to = o->from;
	}
	if (a->from && stage_of(a->from, &o->from, e) != 0)
		return -1;
	if (a->to && stage_of(a->to, &o->to, e) != 0)
		return -1;
	if ((o->from == STAGE_CLEANUP || o->to == STAGE_CLEANUP) && !a->stage)
		return err_set(e, ERR_USAGE, _("use --stage cleanup --confirm CLUSTER_NAME"),
			_("clean-up must be asked for alone"));
	if ((a->confirm || a->confirm_bucket) && o->from != STAGE_CLEANUP)
		return err_set(e, ERR_USAGE, _("use --stage cleanup --confirm CLUSTER_NAME"),
			_("only a clean-up is confirmed"));
	if (o->from > o->to)
		return err_set(e, ERR_USAGE, _("swap the two"), _("--from comes after --to"));
	return 0;
}

/* Which stages can run on another machine: those whose commands need nothing of the folder here,
 * and no person. */
static bool portable(const struct recipe_stage *st)
{
	bool any = false;

	for (size_t i = 0; st && i < st->commands.n; i++) {
		const struct recipe_command *c = &st->commands.items[i];
		if (c->kind == RECIPE_BUILTIN || c->interactive)
			return false;
		any |= c->kind == RECIPE_RUN;
	}
	return any && !st->uninterruptible;
}

static int check_remote(
	const char *remote, const struct asked *a, const struct run *r, struct err *e)
{
	if (!remote || (a->stage && portable(recipe_stage(r->recipe, a->stage))))
		return 0;
	return err_set(e, ERR_USAGE, _("use it with --stage bucket, convert, train or export"),
		_("--remote takes one stage to another machine, and not every one can go there"));
}

static int too_late(const char *name, struct err *e)
{
	return err_set(e, ERR_USAGE, _("start another run with --run NAME"),
		_("%s can no longer be changed: the run has begun"), name);
}

static int set_deviation(struct run *r, const char *id, const char *word, struct err *e)
{
	bool on = strcmp(word, "on") == 0;

	if (!on && strcmp(word, "off") != 0)
		return err_set(e, ERR_USAGE, _("write on or off"),
			_("%s is a deviation: it is on or off, not \"%s\""), id, word);
	if (r->frozen && deviation_on(r->recipe, r->deviations, id) != on)
		return too_late(id, e);
	return deviation_switch(r->recipe, &r->deviations, id, on, e);
}

/* A frozen run takes the token, and what it has already. */
static bool may_set(const struct run *r, const char *name, const char *text)
{
	const struct recipe_variable *var = recipe_variable(r->recipe, name);
	const char *was = values_get(&r->values, name);

	return !r->frozen || (var && var->secret) || strcmp(was ? was : "", text) == 0 ||
	       (!var && !recipe_parameter(r->recipe, name));
}

static int set_one(struct run *r, const char *text, struct err *e)
{
	const char *eq = strchr(text, '=');
	AUTO_FREE char *name = eq ? x_strndup(text, (size_t)(eq - text)) : NULL;

	if (!eq)
		return err_set(e, ERR_USAGE, _("write --set NAME=VALUE"),
			_("--set %s gives no value"), text);
	if (eq == text)
		return err_set(
			e, ERR_USAGE, _("write --set NAME=VALUE"), _("--set %s has no name"), text);
	if (recipe_deviation(r->recipe, name))
		return set_deviation(r, name, eq + 1, e);
	if (!may_set(r, name, eq + 1))
		return too_late(name, e);
	return values_put_checked(&r->values, r->recipe, name, eq + 1, VALUE_SET, e);
}

static int set_values(struct run *r, const struct asked *a, struct err *e)
{
	if (!a->sets.n)
		return 0;
	for (size_t i = 0; i < a->sets.n; i++)
		if (set_one(r, a->sets.items[i], e) != 0)
			return -1;
	values_derive(&r->values, r->recipe);
	return run_save(r, e);
}

/* Everything that a stage needs must be there before it begins. */
static int complete(const struct run *r, const struct engine_opts *o, struct err *e)
{
	const char *missing = values_missing(&r->values, r->recipe);

	if (o->to == STAGE_TOOLS)
		return 0;
	if (missing)
		return err_set(e, ERR_PERSON, _("export it, or give it with --set NAME=VALUE"),
			_("the value %s is missing"), missing);
	return values_check(&r->values, r->recipe, e);
}

/* Without a name: the last real run, never a rehearsal; made when there is none: then *made, and
 * *before is the run that was the last one (the caller's). */
static int find_or_make(
	const struct cli_globals *g, struct run **r, bool *made, char **before, struct err *e)
{
	struct run_new fresh = {.name = g->run, .prefix = "run", .recipe = g->recipe};
	AUTO_FREE char *root = NULL;
	AUTO_FREE char *dir = NULL;
	struct err none = {0};

	if (run_root(false, &root, e) != 0)
		return -1;
	if (g->run ? run_find(g->run, &dir, &none) == 0 : run_current(root, &dir) == 0)
		return run_open(dir, r, e);
	if (g->run && strchr(g->run, '/')) {
		*e = none;
		e->code = ERR_USAGE; /* no stage has failed */
		return -1;
	}
	*made = true;
	*before = run_current_name(root);
	return run_create(root, &fresh, r, e);
}

/* What deletes must be called by its name. */
static int confirmed(
	const char *option, const char *typed, const char *name, const char *what, struct err *e)
{
	AUTO_FREE char *cure = x_asprintf(_("add %s and the name"), option);

	if (typed && name && strcmp(typed, name) == 0)
		return 0;
	if (typed)
		return err_set(
			e, ERR_PERSON, cure, _("%s: %s, not %s"), what, name ? name : "", typed);
	return err_set(e, ERR_PERSON, cure, "%s: %s", what, name ? name : "");
}

static void tell_environment(const struct run *r)
{
	AUTO(strvec_fini) struct strvec differs = {0};

	frozen_differs(r, getenv, &differs);
	for (size_t i = 0; i < differs.n; i++)
		fprintf(stderr, _("rlpilot: %s (start another run with --run NAME)\n"),
			differs.items[i]);
}

/* In Cloud Shell, before what lasts longer than its machine may. */
static void tell_cloud_shell(const struct engine_opts *o)
{
	AUTO_FREE char *ends = o->remote ? NULL : cloud_shell_warning(o->from, o->to);

	if (ends)
		fprintf(stderr, "rlpilot: %s\n", ends);
}

static int go(struct run **rp, const struct asked *a, struct plain_opts *o, struct err *e)
{
	struct run *r;

	if (run_lock(*rp, e) != 0 || run_reopen(rp, e) != 0)
		return err_exit_code(e->code);
	r = *rp;
	if (r->moved_from)
		fprintf(stderr,
			_("rlpilot: this run was at work on the machine %s: what it had started "
			  "there counts as lost, the cloud decides\n"),
			r->moved_from);
	tell_environment(r);
	tell_cloud_shell(&o->engine);
	if (set_values(r, a, e) != 0 || complete(r, &o->engine, e) != 0)
		return err_exit_code(e->code);
	if (o->engine.from == STAGE_CLEANUP &&
		(confirmed("--confirm", a->confirm, values_get(&r->values, "CLUSTER_NAME"),
			 _("clean-up deletes the cluster"), e) != 0 ||
			(a->confirm_bucket && confirmed("--confirm-bucket", a->confirm_bucket,
						      values_get(&r->values, "GCS_BUCKET"),
						      _("clean-up deletes the bucket"), e) != 0)))
		return err_exit_code(e->code);
	return plain_run(r, o, NULL, NULL, e);
}

int cli_run(int argc, char **argv, const struct cli_globals *g)
{
	struct asked a = {0};
	const struct cli_option options[] = {
		{"--all", CLI_FLAG, &a.all},
		{"--from", CLI_TEXT, &a.from},
		{"--to", CLI_TEXT, &a.to},
		{"--stage", CLI_TEXT, &a.stage},
		{"--set", CLI_LIST, &a.sets},
		{"--json", CLI_FLAG, &a.json},
		{"--confirm", CLI_TEXT, &a.confirm},
		{"--confirm-bucket", CLI_TEXT, &a.confirm_bucket},
	};
	struct plain_opts o = {0};
	struct ssh_address at;
	AUTO_FREE char *before = NULL;
	struct run *r = NULL;
	struct err e = {0};
	bool made = false;
	int code;

	if (cli_parse(options, COUNT(options), &argc, argv, &e) != 0 ||
		read_span(&a, &o.engine, &e) != 0)
		return cli_fail(&e);
	if (argc > 1) {
		err_set(&e, ERR_USAGE, _("see `rlpilot run --help`"), _("unexpected \"%s\""),
			argv[1]);
		return cli_fail(&e);
	}
	o.json = a.json;
	o.engine.to_end = true;
	o.engine.chooses = a.stage != NULL;
	o.engine.terminal = isatty(0) && isatty(1) && isatty(2);
	o.engine.confirm_cluster = a.confirm;
	o.engine.confirm_bucket = a.confirm_bucket;
	o.engine.remote = g->remote;
	if (g->remote && ssh_address_parse(g->remote, &at, &e) != 0)
		return cli_fail(&e);
	if (find_or_make(g, &r, &made, &before, &e) != 0)
		return cli_fail(&e);
	code = check_remote(g->remote, &a, r, &e) == 0 ? go(&r, &a, &o, &e) : err_exit_code(e.code);
	if (code != 0)
		err_print(&e);
	if (made && code == err_exit_code(ERR_USAGE))
		run_discard(r, before);
	strvec_fini(&a.sets);
	run_close(r);
	return code;
}
