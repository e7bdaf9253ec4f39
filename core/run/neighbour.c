/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/neighbour.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/fmt/json.h"
#include "core/fmt/yaml.h"
#include "core/run/event.h"
#include "core/run/folder.h"
#include "core/run/journal.h"
#include "core/run/tfstate.h"

/* The other runs' folders. */
static void others(const char *run_dir, struct strvec *out)
{
	const char *slash = strrchr(run_dir, '/');
	AUTO_FREE char *root = slash ? x_strndup(run_dir, (size_t)(slash - run_dir)) : NULL;
	AUTO(strvec_fini) struct strvec all = {0};

	if (!root || run_list(root, &all, NULL) != 0)
		return;
	for (size_t i = 0; i < all.n; i++) {
		const char *name = strrchr(all.items[i], '/');
		if (name && strcmp(name, slash) != 0)
			strvec_push(out, all.items[i]);
	}
}

static char *name_of(const char *dir)
{
	return text_clean_dup(strrchr(dir, '/') + 1);
}

char *neighbour_deployed(const char *run_dir, const struct proof_place *at)
{
	AUTO(strvec_fini) struct strvec dirs = {0};
	AUTO_FREE char *wanted = proof_cluster(at);

	others(run_dir, &dirs);
	for (size_t i = 0; i < dirs.n; i++) {
		AUTO_FREE char *held = tfstate_cluster(dirs.items[i]);
		if (held && strcmp(held, wanted) == 0)
			return name_of(dirs.items[i]);
	}
	return NULL;
}

static bool has_value(const json_t *root, const char *name, const char *wanted)
{
	AUTO_FREE char *path = x_asprintf("values.%s.value", name);

	return strcmp(json_path_str_or(root, path, ""), wanted) == 0;
}

static void apply(void *arg, const struct event *ev)
{
	run_apply(arg, ev);
}

/* STAGE_NONE = nothing runs. */
static enum stage_id at_work(const char *dir)
{
	struct state s;
	enum stage_id id = STAGE_NONE;
	int64_t offset = 0;

	state_init(&s);
	if (run_locked(dir, NULL, NULL, 0) &&
		journal_replay(dir, &offset, apply, &s, NULL, NULL) == 0)
		for (unsigned i = STAGE_CLUSTER; i < STAGE_COUNT && id == STAGE_NONE; i++)
			if (stage_state_works(s.stages[i].state))
				id = (enum stage_id)i;
	state_fini(&s);
	return id;
}

/* The first one at work that has all these values. */
static char *worker(
	const char *run_dir, const char *const values[][2], size_t n, enum stage_id *stage)
{
	AUTO(strvec_fini) struct strvec dirs = {0};
	char *found = NULL;

	others(run_dir, &dirs);
	for (size_t i = 0; i < dirs.n && !found; i++) {
		AUTO_FREE char *file = path_join(dirs.items[i], "run.yaml");
		struct yaml_doc *doc = yaml_read(file, NULL);
		size_t k = 0;
		while (doc && k < n && has_value(yaml_root(doc), values[k][0], values[k][1]))
			k++;
		if (k == n && (*stage = at_work(dirs.items[i])) != STAGE_NONE)
			found = name_of(dirs.items[i]);
		yaml_close(doc);
	}
	return found;
}

char *neighbour_works(const char *run_dir, const struct proof_place *at, enum stage_id *stage)
{
	const char *const values[][2] = {{"CLUSTER_NAME", at->cluster}, {"PROJECT", at->project}};

	return worker(run_dir, values, COUNT(values), stage);
}

char *neighbour_writes(const char *run_dir, const char *bucket, enum stage_id *stage)
{
	const char *const values[][2] = {{"GCS_BUCKET", bucket}};

	return worker(run_dir, values, COUNT(values), stage);
}

void neighbour_bucket(const char *run_dir, const char *bucket, struct strvec *names)
{
	AUTO(strvec_fini) struct strvec dirs = {0};

	others(run_dir, &dirs);
	for (size_t i = 0; i < dirs.n; i++) {
		AUTO_FREE char *file = path_join(dirs.items[i], "run.yaml");
		AUTO_FREE char *name = name_of(dirs.items[i]);
		struct yaml_doc *doc = yaml_read(file, NULL);
		if (has_value(doc ? yaml_root(doc) : NULL, "GCS_BUCKET", bucket))
			strvec_push(names, name);
		yaml_close(doc);
	}
}
