/* SPDX-License-Identifier: Apache-2.0 */
/* What a stage does: the script of its commands, and the built-ins around it. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/cloud/auth.h"
#include "core/fmt/digest.h"
#include "core/fmt/shell.h"
#include "core/run/engine_in.h"
#include "core/run/neighbour.h"
#include "core/run/person.h"
#include "core/run/secure.h"
#include "core/run/tfstate.h"

/* Is a name that had to be typed for this command the right one? */
static bool confirmed(const struct engine *en, const struct recipe_command *c)
{
	AUTO(buf_fini) struct buf wanted = {0};

	if (!c->confirm_env)
		return true;
	if (values_expand(&en->run->values, c->confirm_value, &wanted, NULL) != 0 || !wanted.len)
		return false;
	return (en->confirm_cluster && strcmp(en->confirm_cluster, buf_str(&wanted)) == 0 &&
		       strcmp(c->confirm_env, "CONFIRM_CLEANUP") == 0) ||
	       (en->confirm_bucket && strcmp(en->confirm_bucket, buf_str(&wanted)) == 0 &&
		       strcmp(c->confirm_env, "CONFIRM_BUCKET") == 0);
}

/* What waits for the proof runs in an attempt of its own. */
static bool is_due(const struct engine *en, const struct command *c)
{
	return c->source->proven == en->proven;
}

/* Without edits-in-c the blueprint is edited as the tutorial does it: by the script. */
static bool edits_in_script(const struct engine *en, const struct command *c)
{
	return c->source->edit_source &&
	       !deviation_on(en->run->recipe, en->run->deviations, "edits-in-c");
}

static bool in_script(const struct engine *en, size_t i)
{
	const struct command *c = &en->commands.items[i];

	return (c->kind == RECIPE_RUN || edits_in_script(en, c)) && !c->interactive &&
	       !en->skip[i] && is_due(en, c) && confirmed(en, c->source);
}

/* First and last command of the script; false = there is none. */
static bool script_span(const struct engine *en, size_t *first, size_t *last)
{
	bool any = false;

	for (size_t i = 0; i < en->commands.n; i++) {
		if (!in_script(en, i))
			continue;
		if (!any)
			*first = i;
		*last = i;
		any = true;
	}
	return any;
}

bool act_has_script(const struct engine *en)
{
	size_t first, last;

	return script_span(en, &first, &last);
}

/* A download that is unpacked as it comes is kept as well, for its digest: the reader's name stands
 * for a function around it, the command itself stays as it is. */
void act_add_command(const struct command *c, struct buf *out)
{
	buf_adds(out, "cd \"$RLPILOT_RUN\"/toolkit/");
	shell_quote(out, c->cwd && *c->cwd ? c->cwd : ".");
	buf_addc(out, '\n');
	if (c->pipe.n)
		buf_addf(out,
			"%s() { tee \"$RLPILOT_RUN\"/toolkit/bundle.tgz | command %s \"$@\"; }\n",
			c->pipe.items[0], c->pipe.items[0]);
	buf_adds(out, c->script);
	buf_addc(out, '\n');
	if (c->pipe.n)
		buf_addf(out, "unset -f %s\n", c->pipe.items[0]);
}

/* An incomplete tree would be in the way: the stage's undo removes it. */
static void add_removal(struct engine *en, struct buf *out)
{
	struct render how = {.recipe = en->run->recipe,
		.values = &en->run->values,
		.deviations = en->run->deviations};
	struct command_list undo = {0};
	struct err e = {0};

	if (command_render_undo(&how, en->recipe, &undo, &e) != 0)
		log_line("run", "undo of %s: %s", stage_word(en->stage), e.what);
	for (size_t i = 0; i < undo.n; i++) {
		if (!undo.items[i].argv.n || strcmp(undo.items[i].argv.items[0], "gcloud") != 0)
			continue;
		buf_adds(out, "(\n");
		act_add_command(&undo.items[i], out);
		buf_adds(out, ") || true\n");
	}
	command_list_fini(&undo);
}

/* On another machine the script begins in the attempt's folder there, and brings the toolkit of the
 * same release there if it is missing: beside, then by rename, so that half a one is never used. */
