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
#include "core/run/discover.h"
#include "core/run/state_free.h"

#define FILE_MAX ((size_t)16 << 20)

static const char *value(const struct run *r, const char *name)
{
	const char *v = values_get(&r->values, name);

	return v ? v : "";
}

static void push(const struct run *r, struct reservation *decoded, struct state_reservations *out)
{
	struct state_reservation *to = VEC_PUSH(out);
	int64_t hosts = 0;

	if (text_to_i64(value(r, "HOSTS"), 0, 1 << 20, &hosts) != 0)
		hosts = 0;
	to->r = *decoded;
	to->verdict = reservation_judge(
		&to->r, NULL, value(r, "COMPUTE_TYPE"), hosts, clock_now(), &to->reason);
}

static bool listed(const struct state_reservations *l, const char *full_name)
{
	for (size_t i = 0; i < l->n; i++)
		if (strcmp(l->items[i].r.full_name, full_name) == 0)
			return true;
	return false;
}

static void judge(const struct run *r, const json_t *record, struct state_reservations *out)
{
	const char *project = value(r, "PROJECT"), *chosen = value(r, "RESERVATION");
	struct reservation one;
	const json_t *j;
	size_t i;

	json_array_foreach(json_path(record, "reservations"), i,
		j) if (reservation_decode(&one, j, project)) push(r, &one, out);
	if (reservation_decode(&one, json_path(record, "other"), project))
		push(r, &one, out);
	else if (!listed(out, chosen) && reservation_unread(&one, chosen, value(r, "ZONE")))
		push(r, &one, out);
	json_array_foreach(json_path(record, "future"), i,
		j) if (reservation_decode_future(&one, j, project)) push(r, &one, out);
}

static void tell(const struct run *r, const json_t *record,
	void (*emit)(void *arg, const struct event *ev), void *arg)
{
	struct state_reservations list = {0};
	struct event ev = {.kind = EV_RESERVATIONS};
	const json_t *place;
	size_t i;

	judge(r, record, &list);
	list.at = json_path_i64(record, "at", 0);
	list.asking = json_path_bool(record, "asking", false);
	list.incomplete = json_path_bool(record, "incomplete", false);
	list.error = text_clean_dup(json_path_str_or(record, "error", ""));
	json_array_foreach(json_path(record, "unreachable"), i, place)
	{
		AUTO_FREE char *name = text_clean_dup(json_path_str_or(place, "", ""));
		strvec_push(&list.unreachable, name);
	}
	ev.u.reservations = &list;
	emit(arg, &ev);
	state_reservations_fini(&list);
}

static void publish(struct reservations_spec *spec)
{
	AUTO_FREE char *file = path_join(spec->run->dir, "reservations.json");
	AUTO_FREE char *text = NULL;
	struct err e = {0};

	json_object_set_new(spec->record, "asking", json_boolean(spec->waiting > 0));
	text = json_pretty(spec->record);
	if (path_write(file, text, strlen(text), &e) != 0)
		log_line("run", "reservations: %s", e.what);
	tell(spec->run, spec->record, spec->emit, spec->arg);
}

static void answered(struct reservations_spec *spec)
{
	spec->waiting--;
	publish(spec);
}

static void on_list(void *arg, json_t *reply, const struct err *e)
{
	struct reservations_spec *spec = arg;
	AUTO_FREE char *why = discover_why(e);

	if (reply)
		json_object_update(spec->record, reply);
	json_object_set_new(spec->record, "at", json_integer(reply ? clock_now() : 0));
	json_object_set_new(spec->record, "error", json_from_str(why));
	answered(spec);
}

/* Many accounts may not ask for these: then there are none to show. */
static void on_future(void *arg, json_t *reply, const struct err *e)
{
	struct reservations_spec *spec = arg;

	if (reply)
		json_object_set(spec->record, "future", json_path(reply, "futureReservations"));
	else
		log_line("run", "future reservations: %s", e->what);
	answered(spec);
}

static void on_other(void *arg, json_t *reply, const struct err *e)
{
	struct reservations_spec *spec = arg;

	if (reply)
		json_object_set(spec->record, "other", reply);
	else
		log_line("run", "shared reservation: %s", e->what);
	answered(spec);
}

/* The shared one that was typed: "projects/OWNER/reservations/NAME". */
static void ask_other(struct reservations_spec *spec)
{
	struct reservation named;
	const char *zone = value(spec->run, "ZONE");

	if (!reservation_unread(&named, value(spec->run, "RESERVATION"), zone))
		return;
	if (*zone && strcmp(named.project, value(spec->run, "PROJECT")) != 0) {
		spec->waiting++;
		compute_reservation(spec->cloud, named.project, zone, named.name,
			(struct cloud_done){on_other, spec});
	}
	reservation_fini(&named);
}

void reservations_ask(struct reservations_spec *spec)
{
	const char *project = value(spec->run, "PROJECT");

	reservations_drop(spec);
	spec->record = json_object();
	if (!*project) {
		AUTO_FREE char *why = x_asprintf(_("%s is needed first"), "PROJECT");
		json_object_set_new(spec->record, "error", json_from_str(why));
		publish(spec);
		return;
	}
	spec->waiting = 2;
	compute_reservations(spec->cloud, project, (struct cloud_done){on_list, spec});
	compute_future_reservations(spec->cloud, project, (struct cloud_done){on_future, spec});
	ask_other(spec);
	publish(spec);
}

void reservations_drop(struct reservations_spec *spec)
{
	if (spec->cloud)
		cloud_cancel_all(spec->cloud, spec);
	json_decref(spec->record);
	spec->record = NULL;
	spec->waiting = 0;
}

void reservations_read(
	const struct run *r, void (*emit)(void *arg, const struct event *ev), void *arg)
{
	AUTO_FREE char *file = path_join(r->dir, "reservations.json");
	AUTO(json_auto)
	json_t *record = path_exists(file) ? json_read_file(file, FILE_MAX, NULL) : NULL;

	if (record)
		tell(r, record, emit, arg);
}
