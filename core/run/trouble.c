/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/trouble.h"

#include <stdio.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/cause.h"
#include "core/fmt/time.h"

#define MINUTE ((int64_t)60000)

static void say(struct trouble *t, const char *alert, const char *cause, const char *cure,
		int64_t patience_ms)
{
	t->alert = alert;
	t->cause = cause;
	t->cure = cure;
	t->patience_ms = patience_ms;
}

static bool older(int64_t since_ms, int64_t ms)
{
	return since_ms > 0 && clock_now() - since_ms > ms;
}

static bool is(const struct cause *c, const char *id)
{
	return c && strcmp(c->id, id) == 0;
}

/* --- the queue (R36, R37) */

static bool waits_in_queue(const struct state *s, struct trouble *t)
{
	const struct cause *known = cause_of_text(s->queue.message, strlen(s->queue.message));

	(void)snprintf(t->text, sizeof(t->text), _("the queue does not admit the job: %s"),
		       s->queue.message);
	if (is(known, "queue-never"))
		say(t, "queue-waits", "queue-never",
		    _("correct the ClusterQueue (kubectl get clusterqueue -o yaml): it must cover "
		      "the resource; then retry"),
		    10 * MINUTE);
	else
		say(t, "queue-waits", "queue-quota",
		    _("wait, or cancel the job that holds the chips"), 0);
	return true;
}

static bool queue(const struct state *s, struct trouble *t)
{
	const struct jobset *js = &s->jobset;

	if (!js->suspend || *js->terminal || !older(js->created_ms, 3 * MINUTE))
		return false;
	if (s->queue.known && !s->queue.admitted)
		return *s->queue.message && waits_in_queue(s, t);
	if (s->queue.known) {
		(void)snprintf(t->text, sizeof(t->text),
			       _("Workload of %s: Admitted, but JobSet %s: still suspended"),
			       s->jobset_name, s->jobset_name);
		say(t, "queue-waits", "queue-not-resumed",
		    _("look at the controllers: kubectl -n kueue-system get pods; then retry"),
		    15 * MINUTE);
	} else {
		(void)snprintf(t->text, sizeof(t->text),
			       _("JobSet %s is suspended and Kueue has made no Workload for it"),
			       s->jobset_name);
		say(t, "queue-waits", "queue-no-workload",
		    _("look at the controllers: kubectl -n kueue-system get pods; then retry"),
		    15 * MINUTE);
	}
	return true;
}

/* --- pods without a node (R40, R46) */

static const struct kevent *event_of(const struct state *s, const char *object, const char *reason)
{
	const struct kevent *newest = NULL;
	const char *uid;
	void *value;

	for (size_t i = 0; map_next(&s->kevents, &i, &uid, &value);) {
		const struct kevent *e = value;
		if (strcmp(e->object, object) == 0 && strcmp(e->reason, reason) == 0 &&
		    (!newest || e->last_ms > newest->last_ms))
			newest = e;
	}
	return newest;
}

static bool without_node(const struct state *s, const struct pod *p, struct trouble *t)
{
	const struct kevent *scaler = event_of(s, p->name, "NotTriggerScaleUp");
	const char *why = scaler ? scaler->message : p->message;
	const struct cause *known = cause_of_text(why, strlen(why));
	bool never = is(known, "autoscaler-never");

	if (strcmp(p->phase, "Pending") != 0 || *p->node || !older(p->created_ms, 3 * MINUTE))
		return false;
	(void)snprintf(t->text, sizeof(t->text),
		       _("%s finds no node while the chips are billed: %s"), p->name, why);
	if (never)
		say(t, "head-pending", "autoscaler-never",
		    _("the pod asks for more than a machine of its pool has: give the pool larger "
		      "machines, then retry"),
		    12 * MINUTE);
	else
		say(t, "head-pending",
		    is(known, "autoscaler-backoff") ? "autoscaler-backoff" : "unschedulable",
		    _("wait: the autoscaler tries again; otherwise look at quotas and stock"), 0);
	return true;
}

/* --- images (R48) */

