/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Before a clean-up destroys: a deployment folder that somebody has removed is made again from the
 * blueprint and the kept copy of terraform's state, in the words of the deploy.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/fmt/shell.h"
#include "core/run/engine_in.h"
#include "core/run/tfstate.h"

/* An attempt that has begun was begun by its typed name: going on with it is no new decision. */
void clean_confirmed(struct engine *en)
{
	if (en->confirm_cluster && *en->confirm_cluster)
		return;
	free(en->confirm_cluster);
	en->confirm_cluster = x_strdup(engine_value(en, "CLUSTER_NAME"));
}

static bool folder_missing(const struct engine *en, char **state)
{
	AUTO_FREE char *folder = engine_deployment(en);
	AUTO_FREE char *file = path_join(folder, "primary/terraform.tfstate");

	*state = path_exists(file) ? NULL : tfstate_newest(en->run->dir);
	return *state != NULL;
}

/* Has the deploy a word for what it does, which making the folder alone does not know? */
static bool of_deploy(const char *word)
{
	static const char *const flags[] = {
		"--auto-approve", "--download-dependencies", "--no-color", "--json-output"};

	for (size_t i = 0; i < COUNT(flags); i++)
		if (strcmp(word, flags[i]) == 0)
			return true;
	return false;
}

static void add_create(const struct engine *en, const struct command *deploy, struct buf *out)
{
	AUTO_FREE char *blueprint = path_join(en->run->dir, "blueprint.yaml");
	const char *file = deploy->argv.items[2];

	if (path_exists(blueprint) && *file != '/') {
		buf_adds(out, "cp \"$RLPILOT_RUN\"/blueprint.yaml ");
		shell_quote(out, file);
		buf_addc(out, '\n');
	}
	buf_adds(out, "./gcluster create");
	for (size_t i = 2; i < deploy->argv.n; i++) {
		if (of_deploy(deploy->argv.items[i]))
			continue;
		buf_addc(out, ' ');
		shell_quote(out, deploy->argv.items[i]);
	}
	buf_adds(out, " </dev/null\n");
}

/* state: below the run's folder, where the script finds it wherever that has been moved to. */
static void add_state(const struct engine *en, const char *state, struct buf *out)
{
	AUTO_FREE char *to =
		x_asprintf("%s/primary/terraform.tfstate", engine_value(en, "CLUSTER_NAME"));

	buf_addf(out, "cp \"$RLPILOT_RUN\"/%s ", state + strlen(en->run->dir) + 1);
	shell_quote(out, to);
	buf_addc(out, '\n');
}

void clean_add_folder(const struct engine *en, struct buf *out)
{
	struct render how = {.recipe = en->run->recipe,
		.values = &en->run->values,
		.deviations = en->run->deviations};
	struct command_list l = {0};
	AUTO_FREE char *state = NULL;

	if (en->proven || !folder_missing(en, &state) ||
		command_render(&how, recipe_stage(en->run->recipe, stage_word(STAGE_CLUSTER)), &l,
			NULL) != 0) {
		command_list_fini(&l);
		return;
	}
	buf_adds(out, "cd \"$RLPILOT_RUN\"/toolkit/cluster-toolkit\n");
	for (size_t i = 0; i < l.n; i++)
		if (l.items[i].kind == RECIPE_RUN && l.items[i].argv.n > 2 &&
			strcmp(l.items[i].argv.items[1], "deploy") == 0)
			add_create(en, &l.items[i], out);
	add_state(en, state, out);
	command_list_fini(&l);
}

void clean_look(struct engine *en)
{
	AUTO_FREE char *state = NULL;

	/* The destroy is not left out then. */
	en->folder_again = folder_missing(en, &state);
	if (en->folder_again)
		stage_say(en, _("the deployment folder is missing: it is made again from the kept "
				"copy of terraform's state"));
	stage_gate_held(en);
}
