/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/inquire.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/cloud/cloud.h"
#include "core/io/loop.h"
#include "core/run/checks.h"
#include "core/run/discover.h"
#include "core/run/reservations.h"

#define WAIT_MS 20000 /* wall */

struct inquire {
	const struct run *run;
	struct loop *loop;
	struct loop_timer *limit;
	struct cloud *cloud;
	struct state state;
	struct discover *discover;
	struct reservations_spec reservations;
	struct checks *checks;
	char *toolkit;
	const char *awaited; /* variable whose list is waited for; NULL: the reservations */
	bool waiting;
};

static bool answered(const struct inquire *q)
{
	const struct state_offers *o = q->awaited ? state_offers_find(&q->state, q->awaited) : NULL;

	if (q->checks)
		return false;
	return q->awaited ? o && !o->asking : !q->state.reservations.asking;
}

static void take(void *arg, const struct event *ev)
{
	struct inquire *q = arg;

	run_apply(&q->state, ev);
	if (q->waiting && answered(q))
		loop_stop(q->loop);
}

static void on_check(void *arg, const struct state_check *c)
{
	struct event ev = {.kind = EV_CHECK};

	ev.u.check = c;
	take(arg, &ev);
}

static void on_checks(void *arg)
{
	struct inquire *q = arg;

	q->checks = NULL;
	loop_stop(q->loop);
}

static void late(void *arg)
{
	struct inquire *q = arg;

	q->limit = NULL;
	loop_stop(q->loop);
}

static void wait_for_it(struct inquire *q)
{
	q->waiting = true;
	q->limit = loop_after_wall(q->loop, WAIT_MS, late, q);
	loop_run(q->loop);
	loop_timer_cancel(&q->limit);
	q->waiting = false;
}

struct inquire *inquire_open(const struct run *r)
{
	struct inquire *q = X_NEW(struct inquire);
	struct discover_spec lists = {.run = r, .emit = take, .arg = q};

	q->run = r;
	q->loop = loop_new();
	q->cloud = lists.cloud = cloud_new(q->loop);
	q->toolkit = path_join(r->dir, "toolkit");
	state_init(&q->state);
	q->discover = discover_open(&lists);
	q->reservations =
		(struct reservations_spec){.cloud = q->cloud, .run = r, .emit = take, .arg = q};
	return q;
}

void inquire_close(struct inquire **qp)
{
	struct inquire *q = *qp;

	if (!q)
		return;
	*qp = NULL;
	checks_drop(&q->checks);
	reservations_drop(&q->reservations);
	discover_close(&q->discover);
	cloud_free(q->cloud);
	state_fini(&q->state);
	loop_free(q->loop);
	free(q->toolkit);
	free(q);
}

bool inquire_offers(struct inquire *q, const char *variable)
{
	const struct recipe_variable *v = recipe_variable(q->run->recipe, variable);

	if (!v || !v->discover)
		return false;
	if (strcmp(v->discover, "reservation") == 0) {
		q->awaited = NULL;
		reservations_ask(&q->reservations);
	} else {
		q->awaited = v->name;
		discover_ask(q->discover, variable, true);
	}
	if (!answered(q))
		wait_for_it(q);
	return true;
}

int inquire_checks(struct inquire *q, struct err *e)
{
	struct checks_place place = {.cloud = q->cloud,
		.recipe = q->run->recipe,
		.values = &q->run->values,
		.deviations = &q->run->deviations,
		.toolkit = q->toolkit,
		.on_check = on_check,
		.done = on_checks,
		.arg = q};

	q->checks = checks_ask(&place, NULL, e);
	if (!q->checks)
		return -1;
	wait_for_it(q);
	checks_drop(&q->checks);
	return 0;
}

const struct state *inquire_state(const struct inquire *q)
{
	return &q->state;
}
