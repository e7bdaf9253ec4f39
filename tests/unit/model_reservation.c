/* SPDX-License-Identifier: Apache-2.0 */
/* Reservations of every shape, and what a run may expect of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

#include "core/base/mem.h"
#include "core/model/reservation.h"
#include "tests/unit/json_rig.h"

#define NOON 1789041600000 /* 2026-09-10T12:00:00Z */

static void test_reservations(void **state)
{
	static const struct {
		const char *zone, *machine, *status, *required, *used, *end, *want_zone;
		enum reservation_verdict v;
	} rows[] = {
		{"us-east5-b", "ct6e-standard-4t", "READY", "true", "0", "", "us-east5-b",
			RESERVATION_OK},
		{"us-east5-b", "ct6e-standard-4t", "READY", "true", "0", "", NULL, RESERVATION_OK},
		{"us-east5-b", "ct6e-standard-4t", "READY", "true", "1", "", "us-east5-b",
			RESERVATION_FULL},
		{"us-east5-a", "ct6e-standard-4t", "READY", "true", "0", "", "us-east5-b",
			RESERVATION_WRONG_ZONE},
		{"us-east5-b", "n4-standard-64", "READY", "true", "0", "", "us-east5-b",
			RESERVATION_WRONG_MACHINE},
		{"us-east5-b", "ct6e-standard-4t", "CREATING", "true", "0", "", "us-east5-b",
			RESERVATION_NOT_READY},
		{"us-east5-b", "ct6e-standard-4t", "READY", "false", "0", "", "us-east5-b",
			RESERVATION_NOT_SPECIFIC},
		{"us-east5-b", "ct6e-standard-4t", "READY", "true", "0",
			",'deleteAtTime':'2026-09-10T11:00:00Z'", "us-east5-b", RESERVATION_ENDED},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		AUTO_FREE char *text =
			x_asprintf("{'name':'rl','selfLink':'https://www.googleapis.com/compute/v1/"
				   "projects/other/zones/z/"
				   "reservations/rl','zone':'https://x/zones/%s','status':'%s',"
				   "'specificReservationRequired':%s,'specificReservation':{'count'"
				   ":'8','inUseCount':"
				   "'%s','instanceProperties':{'machineType':'%s'}}%s}",
				rows[i].zone, rows[i].status, rows[i].required, rows[i].used,
				rows[i].machine, rows[i].end);
		AUTO(json_auto) json_t *j = json_rig(text);
		AUTO_FREE char *why = NULL;
		struct reservation r;
		enum reservation_verdict v;

		assert_true(reservation_decode(&r, j, "rl-lab"));
		v = reservation_judge(&r, rows[i].want_zone, "ct6e-standard-4t", 8, NOON, &why);
		if (v != rows[i].v)
			fail_msg("row %zu is %s", i, reservation_verdict_name(v));
		assert_string_equal(r.full_name, "projects/other/reservations/rl");
		assert_true(why[0]);
		reservation_fini(&r);
	}
}

#define CHIPS(reserved, used)                                                                      \
	"{'name':'agg','status':'READY','specificReservationRequired':true,"                       \
	"'zone':'https://x/zones/us-east5-b','aggregateReservation':{"                             \
	"'vmFamily':'VM_FAMILY_CLOUD_TPU_LITE_POD_SLICE_CT6E','workloadType':'BATCH',"             \
	"'reservedResources':[{'accelerator':{'acceleratorType':'projects/1/zones/us-east5-b/"     \
	"acceleratorTypes/ct6e','acceleratorCount':" reserved                                      \
	"}},{'accelerator':{'acceleratorType':'zones/z/acceleratorTypes/other',"                   \
	"'acceleratorCount':999}}],'inUseResources':[{'accelerator':{'acceleratorType':"           \
	"'x/ct6e','acceleratorCount':" used "}}]}}"

static enum reservation_verdict judge(struct reservation *r, const char *zone, char **why)
{
	return reservation_judge(r, zone, "ct6e-standard-4t", 8, NOON, why);
}

