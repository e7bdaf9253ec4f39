/* SPDX-License-Identifier: Apache-2.0 */
#include "core/model/reservation.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/time.h"

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

static int64_t chips_of(const json_t *aggregate, const char *list)
{
	const json_t *one;
	int64_t sum = 0;
	size_t i;

	json_array_foreach(json_path(aggregate, list), i, one)
	{
		sum += json_path_i64(one, "accelerator.acceleratorCount", 0);
	}
	return sum;
}

bool reservation_decode(struct reservation *r, const json_t *object, const char *own_project)
{
	const json_t *all = json_path(object, "aggregateReservation");

	*r = (struct reservation){0};
	if (!json_path_str(object, "name") || (!all && !json_path(object, "specificReservation")))
		return false;
	r->name = text(object, "name");
	r->project = project_of(json_path_str(object, "selfLink"));
	r->zone = last_part(object, "zone");
	r->status = text(object, "status");
	r->chips = all != NULL;
	r->machine = all ? last_part(all, "reservedResources[0].accelerator.acceleratorType")
			 : last_part(object, "specificReservation.instanceProperties.machineType");
	r->specific = json_path_bool(object, "specificReservationRequired", false);
	r->total = all ? chips_of(all, "reservedResources")
		       : json_path_i64(object, "specificReservation.count", 0);
	r->used = all ? chips_of(all, "inUseResources")
		      : json_path_i64(object, "specificReservation.inUseCount", 0);
	r->end_ms = time_parse_ms(json_path_str(object, "deleteAtTime"));
	if (!r->project[0] || !own_project || !strcmp(r->project, own_project))
		r->full_name = x_strdup(r->name);
	else
		r->full_name = x_asprintf("projects/%s/reservations/%s", r->project, r->name);
	return true;
}

void reservation_fini(struct reservation *r)
{
	char *all[] = {r->name, r->project, r->full_name, r->zone, r->machine, r->status};

	for (size_t i = 0; i < COUNT(all); i++)
		free(all[i]);
	*r = (struct reservation){0};
}

bool reservation_fits(const struct reservation *r, const char *machine)
{
	size_t n = strlen(r->machine);

	if (!r->chips)
		return strcmp(r->machine, machine) == 0;
	return n > 0 && strncmp(machine, r->machine, n) == 0 && machine[n] == '-';
}

int64_t reservation_vms(const struct reservation *r, const char *machine, int64_t *unused)
{
	const char *dash = strrchr(machine, '-');
	int64_t per_vm = r->chips && dash ? strtoll(dash + 1, NULL, 10) : 1;

	per_vm = per_vm > 0 ? per_vm : 1;
	*unused = (r->total - r->used) / per_vm;
	return r->total / per_vm;
}

static enum reservation_verdict verdict(const struct reservation *r, const char *zone,
	const char *machine, int64_t vms, int64_t now_ms)
{
	int64_t unused;

	reservation_vms(r, machine, &unused);
	if (!reservation_fits(r, machine))
		return RESERVATION_WRONG_MACHINE;
	if (zone && *zone && strcmp(r->zone, zone) != 0)
		return RESERVATION_WRONG_ZONE;
	if (r->end_ms != TIME_NONE && r->end_ms <= now_ms)
		return RESERVATION_ENDED;
	if (strcmp(r->status, "READY") != 0)
		return RESERVATION_NOT_READY;
	if (!r->specific)
		return RESERVATION_NOT_SPECIFIC;
	return unused < vms ? RESERVATION_FULL : RESERVATION_OK;
}

static char *explain(const struct reservation *r, enum reservation_verdict v, const char *zone,
	const char *machine, int64_t vms)
{
	int64_t left;
	long long total = (long long)reservation_vms(r, machine, &left);
	long long unused = (long long)left;
	char end[TIME_SIZE];

	switch (v) {
	case RESERVATION_WRONG_ZONE:
		return x_asprintf(_("it is in %s, not in %s"), r->zone, zone);
	case RESERVATION_WRONG_MACHINE:
		return x_asprintf(_("it holds %s, not %s"), r->machine, machine);
	case RESERVATION_NOT_SPECIFIC:
		return x_asprintf(_("it is consumed by any matching VM, so it cannot be named"));
	case RESERVATION_NOT_READY:
		return x_asprintf(_("its status is %s"), r->status);
	case RESERVATION_ENDED:
		return x_asprintf(_("it ended at %s"), time_format(r->end_ms, end));
	case RESERVATION_FULL:
		return x_asprintf(_("%lld of %lld VMs are free, %lld are needed"), unused, total,
			(long long)vms);
	case RESERVATION_OK:
		break;
	}
	return x_asprintf(_("%lld of %lld VMs are free"), unused, total);
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
