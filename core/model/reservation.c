/* SPDX-License-Identifier: Apache-2.0 */
#include "core/model/reservation.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/time.h"

#define OTHER_NAME "projects/%s/reservations/%s"

static char *text(const json_t *j, const char *path)
{
	const char *s = json_path_str(j, path);

	return text_clean_dup(s ? s : "");
}

/* The part after the last slash: resources come as addresses. */
static char *last_part(const json_t *j, const char *path)
{
	const char *s = json_path_str_or(j, path, "");
	const char *slash = strrchr(s, '/');

	return text_clean_dup(slash ? slash + 1 : s);
}

static char *project_of(const char *self_link)
{
	const char *p = self_link ? strstr(self_link, "/projects/") : NULL;
	size_t n;

	if (!p)
		return x_strdup("");
	p += strlen("/projects/");
	n = strcspn(p, "/");
	return x_strndup(p, n);
}

static void read_vms(struct reservation *r, const json_t *vms, const char *count)
{
	r->shape = RESERVATION_VMS;
	r->machine = last_part(vms, "instanceProperties.machineType");
	r->total = json_path_i64(vms, count, 0);
	r->used = json_path_i64(vms, "inUseCount", 0);
}

/* Chips of the accelerator that is named first; other resources are not chips. */
static int64_t chips(const json_t *list, char **type)
{
	const json_t *one;
	int64_t sum = 0;
	size_t i;

	json_array_foreach(list, i, one)
	{
		AUTO_FREE char *t = last_part(one, "accelerator.acceleratorType");

		if (!*t || (*type && strcmp(*type, t) != 0))
			continue;
		sum += json_path_i64(one, "accelerator.acceleratorCount", 0);
		if (!*type)
			*type = x_strdup(t);
	}
	return sum;
}

static void read_chips(struct reservation *r, const json_t *all)
{
	r->shape = RESERVATION_CHIPS;
	r->total = chips(json_path(all, "reservedResources"), &r->machine);
	r->used = chips(json_path(all, "inUseResources"), &r->machine);
	if (!r->machine)
		r->machine = x_strdup("");
}

static void read_names(struct reservation *r, const json_t *object, const char *own_project)
{
	r->name = text(object, "name");
	r->project = project_of(json_path_str(object, "selfLink"));
	r->zone = last_part(object, "zone");
	r->share = text(object, "shareSettings.shareType");
	r->health = text(object, "resourceStatus.healthInfo.healthStatus");
	r->start_ms = TIME_NONE;
	if (!r->project[0] || !own_project || !strcmp(r->project, own_project))
		r->full_name = x_strdup(r->name);
	else
		r->full_name = x_asprintf(OTHER_NAME, r->project, r->name);
}

bool reservation_decode(struct reservation *r, const json_t *object, const char *own_project)
{
	const json_t *vms = json_path(object, "specificReservation");
	const json_t *all = json_path(object, "aggregateReservation");

	*r = (struct reservation){0};
	if (!json_path_str(object, "name") || (!json_is_object(vms) && !json_is_object(all)))
		return false;
	if (json_is_object(vms))
		read_vms(r, vms, "count");
	else
		read_chips(r, all);
	read_names(r, object, own_project);
	r->status = text(object, "status");
	r->made = x_strdup("");
	r->specific = json_path_bool(object, "specificReservationRequired", false);
	r->end_ms = time_parse_ms(json_path_str(object, "deleteAtTime"));
	return true;
}

bool reservation_decode_future(struct reservation *r, const json_t *object, const char *own_project)
{
	const json_t *all = json_path(object, "aggregateReservation");

	*r = (struct reservation){0};
	if (!json_path_str(object, "name"))
		return false;
	if (json_is_object(all))
		read_chips(r, all);
	else
		read_vms(r, json_path(object, "specificSkuProperties"), "totalCount");
	read_names(r, object, own_project);
	r->shape = RESERVATION_COMING;
	r->status = text(object, "status.procurementStatus");
	r->made = last_part(object, "status.autoCreatedReservations[0]");
	r->specific = true;
	r->start_ms = time_parse_ms(json_path_str(object, "timeWindow.startTime"));
	r->end_ms = time_parse_ms(json_path_str(object, "timeWindow.endTime"));
	return true;
}

bool reservation_unread(struct reservation *r, const char *full_name, const char *zone)
{
	static const char before[] = "projects/", between[] = "/reservations/";
	const char *owner = full_name + strlen(before);
	const char *end = strncmp(full_name, before, strlen(before)) ? NULL : strchr(owner, '/');
	const char *name = end ? end + strlen(between) : NULL;

	*r = (struct reservation){0};
	if (!end || end == owner || strncmp(end, between, strlen(between)) != 0 || !*name)
		return false;
	*r = (struct reservation){.shape = RESERVATION_SHUT,
		.name = x_strndup(name, strcspn(name, "/")),
		.project = x_strndup(owner, (size_t)(end - owner)),
		.full_name = x_strdup(full_name),
		.zone = x_strdup(zone ? zone : ""),
		.machine = x_strdup(""),
		.status = x_strdup(""),
		.share = x_strdup("SPECIFIC_PROJECTS"),
		.health = x_strdup(""),
		.made = x_strdup(""),
		.specific = true,
		.start_ms = TIME_NONE,
		.end_ms = TIME_NONE};
	return true;
}

