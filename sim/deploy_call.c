/* SPDX-License-Identifier: Apache-2.0 */
/* The requests: what is asked for is planned against what is there and what the caller's state
 * holds. */
#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/json.h"
#include "sim/clock.h"
#include "sim/deploy_fault.h"
#include "sim/deploy_in.h"
#include <stdlib.h>
#include <string.h>

/* %d and %x in a ledger name. */
static char *expand(const char *what, const struct deploy_values *v)
{
	struct buf b = {0};
	for (; *what; what++) {
		if (what[0] == '%' && (what[1] == 'd' || what[1] == 'x'))
			buf_adds(&b, *++what == 'd' ? v->name : v->suffix);
		else
			buf_addc(&b, *what);
	}
	return buf_take(&b);
}

static void refresh(struct deploy *d)
{
	for (size_t i = 0; i < deploy_resources_n; i++)
		if (d->parts[i].present &&
			!deploy_part_there(d->sim, &deploy_resources[i], d->parts[i].what))
			d->parts[i].present = false;
}

static bool in_state(const json_t *state, const char *address)
{
	size_t i;
	json_t *one;
	json_array_foreach(state, i, one)
	{
		if (json_is_string(one) && strcmp(json_string_value(one), address) == 0)
			return true;
	}
	return false;
}

/* terraform destroys what its state holds and nothing else. */
static size_t hold(struct deploy *d, const json_t *state)
{
	size_t n = 0;
	for (size_t i = 0; i < deploy_resources_n; i++) {
		struct deploy_instance *p = &d->parts[i];
		p->held = !state || in_state(state, deploy_resources[i].address);
		n += p->present && p->held;
	}
	return n;
}

/* What was made while nobody listened is in no state: it is told, as if somebody imported it. */
static void tell_made(const struct deploy *d, const json_t *state, struct stream *s)
{
	for (size_t i = 0; state && i < deploy_resources_n; i++) {
		const struct deploy_instance *p = &d->parts[i];
		if (!p->present || p->outside || in_state(state, deploy_resources[i].address))
			continue;
		AUTO(json_auto) json_t *event = deploy_event_with_id(p, "made", CREATING);
		stream_json(s, event);
	}
}

/* A stream that says no and ends. */
static void refuse(struct req *req, const char *summary, const char *detail)
{
	struct stream *s = reply_stream(req, "application/x-ndjson", NULL, NULL);
	AUTO(json_auto)
	json_t *error = json_pack(
		"{s:s, s:s, s:s}", "event", "error", "summary", summary, "detail", detail);
	AUTO(json_auto) json_t *end = deploy_end_event(false, 0, 0);
	stream_json(s, error);
	stream_json(s, end);
	stream_end(s);
}

static void run(struct deploy *d, struct req *req, enum deploy_action action)
{
	bool joined = d->action == action;
	if (fault_take_one(d->sim, FAULT_LOCK, "state")) {
		AUTO_FREE char *lock = deploy_lock_text(d->sim);
		refuse(req, "Error acquiring the state lock", lock);
		return;
	}
	if (d->action != IDLE && !joined) {
		refuse(req, "Error acquiring the state lock",
			"Another terraform works on this deployment: wait until it has ended.");
		return;
	}
	if (!joined)
		refresh(d);
	const json_t *state = json_path(req_json(req), "state");
	size_t there = action == CREATING ? deploy_count(d) : hold(d, state);
	struct stream *s = deploy_join(d, req);
	if (action == CREATING)
		tell_made(d, state, s);
	deploy_tell_plan(s, action == CREATING ? deploy_resources_n - there : 0,
		action == DESTROYING ? there : 0);
	for (size_t i = 0; joined && i < deploy_resources_n; i++) {
		if (!d->parts[i].busy)
			continue;
		AUTO(json_auto) json_t *event = deploy_event(&d->parts[i], "start", action);
		stream_json(s, event);
	}
	if (!joined)
		deploy_work(d, action);
}

static const char *deployment_of(const json_t *in)
{
	const char *name = json_path_str(in, "deployment");
	return name ? name : json_path_str(in, "deployment_name");
}

