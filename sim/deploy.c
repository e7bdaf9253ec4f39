/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/deploy.h"

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/fmt/json.h"
#include "sim/clock.h"
#include "sim/deploy_fault.h"
#include "sim/ledger.h"
#include "sim/route.h"
#include "sim/sim.h"
#include <stdlib.h>
#include <string.h>

#define PLAN_TIME (12 * SIM_S)
#define TICK      (10 * SIM_S)

enum action { IDLE, CREATING, DESTROYING };

static const char *const action_names[] = {[CREATING] = "create", [DESTROYING] = "delete"};

struct instance {
	struct deploy *deploy;
	size_t index;
	char *what;
	bool present, busy;
	bool held;    /* the state of who destroys holds it */
	bool outside; /* the state never held it: making it again is refused */
	int64_t since;
	size_t operation;
};

struct listener {
	struct deploy *deploy;
	struct stream *stream;
};

struct deploy {
	struct sim *sim;
	struct deploy_values v; /* name NULL: nothing was ever deployed */
	enum action action;
	bool failed;
	int added, destroyed;
	struct instance *parts;
	struct {
		struct listener **items;
		size_t n, cap;
	} listeners;
};

static void values_fini(struct deploy_values *v)
{
	free(v->name);
	free(v->region);
	free(v->zone);
	free(v->reservation);
	free(v->topology);
	free(v->suffix);
	*v = (struct deploy_values){0};
}

void deploy_open(struct sim *sim)
{
	struct deploy *d = X_NEW(struct deploy);
	d->sim = sim;
	d->parts = x_calloc(deploy_resources_n, sizeof(*d->parts));
	for (size_t i = 0; i < deploy_resources_n; i++)
		d->parts[i] = (struct instance){.deploy = d, .index = i};
	sim->deploy = d;
}

void deploy_close(struct sim *sim)
{
	struct deploy *d = sim->deploy;
	if (!d)
		return;
	for (size_t i = 0; i < deploy_resources_n; i++)
		free(d->parts[i].what);
	for (size_t i = 0; i < d->listeners.n; i++)
		free(d->listeners.items[i]);
	free(d->listeners.items);
	free(d->parts);
	values_fini(&d->v);
	free(d);
	sim->deploy = NULL;
}

static void on_hang_up(void *arg)
{
	struct listener *l = arg;
	struct deploy *d = l->deploy;
	for (size_t i = 0; i < d->listeners.n; i++)
		if (d->listeners.items[i] == l)
			d->listeners.items[i] = d->listeners.items[--d->listeners.n];
	free(l);
}

/* Takes over event. */
static void tell(struct deploy *d, json_t *event)
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

static json_t *event_json(const struct instance *p, const char *event, enum action action)
{
	const struct deploy_resource *r = &deploy_resources[p->index];
	AUTO_FREE char *type = type_of(r->address);
	return json_pack("{s:s, s:s, s:s, s:s, s:I}", "event", event, "resource", r->address,
		"type", type, "action", action_names[action], "elapsed_s",
		(json_int_t)((sim_now(p->deploy->sim) - p->since) / 1000));
}

static struct instance *part_named(const struct sim *sim, const char *what)
{
	struct deploy *d = sim->deploy;
	for (size_t i = 0; i < deploy_resources_n; i++)
		if (d->parts[i].present && d->parts[i].what && strcmp(d->parts[i].what, what) == 0)
			return &d->parts[i];
	return NULL;
}

bool deploy_there(const struct sim *sim, const char *what)
{
	return part_named(sim, what) != NULL;
}

const char *deploy_next(const struct sim *sim, size_t *i)
{
	const struct deploy *d = sim->deploy;
	while (*i < deploy_resources_n) {
		const struct instance *p = &d->parts[(*i)++];
		if (p->present && p->what)
			return p->what;
	}
	return NULL;
}

const char *deploy_name(const struct sim *sim)
{
	return sim->deploy->v.name ? sim->deploy->v.name : "";
}

bool deploy_drop(struct sim *sim, const char *what)
{
	struct instance *p = part_named(sim, what);
	if (!p || p->busy || deploy_resources[p->index].effect != DEPLOY_NOTHING)
		return false;
	p->present = false;
	ledger_delete(sim, p->what);
	return true;
}

static json_t *end_json(bool ok, int added, int destroyed)
{
	return json_pack("{s:s, s:b, s:i, s:i, s:i}", "event", "end", "ok", ok, "added", added,
		"changed", 0, "destroyed", destroyed);
}

