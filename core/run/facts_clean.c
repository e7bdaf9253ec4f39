/* SPDX-License-Identifier: Apache-2.0 */
/* Facts that must hold before a cluster is destroyed: it is this run's own, and nobody works on it.
 */
#include "core/run/facts_ask.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/cloud/cloud.h"
#include "core/cloud/gke.h"
#include "core/cloud/kube.h"
#include "core/model/foreign.h"
#include "core/model/jobset.h"
#include "core/run/cluster.h"
#include "core/run/neighbour.h"
#include "core/run/tfstate.h"

#define KUBE_LOOKS_MAX 15
#define KUBE_LOOK_MS   2000 /* run time */

static struct proof_place place(const struct facts *f)
{
	return (struct proof_place){
		fact_arg(f, "project"), fact_arg(f, "region"), fact_arg(f, "cluster")};
}

/* --- deployment-ours */

/* It is there, and this run has nothing to destroy it with. */
static void not_ours(struct facts *f)
{
	struct proof_place at = place(f);
	AUTO_FREE char *dir = fact_run_dir(f);
	AUTO_FREE char *other = neighbour_deployed(dir, &at);
	AUTO_FREE char *said =
		other ? x_asprintf(_("the cluster %s was deployed by the run %s, not by this one"),
				at.cluster, other)
		      : x_asprintf(_("the cluster %s was not deployed by this run"), at.cluster);
	AUTO_FREE char *cure =
		other ? x_asprintf("rlpilot --run %s run --stage cleanup --confirm %s", other,
				at.cluster)
		      : x_asprintf(_("destroy it where it was deployed from; without that folder "
				     "networks and accounts stay: gcloud container clusters delete "
				     "%s --location=%s --project=%s"),
				at.cluster, at.region, at.project);

	fact_end(f, false, said, cure);
}

static void on_cluster(void *arg, json_t *reply, const struct err *e)
{
	struct facts *f = arg;

	(void)reply;
	if (e && e->http == 404)
		fact_end(f, true, NULL, NULL);
	else if (e)
		fact_unknown(f, e);
	else
		not_ours(f);
}

static void ask_deployment_ours(struct facts *f)
{
	struct proof_place at = place(f);
	AUTO_FREE char *dir = fact_run_dir(f);
	AUTO_FREE char *made = tfstate_cluster(dir);
	AUTO_FREE char *wanted = proof_cluster(&at);
	AUTO_FREE char *folder = tfstate_deployment(f->place.toolkit, at.cluster);
	AUTO_FREE char *said = NULL;

	if (made && strcmp(made, wanted) != 0) {
		said = x_asprintf(
			_("this run has deployed %s, but its values now say %s"), made, wanted);
		fact_end(f, false, said,
			_("set PROJECT, REGION and CLUSTER_NAME in run.yaml back to that"));
	} else if (tfstate_held(folder) > 0 || tfstate_resources(dir) > 0) {
		fact_end(f, true, NULL, NULL);
	} else {
		gke_cluster(f->place.cloud, at.project, at.region, at.cluster,
			(struct cloud_done){on_cluster, f});
	}
}

/* --- cluster-unused */

static bool at_work(const struct jobset *js, const char *bucket)
{
	return !*js->terminal && !js->deleting && !(bucket && jobset_names_bucket(js, bucket));
}

/* It would go with the cluster: kind and owner say what kubectl deletes to end it. */
static void in_use(struct facts *f, const char *word, const char *name, const char *ns,
	const char *kind, const char *owner)
{
	AUTO_FREE char *said = x_asprintf(
		_("the %s %s in %s is not of this run and has not ended: it would be lost"), word,
		name, ns);
	AUTO_FREE char *cure = x_asprintf(
		_("wait for it, or ask whose it is; this deletes it: kubectl -n %s delete %s %s"),
		ns, kind, owner);

	f->number = -1;
	fact_end(f, false, said, cure);
}

