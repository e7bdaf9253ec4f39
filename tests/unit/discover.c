/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of what the account has: asked once, kept, asked again when a value they depend on changes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/cloud/cloud.h"
#include "core/io/loop.h"
#include "core/run/discover.h"
#include "tests/unit/recipe_rig.h"
#include "tests/unit/web.h"

static struct {
	char *dir;
	struct run run;
	struct state state;
	struct loop *loop;
	struct web *web;
	struct cloud *cloud;
	struct discover *discover;
	const char *body; /* of every answer */
	int status;
	struct buf asked; /* request lines */
	bool waiting;
} t;

static void give(void *arg, struct web_conn *c, const char *head, const char *body)
{
	(void)arg;
	(void)body;
	buf_addf(&t.asked, "%.*s|", (int)strcspn(head, "\r"), head);
	web_reply(c, t.status, "", t.body);
}

static void take(void *arg, const struct event *ev)
{
	(void)arg;
	run_apply(&t.state, ev);
	for (size_t i = 0; i < t.state.offers.n; i++)
		if (t.state.offers.items[i].asking)
			return;
	if (t.waiting)
		loop_stop(t.loop);
}

static void late(void *arg)
{
	(void)arg;
	fail_msg("no answer");
}

static const struct state_offers *ask(const char *name, bool again)
{
	struct loop_timer *limit = loop_after_wall(t.loop, 10000, late, NULL);
	const struct state_offers *o;

	discover_ask(t.discover, name, again);
	o = state_offers_find(&t.state, name);
	t.waiting = !o || o->asking;
	if (t.waiting)
		loop_run(t.loop);
	t.waiting = false;
	loop_timer_cancel(&limit);
	o = state_offers_find(&t.state, name);
	assert_non_null(o);
	return o;
}

static void open_lists(void)
{
	struct discover_spec spec = {.cloud = t.cloud, .run = &t.run, .emit = take};

	t.discover = discover_open(&spec);
}

