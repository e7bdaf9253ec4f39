/* SPDX-License-Identifier: Apache-2.0 */
/* Judges of place, quota and reservation. */
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/base/text.h"
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
		finding_set(f, CHECK_BLOCKING, "google", _("use another zone"), _("the zone is %s"),
			status);
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

static void judge_machine(const struct checks *c, const struct recipe_check *q, enum check_source s,
	struct finding *f)
{
	AUTO_FREE char *machine = checks_arg(c, q, "machine");
	const struct err *e = checks_error(c, s);

	if (e && e->http == 404)
		finding_set(f, CHECK_BLOCKING, "you", _("use another zone"),
			_("%s does not offer %s"), checks_value(c, "ZONE"), machine ? machine : "");
	else if (!finding_failed(f, c, s))
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

/* Which metric counts a machine family is not the same everywhere: all that are there are read. N4
 * has none in the Compute API (facts on Google's APIs, 4.2). */
static const struct quota quotas[] = {
	{"quota.cpus-e2", {"E2_CPUS", "CPUS"}},
	{"quota.cpus-n4", {"N4_CPUS"}},
	{"quota.addresses", {"IN_USE_ADDRESSES"}},
	{"quota.ssd", {"SSD_TOTAL_GB"}},
	{"quota.networks", {"NETWORKS"}},
};

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

static void judge_quota(const struct checks *c, const struct recipe_check *q, enum check_source s,
	struct finding *f)
{
	AUTO_FREE char *text = checks_arg(c, q, "need");
	double need = text ? strtod(text, NULL) : 0;
	bool any = false;

	if (finding_failed(f, c, s))
		return;
	for (size_t i = 0; i < COUNT(quotas); i++)
		for (size_t k = 0; strcmp(quotas[i].id, q->id) == 0 && quotas[i].metrics[k]; k++) {
			const json_t *m = metric(checks_reply(c, s), quotas[i].metrics[k]);
			double left = json_path_num(m, "limit", 0) - json_path_num(m, "usage", 0);

			any |= m != NULL;
			if (m && left < need && f->state != CHECK_BLOCKING)
				finding_set(f, CHECK_BLOCKING, "administrator",
					_("ask for more of this quota in the console"),
					_("quota %s: %.0f left, %.0f needed"), quotas[i].metrics[k],
					left, need);
		}
	if (f->state == CHECK_BLOCKING)
		return;
	if (any)
		finding_ok(f);
	else
		finding_set(f, CHECK_WARNING, "you",
			_("look it up in the console: IAM & Admin, Quotas, Compute Engine"),
			_("the Compute API does not report this quota; %.0f needed"), need);
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

/* The verdicts that an aspect of a reservation turns to "no". */
struct aspect {
	const char *id;
	enum reservation_verdict bad[3];
	size_t n;
};

static const struct aspect aspects[] = {
	{"reservation.exists", {RESERVATION_NOT_READY, RESERVATION_ENDED}, 2},
	{"reservation.zone", {RESERVATION_WRONG_ZONE}, 1},
	{"reservation.machine", {RESERVATION_WRONG_MACHINE}, 1},
	{"reservation.free", {RESERVATION_FULL}, 1},
	{"reservation.specific", {RESERVATION_NOT_SPECIFIC}, 1},
};

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

static void judge_aspect(
	const struct checks *c, const struct reservation *r, const char *id, struct finding *f)
{
	const char *hosts = checks_value(c, "HOSTS");
	AUTO_FREE char *why = NULL;
	enum reservation_verdict v =
		reservation_judge(r, checks_value(c, "ZONE"), checks_value(c, "COMPUTE_TYPE"),
			*hosts ? strtoll(hosts, NULL, 10) : 1, clock_now(), &why);

	finding_ok(f);
	if (v == RESERVATION_FULL && held_by_us(c, r))
		return;
	for (size_t i = 0; i < COUNT(aspects); i++)
		for (size_t k = 0; strcmp(aspects[i].id, id) == 0 && k < aspects[i].n; k++)
			if (aspects[i].bad[k] == v)
				finding_set(f, CHECK_BLOCKING, "you",
					_("choose a usable reservation on the reservation screen"),
					"%s", why);
}

static void judge_reservation(
	const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	const struct err *e = checks_error(c, FROM_RESERVATION);
	bool exists = strcmp(q->id, "reservation.exists") == 0;
	struct reservation r;

	if (e && e->http == 404)
		finding_set(f, CHECK_BLOCKING, "you",
			_("choose a usable reservation on the reservation screen"),
			_("there is no reservation %s in %s"), checks_value(c, "RESERVATION"),
			checks_value(c, "ZONE"));
	else if (e && e->http == 403)
		finding_set(f, CHECK_WARNING, "you", _("make sure that its full name is right"),
			_("you may not read the reservation %s"), checks_value(c, "RESERVATION"));
	else if (finding_failed(f, c, FROM_RESERVATION))
		return;
	else if (!reservation_decode(
			 &r, checks_reply(c, FROM_RESERVATION), checks_value(c, "PROJECT")))
		finding_set(f, exists ? CHECK_BLOCKING : CHECK_UNKNOWN, "you",
			_("choose another reservation"),
			_("the reservation does not hold single VMs"));
	else {
		judge_aspect(c, &r, q->id, f);
		reservation_fini(&r);
	}
}

const struct check_row checks_place_rows[] = {
	{"place.zone", FROM_ZONE, FROM_HERE, judge_zone},
	{"place.region", FROM_HERE, FROM_HERE, judge_region},
	{"place.ct6e", FROM_CT6E, FROM_HERE, judge_ct6e},
	{"place.e2", FROM_E2, FROM_HERE, judge_e2},
	{"place.n4", FROM_N4, FROM_HERE, judge_n4},
	{"quota.networks", FROM_NETWORKS, FROM_HERE, judge_networks},
	{"quota.", FROM_REGION, FROM_HERE, judge_region_quota},
	{"reservation.", FROM_RESERVATION, FROM_CLUSTER, judge_reservation},
	{.id = NULL},
};
