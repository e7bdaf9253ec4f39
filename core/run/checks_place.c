/* SPDX-License-Identifier: Apache-2.0 */
/* Judges of place, quota and reservation. */
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/time.h"
#include "core/model/reservation.h"
#include "core/recipe/rule.h"
#include "core/run/checks_in.h"

static void judge_zone(const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	const struct err *e = checks_error(c, FROM_ZONE);
	const char *status = json_path_str_or(checks_reply(c, FROM_ZONE), "status", "UP");

	(void)q;
	if (e && e->http == 404)
		finding_set(f, CHECK_BLOCKING, "you", _("choose a zone from the list"),
			_("there is no zone %s"), checks_value(c, "ZONE"));
	else if (finding_failed(f, c, FROM_ZONE))
		return;
	else if (strcmp(status, "UP") != 0)
		finding_set(f, CHECK_BLOCKING, "google", _("wait, or use another zone"),
			_("the zone is %s"), status);
	else
		finding_ok(f);
}

static void judge_region(const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	char region[64];

	(void)q;
	if (rule_region_of(checks_value(c, "ZONE"), region, sizeof(region)) &&
		strcmp(region, checks_value(c, "REGION")) == 0)
		finding_ok(f);
	else
		finding_set(f, CHECK_BLOCKING, "you", _("set REGION to the zone's region"),
			_("zone %s does not lie in region %s"), checks_value(c, "ZONE"),
			checks_value(c, "REGION"));
}

/* The machine must hold what is put on it: the recipe says how much. */
static bool large_enough(const struct checks *c, const struct recipe_check *q, enum check_source s,
	struct finding *f)
{
	AUTO_FREE char *cpus = checks_arg(c, q, "need_cpus");
	AUTO_FREE char *gib = checks_arg(c, q, "need_gib");
	int64_t want_cpus = cpus ? strtoll(cpus, NULL, 10) : 0;
	int64_t want_mb = gib ? 1024 * strtoll(gib, NULL, 10) : 0;
	int64_t have_cpus = json_path_i64(checks_reply(c, s), "guestCpus", INT64_MAX);
	int64_t have_mb = json_path_i64(checks_reply(c, s), "memoryMb", INT64_MAX);

	if (have_cpus >= want_cpus && have_mb >= want_mb)
		return true;
	finding_set(f, CHECK_BLOCKING, "you", _("use a larger machine type"),
		_("it has %lld CPUs and %lld GiB, the head pod asks for %lld and %lld"),
		(long long)have_cpus, (long long)(have_mb / 1024), (long long)want_cpus,
		(long long)(want_mb / 1024));
	return false;
}

static void judge_machine(const struct checks *c, const struct recipe_check *q, enum check_source s,
	struct finding *f)
{
	AUTO_FREE char *machine = checks_arg(c, q, "machine");
	const struct err *e = checks_error(c, s);
	const struct err *zone = checks_error(c, FROM_ZONE);

	if (zone && zone->http == 404)
		finding_set(f, CHECK_UNKNOWN, "you", _("choose a zone from the list"),
			_("there is no zone %s"), checks_value(c, "ZONE"));
	else if (e && e->http == 404)
		finding_set(f, CHECK_BLOCKING, "you", _("use another zone"),
			_("%s does not offer %s"), checks_value(c, "ZONE"), machine ? machine : "");
	else if (!finding_failed(f, c, s) && large_enough(c, q, s, f))
		finding_ok(f);
}

static void judge_ct6e(const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	judge_machine(c, q, FROM_CT6E, f);
}

static void judge_e2(const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	judge_machine(c, q, FROM_E2, f);
}

static void judge_n4(const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	judge_machine(c, q, FROM_N4, f);
}

struct quota {
	const char *id;
	const char *metrics[3]; /* every one that exists must have room; NULL ended */
};

/* Which metric counts a machine family is not the same everywhere: all that are there are read. */
static const struct quota quotas[] = {
	{"quota.cpus-e2", {"E2_CPUS", "CPUS"}},
	{"quota.addresses", {"IN_USE_ADDRESSES"}},
	{"quota.ssd", {"SSD_TOTAL_GB"}},
	{"quota.networks", {"NETWORKS"}},
};

static double needed(const struct checks *c, const struct recipe_check *q, const char *name)
{
	AUTO_FREE char *text = checks_arg(c, q, name);

	return text ? strtod(text, NULL) : 0;
}

static const json_t *metric(const json_t *reply, const char *name)
{
	const json_t *one;
	size_t i;

	json_array_foreach(json_path(reply, "quotas"), i, one)
	{
		if (strcmp(json_path_str_or(one, "metric", ""), name) == 0)
			return one;
	}
	return NULL;
}

