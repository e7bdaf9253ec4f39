/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/cluster.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/cloud/cloud.h"
#include "core/cloud/gke.h"
#include "core/cloud/jobset.h"
#include "core/cloud/kube.h"
#include "core/cloud/watch.h"

#define CLUSTER_ASK_MS 10000
#define STATUS_ASK_MS  60000 /* while it does not answer */

enum kind { KIND_NODES, KIND_JOBSETS, KIND_WORKLOADS, KIND_PODS, KIND_EVENTS, KIND_COUNT };

struct stream {
	struct cluster *owner;
	enum kind kind;
	struct watch *watch;
	bool synced;
};

struct cluster {
	struct cloud *cloud;
	char *project, *region, *name, *ns;
	char *jobset;
	bool jobset_seen;
	bool gone; /* GKE knows no such cluster */
	struct kube *kube;
	struct stream streams[KIND_COUNT];
	struct loop_timer *timer;
	char *said, *cause; /* why it does not answer, "" = it does */
	char *status;       /* of GKE, while it does not answer; "" = not asked or running */
	int64_t status_asked;
	void (*emit)(void *arg, const struct event *ev);
	void *arg;
};

static void emit_text(struct cluster *c, enum event_kind kind, const char *text)
{
	struct event ev = event_text(kind, text);

	c->emit(c->arg, &ev);
}

static void emit_object(struct cluster *c, enum event_kind kind, const json_t *object)
{
	struct event ev = {.kind = kind};

	ev.u.object = object;
	c->emit(c->arg, &ev);
}

static const char *name_of(const json_t *object)
{
	return json_path_str_or(object, "metadata.name", "");
}

static void on_jobset(struct cluster *c, enum watch_event what, const json_t *object)
{
	if (!*c->jobset || strcmp(name_of(object), c->jobset) != 0)
		return;
	c->jobset_seen = what != WATCH_DELETED;
	emit_object(c, EV_JOBSET, what == WATCH_DELETED ? NULL : object);
}

/* A Workload belongs to the JobSet that owns it. */
static void on_workload(struct cluster *c, enum watch_event what, const json_t *object)
{
	size_t i;
	json_t *owner;

	if (what == WATCH_DELETED || !*c->jobset)
		return;
	json_array_foreach(json_path(object, "metadata.ownerReferences"), i,
		owner) if (strcmp(json_path_str_or(owner, "name", ""), c->jobset) == 0)
		emit_object(c, EV_WORKLOAD, object);
}

static void on_object(void *arg, enum watch_event what, json_t *object)
{
	struct stream *s = arg;
	struct cluster *c = s->owner;

	switch (s->kind) {
	case KIND_JOBSETS:
		on_jobset(c, what, object);
		break;
	case KIND_WORKLOADS:
		on_workload(c, what, object);
		break;
	case KIND_NODES:
		if (what == WATCH_DELETED)
			emit_text(c, EV_NODE_GONE, name_of(object));
		else
			emit_object(c, EV_NODE, object);
		break;
	case KIND_PODS:
		if (what == WATCH_DELETED)
			emit_text(c, EV_POD_GONE, name_of(object));
		else
			emit_object(c, EV_POD, object);
		break;
	default:
		if (what != WATCH_DELETED)
			emit_object(c, EV_KEVENT, object);
	}
}

static void on_synced(void *arg)
{
	struct stream *s = arg;

	s->synced = true;
	if (s->kind == KIND_JOBSETS && *s->owner->jobset && !s->owner->jobset_seen)
		emit_object(s->owner, EV_JOBSET, NULL);
}

static void on_beat(void *arg)
{
	struct stream *s = arg;
	struct event ev = {.kind = EV_HEART, .number = HEART_WATCH};

	s->owner->emit(s->owner->arg, &ev);
}

static void keep(char **slot, const char *text)
{
	free(*slot);
	*slot = x_strdup(text);
}

/* A cluster that GKE changes or repairs comes back by itself. */
static const char *cause_of_status(const char *status)
{
	static const char *const pass[] = {"PROVISIONING", "RECONCILING", "REPAIRING"};

	for (size_t i = 0; i < COUNT(pass); i++)
		if (strcmp(status, pass[i]) == 0)
			return "control-plane";
	return strcmp(status, "STOPPING") == 0 ? "cluster-leaves" : "cluster-broken";
}

static char *text_of_status(const char *status, const char *cause)
{
	if (strcmp(cause, "control-plane") == 0)
		return x_asprintf(_("the cluster is %s: GKE changes or repairs it"), status);
	if (strcmp(cause, "cluster-leaves") == 0)
		return x_asprintf(
			_("the cluster is %s: it is being deleted, its jobs end with it"), status);
	return x_asprintf(_("GKE says that the cluster is %s"), status);
}

static void tell_away(struct cluster *c)
{
	const char *cause = cause_of_status(c->status);
	AUTO_FREE char *text = text_of_status(c->status, cause);
	bool known = *c->said && *c->status;
	struct event ev = event_text(EV_AWAY, known ? text : c->said);

	ev.u.away.cause = known ? cause : c->cause;
	c->emit(c->arg, &ev);
}

static void on_status(void *arg, json_t *reply, const struct err *e)
{
	struct cluster *c = arg;
	const char *status = json_path_str_or(reply, "status", "");

	c->gone = e && e->http == 404;
	if (c->gone) {
		keep(&c->said, _("the cluster does not exist any more"));
		keep(&c->cause, "");
	}
	if ((e && !c->gone) || !*c->said)
		return;
	keep(&c->status, strcmp(status, "RUNNING") == 0 ? "" : status);
	tell_away(c);
}