static void add_there(struct engine *en, struct buf *out)
{
	struct render how = {.recipe = en->run->recipe,
		.values = &en->run->values,
		.deviations = en->run->deviations};
	struct command_list get = {0};
	struct err e = {0};

	if (deviation_on(en->run->recipe, en->run->deviations, "own-kubeconfig"))
		buf_adds(out, "export KUBECONFIG=\"$RLPILOT_RUN/kubeconfig\"\n");
	if (!en->recipe->jobset) {
		buf_adds(out, "mkdir -p \"$RLPILOT_RUN/toolkit/cluster-toolkit\"\n");
		return;
	}
	if (command_render(
		    &how, recipe_stage(en->run->recipe, stage_word(STAGE_TOOLKIT)), &get, &e) != 0)
		log_line("run", "toolkit there: %s", e.what);
	buf_adds(out, "if ! [ -x \"$RLPILOT_RUN/toolkit/cluster-toolkit/gcluster\" ]; then\n(\n"
		      "there=$RLPILOT_RUN RLPILOT_RUN=$RLPILOT_RUN/new\n"
		      "mkdir -p \"$RLPILOT_RUN/toolkit/cluster-toolkit\"\n");
	for (size_t i = 0; i < get.n; i++)
		if (get.items[i].kind == RECIPE_RUN)
			act_add_command(&get.items[i], out);
	buf_adds(out, "rm -rf \"$there/toolkit\"\nmv \"$RLPILOT_RUN/toolkit\" "
		      "\"$there/toolkit\"\n)\nfi\n");
	command_list_fini(&get);
}

/* What was changed in the blueprint stands at the head of the output. */
static void add_diff(const struct engine *en, struct buf *out)
{
	AUTO_FREE char *diff = path_join(en->run->dir, "blueprint.diff");

	for (size_t i = 0; i < en->commands.n; i++) {
		const struct command *c = &en->commands.items[i];
		if (!c->source->edit_source || edits_in_script(en, c) || !path_exists(diff))
			continue;
		buf_addf(out,
			"echo 'edits of the blueprint, each found exactly as often as expected: "
			"%zu'\ncat \"$RLPILOT_RUN\"/blueprint.diff\n",
			c->source->edits.n);
	}
}

char *act_script(struct engine *en)
{
	struct buf out = {0};
	size_t first, last;

	buf_addf(&out, "#!/usr/bin/env bash\n# stage %s, attempt %d\n" ACT_SCRIPT_HEAD,
		stage_word(en->stage), en->attempt);
	if (en->remote)
		add_there(en, &out);
	if (en->left_tree)
		add_removal(en, &out);
	if (en->folder_again)
		clean_add_folder(en, &out);
	add_diff(en, &out);
	if (script_span(en, &first, &last))
		for (size_t i = first; i <= last; i++)
			if (in_script(en, i) || (en->commands.items[i].kind == RECIPE_BUILTIN &&
							is_due(en, &en->commands.items[i])))
				act_add_command(&en->commands.items[i], &out);
	return buf_take(&out);
}

/* --- environment */

static bool variable_name(const char *name)
{
	if (!isupper((unsigned char)*name))
		return false;
	for (; *name; name++)
		if (!isupper((unsigned char)*name) && !isdigit((unsigned char)*name) &&
			*name != '_')
			return false;
	return true;
}

static void put_login(struct strvec *env)
{
	const char *why;
	AUTO_FREE char *file = auth_child_file(&why);

	log_line("run", "GOOGLE_APPLICATION_CREDENTIALS of children: %s: %s",
		file ? file : "as it is", why);
	if (file)
		person_put(env, "GOOGLE_APPLICATION_CREDENTIALS", file);
}

static void put_confirmations(const struct engine *en, struct strvec *env)
{
	for (size_t i = 0; i < en->commands.n; i++) {
		const struct recipe_command *c = en->commands.items[i].source;
		AUTO(buf_fini) struct buf name = {0};
		if (c->confirm_env && confirmed(en, c) &&
			values_expand(&en->run->values, c->confirm_value, &name, NULL) == 0)
			person_put(env, c->confirm_env, buf_str(&name));
	}
}

void act_values(const struct engine *en, struct strvec *env)
{
	for (size_t i = 0; i < en->run->values.n; i++) {
		const struct value *v = &en->run->values.items[i];
		if (v->value && variable_name(v->name))
			person_put(env, v->name, v->value);
	}
	put_confirmations(en, env);
}

void act_environment(const struct engine *en, struct strvec *env)
{
	AUTO_FREE char *kubeconfig = path_join(en->run->dir, "kubeconfig");

	for (char **p = environ; *p; p++)
		strvec_push(env, *p);
	act_values(en, env);
	if (deviation_on(en->run->recipe, en->run->deviations, "own-kubeconfig"))
		person_put(env, "KUBECONFIG", kubeconfig);
	put_login(env);
}

