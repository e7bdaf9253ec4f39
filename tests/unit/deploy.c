/* SPDX-License-Identifier: Apache-2.0 */
/* How far a deploy is and what it works on, from terraform's lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/mem.h"
#include "core/run/deploy.h"

#define NOW INT64_C(1790000000000)

static bool line(struct deploy *d, const char *text)
{
	return deploy_line(d, text, strlen(text), NOW);
}

/* A JSON line of terraform; seconds after 10:00, elapsed -1 = not told. */
static bool hook_line(struct deploy *d, const char *type, const char *addr, const char *action,
	int second, int elapsed)
{
	AUTO_FREE char *waited =
		elapsed < 0 ? x_strdup("") : x_asprintf(",\"elapsed_seconds\":%d", elapsed);
	AUTO_FREE char *text =
		x_asprintf("{\"@level\":\"info\",\"@timestamp\":\"2026-09-10T10:00:%02d.000000Z\","
			   "\"type\":\"%s\","
			   "\"hook\":{\"resource\":{\"addr\":\"%s\"},\"action\":\"%s\"%s}}",
			second, type, addr, action, waited);

	return line(d, text);
}

static int64_t ten_oclock(int second)
{
	return INT64_C(1789034400000) + second * 1000;
}

static void deploys_are_counted_from_json(void **state)
{
	struct deploy d = {0};

	(void)state;
	assert_false(line(&d, "not json"));
	assert_true(
		line(&d, "{\"@level\":\"info\",\"type\":\"change_summary\",\"changes\":{\"add\":2,"
			 "\"change\":0,\"remove\":0,\"operation\":\"plan\"}}"));
	assert_true(hook_line(&d, "apply_start", "m.net", "create", 1, -1));
	assert_true(hook_line(&d, "apply_start", "data.m.zones", "read", 1, -1));
	assert_int_equal(d.n, 2);
	assert_true(hook_line(&d, "apply_complete", "data.m.zones", "read", 2, 1));
	assert_int_equal(d.done, 0); /* what is only read is not in the plan */
	assert_true(hook_line(&d, "apply_complete", "m.net", "create", 2, 1));
	assert_true(hook_line(&d, "apply_complete", "m.pool", "create", 3, 1));
	assert_int_equal(d.total, 2);
	assert_int_equal(d.done, 2);
	assert_int_equal(d.n, 0);
	/* The same resource in the text beside it does not count again. */
	assert_false(line(&d, "x: Creation complete after 1s"));
}

/* The events of an earlier attempt may stand before the new plan. */
static void a_new_plan_counts_from_nothing(void **state)
{
	static const char plan[] =
		"{\"@level\":\"info\",\"type\":\"change_summary\",\"changes\":{\"add\":2,"
		"\"change\":0,\"remove\":0,\"operation\":\"plan\"}}";
	struct deploy d = {0};

	(void)state;
	assert_true(line(&d, plan));
	assert_true(hook_line(&d, "apply_complete", "m.net", "create", 2, 1));
	assert_true(hook_line(&d, "apply_start", "m.pool", "create", 3, -1));
	assert_true(line(&d, plan));
	assert_int_equal(d.done, 0);
	assert_int_equal(d.total, 2);
	assert_int_equal(d.n, 0);
}

static void the_slowest_resource_is_the_first(void **state)
{
	struct deploy d = {0};

	(void)state;
	hook_line(&d, "apply_start", "m.late", "create", 40, -1);
	hook_line(&d, "apply_start", "m.early", "create", 10, -1);
	/* Begun before these lines were read: its own count tells since when. */
	assert_true(hook_line(&d, "apply_progress", "m.pool", "create", 50, 49));
	assert_false(hook_line(&d, "apply_progress", "m.pool", "create", 55, 54));
	assert_int_equal(d.n, 3);
	assert_string_equal(d.busy[0].name, "m.pool");
	assert_int_equal(d.busy[0].since, ten_oclock(1));
	assert_string_equal(d.busy[1].name, "m.early");
	assert_int_equal(d.busy[1].since, ten_oclock(10));
	assert_string_equal(d.busy[2].name, "m.late");
	assert_true(hook_line(&d, "apply_errored", "m.early", "create", 56, 46));
	assert_int_equal(d.n, 2);
	assert_int_equal(d.done, 0); /* an error is no completion */
	assert_string_equal(d.busy[1].name, "m.late");
	for (int i = 0; i < 2 * DEPLOY_BUSY; i++) {
		AUTO_FREE char *name = x_asprintf("m.n%d", i);
		hook_line(&d, "apply_start", name, "create", 57, -1);
	}
	assert_int_equal(d.n, DEPLOY_BUSY);
	assert_string_equal(d.busy[0].name, "m.pool");
	assert_true(line(&d,
		"{\"type\":\"change_summary\",\"changes\":{\"add\":9,\"operation\":\"apply\"}}"));
	assert_int_equal(d.n, 0);
}

static void deploys_are_counted_from_text(void **state)
{
	struct deploy d = {0};

	(void)state;
	assert_true(line(&d, "2026-09-10T10:00:00Z Plan: 1 to add, 0 to change, 2 to destroy."));
	assert_true(line(&d, "2026-09-10T10:00:05Z m.net: Destroying... [id=x]"));
	assert_true(line(
		&d, "2026-09-10T10:00:20Z m.pool: Still destroying... [id=x, 00m19s elapsed]"));
	assert_true(line(&d, "m.kube: Creating..."));
	assert_int_equal(d.n, 3);
	assert_string_equal(d.busy[0].name, "m.pool");
	assert_int_equal(d.busy[0].since, ten_oclock(1));
	assert_int_equal(d.busy[1].since, ten_oclock(5));
	assert_int_equal(d.busy[2].since, NOW); /* no time in the line */
	assert_true(line(&d, "2026-09-10T10:00:21Z m.net: Destruction complete after 16s"));
	assert_int_equal(d.total, 3);
	assert_int_equal(d.done, 1);
	assert_int_equal(d.n, 2);
	assert_true(line(&d, "2026-09-10T10:00:21Z data.m: Reading..."));
	assert_true(line(&d, "2026-09-10T10:00:22Z data.m: Read complete after 1s [id=1]"));
	assert_int_equal(d.done, 1);
	assert_true(line(&d, "Destroy complete! Resources: 3 destroyed."));
	assert_int_equal(d.n, 0);
}

static void addresses_are_named_for_people(void **state)
{
	static const char *const rows[][2] = {
		{"module.gke-tpu-v6e-pool.google_container_node_pool.node_pool[\"a.b\"]",
			"gke-tpu-v6e-pool: google_container_node_pool.node_pool[\"a.b\"]"},
		{"module.a.module.b[\"x.y\"].module.c.google_x.y", "a/b[\"x.y\"]/c: google_x.y"},
		{"google_x.y", "google_x.y"},
		{"module.only", "only"},
		{"module.", ""},
		{"", ""},
	};
	char out[80], small[8];

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		deploy_name(rows[i][0], out, sizeof(out));
		assert_string_equal(out, rows[i][1]);
	}
	deploy_name(rows[0][0], small, sizeof(small));
	assert_string_equal(small, "gke-tpu");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(deploys_are_counted_from_json),
		cmocka_unit_test(a_new_plan_counts_from_nothing),
		cmocka_unit_test(the_slowest_resource_is_the_first),
		cmocka_unit_test(deploys_are_counted_from_text),
		cmocka_unit_test(addresses_are_named_for_people),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