static bool no_image(const struct state *s, const struct pod *p, struct trouble *t)
{
	const struct kevent *failed = event_of(s, p->name, "Failed");
	const char *said = p->message;
	const struct cause *known;
	bool denied, missing;

	if (strcmp(p->reason, "ErrImagePull") != 0 && strcmp(p->reason, "ImagePullBackOff") != 0 &&
	    strcmp(p->reason, "Init:ErrImagePull") != 0 &&
	    strcmp(p->reason, "Init:ImagePullBackOff") != 0)
		return false;
	if (!*said && failed)
		said = failed->message;
	known = cause_of_text(said, strlen(said));
	denied = is(known, "image-denied") || is(known, "permission");
	missing = is(known, "image-missing");
	(void)snprintf(t->text, sizeof(t->text), _("%s cannot fetch its image: %s"), p->name, said);
	say(t, "image-pull", denied ? "image-denied" : missing ? "image-missing" : "image-pull",
	    denied  ? _("give the nodes' service account roles/artifactregistry.reader, then retry") :
	    missing ? _("correct CLOUD_IMAGE_NAME: there is no such image or tag; then retry") :
		      _("wait: it is tried again; otherwise look at the registry and the network"),
	    (denied || missing ? 10 : 45) * MINUTE);
	return true;
}

/* --- a head without workers (R41) */

static bool no_workers(const struct state *s, struct trouble *t)
{
	const struct jobset_role *head = jobset_main_role(&s->jobset);
	int heads = 0, want = 0, others = 0;
	const char *name;
	void *value;

	if (!head || s->jobset.n < 2 || s->phase != JOBSET_WORKERS_STARTING ||
	    !older(s->phase_since, 3 * MINUTE))
		return false;
	heads = state_pods_ready(s, head->name, &want);
	for (size_t i = 0; map_next(&s->pods, &i, &name, &value);)
		others += strcmp(((const struct pod *)value)->role, head->name) != 0;
	if (!heads || others)
		return false;
	(void)snprintf(t->text, sizeof(t->text),
		       _("the head of %s is ready, but no worker pod has been made"),
		       s->jobset_name);
	say(t, "no-workers", "no-workers",
	    _("look at the events of the JobSet and its jobs; then retry"), 20 * MINUTE);
	return true;
}

bool trouble_find(const struct state *s, struct trouble *t)
{
	const char *name;
	void *value;

	*t = (struct trouble){0};
	if (!s->jobset_there || jobset_ended(s->phase))
		return false;
	if (queue(s, t))
		return true;
	for (size_t i = 0; map_next(&s->pods, &i, &name, &value);)
		if (no_image(s, value, t) || without_node(s, value, t))
			return true;
	return no_workers(s, t);
}

bool trouble_stops(const char *cause_id)
{
	static const char *const stopping[] = {"queue-never",	   "queue-not-resumed",
					       "queue-no-workload", "autoscaler-never",
					       "image-denied",	    "image-missing",
					       "image-pull",	    "no-workers"};

	for (size_t i = 0; cause_id && i < COUNT(stopping); i++)
		if (strcmp(stopping[i], cause_id) == 0)
			return true;
	return false;
}

/* --- after the end */

static const char *cause_of_pod(const struct pod *p, char text[TROUBLE_TEXT])
{
	const struct cause *known = NULL;
	const char *said = p->message, *reason = p->reason;

	for (size_t i = 0; i < p->n && !known; i++) {
		const struct pod_container *c = &p->containers[i];
		known = c->exit_code > 0 ? cause_of_reason(c->reason) : NULL;
		if (known) {
			said = c->message;
			reason = c->reason;
		}
	}
	if (strcmp(p->phase, "Failed") == 0 && !known)
		known = cause_of_text(p->message, strlen(p->message));
	if (strcmp(p->phase, "Failed") == 0 && !known)
		known = cause_of_reason(p->reason);
	if (!known)
		return NULL;
	(void)snprintf(text, TROUBLE_TEXT, "%s: %s%s%s", p->name, reason, *said ? ": " : "", said);
	return known->id;
}

const char *trouble_of_pods(const struct state *s, char text[TROUBLE_TEXT])
{
	const char *name, *id = NULL;
	void *value;

	text[0] = '\0';
	for (size_t i = 0; !id && map_next(&s->pods, &i, &name, &value);)
		id = cause_of_pod(value, text);
	return id;
}
