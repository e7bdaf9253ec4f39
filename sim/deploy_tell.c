/* SPDX-License-Identifier: Apache-2.0 */
/* Who listens to a deployment, and what they hear: a stream of events each. */
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/fmt/json.h"
#include "sim/clock.h"
#include "sim/deploy_in.h"
#include <stdlib.h>
#include <string.h>

static const char *const action_names[] = {[CREATING] = "create", [DESTROYING] = "delete"};

struct deploy_listener {
	struct deploy *deploy;
	struct stream *stream;
};

static void on_hang_up(void *arg)
{
	struct deploy_listener *l = arg;
	struct deploy *d = l->deploy;
	for (size_t i = 0; i < d->listeners.n; i++)
		if (d->listeners.items[i] == l)
			d->listeners.items[i] = d->listeners.items[--d->listeners.n];
	free(l);
}

struct stream *deploy_join(struct deploy *d, struct req *req)
{
	struct deploy_listener *l = X_NEW(struct deploy_listener);
	l->deploy = d;
	l->stream = reply_stream(req, "application/x-ndjson", on_hang_up, l);
	*VEC_PUSH(&d->listeners) = l;
	return l->stream;
}

void deploy_end_streams(struct deploy *d)
{
	while (d->listeners.n > 0) {
		struct deploy_listener *l = d->listeners.items[--d->listeners.n];
		stream_end(l->stream);
		free(l);
	}
}

void deploy_tell(struct deploy *d, json_t *event)
{
	for (size_t i = 0; i < d->listeners.n; i++)
		stream_json(d->listeners.items[i]->stream, event);
	json_decref(event);
}

/* The type in "module.a.module.b.type.name[…]"; the caller's. */
static char *type_of(const char *address)
{
	while (text_starts(address, "module.")) {
		address += strlen("module.");
		address += strcspn(address, ".") + 1;
	}
	return x_strndup(address, strcspn(address, "."));
}

json_t *deploy_event(const struct deploy_instance *p, const char *event, enum deploy_action action)
{
	const struct deploy_resource *r = &deploy_resources[p->index];
	AUTO_FREE char *type = type_of(r->address);
	return json_pack("{s:s, s:s, s:s, s:s, s:I}", "event", event, "resource", r->address,
		"type", type, "action", action_names[action], "elapsed_s",
		(json_int_t)((sim_now(p->deploy->sim) - p->since) / 1000));
}

json_t *deploy_event_with_id(
	const struct deploy_instance *p, const char *event, enum deploy_action action)
{
	const struct deploy *d = p->deploy;
	AUTO_FREE char *id = deploy_id(d->sim, d->v.region, d->v.name, p->what);
	json_t *j = deploy_event(p, event, action);
	json_object_set_new(j, "id", json_string(id));
	return j;
}

json_t *deploy_end_event(bool ok, int added, int destroyed)
{
	return json_pack("{s:s, s:b, s:i, s:i, s:i}", "event", "end", "ok", ok, "added", added,
		"changed", 0, "destroyed", destroyed);
}

void deploy_tell_plan(struct stream *s, size_t add, size_t destroy)
{
	json_t *j = json_pack("{s:s, s:I, s:i, s:I}", "event", "planned", "add", (json_int_t)add,
		"change", 0, "destroy", (json_int_t)destroy);
	stream_json(s, j);
	json_decref(j);
}
