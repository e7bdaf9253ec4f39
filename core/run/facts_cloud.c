/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about buckets, clusters and JobSets. */
#include "core/run/facts_ask.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/cloud/cloud.h"
#include "core/cloud/gcs.h"
#include "core/cloud/gke.h"
#include "core/cloud/jobset.h"
#include "core/cloud/kube.h"
#include "core/cloud/project.h"
#include "core/run/cluster.h"

#define KUBE_WAIT_MS  60000 /* run time for the API server to be found */
#define KUBE_RETRY_MS 2000
#define INDEX_MAX     ((size_t)8 << 20)

/* --- buckets */

static void on_project(void *arg, json_t *reply, const struct err *e)
{
	struct facts *f = arg;
	const char *name = json_path_str_or(reply, "name", "");
	const char *owner = json_path_str_or(f->kept, "projectNumber", "");
	const char *place = json_path_str_or(f->kept, "location", "");
	const char *want = fact_arg(f, "location");

	if (e) {
		fact_unknown(f, e);
	} else if (text_starts(name, "projects/") && strcmp(name + 9, owner) != 0) {
		fact_end(f, false, _("the bucket belongs to another project"),
			_("choose another bucket name"));
	} else if (*want && strcasecmp(place, want) != 0) {
		AUTO_FREE char *said = x_asprintf(_("the bucket is in %s, not in %s"), place, want);
		fact_end(f, false, said, _("choose a bucket in the region of the cluster"));
	} else {
		fact_end(f, true, place, NULL);
	}
}

static void on_bucket(void *arg, json_t *reply, const struct err *e)
{
	struct facts *f = arg;

	if (e && e->http == 404) {
		fact_end(f, false, _("the bucket does not exist"), NULL);
	} else if (e && e->http == 403) {
		fact_end(f, false, e->what, e->hint);
	} else if (e) {
		fact_unknown(f, e);
	} else {
		f->kept = json_incref(reply);
		project_get(
			f->place.cloud, fact_arg(f, "project"), (struct cloud_done){on_project, f});
	}
}

static void ask_bucket(struct facts *f)
{
	gcs_bucket(f->place.cloud, fact_arg(f, "name"), (struct cloud_done){on_bucket, f});
}

static void on_marker(void *arg, bool there, const struct err *e)
{
	struct facts *f = arg;

	if (e && e->http != 404)
		fact_unknown(f, e);
	else
		fact_end(f, !e && there, there ? fact_arg(f, "uri") : _("the marker is missing"),
			NULL);
}

bool fact_uri(struct facts *f)
{
	if (gcs_uri(fact_arg(f, "uri"), &f->bucket, &f->root))
		return true;
	fact_end(f, false, _("no gs:// address"), NULL);
	return false;
}

static void ask_marker(struct facts *f)
{
	if (fact_uri(f))
		gcs_exists(f->place.cloud, f->bucket, f->root, on_marker, f);
}

/* A training that stops early has complete checkpoints too: `at_least` asks for more. */
static void judge_step(struct facts *f, int64_t step)
{
	int64_t least = 0;
	AUTO_FREE char *said = NULL;

	(void)text_to_i64(fact_arg(f, "at_least"), 0, INT64_MAX, &least);
	f->number = step;
	if (step < 0)
		said = x_strdup(_("no complete checkpoint there"));
	else if (step < least)
		said = x_asprintf(
			_("the newest complete checkpoint is of step %lld"), (long long)step);
	fact_end(f, !said, said, NULL);
}

static void judge_tree(struct facts *f, const struct gcs_listing *listing,
	enum checkpoint_tree tree, const json_t *index)
{
	static const bool ended[CHECKPOINT_TREE_COUNT] = {true, true, true};
	struct checkpoint_list list;
	const char *item = fact_arg(f, "item");

	checkpoint_list_init(&list, f->bucket);
	for (size_t i = 0; i < listing->n; i++)
		checkpoint_list_add(&list, tree, f->root, listing->items[i].name,
			listing->items[i].size, listing->items[i].updated);
	checkpoint_list_judge(&list, clock_now(), ended, index);
	if (tree == CHECKPOINT_HF) {
		const struct checkpoint *c = checkpoint_find(&list, CHECKPOINT_HF, -1);
		bool good = c && c->state == CHECKPOINT_COMPLETE;
		AUTO_FREE char *said =
			c && c->missing.n ? x_asprintf(_("%zu files are missing"), c->missing.n)
					  : NULL;
		fact_end(f, good,
			good   ? fact_arg(f, "uri")
			: said ? said
			       : _("no export there"),
			NULL);
	} else {
		judge_step(f, checkpoint_safe_step(&list, tree, *item ? item : NULL));
	}
	checkpoint_list_fini(&list);
}

