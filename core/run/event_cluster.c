/* SPDX-License-Identifier: Apache-2.0 */
/* What happens in the cluster: JobSet, Workload, pods, nodes, the pool that costs, its events. */
#include "core/run/event_in.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/fmt/time.h"
#include "core/run/state_free.h"

static struct jobset_pods count_pods(const struct state *s)
{
	struct jobset_pods pods = {0};
	const char *first = s->jobset.n && s->jobset.in_order ? s->jobset.roles[0].name : "";
	const char *name;
	void *value;

	for (size_t i = 0; i < s->jobset.n; i++) {
		bool head = strcmp(s->jobset.roles[i].name, first) == 0;
		*(head ? &pods.head_want : &pods.worker_want) += s->jobset.roles[i].pods;
	}
	for (size_t i = 0; map_next(&s->pods, &i, &name, &value);) {
		const struct pod *pod = value;
		bool up = pod->is_ready || strcmp(pod->phase, "Succeeded") == 0;
		*(strcmp(pod->role, first) == 0 ? &pods.head_ready : &pods.worker_ready) += up;
	}
	return pods;
}

static void find_phase(struct state *s, const struct event *ev)
{
	struct jobset_pods pods = count_pods(s);
	const struct jobset *js = s->jobset_there ? &s->jobset : NULL;
	enum jobset_phase phase = jobset_phase(js, &s->queue, &pods);

	if (phase == s->phase && s->phase_since)
		return;
	s->phase = phase;
	s->phase_since = js ? jobset_since(js, phase) : ev->at;
	if (s->phase_since == TIME_NONE)
		s->phase_since = ev->at;
	event_touch(s, TOPIC_JOBSET);
}

static void forget_jobset(struct state *s)
{
	if (s->jobset_there)
		jobset_fini(&s->jobset);
	memset(&s->jobset, 0, sizeof(s->jobset));
	jobset_queue_fini(&s->queue);
	memset(&s->queue, 0, sizeof(s->queue));
	s->jobset_there = false;
}

static void forget_past(struct state *s)
{
	free(s->past.terminal);
	memset(&s->past, 0, sizeof(s->past));
}

void event_apply_jobset_name(struct state *s, const struct event *ev)
{
	if (strcmp(s->jobset_name, ev->text) == 0)
		return;
	event_put(&s->jobset_name, ev->text);
	forget_jobset(s);
	forget_past(s);
	s->jobset_asked = false;
	s->phase_since = 0;
	map_fini(&s->pods);
	state_maps_init(s);
	find_phase(s, ev);
	event_touch(s, TOPIC_JOBSET);
	event_touch(s, TOPIC_PODS);
}

/* What is gone is remembered: an ended JobSet is removed when its time to live is over. */
static void remember(struct state *s, int64_t at)
{
	const struct jobset *js = &s->jobset;

	if (!s->jobset_there)
		return;
	forget_past(s);
	s->past.terminal = x_strdup(js->terminal);
	s->past.ended = js->ended_ms > 0 ? js->ended_ms : 0;
	s->past.by_ttl = *js->terminal && js->ttl_s >= 0 && js->ended_ms > 0 &&
			 at - js->ended_ms >= js->ttl_s * 1000;
}

void event_apply_jobset(struct state *s, const struct event *ev)
{
	struct jobset fresh;

	s->jobset_asked = true;
	if (!ev->u.object) {
		remember(s, ev->at);
		forget_jobset(s);
	} else if (jobset_decode(&fresh, ev->u.object)) {
		if (s->jobset_there)
			jobset_fini(&s->jobset);
		s->jobset = fresh;
		s->jobset_there = true;
		forget_past(s);
	}
	find_phase(s, ev);
	event_touch(s, TOPIC_JOBSET);
}

void event_apply_workload(struct state *s, const struct event *ev)
{
	struct jobset_queue fresh = {0};

	if (!jobset_queue_decode(&fresh, ev->u.object))
		return;
	jobset_queue_fini(&s->queue);
	s->queue = fresh;
	find_phase(s, ev);
	event_touch(s, TOPIC_JOBSET);
}

void event_apply_pod(struct state *s, const struct event *ev)
{
	struct pod *pod;

	if (ev->kind == EV_POD_GONE) {
		map_del(&s->pods, ev->text);
	} else {
		pod = X_NEW(struct pod);
		if (!pod_decode(pod, ev->u.object)) {
			free(pod);
			return;
		}
		map_set(&s->pods, pod->name, pod);
	}
	find_phase(s, ev);
	event_touch(s, TOPIC_PODS);
}

/* The TPU pool costs from the birth of its first node to the end of its last one. */
static void follow_cost(struct state *s, const struct event *ev)
{
	int64_t chips = 0, since = 0;
	const char *name;
	void *value;

	s->tpu_nodes = s->tpu_nodes_ready = 0;
	for (size_t i = 0; map_next(&s->nodes, &i, &name, &value);) {
		const struct node *n = value;
		if (!node_is_tpu(n))
			continue;
		s->tpu_nodes++;
		s->tpu_nodes_ready += n->ready;
		chips += n->tpu;
		if (n->created_ms != TIME_NONE && (!since || n->created_ms < since))
			since = n->created_ms;
	}
	cost_pool(&s->cost, chips, since, ev->at);
}

void event_apply_pool(struct state *s, const struct event *ev)
{
	cost_pool(&s->cost, ev->u.pool.chips, ev->u.pool.since, ev->at);
	event_touch(s, TOPIC_RUN);
}

void event_apply_node(struct state *s, const struct event *ev)
{
	struct node *node;

	if (ev->kind == EV_NODE_GONE) {
		map_del(&s->nodes, ev->text);
	} else {
		node = X_NEW(struct node);
		if (!node_decode(node, ev->u.object)) {
			free(node);
			return;
		}
		map_set(&s->nodes, node->name, node);
	}
	follow_cost(s, ev);
	event_touch(s, TOPIC_NODES);
}

void event_apply_cluster_gone(struct state *s, const struct event *ev)
{
	map_fini(&s->pods);
	map_fini(&s->nodes);
	state_maps_init(s);
	follow_cost(s, ev);
	forget_jobset(s);
	find_phase(s, ev);
	event_touch(s, TOPIC_JOBSET);
	event_touch(s, TOPIC_PODS);
	event_touch(s, TOPIC_NODES);
}

void event_apply_kevent(struct state *s, const struct event *ev)
{
	struct kevent *k = X_NEW(struct kevent);

	if (!kevent_decode(k, ev->u.object)) {
		free(k);
		return;
	}
	map_set(&s->kevents, k->uid, k);
	event_touch(s, TOPIC_EVENTS);
}
