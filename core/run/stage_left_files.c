/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folders that a try left half made: a toolkit that was not unpacked to its end, a deployment
 * folder that gcluster refuses to renew. Removed before the next try, unless a state of terraform
 * lies in it: that is the only key to what was made.
 */
#include <string.h>

#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/run/engine_in.h"
#include "core/run/tfstate.h"

#define WHOLE "cluster-toolkit/.whole" /* written once all of the bundle is unpacked */

static char *below(const struct engine *en, const char *name)
{
	return path_join(en->toolkit, name);
}

static bool holds(const char *folder, const char *file)
{
	AUTO_FREE char *path = path_join(folder, file);

	return path_exists(path);
}

static int drop(struct engine *en, const char *folder, const char *text, struct err *e)
{
	log_line("run", "stage %s: %s", stage_word(en->stage), text);
	if (journal_note(en->journal, "stage-gate", en->stage, text, e) != 0)
		return -1;
	return path_remove_tree(folder, e);
}

static int half_toolkit(struct engine *en, struct err *e)
{
	AUTO_FREE char *folder = below(en, "cluster-toolkit");
	AUTO_FREE char *whole = below(en, WHOLE);
	AUTO_FREE char *made = engine_deployment(en);

	if (!path_is_dir(folder) || path_exists(whole) || path_is_dir(made) ||
		tfstate_within(folder))
		return 0;
	return drop(en, folder, _("a toolkit that is not whole is removed first"), e);
}

int left_deployment(struct engine *en, struct err *e)
{
	AUTO_FREE char *folder = engine_deployment(en);

	if (!path_is_dir(folder) || holds(folder, ".ghpc/artifacts/expanded_blueprint.yaml") ||
		holds(folder, "primary/terraform.tfstate") ||
		holds(folder, "primary/errored.tfstate"))
		return 0;
	return drop(en, folder, _("a deployment folder that is not whole is removed first"), e);
}

int left_files(struct engine *en, struct err *e)
{
	if (en->stage == STAGE_TOOLKIT)
		return half_toolkit(en, e);
	return en->stage == STAGE_CLUSTER ? left_deployment(en, e) : 0;
}

int left_whole(struct engine *en, struct err *e)
{
	AUTO_FREE char *whole = below(en, WHOLE);

	return path_write(whole, "", 0, e);
}