static void on_tree(void *arg, struct gcs_listing *listing, const struct err *e)
{
	struct facts *f = arg;
	struct gcs_listing none = {0};

	if (e && e->http != 404)
		fact_unknown(f, e);
	else
		judge_tree(f, listing ? listing : &none,
			f->kept ? CHECKPOINT_HF : checkpoint_tree_from_name(fact_arg(f, "tree")),
			f->kept);
}

static void ask_newest_step(struct facts *f)
{
	if (checkpoint_tree_from_name(fact_arg(f, "tree")) == CHECKPOINT_TREE_COUNT)
		fact_end(f, false, _("unknown tree"), NULL);
	else if (fact_uri(f))
		gcs_list(f->place.cloud, f->bucket, f->root, NULL, on_tree, f);
}

static void on_index(void *arg, const char *data, size_t n, int64_t generation, const struct err *e)
{
	struct facts *f = arg;

	(void)generation;
	if (e && e->http == 404) {
		fact_end(f, false, _("the index is missing"), NULL);
	} else if (e) {
		fact_unknown(f, e);
	} else {
		f->kept = json_parse(data, n, NULL);
		if (f->kept)
			gcs_list(f->place.cloud, f->bucket, f->root, NULL, on_tree, f);
		else
			fact_end(f, false, _("the index is not readable"), NULL);
	}
}

static void ask_hf_index(struct facts *f)
{
	AUTO_FREE char *object = NULL;

	if (!fact_uri(f))
		return;
	if (text_ends(f->root, CHECKPOINT_INDEX))
		f->root[strlen(f->root) - strlen(CHECKPOINT_INDEX)] = '\0';
	object = x_asprintf("%s%s", f->root, CHECKPOINT_INDEX);
	gcs_get(f->place.cloud, f->bucket, object, NULL, INDEX_MAX, on_index, f);
}

/* --- clusters */

/* Whatever GKE changes about it: whether it answers is asked of the cluster itself. */
static bool runs(const char *status)
{
	return strcmp(status, "RUNNING") == 0 || strcmp(status, "RECONCILING") == 0;
}

static void on_running(void *arg, json_t *reply, const struct err *e)
{
	struct facts *f = arg;
	const char *status = json_path_str_or(reply, "status", "");

	if (e && e->http == 404)
		fact_end(f, false, _("the cluster does not exist"), NULL);
	else if (e)
		fact_unknown(f, e);
	else
		fact_end(f, runs(status), status, NULL);
}

static void ask_cluster_running(struct facts *f)
{
	gke_cluster(f->place.cloud, fact_arg(f, "project"), fact_arg(f, "region"),
		fact_arg(f, "cluster"), (struct cloud_done){on_running, f});
}

struct kube *fact_kube(struct facts *f, void (*again)(void *arg))
{
	struct kube *k = cluster_kube(*f->place.cluster);

	if (k)
		return k;
	if (*f->place.cluster && f->tries < KUBE_WAIT_MS / KUBE_RETRY_MS) {
		f->tries++;
		f->timer = loop_after(cloud_loop(f->place.cloud), KUBE_RETRY_MS, again, f);
	} else {
		fact_end(f, false, _("the cluster's API server cannot be reached"), NULL);
	}
	return NULL;
}

static void on_nodes(void *arg, json_t *reply, const struct err *e)
{
	struct facts *f = arg;
	const char *pool = fact_arg(f, "pool");
	int64_t want = 0, ready = 0;
	size_t i;
	json_t *item;

	if (e) {
		fact_unknown(f, e);
		return;
	}
	json_array_foreach(json_path(reply, "items"), i, item)
	{
		struct node n;
		if (!node_decode(&n, item))
			continue;
		ready += n.ready && (!*pool || strstr(n.pool, pool) != NULL);
		node_fini(&n);
	}
	if (text_to_i64(fact_arg(f, "count"), 0, 1000000, &want) != 0)
		want = 1;
	{
		AUTO_FREE char *said = x_asprintf(
			_("%lld of %lld nodes ready"), (long long)ready, (long long)want);
		fact_end(f, ready >= want, said, NULL);
	}
}

