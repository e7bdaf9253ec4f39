/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about what must not be there: before a stage makes it, and after it was undone. */
#include "core/run/facts_ask.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/cloud/cloud.h"
#include "core/cloud/gcs.h"
#include "core/cloud/gke.h"
#include "core/cloud/jobset.h"
#include "core/cloud/kube.h"
#include "core/model/jobset.h"
#include "core/run/cluster.h"

static void on_absent(void *arg, json_t *reply, const struct err *e)
{
	struct facts *f = arg;

	(void)reply;
	if (!e)
		fact_end(f, false, _("it is still there"), NULL);
	else if (e->http == 404)
		fact_end(f, true, NULL, NULL);
	else
		fact_unknown(f, e);
}

static void on_bucket_absent(void *arg, json_t *reply, const struct err *e)
{
	struct facts *f = arg;
	AUTO_FREE char *said =
		x_asprintf(_("the bucket gs://%s is still there"), fact_arg(f, "name"));

	if (e)
		on_absent(f, reply, e);
	else
		fact_end(f, false, said, NULL);
}

static void ask_bucket_absent(struct facts *f)
{
	gcs_bucket(f->place.cloud, fact_arg(f, "name"), (struct cloud_done){on_bucket_absent, f});
}

static void on_cluster_absent(void *arg, json_t *reply, const struct err *e)
{
	struct facts *f = arg;
	AUTO_FREE char *said = x_asprintf(_("the cluster %s is still there (%s)"),
		fact_arg(f, "cluster"), json_path_str_or(reply, "status", "?"));

	if (e)
		on_absent(f, reply, e);
	else
		fact_end(f, false, said, NULL);
}

static void ask_cluster_absent(struct facts *f)
{
	gke_cluster(f->place.cloud, fact_arg(f, "project"), fact_arg(f, "region"),
		fact_arg(f, "cluster"), (struct cloud_done){on_cluster_absent, f});
}

/* --- trees of the bucket: what the listing holds is there, whatever a command said */

static void on_tree(void *arg, struct gcs_listing *listing, const struct err *e)
{
	struct facts *f = arg;

	if (e && e->http != 404) {
		fact_unknown(f, e);
	} else if (e || !listing->n) {
		fact_end(f, true, NULL, NULL);
	} else {
		AUTO_FREE char *name = text_clean_dup(listing->items[0].name);
		AUTO_FREE char *said = x_asprintf(_("%zu objects are still there, the first is "
						    "gs://%s/%s"),
			listing->n, f->bucket, name);
		f->number = (int64_t)listing->n;
		fact_end(f, false, said, NULL);
	}
}

static void ask_tree_absent(struct facts *f)
{
	if (fact_uri(f))
		gcs_list(f->place.cloud, f->bucket, f->root, NULL, on_tree, f);
}

/* --- JobSets and their pods; without their cluster there are none */

static void on_cluster(void *arg, json_t *reply, const struct err *e)
{
	struct facts *f = arg;

	(void)reply;
	if (e && e->http == 404)
		fact_end(f, true, _("the cluster is gone"), NULL);
	else if (f->then)
		f->then(f);
	else
		fact_end(f, false, _("the cluster's API server cannot be reached"), NULL);
}

static const char *value(const struct facts *f, const char *name)
{
	const char *v = values_get(f->place.values, name);

	return v ? v : "";
}

/* then: when the cluster is there. */
static void ask_cluster(struct facts *f, void (*then)(void *arg))
{
	f->then = then;
	gke_cluster(f->place.cloud, value(f, "PROJECT"), value(f, "REGION"),
		value(f, "CLUSTER_NAME"), (struct cloud_done){on_cluster, f});
}

/* Of the cluster's API server, which its description leads to. */
static void ask_kube(struct facts *f, void (*again)(void *arg))
{
	if (*f->place.cluster && cluster_kube(*f->place.cluster))
		again(f);
	else
		ask_cluster(f, again);
}