static void finish(struct deploy *d)
{
	tell(d, end_json(!d->failed, d->added, d->destroyed));
	d->action = IDLE;
	while (d->listeners.n > 0) {
		struct listener *l = d->listeners.items[--d->listeners.n];
		stream_end(l->stream);
		free(l);
	}
}

static void next_group(struct deploy *d);

static void on_tick(void *arg)
{
	struct instance *p = arg;
	const struct deploy_resource *r = &deploy_resources[p->index];
	enum action action = p->deploy->action;
	int64_t all = (action == CREATING ? r->create_s : r->delete_s) * SIM_S;
	if (!p->busy)
		return;
	if (sim_now(p->deploy->sim) - p->since + TICK < all)
		sim_after(p->deploy->sim, TICK, on_tick, p);
	tell(p->deploy, event_json(p, "progress", action));
}

/* Takes over why. */
static void fail(struct instance *p, char *why)
{
	json_t *event = event_json(p, "error", p->deploy->action);
	json_object_set_new(event, "summary", json_string(why));
	json_object_set_new(event, "detail", json_string(p->what));
	p->deploy->failed = true;
	p->busy = false;
	tell(p->deploy, event);
	free(why);
}

/* True: the plan lets it fail. */
static bool faulted(struct instance *p)
{
	struct deploy *d = p->deploy;
	const struct deploy_resource *r = &deploy_resources[p->index];
	const struct fault *f =
		d->action == CREATING ? fault_take(d->sim, AT_DEPLOY, NULL, r->address) : NULL;
	if (!f)
		return false;
	char *why = deploy_fault_text(d->sim, f, r, &d->v);
	p->outside = p->present = f->what == FAULT_OUTSIDE;
	if (p->outside)
		deploy_part_made(d->sim, r, &d->v, p->what, p->operation);
	else
		deploy_part_failed(d->sim, r, p->what, p->operation, f->what == FAULT_STOCKOUT);
	fail(p, why);
	return true;
}

static void on_done(void *arg)
{
	struct instance *p = arg;
	struct deploy *d = p->deploy;
	const struct deploy_resource *r = &deploy_resources[p->index];
	bool creating = d->action == CREATING;
	if (faulted(p)) {
		next_group(d);
		return;
	}
	p->busy = false;
	if (creating) {
		p->present = true;
		deploy_part_made(d->sim, r, &d->v, p->what, p->operation);
	} else if (fault_take_one(d->sim, FAULT_LEFT, r->address)) {
		p->held = false; /* terraform believes it gone */
	} else {
		p->present = false;
		deploy_part_gone(d->sim, r, &d->v, p->what, p->operation);
	}
	*(creating ? &d->added : &d->destroyed) += 1;
	AUTO_FREE char *id = deploy_id(d->sim, d->v.region, d->v.name, p->what);
	json_t *event = event_json(p, "complete", d->action);
	json_object_set_new(event, "id", json_string(id));
	tell(d, event);
	next_group(d);
}

/* True when it is under way now; an error has been told otherwise. */
static bool begin(struct instance *p)
{
	struct deploy *d = p->deploy;
	const struct deploy_resource *r = &deploy_resources[p->index];
	int seconds = d->action == CREATING ? r->create_s : r->delete_s;
	char *why = NULL;
	p->since = sim_now(d->sim);
	tell(d, event_json(p, "start", d->action));
	p->outside = p->outside && p->present;
	if (p->outside && d->action == CREATING) {
		why = deploy_taken_text(d->sim, p->what);
	} else if (d->action == CREATING) {
		why = deploy_part_start(d->sim, r, &d->v, p->what, &p->operation);
	} else {
		why = fault_take_one(d->sim, FAULT_BUSY, r->address)
			      ? deploy_busy_text(d->sim, &d->v)
			      : deploy_part_stop(d->sim, r, &d->v, p->what, &p->operation);
	}
	if (why) {
		fail(p, why);
		return false;
	}
	p->busy = true;
	if (seconds * SIM_S > TICK)
		sim_after(d->sim, TICK, on_tick, p);
	sim_after(d->sim, seconds * SIM_S, on_done, p);
	return true;
}

static bool wanted(const struct deploy *d, size_t i)
{
	return d->action == CREATING ? !d->parts[i].present || d->parts[i].outside
				     : d->parts[i].present && d->parts[i].held;
}

/* Starts the next group once nothing is under way; ends when there is none, one failed or terraform
 * was killed. */