static void again_nodes(void *arg)
{
	struct facts *f = arg;
	struct kube *k;

	f->timer = NULL;
	k = fact_kube(f, again_nodes);
	if (k)
		kube_list(k, "/api/v1/nodes", NULL, (struct cloud_done){on_nodes, f});
}

static void ask_nodes_ready(struct facts *f)
{
	again_nodes(f);
}

static void on_queues(void *arg, json_t *reply, const struct err *e)
{
	struct facts *f = arg;
	size_t n = json_array_size(json_path(reply, "items"));

	if (e && e->http != 404)
		fact_unknown(f, e);
	else
		fact_end(f, n > 0, n ? NULL : _("Kueue has no queue in the namespace yet"), NULL);
}

static void again_queue(void *arg)
{
	struct facts *f = arg;
	struct kube *k;

	f->timer = NULL;
	k = fact_kube(f, again_queue);
	if (k)
		kube_list(k, "/apis/kueue.x-k8s.io/v1beta2/namespaces/default/localqueues", NULL,
			(struct cloud_done){on_queues, f});
}

static void ask_queue_ready(struct facts *f)
{
	again_queue(f);
}

/* The verdict about a job that is said to be done; codes of how many of its pods are known? */
static void judge_codes(struct facts *f, const struct jobset *js, int worst, int known)
{
	const struct jobset_role *role = jobset_main_role(js);
	int want = role ? role->pods : 0;
	AUTO_FREE char *said = NULL;

	f->number = want > known ? want - known : 0;
	if (!js->completed)
		said = x_strdup(*js->message ? js->message : _("the JobSet is not done"));
	else if (worst > 0)
		said = x_asprintf(_("the container ended with code %d"), worst);
	else if (!known)
		said = x_strdup(
			_("no pod was left to ask for its exit code: the JobSet's own word and the "
			  "bucket alone say that it is done"));
	else if (f->number)
		said = x_asprintf(_("%d of %d pods were left to ask for their exit code: for the "
				    "others the JobSet's own word and the bucket alone say that it "
				    "is done"),
			known, want);
	fact_end(f, js->completed && worst <= 0, said ? said : js->message, NULL);
}

static void on_done_pods(void *arg, json_t *reply, const struct err *e)
{
	struct facts *f = arg;
	struct jobset js;
	const struct jobset_role *role;
	int worst = -1, known = 0;
	size_t i;
	json_t *item;

	if (e || !jobset_decode(&js, f->kept)) {
		fact_unknown(f, e);
		return;
	}
	role = jobset_main_role(&js);
	json_array_foreach(json_path(reply, "items"), i, item)
	{
		struct pod p;
		if (!pod_decode(&p, item))
			continue;
		if (role && strcmp(p.role, role->name) == 0 && p.exit_code >= 0) {
			worst = p.exit_code > worst ? p.exit_code : worst;
			known++;
		}
		pod_fini(&p);
	}
	judge_codes(f, &js, worst, known);
	jobset_fini(&js);
}

static void on_done_jobset(void *arg, json_t *reply, const struct err *e)
{
	struct facts *f = arg;

	if (e && e->http == 404) {
		fact_end(f, false, _("the JobSet is gone"), NULL);
	} else if (e) {
		fact_unknown(f, e);
	} else {
		f->kept = json_incref(reply);
		jobset_pods(cluster_kube(*f->place.cluster), "default", fact_arg(f, "name"),
			(struct cloud_done){on_done_pods, f});
	}
}

static void again_jobset_done(void *arg)
{
	struct facts *f = arg;
	struct kube *k;

	f->timer = NULL;
	k = fact_kube(f, again_jobset_done);
	if (k)
		jobset_get(
			k, "default", fact_arg(f, "name"), (struct cloud_done){on_done_jobset, f});
}

static void ask_jobset_done(struct facts *f)
{
	again_jobset_done(f);
}

const struct fact_asker fact_askers_cloud[] = {
	{"bucket", ask_bucket},
	{"marker", ask_marker},
	{"newest-step", ask_newest_step},
	{"hf-index", ask_hf_index},
	{"cluster-running", ask_cluster_running},
	{"nodes-ready", ask_nodes_ready},
	{"queue-ready", ask_queue_ready},
	{"jobset-done", ask_jobset_done},
	{NULL, NULL},
};
