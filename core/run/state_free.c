/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/state_free.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"

static char *copy(const char *s)
{
	return x_strdup(s ? s : "");
}

static void pod_free(void *pod)
{
	pod_fini(pod);
	free(pod);
}

static void node_free(void *node)
{
	node_fini(node);
	free(node);
}

static void kevent_free(void *kevent)
{
	kevent_fini(kevent);
	free(kevent);
}

void state_maps_init(struct state *s)
{
	s->pods.free_value = pod_free;
	s->nodes.free_value = node_free;
	s->kevents.free_value = kevent_free;
}

void state_check_copy(struct state_check *to, const struct state_check *from)
{
	to->id = copy(from->id);
	to->group = copy(from->group);
	to->state = copy(from->state);
	to->question = copy(from->question);
	to->cause = copy(from->cause);
	to->cure = copy(from->cure);
	to->who = copy(from->who);
	to->source = copy(from->source);
	memset(&to->cure_argv, 0, sizeof(to->cure_argv));
	for (size_t i = 0; i < from->cure_argv.n; i++)
		strvec_push(&to->cure_argv, from->cure_argv.items[i]);
}

void state_check_fini(struct state_check *c)
{
	free(c->id);
	free(c->group);
	free(c->state);
	free(c->question);
	free(c->cause);
	free(c->cure);
	free(c->who);
	free(c->source);
	strvec_fini(&c->cure_argv);
}

void state_reservations_fini(struct state_reservations *r)
{
	for (size_t i = 0; i < r->n; i++) {
		reservation_fini(&r->items[i].r);
		free(r->items[i].reason);
	}
	free(r->items);
	free(r->error);
	strvec_fini(&r->unreachable);
	memset(r, 0, sizeof(*r));
}

void state_alert_fini(struct state_alert *a)
{
	free(a->id);
	free(a->state);
	free(a->text);
	free(a->cause);
	free(a->cure);
}

void state_lines_clear(struct strvec *l)
{
	strvec_fini(l);
	memset(l, 0, sizeof(*l));
}

void state_lines_copy(struct strvec *to, const struct strvec *from)
{
	state_lines_clear(to);
	for (size_t i = 0; i < from->n; i++)
		strvec_push(to, from->items[i]);
}
