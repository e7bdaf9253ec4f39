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

/* The cause as the words told it, with what they name; another one stands alone. */
static void say(struct trouble *t, const char *alert, const char *cause, int64_t patience_ms)
{
	t->alert = alert;
	if (!t->hit.cause || strcmp(t->hit.cause->id, cause) != 0)
		t->hit = (struct cause_hit){.cause = cause_by_id(cause)};
	t->patience_ms = patience_ms;
}

static bool found(struct trouble *t, const char *said)
{
	return cause_find(&t->hit, said, strlen(said));
}

static bool is(const struct trouble *t, const char *id)
{
	return t->hit.cause && strcmp(t->hit.cause->id, id) == 0;
}

static bool older(int64_t since_ms, int64_t ms)
{
	return since_ms > 0 && clock_now() - since_ms > ms;
}

/* --- the queue (R36, R37) */

static bool waits_in_queue(const struct state *s, struct trouble *t)
{
	bool never = found(t, s->queue.message) && is(t, "queue-never");

	(void)snprintf(t->text, sizeof(t->text), _("the queue does not admit the job: %s"),
		s->queue.message);
	say(t, "queue-waits", never ? "queue-never" : "queue-quota", never ? 10 * MINUTE : 0);
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
		say(t, "queue-waits", "queue-not-resumed", 15 * MINUTE);
	} else {
		(void)snprintf(t->text, sizeof(t->text),
			_("JobSet %s is suspended and Kueue has made no Workload for it"),
			s->jobset_name);
		say(t, "queue-waits", "queue-no-workload", 15 * MINUTE);
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

	if (strcmp(p->phase, "Pending") != 0 || *p->node || !older(p->created_ms, 3 * MINUTE))
		return false;
	(void)snprintf(t->text, sizeof(t->text),
		_("%s finds no node while the chips are billed: %s"), p->name, why);
	found(t, why);
	if (is(t, "autoscaler-never"))
		say(t, "head-pending", "autoscaler-never", 12 * MINUTE);
	else
		say(t, "head-pending",
			is(t, "autoscaler-backoff") ? "autoscaler-backoff" : "unschedulable", 0);
	return true;
}

/* --- images (R48) */

static bool no_image(const struct state *s, const struct pod *p, struct trouble *t)
{
	const struct kevent *failed = event_of(s, p->name, "Failed");
	const char *said = p->message;
	bool denied, missing;

	if (strcmp(p->reason, "ErrImagePull") != 0 && strcmp(p->reason, "ImagePullBackOff") != 0 &&
		strcmp(p->reason, "Init:ErrImagePull") != 0 &&
		strcmp(p->reason, "Init:ImagePullBackOff") != 0)
		return false;
	if (!*said && failed)
		said = failed->message;
	found(t, said);
	denied = is(t, "image-denied") || is(t, "permission");
	missing = is(t, "image-missing");
	(void)snprintf(t->text, sizeof(t->text), _("%s cannot fetch its image: %s"), p->name, said);
	say(t, "image-pull",
		denied    ? "image-denied"
		: missing ? "image-missing"
			  : "image-pull",
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
		_("the head of %s is ready, but no worker pod has been made"), s->jobset_name);
	say(t, "no-workers", "no-workers", 20 * MINUTE);
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
	static const char *const stopping[] = {"queue-never", "queue-not-resumed",
		"queue-no-workload", "autoscaler-never", "image-denied", "image-missing",
		"image-pull", "no-workers"};

	for (size_t i = 0; cause_id && i < COUNT(stopping); i++)
		if (strcmp(stopping[i], cause_id) == 0)
			return true;
	return false;
}

bool trouble_passes(const char *cause_id)
{
	static const char *const passing[] = {"webhook", "server", "control-plane", "no-network",
		"rate-limit", "not-ready", "kueue-unhealthy"};

	for (size_t i = 0; cause_id && i < COUNT(passing); i++)
		if (strcmp(passing[i], cause_id) == 0)
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