static void next_group(struct deploy *d)
{
	long group = -1;
	for (size_t i = 0; i < deploy_resources_n; i++) {
		int g = deploy_resources[i].group;
		if (d->parts[i].busy)
			return;
		if (wanted(d, i) && (group < 0 || (d->action == CREATING ? g < group : g > group)))
			group = g;
	}
	bool any = false, goes_on = group >= 0 && !d->failed && d->listeners.n > 0;
	for (size_t i = 0; goes_on && i < deploy_resources_n; i++)
		if (wanted(d, i) && deploy_resources[i].group == group)
			any = begin(&d->parts[i]) || any;
	if (!any)
		finish(d);
}

static void on_planned(void *arg)
{
	next_group(arg);
}

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

static size_t count_present(const struct deploy *d)
{
	size_t n = 0;
	for (size_t i = 0; i < deploy_resources_n; i++)
		n += d->parts[i].present;
	return n;
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
		struct instance *p = &d->parts[i];
		p->held = !state || in_state(state, deploy_resources[i].address);
		n += p->present && p->held;
	}
	return n;
}

/* What was made while nobody listened is in no state: it is told, as if somebody imported it. */
static void tell_made(const struct deploy *d, const json_t *state, struct stream *s)
{
	for (size_t i = 0; state && i < deploy_resources_n; i++) {
		const struct instance *p = &d->parts[i];
		if (!p->present || p->outside || in_state(state, deploy_resources[i].address))
			continue;
		AUTO_FREE char *id = deploy_id(d->sim, d->v.region, d->v.name, p->what);
		json_t *event = event_json(p, "made", CREATING);
		json_object_set_new(event, "id", json_string(id));
		stream_json(s, event);
		json_decref(event);
	}
}

static struct stream *join(struct deploy *d, struct req *req)
{
	struct listener *l = X_NEW(struct listener);
	l->deploy = d;
	l->stream = reply_stream(req, "application/x-ndjson", on_hang_up, l);
	*VEC_PUSH(&d->listeners) = l;
	return l->stream;
}

static void plan_to(struct stream *s, size_t add, size_t destroy)
{
	json_t *j = json_pack("{s:s, s:I, s:i, s:I}", "event", "planned", "add", (json_int_t)add,
		"change", 0, "destroy", (json_int_t)destroy);
	stream_json(s, j);
	json_decref(j);
}

/* A stream that says no and ends. */
static void refuse(struct req *req, const char *summary, const char *detail)
{
	struct stream *s = reply_stream(req, "application/x-ndjson", NULL, NULL);
	AUTO(json_auto)
	json_t *error = json_pack(
		"{s:s, s:s, s:s}", "event", "error", "summary", summary, "detail", detail);
	AUTO(json_auto) json_t *end = end_json(false, 0, 0);
	stream_json(s, error);
	stream_json(s, end);
	stream_end(s);
}

static void run(struct deploy *d, struct req *req, enum action action)
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
	size_t there = action == CREATING ? count_present(d) : hold(d, state);
	struct stream *s = join(d, req);
	if (action == CREATING)
		tell_made(d, state, s);
	plan_to(s, action == CREATING ? deploy_resources_n - there : 0,
		action == DESTROYING ? there : 0);
	for (size_t i = 0; joined && i < deploy_resources_n; i++) {
		if (!d->parts[i].busy)
			continue;
		AUTO(json_auto) json_t *event = event_json(&d->parts[i], "start", action);
		stream_json(s, event);
	}
	if (joined)
		return;
	d->action = action;
	d->failed = false;
	d->added = d->destroyed = 0;
	sim_after(d->sim, PLAN_TIME, on_planned, d);
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
	values_fini(&d->v);
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
	if (!same && (d->action != IDLE || count_present(d) > 0)) {
		refuse(req, "This pretend cloud holds one deployment at a time", d->v.name);
		return;
	}
	if (!same && d->sim->world->cluster.state != RES_ABSENT) {
		refuse(req, "Error 409: Already exists: a cluster", d->sim->world->cluster.name);
		return;
	}
	if (d->action == IDLE)
		set_values(d, in, name);
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
		AUTO(json_auto) json_t *end = end_json(true, 0, 0);
		plan_to(s, 0, 0);
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
		tell(d, json_pack("{s:s, s:s, s:s, s:s}", "event", "error", "resource", "",
				"summary", "execution halted", "detail", ""));
	}
	reply_json(req, 200, json_object());
}