/* Work outside of JobSets, a list a kind of it. */
static const struct {
	const char *path, *word;
	bool (*is)(const json_t *object, struct foreign *out);
} foreign_lists[] = {
	{"/apis/batch/v1/jobs", "Job", foreign_job},
	{"/api/v1/pods", "pod", foreign_pod},
};

static void ask_foreign(struct facts *f);

static void on_foreign(void *arg, json_t *reply, const struct err *e)
{
	struct facts *f = arg;
	struct foreign found;
	size_t i;
	json_t *one;

	json_array_foreach(json_path(e ? NULL : reply, "items"), i, one)
	{
		if (!foreign_lists[f->number].is(one, &found))
			continue;
		AUTO_FREE char *ns = text_clean_dup(found.ns);
		AUTO_FREE char *name = text_clean_dup(found.name);
		AUTO_FREE char *owner = text_clean_dup(found.owner);

		free(found.owner);
		in_use(f, foreign_lists[f->number].word, name, ns, found.kind, owner);
		return;
	}
	f->number++;
	ask_foreign(f);
}

static void ask_foreign(struct facts *f)
{
	struct kube *k = cluster_kube(*f->place.cluster);

	if (k && f->number < (int64_t)COUNT(foreign_lists)) {
		kube_list(
			k, foreign_lists[f->number].path, NULL, (struct cloud_done){on_foreign, f});
		return;
	}
	f->number = -1;
	fact_end(f, true, NULL, NULL);
}

static void on_jobsets(void *arg, json_t *reply, const struct err *e)
{
	struct facts *f = arg;
	const char *bucket = values_get(f->place.values, "GCS_BUCKET");
	size_t i;
	json_t *one;

	/* A cluster that does not answer or has no JobSets is no reason to keep it. */
	json_array_foreach(json_path(e ? NULL : reply, "items"), i, one)
	{
		struct jobset js;
		bool blocks;

		if (!jobset_decode(&js, one))
			continue;
		blocks = at_work(&js, bucket);
		if (blocks)
			in_use(f, "JobSet", js.name, js.ns, "jobset", js.name);
		jobset_fini(&js);
		if (blocks)
			return;
	}
	f->number = 0;
	ask_foreign(f);
}

static void ask_jobsets(void *arg)
{
	struct facts *f = arg;
	struct kube *k = cluster_kube(*f->place.cluster);

	f->timer = NULL;
	if (k)
		kube_list(k, "/apis/jobset.x-k8s.io/v1alpha2/jobsets", NULL,
			(struct cloud_done){on_jobsets, f});
	else if (*f->place.cluster && f->tries++ < KUBE_LOOKS_MAX)
		f->timer = loop_after(cloud_loop(f->place.cloud), KUBE_LOOK_MS, ask_jobsets, f);
	else
		fact_end(f, true, NULL, NULL);
}

static void on_status(void *arg, json_t *reply, const struct err *e)
{
	struct facts *f = arg;
	const char *status = json_path_str_or(reply, "status", "");

	if (strcmp(status, "RUNNING") == 0 || strcmp(status, "RECONCILING") == 0)
		ask_jobsets(f);
	else if (e && e->http != 404)
		fact_unknown(f, e);
	else
		fact_end(f, true, NULL, NULL);
}

static void ask_cluster_unused(struct facts *f)
{
	struct proof_place at = place(f);
	AUTO_FREE char *dir = fact_run_dir(f);
	enum stage_id stage = STAGE_NONE;
	AUTO_FREE char *other = neighbour_works(dir, &at, &stage);
	AUTO_FREE char *said = other ? x_asprintf(_("the run %s works on this cluster: stage %s"),
					       other, stage_word(stage))
				     : NULL;

	if (other)
		fact_end(f, false, said, _("wait for it, or stop it there"));
	else
		gke_cluster(f->place.cloud, at.project, at.region, at.cluster,
			(struct cloud_done){on_status, f});
}

const struct fact_asker fact_askers_clean[] = {
	{"deployment-ours", ask_deployment_ours},
	{"cluster-unused", ask_cluster_unused},
	{NULL, NULL},
};