void act_environment_wipe(struct strvec *env)
{
	for (size_t i = 0; i < env->n; i++)
		explicit_bzero(env->items[i], strlen(env->items[i]));
	strvec_fini(env);
}

static int act_range(struct engine *en, size_t from, size_t to, struct err *e)
{
	for (size_t i = from; i < to; i++)
		if (en->commands.items[i].kind == RECIPE_BUILTIN && !en->skip[i] &&
			!edits_in_script(en, &en->commands.items[i]) &&
			is_due(en, &en->commands.items[i]) &&
			confirmed(en, en->commands.items[i].source) &&
			builtin_run(en, &en->commands.items[i], e) != 0)
			return -1;
	return 0;
}

/* --- after the script */

static int note_bundle(struct engine *en, struct err *e)
{
	AUTO_FREE char *file = path_join(en->toolkit, "bundle.tgz");
	char digest[DIGEST_SIZE];
	int64_t size;
	AUTO_FREE char *text = NULL;

	if (!path_exists(file))
		return 0;
	if (digest_file(file, digest, &size, e) != 0)
		return -1;
	text = x_asprintf("bundle of %lld bytes, sha256 %s", (long long)size, digest);
	if (journal_note(en->journal, "stage-verify", STAGE_TOOLKIT, text, e) != 0)
		return -1;
	return path_remove_tree(file, e);
}

int act_keep_tfstate(struct engine *en, struct err *e)
{
	AUTO_FREE char *deployment = engine_deployment(en);

	return tfstate_keep(en->run->dir, deployment, e);
}

int act_free_state(struct engine *en, struct err *e)
{
	AUTO_FREE char *deployment = engine_deployment(en);

	if (en->stage != STAGE_CLUSTER && en->stage != STAGE_CLEANUP)
		return 0;
	if (tfstate_unlocked(deployment, e) != 0)
		return -1;
	return tfstate_saved(deployment, e);
}

/* Two that deploy the same names at once would each find half of the other's. */
static int nobody_deploys(const struct engine *en, struct err *e)
{
	struct proof_place at = {engine_value(en, "PROJECT"), engine_value(en, "REGION"),
		engine_value(en, "CLUSTER_NAME")};
	enum stage_id stage = STAGE_NONE;
	AUTO_FREE char *other =
		en->stage == STAGE_CLUSTER ? neighbour_works(en->run->dir, &at, &stage) : NULL;

	if (!other)
		return 0;
	err_set(e, ERR_BLOCKED, _("wait for it, or stop it there"),
		_("the run %s works on this cluster: stage %s"), other, stage_word(stage));
	if (e)
		e->cause = "other-run";
	return -1;
}

int act_before(struct engine *en, struct err *e)
{
	size_t first, last;

	if (nobody_deploys(en, e) != 0 || act_free_state(en, e) != 0 || left_files(en, e) != 0)
		return -1;
	if (en->stage == STAGE_CLEANUP && act_keep_tfstate(en, e) != 0)
		return -1;
	return act_range(en, 0, script_span(en, &first, &last) ? first : en->commands.n, e);
}

/* Whatever its code: the state is the only key to what was made, and a submit that failed has
 * written its manifest too. */
void act_ended(struct engine *en)
{
	struct strvec files = {0};
	struct err e = {0};

	if ((en->stage == STAGE_CLUSTER || en->stage == STAGE_CLEANUP) &&
		act_keep_tfstate(en, &e) != 0)
		log_line("run", "terraform's state is not copied: %s", e.what);
	if (en->recipe->jobset && secure_close(en->run->recipe, &files, &e) != 0)
		log_line("run", "%s", e.what);
	strvec_fini(&files);
	secure_tell(en->run->recipe, &en->state, engine_emit, en);
}

void act_forget_token(struct engine *en)
{
	struct strvec gone = {0};
	struct err e = {0};

	if (secure_delete(en->run->recipe, &gone, &e) != 0)
		log_line("run", "%s", e.what);
	for (size_t i = 0; i < gone.n; i++)
		log_line("run", "deleted %s", gone.items[i]);
	strvec_fini(&gone);
	secure_tell(en->run->recipe, &en->state, engine_emit, en);
}

int act_builtins(struct engine *en, struct err *e)
{
	return act_range(en, 0, en->commands.n, e);
}

int act_after(struct engine *en, struct err *e)
{
	size_t first, last;

	if (en->stage == STAGE_TOOLKIT && (note_bundle(en, e) != 0 || left_whole(en, e) != 0))
		return -1;
	if (script_span(en, &first, &last))
		return act_range(en, last + 1, en->commands.n, e);
	return 0;
}