static void tell_jobset(struct facts *f, const json_t *object)
{
	struct jobset js;

	if (!jobset_decode(&js, object)) {
		fact_end(f, true, NULL, NULL);
		return;
	}
	AUTO_FREE char *said = x_asprintf(_("there is already a JobSet %s (%s)"), js.name,
		js.deleting    ? _("being deleted")
		: *js.terminal ? js.terminal
			       : _("not finished"));
	AUTO_FREE char *cure = x_asprintf("./gcluster job cancel %s -p %s -c %s -l %s", js.name,
		value(f, "PROJECT"), value(f, "CLUSTER_NAME"), value(f, "REGION"));
	f->number = js.created_ms;
	f->job = (struct fact_job){
		.there = true,
		.ours = jobset_is_of(&js, value(f, "GCS_BUCKET")),
		.leaving = js.deleting,
		.over = *js.terminal,
		.args = x_strdup(js.args),
		.image = x_strdup(js.image),
	};
	fact_end(f, false, said, cure);
	jobset_fini(&js);
}

static void on_jobset_absent(void *arg, json_t *reply, const struct err *e)
{
	struct facts *f = arg;

	if (e && e->http == 404)
		fact_end(f, true, NULL, NULL);
	else if (e && !e->http)
		ask_cluster(f, NULL);
	else if (e)
		fact_unknown(f, e);
	else
		tell_jobset(f, reply);
}

static void again_jobset_absent(void *arg)
{
	struct facts *f = arg;
	struct kube *k;

	f->timer = NULL;
	k = fact_kube(f, again_jobset_absent);
	if (k)
		jobset_get(k, "default", fact_arg(f, "name"),
			(struct cloud_done){on_jobset_absent, f});
}

static void ask_jobset_absent(struct facts *f)
{
	ask_kube(f, again_jobset_absent);
}

/* --- jobset-ours: before it is cancelled by its name */

static void tell_ours(struct facts *f, const json_t *object)
{
	struct jobset js;
	bool ours;

	if (!jobset_decode(&js, object)) {
		fact_end(f, true, NULL, NULL);
		return;
	}
	AUTO_FREE char *said = x_asprintf(
		_("the JobSet %s there is not of this run: it would be cancelled"), js.name);
	ours = js.deleting || jobset_is_of(&js, value(f, "GCS_BUCKET"));
	fact_end(f, ours, ours ? NULL : said,
		ours ? NULL : _("wait until it is gone, or ask whose it is"));
	jobset_fini(&js);
}

static void on_jobset_ours(void *arg, json_t *reply, const struct err *e)
{
	if (e)
		on_jobset_absent(arg, reply, e);
	else
		tell_ours(arg, reply);
}

static void again_jobset_ours(void *arg)
{
	struct facts *f = arg;
	struct kube *k;

	f->timer = NULL;
	k = fact_kube(f, again_jobset_ours);
	if (k)
		jobset_get(
			k, "default", fact_arg(f, "name"), (struct cloud_done){on_jobset_ours, f});
}

static void ask_jobset_ours(struct facts *f)
{
	ask_kube(f, again_jobset_ours);
}

static void on_pods_absent(void *arg, json_t *reply, const struct err *e)
{
	struct facts *f = arg;
	size_t n = json_array_size(json_path(reply, "items"));
	AUTO_FREE char *said =
		x_asprintf(_("%zu pods of the job %s have not ended yet"), n, fact_arg(f, "name"));

	if (e && !e->http)
		ask_cluster(f, NULL);
	else if (e && e->http != 404)
		fact_unknown(f, e);
	else
		fact_end(f, e || !n, !e && n ? said : NULL, NULL);
}

static void again_pods_absent(void *arg)
{
	struct facts *f = arg;
	struct kube *k;

	f->timer = NULL;
	k = fact_kube(f, again_pods_absent);
	if (k)
		jobset_pods(
			k, "default", fact_arg(f, "name"), (struct cloud_done){on_pods_absent, f});
}

static void ask_pods_absent(struct facts *f)
{
	ask_kube(f, again_pods_absent);
}

const struct fact_asker fact_askers_gone[] = {
	{"bucket-absent", ask_bucket_absent},
	{"cluster-absent", ask_cluster_absent},
	{"tree-absent", ask_tree_absent},
	{"jobset-absent", ask_jobset_absent},
	{"jobset-ours", ask_jobset_ours},
	{"pods-absent", ask_pods_absent},
	{NULL, NULL},
};