static void too_little(struct finding *f, const char *name, double left, double need)
{
	finding_set(f, CHECK_BLOCKING, "administrator",
		_("ask for more of this quota in the console"),
		_("quota %s: %.0f left, %.0f needed"), name, left, need);
}

static void not_told(struct finding *f)
{
	finding_set(f, CHECK_UNKNOWN, "you", _("look at the quotas in the console"),
		_("the region does not report this quota"));
}

static void judge_quota(const struct checks *c, const struct recipe_check *q, enum check_source s,
	struct finding *f)
{
	double need = needed(c, q, "need");
	bool any = false;

	if (finding_failed(f, c, s))
		return;
	for (size_t i = 0; i < COUNT(quotas); i++)
		for (size_t k = 0; strcmp(quotas[i].id, q->id) == 0 && quotas[i].metrics[k]; k++) {
			const json_t *m = metric(checks_reply(c, s), quotas[i].metrics[k]);
			double left = json_path_num(m, "limit", 0) - json_path_num(m, "usage", 0);

			any |= m != NULL;
			if (m && left < need && f->state != CHECK_BLOCKING)
				too_little(f, quotas[i].metrics[k], left, need);
		}
	if (f->state == CHECK_BLOCKING)
		return;
	if (any)
		finding_ok(f);
	else
		not_told(f);
}

static void judge_region_quota(
	const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	judge_quota(c, q, FROM_REGION, f);
}

static void judge_networks(const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	judge_quota(c, q, FROM_NETWORKS, f);
}

/* Weights and image lie on the boot disk of the node that converts: a disk that cannot hold them
 * ends in an eviction an hour later. A tenth is the kubelet's. */
static void judge_ssd(const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	double disk = needed(c, q, "disk_gb");
	double load = needed(c, q, "model_gb") + needed(c, q, "image_gb");

	if (disk > 0 && load > disk * 0.9)
		finding_set(f, CHECK_BLOCKING, "you", _("use a larger boot disk in the blueprint"),
			_("the nodes' disks hold %.0f GB, model and image need %.0f GB"), disk,
			load);
	else
		judge_quota(c, q, FROM_REGION, f);
}

/* The limit of a newer CPU family; how much of it is used is not told. */
static void judge_family(const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	AUTO_FREE char *family = checks_arg(c, q, "family");
	double need = needed(c, q, "need");
	const json_t *one;
	size_t i;

	if (finding_failed(f, c, FROM_FAMILIES))
		return;
	not_told(f);
	json_array_foreach(json_path(checks_reply(c, FROM_FAMILIES), "dimensionsInfos"), i, one)
	{
		double limit = (double)json_path_i64(one, "details.value", 0);

		if (strcmp(json_path_str_or(one, "dimensions.region", ""),
			    checks_value(c, "REGION")) != 0 ||
			strcmp(json_path_str_or(one, "dimensions.vm_family", ""),
				family ? family : "") != 0)
			continue;
		if (limit < 0 || limit >= need)
			finding_ok(f);
		else
			too_little(f, family, limit, need);
		return;
	}
}

/* The pool of this run's own cluster holds what is taken: that is no lack. */
static bool held_by_us(const struct checks *c, const struct reservation *r)
{
	const json_t *pool, *value;
	size_t i, k;

	json_array_foreach(json_path(checks_reply(c, FROM_CLUSTER), "nodePools"), i, pool)
	{
		json_array_foreach(json_path(pool, "config.reservationAffinity.values"), k, value)
		{
			const char *s = json_string_value(value);

			if (s && (strcmp(s, r->name) == 0 || strcmp(s, r->full_name) == 0))
				return true;
		}
	}
	return false;
}

static const char choose[] = N_("choose a usable reservation on the reservation screen");

struct reserved {
	const struct checks *c;
	const struct reservation *r;
	const char *zone, *machine;
	int64_t vms;
};

static void aspect_exists(const struct reserved *x, struct finding *f)
{
	char end[TIME_SIZE];

	if (x->r->end_ms != TIME_NONE && x->r->end_ms <= clock_now())
		finding_set(f, CHECK_BLOCKING, "you", _(choose), _("it ended at %s"),
			time_format(x->r->end_ms, end));
	else if (strcmp(x->r->status, "READY") != 0)
		finding_set(
			f, CHECK_BLOCKING, "you", _(choose), _("its status is %s"), x->r->status);
}

static void aspect_zone(const struct reserved *x, struct finding *f)
{
	AUTO_FREE char *cure = NULL;

	if (strcmp(x->r->zone, x->zone) == 0)
		return;
	cure = x_asprintf(_("set ZONE to %s"), x->r->zone);
	finding_set(
		f, CHECK_BLOCKING, "you", cure, _("it is in %s, not in %s"), x->r->zone, x->zone);
}