/* R22: numbers as strings or numbers, parts that are absent, names long and short. */
static void R22_reservations_of_every_shape_are_read(void **state)
{
	static const struct {
		const char *json;
		int64_t total, left, vms;
		enum reservation_verdict v;
		const char *why;
	} rows[] = {
		{CHIPS("64", "'32'"), 64, 32, 8, RESERVATION_OK, "32 of 64 chips are free"},
		{CHIPS("'64'", "36"), 64, 28, 7, RESERVATION_FULL,
			"28 of 64 chips are free, 32 are needed"},
		{"{'name':'few','status':'READY','specificReservationRequired':true,"
		 "'zone':'us-east5-b','specificReservation':{'count':8,'instanceProperties':"
		 "{'machineType':'ct6e-standard-4t'}}}",
			8, 8, 8, RESERVATION_OK, "8 of 8 VMs are free"},
		{"{'name':'over','status':'READY','specificReservationRequired':true,"
		 "'zone':'us-east5-b','specificReservation':{'count':'4','inUseCount':'6',"
		 "'instanceProperties':{'machineType':'ct6e-standard-4t'}}}",
			4, 0, 0, RESERVATION_FULL, "0 of 4 VMs are free, 8 are needed"},
		{"{'name':'empty','status':'READY','zone':'us-east5-b','aggregateReservation':{}}",
			0, 0, 0, RESERVATION_WRONG_MACHINE,
			"it holds no accelerator, not ct6e-standard-4t"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		AUTO(json_auto) json_t *j = json_rig(rows[i].json);
		AUTO_FREE char *why = NULL;
		struct reservation r;
		int64_t unused;

		assert_true(reservation_decode(&r, j, "rl-lab"));
		assert_int_equal(judge(&r, "us-east5-b", &why), rows[i].v);
		assert_string_equal(why, rows[i].why);
		assert_int_equal(r.total, rows[i].total);
		assert_int_equal(reservation_free(&r), rows[i].left);
		reservation_vms(&r, "ct6e-standard-4t", &unused);
		assert_int_equal(unused, rows[i].vms);
		assert_string_equal(r.full_name, r.name);
		reservation_fini(&r);
	}
}

static void test_no_reservations(void **state)
{
	static const char *const none[] = {"{}", "[]", "{'name':'x'}", "{'name':7}",
		"{'name':'x','specificReservation':3}", "{'name':'x','aggregateReservation':[]}"};
	static const char *const no_names[] = {"", "rl", "projects/", "projects//reservations/x",
		"projects/o/reservations/", "projects/o/zones/z", "projects/o"};

	(void)state;
	for (size_t i = 0; i < COUNT(none); i++) {
		AUTO(json_auto) json_t *j = json_rig(none[i]);
		struct reservation r;

		assert_false(reservation_decode(&r, j, "rl-lab"));
	}
	for (size_t i = 0; i < COUNT(no_names); i++) {
		struct reservation r;

		assert_false(reservation_unread(&r, no_names[i], "us-east5-b"));
	}
}

static void test_unread_reservations(void **state)
{
	struct reservation r;
	AUTO_FREE char *why = NULL;

	(void)state;
	assert_true(reservation_unread(
		&r, "projects/owner-lab/reservations/v6e/reservationBlocks/b1", "us-east5-b"));
	assert_string_equal(r.name, "v6e");
	assert_string_equal(r.project, "owner-lab");
	assert_true(reservation_shared(&r));
	assert_int_equal(judge(&r, "us-east5-a", &why), RESERVATION_UNREADABLE);
	assert_non_null(strstr(why, "owner-lab"));
	reservation_fini(&r);
}

static void test_future_reservations(void **state)
{
	static const struct {
		const char *json, *why;
		enum reservation_verdict v;
	} rows[] = {
		{"{'name':'f','zone':'z/us-east5-b','specificSkuProperties':{'totalCount':'8',"
		 "'instanceProperties':{'machineType':'ct6e-standard-4t'}},'status':"
		 "{'procurementStatus':'APPROVED'},'timeWindow':{'startTime':"
		 "'2026-10-01T00:00:00Z','endTime':'2026-12-01T00:00:00Z'}}",
			"it begins at 2026-10-01T00:00:00Z (APPROVED); before that nothing of it "
			"can be used",
			RESERVATION_FUTURE},
		{"{'name':'f','zone':'us-east5-b','aggregateReservation':{'reservedResources':"
		 "[{'accelerator':{'acceleratorType':'ct6e','acceleratorCount':64}}]},'status':"
		 "{'procurementStatus':'FULFILLED','autoCreatedReservations':"
		 "['projects/p/zones/z/reservations/auto-1']}}",
			"it has become the reservation auto-1: choose that one",
			RESERVATION_FUTURE},
		{"{'name':'f','zone':'us-east5-b','specificSkuProperties':{'totalCount':8,"
		 "'instanceProperties':{'machineType':'ct6e-standard-4t'}},'status':"
		 "{'procurementStatus':'DRAFTING'}}",
			"it is only requested so far (DRAFTING)", RESERVATION_FUTURE},
		{"{'name':'f','zone':'us-east5-b','specificSkuProperties':{'totalCount':8,"
		 "'instanceProperties':{'machineType':'ct6e-standard-4t'}},'timeWindow':"
		 "{'endTime':'2026-01-01T00:00:00Z'}}",
			"it ended at 2026-01-01T00:00:00Z", RESERVATION_ENDED},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		AUTO(json_auto) json_t *j = json_rig(rows[i].json);
		AUTO_FREE char *why = NULL;
		struct reservation r;

		assert_true(reservation_decode_future(&r, j, "rl-lab"));
		assert_int_equal(judge(&r, NULL, &why), rows[i].v);
		assert_string_equal(why, rows[i].why);
		reservation_fini(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reservations),
		cmocka_unit_test(R22_reservations_of_every_shape_are_read),
		cmocka_unit_test(test_no_reservations),
		cmocka_unit_test(test_unread_reservations),
		cmocka_unit_test(test_future_reservations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
