/* SPDX-License-Identifier: Apache-2.0 */
/* What a world begins with, and what its account may do. */
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "sim/deploy.h"
#include "sim/google.h"
#include "sim/kube.h"
#include "sim/kube_state.h"
#include "sim/kube_types.h"
#include "sim/sim.h"
#include "sim/world.h"
#include "sim/worlds.h"
#include <stdlib.h>
#include <string.h>

/* The permissions of each role, as far as anybody asks for them here. */
static const struct {
	const char *role;
	const char *patterns[6]; /* "prefix*" or a whole name */
} grants[] = {
	{"tpu.admin", {"tpu.*"}},
	{"container.admin", {"container.*"}},
	{"compute.admin", {"compute.*"}},
	{"storage.admin", {"storage.*"}},
	{"iam.serviceAccountUser", {"iam.serviceAccounts.actAs", "iam.serviceAccounts.get",
					   "iam.serviceAccounts.list"}},
	{"iam.serviceAccountAdmin",
		{"iam.serviceAccounts.create", "iam.serviceAccounts.delete",
			"iam.serviceAccounts.get*", "iam.serviceAccounts.list",
			"iam.serviceAccounts.setIamPolicy", "iam.serviceAccounts.update"}},
	{"resourcemanager.projectIamAdmin",
		{"resourcemanager.projects.get", "resourcemanager.projects.getIamPolicy",
			"resourcemanager.projects.setIamPolicy"}},
	{"serviceusage.serviceUsageAdmin", {"serviceusage.*", "cloudquotas.quotas.get"}},
};

/* Of no role of the list. */
static const char *const everybodys[] = {"logging.*", "monitoring.*", "artifactregistry.*"};
static const char *const editors[] = {"storage.buckets.create", "storage.buckets.list",
	"container.clusters.*", "container.operations.*"};

static bool covers(const char *pattern, const char *permission)
{
	size_t n = strlen(pattern);
	return text_ends(pattern, "*") ? strncmp(pattern, permission, n - 1) == 0
				       : strcmp(pattern, permission) == 0;
}

const char *world_role(size_t i)
{
	return i < COUNT(grants) ? grants[i].role : NULL;
}

bool world_may(const struct world *w, const char *permission)
{
	for (size_t i = 0; i < COUNT(everybodys); i++)
		if (covers(everybodys[i], permission))
			return true;
	for (size_t i = 0; i < COUNT(editors); i++)
		if (world_is(w, "role.editor", "on") && covers(editors[i], permission))
			return true;
	for (size_t i = 0; i < COUNT(grants); i++) {
		if (world_setting2(w, "role", grants[i].role))
			continue;
		for (size_t k = 0; k < COUNT(grants[i].patterns) && grants[i].patterns[k]; k++)
			if (covers(grants[i].patterns[k], permission))
				return true;
	}
	return false;
}

static void furnish_cluster(struct sim *sim)
{
	struct world *w = sim->world;
	const char *job = world_setting(w, "jobset");
	size_t operation;
	if (!world_setting(w, "cluster"))
		return;
	operation = deploy_cluster_begin(sim, "gemma-rl", w->region, w->zone);
	w->cluster.state = RES_RUNNING;
	world_operation_end(w, operation);
	kube_cluster_up(sim);
	kube_crds_up(sim, "kueue");
	kube_crds_up(sim, "jobset");
	if (job)
		kube_add(sim->kube, KUBE_JOBSETS,
			json_pack("{s:s, s:s, s:{s:s, s:s}, s:{s:b, s:[]}}", "apiVersion",
				"jobset.x-k8s.io/v1alpha2", "kind", "JobSet", "metadata", "name",
				job, "namespace", "default", "spec", "suspend", 1,
				"replicatedJobs"));
}

static void furnish_bucket(struct sim *sim)
{
	struct world *w = sim->world;
	AUTO_FREE char *name = x_asprintf("%s-gemma", w->project);
	const char *location = world_setting(w, "bucket.location");
	if (world_is(w, "bucket", "ours") || world_is(w, "bucket", "other"))
		world_bucket_create(w, name, location ? location : "US-EAST5")->uniform = true;
}

void worlds_furnish(struct sim *sim)
{
	struct world *w = sim->world;
	const char *used = world_setting(w, "reservation.used");
	const char *machine = world_setting(w, "reservation.machine");
	const char *folder = world_setting(w, "folder");
	const char *suffix;
	const char *value;
	if (used)
		w->reservation.in_use = (int)strtol(used, NULL, 10);
	if (machine) {
		free(w->reservation.machine_type);
		w->reservation.machine_type = x_strdup(machine);
	}
	furnish_bucket(sim);
	furnish_cluster(sim);
	for (size_t i = 0; world_settings_next(w, "account.", &i, &suffix, &value);) {
		AUTO_FREE char *email =
			x_asprintf("gemma-rl-%s@%s.iam.gserviceaccount.com", suffix, w->project);
		map_set(&w->accounts, email, w);
	}
	if (folder) {
		AUTO_FREE char *path = x_asprintf("%s/home/%s", sim->folder, folder);
		path_mkdirs(path, NULL);
	}
}
