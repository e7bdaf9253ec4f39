/* SPDX-License-Identifier: Apache-2.0 */
/* What was answered before a run: checks and reservations. */
#include "tests/view/world.h"

#include "core/base/mem.h"
#include "core/run/event.h"
#include "core/run/state_free.h"

#include <stdlib.h>
#include <string.h>

static int64_t now;

static void check(struct state *s, const char *id, const char *state, const char *question,
	const char *cause, const char *cure, const char *who)
{
	static char none[] = "";
	struct state_check c = {(char *)(uintptr_t)id, none, (char *)(uintptr_t)state,
		(char *)(uintptr_t)question, (char *)(uintptr_t)cause, (char *)(uintptr_t)cure,
		(char *)(uintptr_t)who, none, {0}};
	struct event ev = {.kind = EV_CHECK, .at = now};
	if (strncmp(cure, "run: ", 5) == 0)
		strvec_split(&c.cure_argv, cure + 5, " ");
	else if (*cure)
		strvec_split(&c.cure_argv,
			"gcloud projects add-iam-policy-binding rehearsal-lab "
			"--member=user:kim@example.com --role=roles/tpu.admin",
			" ");
	ev.u.check = &c;
	run_apply(s, &ev);
	strvec_fini(&c.cure_argv);
}

static void checks(struct state *s)
{
	check(s, "tool.gcloud", "ok", "Is gcloud here and new enough?", "", "", "you");
	check(s, "tool.kubectl", "ok", "Is kubectl here?", "", "", "you");
	check(s, "login.gcloud", "ok", "Is somebody logged in?", "", "", "you");
	check(s, "project.exists", "ok", "Is the project there, and yours to use?", "", "", "you");
	check(s, "project.billing", "unknown", "Is billing on?",
		"The billing account may not be read with these roles.", "", "administrator");
	check(s, "role.tpu.admin", "blocking", "May this account manage TPUs?",
		"kim@example.com has no role roles/tpu.admin in rehearsal-lab.",
		"An owner of the project grants the role.", "administrator");
	check(s, "login.adc", "blocking",
		"Do the application default credentials give a token now?",
		"there are no application default credentials",
		"run: gcloud auth application-default login", "you");
	check(s, "quota.cpus-n4", "warning", "Is there quota for the N4 machines?",
		"24 of 32 CPUs are in use; 16 are needed.", "", "you");
	check(s, "bucket.name", "ok", "Is the bucket's name free, or yours?", "", "", "you");
}

static void reservation(struct state_reservations *l, char *text, bool future)
{
	struct state_reservation *r = VEC_PUSH(l);
	json_t *j = json_parse(text, strlen(text), NULL);
	if (!j || !(future ? reservation_decode_future(&r->r, j, "rehearsal-lab")
			   : reservation_decode(&r->r, j, "rehearsal-lab")))
		die("world: no reservation: %s", text);
	r->verdict = reservation_judge(&r->r, NULL, "ct6e-standard-4t", 8, now, &r->reason);
	json_decref(j);
	free(text);
}

#define RESERVED(name, zone, count, used)                                                          \
	x_strdup(                                                                                  \
		"{\"name\":\"" name "\",\"zone\":\"" zone "\",\"status\":\"READY\","               \
		"\"specificReservationRequired\":true,\"specificReservation\":{\"count\":\"" count \
		"\",\"inUseCount\":\"" used                                                        \
		"\",\"instanceProperties\":{\"machineType\":\"ct6e-standard-4t\"}}}")

static void reservations(struct state *s)
{
	struct state_reservations l = {.at = now, .incomplete = true};
	struct event ev = {.kind = EV_RESERVATIONS, .at = now};
	reservation(&l, RESERVED("v6e-rehearsal", "us-east5-b", "8", "0"), false);
	reservation(&l, RESERVED("v6e-batch", "us-east5-a", "8", "4"), false);
	reservation(&l,
		x_strdup("{\"name\":\"v6e-chips\",\"zone\":\"us-east5-a\",\"status\":\"READY\","
			 "\"specificReservationRequired\":true,\"shareSettings\":{\"shareType\":"
			 "\"ORGANIZATION\"},\"deleteAtTime\":\"2027-03-01T00:00:00Z\","
			 "\"aggregateReservation\":{\"reservedResources\":[{\"accelerator\":{"
			 "\"acceleratorType\":\"ct6e\",\"acceleratorCount\":64}}],"
			 "\"inUseResources\":[{"
			 "\"accelerator\":{\"acceleratorType\":\"ct6e\",\"acceleratorCount\":32}}]}"
			 "}"),
		false);
	reservation_unread(
		&VEC_PUSH(&l)->r, "projects/ml-shared/reservations/v6e-team", "us-east5-b");
	l.items[l.n - 1].reason = x_strdup("");
	reservation(&l,
		x_strdup("{\"name\":\"v6e-autumn\",\"zone\":\"us-east5-b\","
			 "\"specificSkuProperties\":{"
			 "\"totalCount\":\"16\",\"instanceProperties\":{\"machineType\":"
			 "\"ct6e-standard-4t\"}},\"status\":{\"procurementStatus\":\"APPROVED\"},"
			 "\"timeWindow\":{\"startTime\":\"2027-02-01T00:00:00Z\"}}"),
		true);
	strvec_push(&l.unreachable, "us-central1-b");
	ev.u.reservations = &l;
	run_apply(s, &ev);
	state_reservations_fini(&l);
}

void world_unasked(struct state *s)
{
	struct state_reservations l = {.error = x_strdup("PROJECT is needed first")};
	struct event ev = {.kind = EV_RESERVATIONS};
	ev.u.reservations = &l;
	run_apply(s, &ev);
	state_reservations_fini(&l);
}

void world_answers(struct state *s, int64_t at)
{
	now = at;
	reservations(s);
	checks(s);
}