static void aspect_machine(const struct reserved *x, struct finding *f)
{
	if (!reservation_fits(x->r, x->machine))
		finding_set(f, CHECK_BLOCKING, "you", _(choose), _("it holds %s, not %s"),
			x->r->machine, x->machine);
}

static void aspect_free(const struct reserved *x, struct finding *f)
{
	int64_t unused;
	int64_t total = reservation_vms(x->r, x->machine, &unused);

	if (unused < x->vms && !held_by_us(x->c, x->r))
		finding_set(f, CHECK_BLOCKING, "you", _(choose),
			_("%lld of %lld VMs are free, %lld are needed"), (long long)unused,
			(long long)total, (long long)x->vms);
}

static void aspect_specific(const struct reserved *x, struct finding *f)
{
	if (!x->r->specific)
		finding_set(f, CHECK_BLOCKING, "you", _(choose),
			_("it is consumed by any matching VM, so it cannot be named"));
}

static const struct {
	const char *id;
	void (*judge)(const struct reserved *x, struct finding *f);
} aspects[] = {
	{"reservation.exists", aspect_exists},
	{"reservation.zone", aspect_zone},
	{"reservation.machine", aspect_machine},
	{"reservation.free", aspect_free},
	{"reservation.specific", aspect_specific},
};

static void judge_aspect(
	const struct checks *c, const struct reservation *r, const char *id, struct finding *f)
{
	const char *hosts = checks_value(c, "HOSTS");
	struct reserved x = {c, r, checks_value(c, "ZONE"), checks_value(c, "COMPUTE_TYPE"),
		*hosts ? strtoll(hosts, NULL, 10) : 1};

	finding_ok(f);
	for (size_t i = 0; i < COUNT(aspects); i++)
		if (strcmp(aspects[i].id, id) == 0)
			aspects[i].judge(&x, f);
}

/* A consumer may use a shared reservation without seeing it: nothing about it can be asked. */
static bool unseen(const struct checks *c, const struct err *e)
{
	bool shared = strchr(checks_value(c, "RESERVATION"), '/') != NULL;

	return e && shared && (e->http == 403 || e->http == 404) &&
	       !checks_caused(c, FROM_RESERVATION, "api-off") &&
	       !checks_caused(c, FROM_RESERVATION, "billing");
}

static void judge_reservation(
	const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	const struct err *e = checks_error(c, FROM_RESERVATION);
	bool exists = strcmp(q->id, "reservation.exists") == 0;
	struct reservation r;

	if (unseen(c, e))
		finding_set(f, CHECK_WARNING, "you", _("make sure that its full name is right"),
			_("you may not read the reservation %s"), checks_value(c, "RESERVATION"));
	else if (e && e->http == 404)
		finding_set(f, exists ? CHECK_BLOCKING : CHECK_UNKNOWN, "you", _(choose),
			_("there is no reservation %s"), checks_value(c, "RESERVATION"));
	else if (finding_failed(f, c, FROM_RESERVATION))
		return;
	else if (!reservation_decode(
			 &r, checks_reply(c, FROM_RESERVATION), checks_value(c, "PROJECT")))
		finding_set(f, exists ? CHECK_BLOCKING : CHECK_UNKNOWN, "you", _(choose),
			_("the reservation is neither one of VMs nor one of TPU chips"));
	else {
		judge_aspect(c, &r, q->id, f);
		reservation_fini(&r);
	}
}

const struct check_row checks_place_rows[] = {
	{"place.zone", ASKED_BLOCKS, FROM_ZONE, FROM_HERE, judge_zone},
	{"place.region", MAY_OK | MAY_BLOCK, FROM_HERE, FROM_HERE, judge_region},
	{"place.ct6e", ASKED_BLOCKS, FROM_CT6E, FROM_ZONE, judge_ct6e},
	{"place.e2", ASKED_BLOCKS, FROM_E2, FROM_ZONE, judge_e2},
	{"place.n4", ASKED_BLOCKS, FROM_N4, FROM_ZONE, judge_n4},
	{"quota.networks", ASKED_BLOCKS, FROM_NETWORKS, FROM_HERE, judge_networks},
	{"quota.cpus-n4", ASKED_BLOCKS, FROM_FAMILIES, FROM_HERE, judge_family},
	{"quota.ssd", ASKED_BLOCKS, FROM_REGION, FROM_HERE, judge_ssd},
	{"quota.", ASKED_BLOCKS, FROM_REGION, FROM_HERE, judge_region_quota},
	{"reservation.", ASKED_BLOCKS | MAY_WARN, FROM_RESERVATION, FROM_CLUSTER,
		judge_reservation},
	{.id = NULL},
};
