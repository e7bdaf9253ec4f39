/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/curves.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/cloud/cloud.h"
#include "core/cloud/gcs.h"
#include "core/fmt/tfevent.h"

#define CURVES_EVERY_MS 20000
#define CURVES_WALL_MS  100 /* never more often, however fast the run's time goes */
#define CURVES_MAX      ((size_t)64 << 20)

struct file {
	char *object;
	struct tfevent_reader reader;
	int64_t generation, size; /* as listed */
	int64_t seen;             /* generation that has been read */
};

struct curves {
	struct curves_spec spec;
	char *bucket, *folder;
	struct {
		struct file *items;
		size_t n, cap;
	} files;
	size_t next; /* file that is read now */
	bool asking, again;
	struct loop_timer *timer;
	void (*done)(void *arg);
	void *done_arg;
};

bool curves_place(
	const struct recipe *r, const char *tag, int64_t step, const char **name, int64_t *out)
{
	if (text_starts(tag, "jax/"))
		return false;
	for (size_t i = 0; r && i < r->watch.series.n; i++) {
		const struct recipe_series *s = &r->watch.series.items[i];
		if (s->tag && strcmp(s->tag, tag) == 0) {
			*name = s->id;
			*out = step < INT64_MAX ? step + 1 - (int64_t)s->base : step;
			return true;
		}
	}
	*name = tag;
	*out = series_event_step(tag, step);
	return true;
}

static void on_scalar(void *arg, const struct tfevent_scalar *s)
{
	struct curves *c = arg;
	struct event ev = {.kind = EV_POINT};

	if (!curves_place(c->spec.recipe, s->tag, s->step, &ev.u.point.series, &ev.u.point.at.step))
		return;
	ev.u.point.at.value = s->value;
	/* Damaged or absent stamps are no time. */
	ev.u.point.at.wall_ms = s->wall > 0 && s->wall < 1e12 ? (int64_t)(s->wall * 1000.0) : 0;
	ev.u.point.at.source = SERIES_EVENT;
	c->spec.emit(c->spec.arg, &ev);
}

static void first_look(void *arg);
static void look(struct curves *c);
static void read_next(struct curves *c);

static void rest(struct curves *c)
{
	int64_t wall = clock_wall_span(CURVES_EVERY_MS);
	void (*done)(void *) = c->done;
	void *arg = c->done_arg;

	c->asking = false;
	if (c->again) {
		c->again = false;
		look(c);
		return;
	}
	if (wall < CURVES_WALL_MS)
		wall = CURVES_WALL_MS;
	c->timer = loop_after_wall(cloud_loop(c->spec.cloud), wall, first_look, c);
	c->done = NULL;
	if (done)
		done(arg);
}

static void on_bytes(void *arg, const char *data, size_t n, int64_t generation, const struct err *e)
{
	struct curves *c = arg;
	struct file *f = &c->files.items[c->next];
	struct event beat = {.kind = EV_HEART, .number = HEART_METRICS};
	struct err broken = {0};

	(void)generation;
	if (e) {
		log_line("run", "curves: %s", e->what);
	} else {
		if (tfevent_feed(&f->reader, data, n, &broken) != 0)
			log_line("run", "curves: %s", broken.what);
		f->seen = f->generation;
		c->spec.emit(c->spec.arg, &beat);
	}
	c->next++;
	read_next(c);
}

static void read_next(struct curves *c)
{
	for (; c->next < c->files.n; c->next++) {
		struct file *f = &c->files.items[c->next];
		int64_t have = (int64_t)(f->reader.offset + f->reader.rest.len);
		AUTO_FREE char *range = x_asprintf("%lld-", (long long)have);
		if (f->reader.broken || f->seen == f->generation || f->size <= have)
			continue;
		gcs_get(c->spec.cloud, c->bucket, f->object, range, CURVES_MAX, on_bytes, c);
		return;
	}
	rest(c);
}

static void see(struct curves *c, const struct gcs_object *o)
{
	struct file *f = NULL;

	if (!strstr(o->name, "events.out.tfevents."))
		return;
	for (size_t i = 0; i < c->files.n && !f; i++)
		if (strcmp(c->files.items[i].object, o->name) == 0)
			f = &c->files.items[i];
	if (!f) {
		f = VEC_PUSH(&c->files);
		f->object = x_strdup(o->name);
		f->reader.scalar = on_scalar;
		f->reader.arg = c;
	}
	f->generation = o->generation;
	f->size = o->size;
}

static void on_list(void *arg, struct gcs_listing *listing, const struct err *e)
{
	struct curves *c = arg;

	if (e)
		log_line("run", "curves: %s", e->what);
	for (size_t i = 0; listing && i < listing->n; i++)
		see(c, &listing->items[i]);
	c->next = 0;
	read_next(c);
}

static void look(struct curves *c)
{
	loop_timer_cancel(&c->timer);
	if (c->asking || !c->bucket)
		return;
	c->asking = true;
	gcs_list(c->spec.cloud, c->bucket, c->folder, NULL, on_list, c);
}

static void first_look(void *arg)
{
	struct curves *c = arg;

	c->timer = NULL;
	look(c);
}

struct curves *curves_open(const struct curves_spec *spec)
{
	struct curves *c = X_NEW(struct curves);
	AUTO(buf_fini) struct buf uri = {0};

	c->spec = *spec;
	if (spec->recipe->watch.tensorboard &&
		values_expand(spec->values, spec->recipe->watch.tensorboard, &uri, NULL) == 0 &&
		gcs_uri(buf_str(&uri), &c->bucket, &c->folder))
		c->timer = loop_after_wall(cloud_loop(spec->cloud), CURVES_WALL_MS, first_look, c);
	return c;
}

static void finish_now(void *arg)
{
	struct curves *c = arg;
	void (*done)(void *) = c->done;

	c->done = NULL;
	if (done)
		done(c->done_arg);
}

void curves_finish(struct curves *c, void (*done)(void *arg), void *arg)
{
	c->done = done;
	c->done_arg = arg;
	if (!c->bucket)
		loop_defer(cloud_loop(c->spec.cloud), finish_now, c);
	else if (c->asking)
		c->again = true;
	else
		look(c);
}

void curves_close(struct curves **cp)
{
	struct curves *c = *cp;

	if (!c)
		return;
	*cp = NULL;
	loop_timer_cancel(&c->timer);
	loop_defer_drop(cloud_loop(c->spec.cloud), c);
	cloud_cancel_all(c->spec.cloud, c);
	for (size_t i = 0; i < c->files.n; i++) {
		free(c->files.items[i].object);
		tfevent_fini(&c->files.items[i].reader);
	}
	free(c->files.items);
	free(c->bucket);
	free(c->folder);
	free(c);
}