static int setup(void **state)
{
	static const char *const apis[] = {
		"COMPUTE", "CONTAINER", "STORAGE", "CLOUDRESOURCEMANAGER"};
	const char *tmp = getenv("TMPDIR");
	struct err e = {0};

	(void)state;
	memset(&t, 0, sizeof(t));
	t.dir = x_asprintf("%s/rlpilot-discover-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(t.dir))
		return -1;
	t.run.recipe = recipe_rig();
	t.run.dir = t.dir;
	t.status = 200;
	t.loop = loop_new();
	t.web = web_new(t.loop, give, NULL);
	setenv("RLPILOT_LOOPBACK_ONLY", "1", 1);
	setenv("CLOUDSDK_AUTH_ACCESS_TOKEN", "token", 1);
	for (size_t i = 0; i < COUNT(apis); i++) {
		AUTO_FREE char *name = x_asprintf("CLOUDSDK_API_ENDPOINT_OVERRIDES_%s", apis[i]);

		setenv(name, web_url(t.web), 1);
	}
	state_init(&t.state);
	t.cloud = cloud_new(t.loop);
	open_lists();
	return clock_init(&e);
}

static int teardown(void **state)
{
	(void)state;
	discover_close(&t.discover);
	cloud_free(t.cloud);
	web_free(t.web);
	loop_free(t.loop);
	state_fini(&t.state);
	values_fini(&t.run.values);
	recipe_free(t.run.recipe);
	buf_fini(&t.asked);
	assert_int_equal(path_remove_tree(t.dir, NULL), 0);
	free(t.dir);
	return 0;
}

static void give_value(const char *name, const char *value)
{
	values_unset(&t.run.values, name);
	values_put(&t.run.values, name, value, VALUE_TYPED, false);
	values_derive(&t.run.values, t.run.recipe);
}

static void a_list_comes_once_and_is_kept(void **state)
{
	const struct state_offers *o;
	struct state later;

	(void)state;
	t.body = "{\"projects\":[{\"projectId\":\"lab-1\",\"displayName\":\"Lab\"},"
		 "{\"projectId\":\"lab-2\"}]}";
	o = ask("PROJECT", false);
	assert_int_equal(o->n, 2);
	assert_string_equal(o->items[0].value, "lab-1");
	assert_string_equal(o->items[0].note, "Lab");
	assert_string_equal(o->items[1].note, "");
	assert_true(o->items[0].fits && o->at > 0 && !o->incomplete);
	ask("PROJECT", false);
	assert_int_equal(web_requests(t.web), 1);
	ask("PROJECT", true);
	assert_int_equal(web_requests(t.web), 2);

	/* whoever opens the run later sees it without asking */
	state_fini(&t.state);
	state_init(&t.state);
	discover_read(t.dir, take, NULL);
	later = t.state;
	assert_int_equal(state_offers_find(&later, "PROJECT")->n, 2);
}

static void a_list_waits_for_what_it_needs_and_follows_it(void **state)
{
	const struct state_offers *o;

	(void)state;
	t.body = "{\"items\":[{\"name\":\"near\",\"location\":\"US-EAST5\"},"
		 "{\"name\":\"far\",\"location\":\"EU\"}]}";
	o = ask("GCS_BUCKET", false);
	assert_int_equal(o->n, 0);
	assert_non_null(strstr(o->error, "PROJECT is needed first"));
	assert_int_equal(web_requests(t.web), 0);
	give_value("PROJECT", "lab-1");
	o = ask("GCS_BUCKET", false);
	assert_int_equal(o->n, 2);
	assert_string_equal(o->error, "");
	give_value("ZONE", "us-east5-b");
	o = ask("GCS_BUCKET", false); /* another region: asked again, and judged by it */
	assert_int_equal(web_requests(t.web), 2);
	assert_true(o->items[0].fits);
	assert_false(o->items[1].fits);
	give_value("PROJECT", "lab-2");
	ask("GCS_BUCKET", false);
	assert_non_null(strstr(buf_str(&t.asked), "project=lab-2"));
}

static void zones_are_those_of_the_machine(void **state)
{
	const struct state_offers *o;

	(void)state;
	give_value("PROJECT", "lab-1");
	t.body = "{\"items\":{\"zones/"
		 "us-east5-b\":{\"machineTypes\":[{\"name\":\"ct6e-standard-4t\","
		 "\"zone\":\"us-east5-b\"}]},\"zones/us-east5-a\":{\"warning\":{\"code\":"
		 "\"NO_RESULTS_ON_PAGE\"}}},\"unreachables\":[\"zones/us-central1-b\"]}";
	o = ask("ZONE", false);
	assert_int_equal(o->n, 1);
	assert_string_equal(o->items[0].value, "us-east5-b");
	assert_string_equal(o->items[0].note, "us-east5");
	assert_true(o->incomplete);
}

static void trouble_is_told_and_asked_again(void **state)
{
	const struct state_offers *o;

	(void)state;
	t.status = 403;
	t.body = "{\"error\":{\"code\":403,\"message\":\"you may not\"}}";
	o = ask("PROJECT", false);
	assert_int_equal(o->n, 0);
	assert_non_null(strstr(o->error, "you may not"));
	t.status = 200;
	t.body = "{}";
	o = ask("PROJECT", false);
	assert_int_equal(web_requests(t.web), 2);
	assert_string_equal(o->error, "");
}

static void R06_without_a_login_the_list_names_the_checks(void **state)
{
	(void)state;
	unsetenv("CLOUDSDK_AUTH_ACCESS_TOKEN");
	setenv("CLOUDSDK_CONFIG", t.dir, 1);
	setenv("NO_GCE_CHECK", "true", 1);
	setenv("PATH", t.dir, 1);
	discover_close(&t.discover);
	cloud_free(t.cloud);
	t.cloud = cloud_new(t.loop);
	open_lists();
	assert_string_equal(ask("PROJECT", false)->error,
		"not logged in: the checks login.gcloud and login.adc cure it");
	assert_int_equal(web_requests(t.web), 0);
}

static void wrong_types_give_no_items(void **state)
{
	static const char *const bodies[] = {"{\"projects\":{}}",
		"{\"projects\":[1,\"x\",null,[]]}", "{\"projects\":[{\"projectId\":7}]}",
		"{\"projects\":\"all\"}", "{\"projects\":[{\"projectId\":\"\"}]}"};
	static const char *const none[] = {"", "[]", "<html>Sign in</html>", "{\"projects\":["};

	(void)state;
	for (size_t i = 0; i < COUNT(bodies); i++) {
		t.body = bodies[i];
		assert_int_equal(ask("PROJECT", true)->n, 0);
	}
	for (size_t i = 0; i < COUNT(none); i++) {
		t.body = none[i];
		assert_true(ask("PROJECT", true)->error[0] != '\0' || i == 1);
	}
}

static void a_damaged_record_is_no_record(void **state)
{
	static const char *const bad[] = {
		"", "no JSON", "[]", "{\"lists\":[]}", "{\"lists\":{\"PROJECT\":7}}"};
	AUTO_FREE char *file = path_join(t.dir, "discover.json");

	(void)state;
	t.body = "{\"projects\":[{\"projectId\":\"lab-1\"}]}";
	for (size_t i = 0; i < COUNT(bad); i++) {
		discover_close(&t.discover);
		assert_int_equal(path_write(file, bad[i], strlen(bad[i]), NULL), 0);
		discover_read(t.dir, take, NULL);
		open_lists();
		assert_int_equal(ask("PROJECT", true)->n, 1);
	}
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(a_list_comes_once_and_is_kept),
		T(a_list_waits_for_what_it_needs_and_follows_it),
		T(zones_are_those_of_the_machine),
		T(trouble_is_told_and_asked_again),
		T(wrong_types_give_no_items),
		T(R06_without_a_login_the_list_names_the_checks),
		T(a_damaged_record_is_no_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
