/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/reservations.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/cloud/cloud.h"
#include "core/cloud/compute.h"
#include "core/run/state_free.h"

#define FILE_MAX ((size_t)16 << 20)

static const char *value(const struct run *r, const char *name)
{
	const char *v = values_get(&r->values, name);

	return v ? v : "";
}

static void judge(const struct run *r, const json_t *reply, struct state_reservations *out)
{
	int64_t hosts = 0;
	size_t i;
	json_t *one;

	if (text_to_i64(value(r, "HOSTS"), 0, 1 << 20, &hosts) != 0)
		hosts = 0;
	json_array_foreach(json_path(reply, "reservations"), i, one) {
		struct reservation decoded;
		struct state_reservation *to;
		if (!reservation_decode(&decoded, one, value(r, "PROJECT")))
			continue;
		to = VEC_PUSH(out);
		to->r = decoded;
		to->verdict = reservation_judge(&to->r, NULL, value(r, "COMPUTE_TYPE"), hosts,
						clock_now(), &to->reason);
		if (!to->reason)
			to->reason = x_strdup("");
	}
}

static void tell(const struct run *r, const json_t *reply,
		 void (*emit)(void *arg, const struct event *ev), void *arg)
{
	struct state_reservations list = {0};
	struct event ev = {.kind = EV_RESERVATIONS};

	judge(r, reply, &list);
	ev.u.reservations = &list;
	emit(arg, &ev);
	state_reservations_fini(&list);
}

static void on_reply(void *arg, json_t *reply, const struct err *e)
{
	struct reservations_spec *spec = arg;
	AUTO_FREE char *file = path_join(spec->run->dir, "reservations.json");
	AUTO_FREE char *text = reply ? json_pretty(reply) : NULL;
	struct err bad = {0};

	if (!text)
		log_line("run", "reservations: %s", e ? e->what : "");
	else if (path_write(file, text, strlen(text), &bad) != 0)
		log_line("run", "reservations: %s", bad.what);
	else
		tell(spec->run, reply, spec->emit, spec->arg);
}

void reservations_ask(struct reservations_spec *spec)
{
	cloud_cancel_all(spec->cloud, spec);
	compute_reservations(spec->cloud, value(spec->run, "PROJECT"),
			     (struct cloud_done){on_reply, spec});
}

void reservations_drop(struct reservations_spec *spec)
{
	if (spec->cloud)
		cloud_cancel_all(spec->cloud, spec);
}

void reservations_read(const struct run *r, void (*emit)(void *arg, const struct event *ev),
		       void *arg)
{
	AUTO_FREE char *file = path_join(r->dir, "reservations.json");
	AUTO(json_auto) json_t *reply =
		path_exists(file) ? json_read_file(file, FILE_MAX, NULL) : NULL;

	if (reply)
		tell(r, reply, emit, arg);
}