void reservation_fini(struct reservation *r)
{
	char *all[] = {r->name, r->project, r->full_name, r->zone, r->machine, r->status, r->share,
		r->health, r->made};

	for (size_t i = 0; i < COUNT(all); i++)
		free(all[i]);
	*r = (struct reservation){0};
}

bool reservation_shared(const struct reservation *r)
{
	return strcmp(r->full_name, r->name) != 0 || (*r->share && strcmp(r->share, "LOCAL") != 0);
}

int64_t reservation_free(const struct reservation *r)
{
	return r->total > r->used ? r->total - r->used : 0;
}

/* Chips of one VM: the number at the end of "ct6e-standard-4t". */
static int64_t chips_of(const char *machine)
{
	const char *dash = strrchr(machine, '-');
	long n = dash ? strtol(dash + 1, NULL, 10) : 0;

	return n > 0 ? n : 1;
}

bool reservation_fits(const struct reservation *r, const char *machine)
{
	size_t n = strlen(r->machine);

	if (r->shape == RESERVATION_VMS || strchr(r->machine, '-'))
		return strcmp(r->machine, machine) == 0;
	return n > 0 && strncmp(r->machine, machine, n) == 0 && machine[n] == '-';
}

int64_t reservation_vms(const struct reservation *r, const char *machine, int64_t *unused)
{
	int64_t per_vm = r->shape == RESERVATION_CHIPS ? chips_of(machine) : 1;

	*unused = reservation_free(r) / per_vm;
	return r->total / per_vm;
}

static int64_t needed(const struct reservation *r, const char *machine, int64_t vms)
{
	return r->shape == RESERVATION_CHIPS ? vms * chips_of(machine) : vms;
}

static enum reservation_verdict verdict(const struct reservation *r, const char *zone,
	const char *machine, int64_t vms, int64_t now_ms)
{
	if (r->shape == RESERVATION_SHUT)
		return RESERVATION_UNREADABLE;
	if (!reservation_fits(r, machine))
		return RESERVATION_WRONG_MACHINE;
	if (zone && *zone && strcmp(r->zone, zone) != 0)
		return RESERVATION_WRONG_ZONE;
	if (r->end_ms != TIME_NONE && r->end_ms <= now_ms)
		return RESERVATION_ENDED;
	if (r->shape == RESERVATION_COMING)
		return RESERVATION_FUTURE;
	if (strcmp(r->status, "READY") != 0)
		return RESERVATION_NOT_READY;
	if (!r->specific)
		return RESERVATION_NOT_SPECIFIC;
	return r->total - r->used < needed(r, machine, vms) ? RESERVATION_FULL : RESERVATION_OK;
}

static char *explain_free(
	const struct reservation *r, bool enough, const char *machine, int64_t vms)
{
	long long unused = (long long)reservation_free(r), total = (long long)r->total;
	long long need = (long long)needed(r, machine, vms);

	if (r->shape == RESERVATION_CHIPS)
		return enough ? x_asprintf(_("%lld of %lld chips are free"), unused, total)
			      : x_asprintf(_("%lld of %lld chips are free, %lld are needed"),
					unused, total, need);
	return enough ? x_asprintf(_("%lld of %lld VMs are free"), unused, total)
		      : x_asprintf(_("%lld of %lld VMs are free, %lld are needed"), unused, total,
				need);
}

static char *explain_future(const struct reservation *r)
{
	char start[TIME_SIZE];

	if (r->made[0])
		return x_asprintf(_("it has become the reservation %s: choose that one"), r->made);
	if (r->start_ms == TIME_NONE)
		return x_asprintf(_("it is only requested so far (%s)"), r->status);
	return x_asprintf(_("it begins at %s (%s); before that nothing of it can be used"),
		time_format(r->start_ms, start), r->status);
}

static char *explain(const struct reservation *r, enum reservation_verdict v, const char *zone,
	const char *machine, int64_t vms)
{
	char end[TIME_SIZE];

	switch (v) {
	case RESERVATION_WRONG_ZONE:
		return x_asprintf(_("it is in %s, not in %s"), r->zone, zone);
	case RESERVATION_WRONG_MACHINE:
		return x_asprintf(_("it holds %s, not %s"),
			*r->machine ? r->machine : _("no accelerator"), machine);
	case RESERVATION_NOT_SPECIFIC:
		return x_asprintf(_("it is consumed by any matching VM, so it cannot be named"));
	case RESERVATION_NOT_READY:
		return x_asprintf(_("its status is %s"), r->status);
	case RESERVATION_ENDED:
		return x_asprintf(_("it ended at %s"), time_format(r->end_ms, end));
	case RESERVATION_FUTURE:
		return explain_future(r);
	case RESERVATION_UNREADABLE:
		return x_asprintf(_("you may not read it; only its owner %s can tell zone, size "
				    "and what is free"),
			r->project);
	case RESERVATION_FULL:
	case RESERVATION_OK:
		break;
	}
	return explain_free(r, v == RESERVATION_OK, machine, vms);
}

enum reservation_verdict reservation_judge(const struct reservation *r, const char *zone,
	const char *machine, int64_t vms, int64_t now_ms, char **why)
{
	enum reservation_verdict v = verdict(r, zone, machine, vms, now_ms);

	if (why)
		*why = explain(r, v, zone, machine, vms);
	return v;
}

const char *reservation_verdict_name(enum reservation_verdict v)
{
	static const char *const names[] = {
#define X(name, word) [name] = word,
		RESERVATION_VERDICTS(X)
#undef X
	};

	return (size_t)v < COUNT(names) ? names[v] : "";
}
