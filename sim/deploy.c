/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/deploy.h"

#include "core/base/mem.h"
#include "core/fmt/json.h"
#include "sim/clock.h"
#include "sim/deploy_fault.h"
#include "sim/deploy_in.h"
#include "sim/ledger.h"
#include <stdlib.h>
#include <string.h>

#define PLAN_TIME (12 * SIM_S)
#define TICK      (10 * SIM_S)

void deploy_values_fini(struct deploy_values *v)
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
		d->parts[i] = (struct deploy_instance){.deploy = d, .index = i};
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
	free(d->folder);
	deploy_values_fini(&d->v);
	free(d);
	sim->deploy = NULL;
}

static struct deploy_instance *part_named(const struct sim *sim, const char *what)
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
		const struct deploy_instance *p = &d->parts[(*i)++];
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
	struct deploy_instance *p = part_named(sim, what);
	if (!p || p->busy || deploy_resources[p->index].effect != DEPLOY_NOTHING)
		return false;
	p->present = false;
	ledger_delete(sim, p->what);
	return true;
}

size_t deploy_count(const struct deploy *d)
{
	size_t n = 0;
	for (size_t i = 0; i < deploy_resources_n; i++)
		n += d->parts[i].present;
	return n;
}

static void finish(struct deploy *d)
{
	deploy_tell(d, deploy_end_event(!d->failed, d->added, d->destroyed));
	d->action = IDLE;
	deploy_end_streams(d);
}

static void next_group(struct deploy *d);

static void on_tick(void *arg)
{
	struct deploy_instance *p = arg;
	const struct deploy_resource *r = &deploy_resources[p->index];
	enum deploy_action action = p->deploy->action;
	int64_t all = (action == CREATING ? r->create_s : r->delete_s) * SIM_S;
	if (!p->busy)
		return;
	if (sim_now(p->deploy->sim) - p->since + TICK < all)
		sim_after(p->deploy->sim, TICK, on_tick, p);
	deploy_tell(p->deploy, deploy_event(p, "progress", action));
}

/* Takes over why. */
static void fail(struct deploy_instance *p, char *why)
{
	json_t *event = deploy_event(p, "error", p->deploy->action);
	json_object_set_new(event, "summary", json_string(why));
	json_object_set_new(event, "detail", json_string(p->what));
	p->deploy->failed = true;
	p->busy = false;
	deploy_tell(p->deploy, event);
	free(why);
}

/* True: the plan lets it fail. */
static bool faulted(struct deploy_instance *p)
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
	struct deploy_instance *p = arg;
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
	deploy_tell(d, deploy_event_with_id(p, "complete", d->action));
	next_group(d);
}

/* True when it is under way now; an error has been told otherwise. */
static bool begin(struct deploy_instance *p)
{
	struct deploy *d = p->deploy;
	const struct deploy_resource *r = &deploy_resources[p->index];
	int seconds = d->action == CREATING ? r->create_s : r->delete_s;
	char *why = NULL;
	p->since = sim_now(d->sim);
	deploy_tell(d, deploy_event(p, "start", d->action));
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

void deploy_work(struct deploy *d, enum deploy_action action)
{
	d->action = action;
	d->failed = false;
	d->added = d->destroyed = 0;
	sim_after(d->sim, PLAN_TIME, on_planned, d);
}