static void set_values(struct deploy *d, const json_t *in, const char *name)
{
	const struct world *w = d->sim->world;
	bool same = d->v.name && strcmp(d->v.name, name) == 0;
	AUTO_FREE char *suffix = same ? x_strdup(d->v.suffix) : world_id(d->sim->world);
	AUTO_FREE char *keep = x_strdup(name);
	deploy_values_fini(&d->v);
	d->v = (struct deploy_values){.name = x_strdup(keep),
		.region = x_strdup(json_path_str_or(in, "region", w->region)),
		.zone = x_strdup(json_path_str_or(in, "zone", w->zone)),
		.reservation = x_strdup(json_path_str_or(in, "reservation", "")),
		.topology = x_strdup(json_path_str_or(in, "topology", "4x8")),
		.suffix = x_strdup(suffix),
		.slices = (int)json_path_i64(in, "slices", 1)};
	for (size_t i = 0; i < deploy_resources_n; i++) {
		free(d->parts[i].what);
		d->parts[i].what = expand(deploy_resources[i].what, &d->v);
	}
}

/* The network that is there already when the folder of another deployment, whose state holds
 * nothing, would make it anew; NULL = none. */
static const char *taken(const struct deploy *d, const json_t *in)
{
	const json_t *state = json_path(in, "state");
	const char *folder = json_path_str_or(in, "folder", "");

	if (!d->folder || !state || json_array_size(state) > 0 || strcmp(d->folder, folder) == 0)
		return NULL;
	for (size_t i = 0; i < deploy_resources_n; i++)
		if (d->parts[i].present && text_starts(d->parts[i].what, "network/"))
			return d->parts[i].what;
	return NULL;
}

static void keep_folder(struct deploy *d, const json_t *in)
{
	const char *folder = json_path_str(in, "folder");

	free(d->folder);
	d->folder = folder ? x_strdup(folder) : NULL;
}

void deploy_create(struct req *req)
{
	struct deploy *d = req->sim->deploy;
	const json_t *in = req_json(req);
	const char *name = deployment_of(in);
	if (!name || !*name) {
		reply_google_error(
			req, 400, "INVALID_ARGUMENT", "required", "deployment is required");
		return;
	}
	bool same = d->v.name && strcmp(d->v.name, name) == 0;
	if (!same && (d->action != IDLE || deploy_count(d) > 0)) {
		refuse(req, "This pretend cloud holds one deployment at a time", d->v.name);
		return;
	}
	if (!same && d->sim->world->cluster.state != RES_ABSENT) {
		refuse(req, "Error 409: Already exists: a cluster", d->sim->world->cluster.name);
		return;
	}
	const char *network = same ? taken(d, in) : NULL;
	if (network) {
		AUTO_FREE char *why = deploy_taken_text(d->sim, network);
		refuse(req, why, network);
		return;
	}
	if (d->action == IDLE) {
		set_values(d, in, name);
		keep_folder(d, in);
	}
	run(d, req, CREATING);
}

void deploy_destroy(struct req *req)
{
	struct deploy *d = req->sim->deploy;
	const char *name = deployment_of(req_json(req));
	if (!name || !*name) {
		reply_google_error(
			req, 400, "INVALID_ARGUMENT", "required", "deployment is required");
	} else if (!d->v.name || strcmp(d->v.name, name) != 0) {
		struct stream *s = reply_stream(req, "application/x-ndjson", NULL, NULL);
		AUTO(json_auto) json_t *end = deploy_end_event(true, 0, 0);
		deploy_tell_plan(s, 0, 0);
		stream_json(s, end);
		stream_end(s);
	} else {
		run(d, req, DESTROYING);
	}
}

/* What is under way ends, nothing further begins. */
void deploy_interrupt(struct req *req)
{
	struct deploy *d = req->sim->deploy;
	if (d->action != IDLE) {
		d->failed = true;
		deploy_tell(d, json_pack("{s:s, s:s, s:s, s:s}", "event", "error", "resource", "",
				       "summary", "execution halted", "detail", ""));
	}
	reply_json(req, 200, json_object());
}
