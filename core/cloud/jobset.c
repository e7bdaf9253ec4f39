/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cloud/jobset.h"

#include "core/base/mem.h"
#include "core/fmt/json.h"

#include <stdlib.h>
#include <string.h>

struct search {
	struct kube *kube;
	struct cloud_done done;
};

char *jobset_path(const char *ns, const char *name)
{
	struct buf path = {0};

	buf_adds(&path, "/apis/jobset.x-k8s.io/v1alpha2/namespaces/");
	http_escape(&path, ns);
	buf_adds(&path, "/jobsets");
	if (name) {
		buf_addc(&path, '/');
		http_escape(&path, name);
	}
	return buf_take(&path);
}

char *jobset_selector(const char *name)
{
	return x_asprintf("jobset.sigs.k8s.io/jobset-name=%s", name);
}

struct cloud_call *jobset_get(
	struct kube *k, const char *ns, const char *name, struct cloud_done done)
{
	AUTO_FREE char *path = jobset_path(ns, name);

	return kube_get(k, path, done);
}

void jobset_pods(struct kube *k, const char *ns, const char *name, struct cloud_done done)
{
	AUTO_FREE char *selector = jobset_selector(name);
	AUTO(buf_fini) struct buf path = {0};

	buf_adds(&path, "/api/v1/namespaces/");
	http_escape(&path, ns);
	buf_adds(&path, "/pods");
	kube_list(k, buf_str(&path), selector, done);
}

/* RFC 3339 stamps of the API server are UTC with seconds: they sort as text. */
static bool better(const json_t *a, const json_t *than)
{
	const char *ended_a = json_path_str_or(a, "status.terminalState", "");
	const char *ended_b = json_path_str_or(than, "status.terminalState", "");

	if (!*ended_a != !*ended_b)
		return !*ended_a;
	return strcmp(json_path_str_or(a, "metadata.creationTimestamp", ""),
		       json_path_str_or(than, "metadata.creationTimestamp", "")) > 0;
}

static void search_free(void *job)
{
	struct search *s = job;

	cloud_cancel_all(kube_cloud(s->kube), s);
	free(s);
}

static void list_came(void *arg, json_t *reply, const struct err *e)
{
	struct search *s = arg;
	struct cloud_done done = s->done;
	const json_t *items = json_path(reply, "items");
	AUTO(json_auto) json_t *out = json_object();
	json_t *best = NULL;

	for (size_t i = 0; i < json_array_size(items); i++) {
		json_t *j = json_array_get(items, i);

		if (!best || better(j, best))
			best = j;
	}
	json_object_set_new(out, "jobset", best ? json_incref(best) : json_null());
	cloud_job_end(kube_cloud(s->kube), s);
	search_free(s);
	done.fn(done.arg, e ? NULL : out, e);
}

void jobset_newest(struct kube *k, const char *ns, struct cloud_done done)
{
	struct search *s = X_NEW(struct search);
	AUTO_FREE char *path = jobset_path(ns, NULL);

	*s = (struct search){k, done};
	cloud_job_begin(kube_cloud(k), s, done.arg, search_free);
	kube_list(k, path, NULL, (struct cloud_done){list_came, s});
}