/* Refused or silent: the GKE API may know why. */
static void ask_status(struct cluster *c)
{
	int64_t now = clock_now();

	if (!*c->project || (c->status_asked && now - c->status_asked < STATUS_ASK_MS))
		return;
	c->status_asked = now;
	gke_cluster(c->cloud, c->project, c->region, c->name, (struct cloud_done){on_status, c});
}

static void on_state(void *arg, enum watch_state state, const struct err *e)
{
	struct stream *s = arg;
	bool away = state == WATCH_LOST || state == WATCH_REFUSED;

	log_line("run", "watch %d: state %d %s", (int)s->kind, (int)state, e ? e->what : "");
	/* Where the kind does not exist yet there is none of it: that is an answer. */
	if (state == WATCH_NOT_INSTALLED && !s->synced)
		on_synced(s);
	if (s->kind != KIND_JOBSETS || state == WATCH_LISTING)
		return;
	keep(&s->owner->said, away && e ? e->what : "");
	keep(&s->owner->cause, away && e && e->cause ? e->cause : "");
	if (!*s->owner->said)
		keep(&s->owner->status, "");
	else if (state == WATCH_LOST)
		ask_status(s->owner);
	tell_away(s->owner);
}

static char *collection(const struct cluster *c, enum kind kind)
{
	switch (kind) {
	case KIND_NODES:
		return x_strdup("/api/v1/nodes");
	case KIND_JOBSETS:
		return jobset_path(c->ns, NULL);
	case KIND_WORKLOADS:
		return x_asprintf("/apis/kueue.x-k8s.io/v1beta2/namespaces/%s/workloads", c->ns);
	case KIND_PODS:
		return x_asprintf("/api/v1/namespaces/%s/pods", c->ns);
	default:
		return x_asprintf("/api/v1/namespaces/%s/events", c->ns);
	}
}

static void open_stream(struct cluster *c, enum kind kind)
{
	struct stream *s = &c->streams[kind];
	AUTO_FREE char *path = collection(c, kind);
	AUTO_FREE char *selector = NULL;
	struct watch_spec spec = {.path = path,
		.on_object = on_object,
		.on_synced = on_synced,
		.on_beat = on_beat,
		.on_state = on_state,
		.arg = s};

	watch_close(&s->watch);
	s->owner = c;
	s->kind = kind;
	s->synced = false;
	if (kind == KIND_PODS) {
		if (!*c->jobset)
			return;
		selector = jobset_selector(c->jobset);
		spec.label_selector = selector;
	}
	s->watch = watch_open(c->kube, &spec);
}

static void ask(void *arg);

static void start(struct cluster *c)
{
	for (unsigned i = 0; i < KIND_COUNT; i++)
		open_stream(c, (enum kind)i);
}

static void on_kube(void *arg, struct kube *k, const struct err *e)
{
	struct cluster *c = arg;

	c->gone = !k && e && e->http == 404;
	if (!k) {
		log_line("run", "cluster %s: %s", c->name, e ? e->what : "");
		c->timer = loop_after(cloud_loop(c->cloud), CLUSTER_ASK_MS, ask, c);
		return;
	}
	c->kube = k;
	start(c);
}

static void ask(void *arg)
{
	struct cluster *c = arg;

	c->timer = NULL;
	kube_open_gke(c->cloud, c->project, c->region, c->name, on_kube, c);
}

struct cluster *cluster_open(const struct cluster_spec *spec)
{
	struct cluster *c = X_NEW(struct cluster);

	c->cloud = spec->cloud;
	c->project = x_strdup(spec->project ? spec->project : "");
	c->region = x_strdup(spec->region ? spec->region : "");
	c->name = x_strdup(spec->name ? spec->name : "");
	c->ns = x_strdup(spec->ns ? spec->ns : "default");
	c->jobset = x_strdup("");
	c->said = x_strdup("");
	c->cause = x_strdup("");
	c->status = x_strdup("");
	c->emit = spec->emit;
	c->arg = spec->arg;
	c->kube = spec->kube;
	if (c->kube)
		start(c);
	else
		ask(c);
	return c;
}

void cluster_jobset(struct cluster *c, const char *name)
{
	if (!name)
		name = "";
	if (strcmp(c->jobset, name) == 0)
		return;
	free(c->jobset);
	c->jobset = x_strdup(name);
	c->jobset_seen = false;
	emit_text(c, EV_JOBSET_NAME, name);
	if (!c->kube)
		return;
	open_stream(c, KIND_JOBSETS);
	open_stream(c, KIND_WORKLOADS);
	open_stream(c, KIND_PODS);
}

struct kube *cluster_kube(const struct cluster *c)
{
	return c ? c->kube : NULL;
}

bool cluster_gone(const struct cluster *c)
{
	return c && c->gone;
}

bool cluster_live(const struct cluster *c)
{
	return c && c->kube && c->streams[KIND_NODES].synced && c->streams[KIND_JOBSETS].synced;
}

bool cluster_synced(const struct cluster *c)
{
	return cluster_live(c) && (!*c->jobset || c->streams[KIND_PODS].synced);
}

void cluster_close(struct cluster **cp)
{
	struct cluster *c = *cp;

	if (!c)
		return;
	*cp = NULL;
	loop_timer_cancel(&c->timer);
	cloud_cancel_all(c->cloud, c);
	for (unsigned i = 0; i < KIND_COUNT; i++)
		watch_close(&c->streams[i].watch);
	if (c->kube)
		kube_free(c->kube);
	free(c->project);
	free(c->region);
	free(c->name);
	free(c->ns);
	free(c->jobset);
	free(c->said);
	free(c->cause);
	free(c->status);
	free(c);
}
