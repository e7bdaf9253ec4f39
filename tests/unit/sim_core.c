/* SPDX-License-Identifier: Apache-2.0 */
/* The pretend cloud without sockets: its clock, its world and ledger, the mask of `fields`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/io/loop.h"
#include "sim/clock.h"
#include "sim/fields.h"
#include "sim/ledger.h"
#include "sim/sim.h"
#include "sim/world.h"

static struct sim sim;
static char *folder;
static char *ledger;
static int64_t moments[8];
static size_t n_moments;

static int setup(void **state)
{
	struct err e = {0};
	const char *tmp = getenv("TMPDIR");
	(void)state;
	folder = x_asprintf("%s/sim-core-XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(folder))
		return -1;
	ledger = path_join(folder, "ledger.jsonl");
	n_moments = 0;
	sim = (struct sim){.seed = 1, .loop = loop_new()};
	sim_clock_start(&sim, SIM_SPEED_MAX);
	return world_open(&sim, "ready", &e) < 0 ? -1 : ledger_open(&sim, ledger, &e);
}

static int teardown(void **state)
{
	(void)state;
	ledger_close(&sim);
	world_close(&sim);
	sim_clock_stop(&sim);
	loop_free(sim.loop);
	path_remove_tree(folder, NULL);
	free(ledger);
	free(folder);
	return 0;
}

static void note(void *arg)
{
	(void)arg;
	moments[n_moments++] = sim_now(&sim);
}

static void note_and_go_on(void *arg)
{
	note(arg);
	if (n_moments < 4)
		sim_after(&sim, 1500, note_and_go_on, NULL);
	else
		loop_stop(sim.loop);
}

static void events_of_one_tick_keep_their_own_moments(void **state)
{
	(void)state;
	int64_t begin = sim_now(&sim);
	sim_after(&sim, 1500, note_and_go_on, NULL);
	loop_run(sim.loop);
	assert_int_equal(n_moments, 4);
	assert_true(moments[0] - begin >= 1500);
	for (size_t i = 1; i < 4; i++)
		assert_int_equal(moments[i] - moments[i - 1], 1500);
	assert_true(sim_now(&sim) >= moments[3]);
}

static void stop(void *arg)
{
	(void)arg;
	loop_stop(sim.loop);
}

static void later_first_is_called_later_and_cancelled_never(void **state)
{
	(void)state;
	sim_after(&sim, 9000, note, NULL);
	sim_after(&sim, 3000, note, NULL);
	uint64_t id = sim_after(&sim, 4000, note, NULL);
	sim_after(&sim, 30000, stop, NULL);
	sim_cancel(&sim, &id);
	assert_int_equal(id, 0);
	loop_run(sim.loop);
	assert_int_equal(n_moments, 2);
	assert_true(moments[1] - moments[0] > 5000);
}

static void pretend_time_begins_thirty_days_ago(void **state)
{
	(void)state;
	AUTO_FREE char *text = sim_clock_text(&sim);
	long long epoch = strtoll(text, NULL, 10);
	long long real = strtoll(strchr(text, '@') + 1, NULL, 10);
	assert_int_equal(real - epoch, 30LL * 24 * SIM_HOUR);
	assert_string_equal(strchr(text, '*'), "*1000");
}

static size_t ledger_lines(const char *what)
{
	AUTO(buf_fini) struct buf b = {0};
	size_t n = 0;
	assert_int_equal(path_read(ledger, 1 << 20, &b, NULL), 0);
	for (const char *p = buf_str(&b); (p = strstr(p, what)); p++)
		n++;
	return n;
}

static void objects_are_sorted_and_counted_once(void **state)
{
	(void)state;
	struct world *w = sim.world;
	struct bucket *b = world_bucket_create(w, "box", "US-EAST5");
	assert_null(world_object_put(w, "no-box", "x", 1, NULL));
	world_object_put(w, "box", "b", 3, "abc");
	world_object_put(w, "box", "a", 5000000000, NULL);
	int64_t first = world_object(w, "box", "b")->generation;
	world_object_put(w, "box", "b", 9, "123456789");
	assert_int_equal(b->n, 2);
	assert_string_equal(b->items[0]->name, "a");
	assert_true(world_object(w, "box", "b")->generation > first);
	assert_string_equal(b->items[1]->crc32c, "4waSgw==");
	assert_string_equal(b->items[1]->md5, "JfnnlDI7RTiF9RgfG2JNCw==");
	assert_string_equal(b->items[0]->md5, "");
	assert_true(world_object_delete(w, "box", "b"));
	assert_false(world_object_delete(w, "box", "b"));
	world_bucket_delete(w, "box");
	assert_int_equal(ledger_lines("\"kind\":\"create\",\"what\":\"object/box/b\""), 1);
	assert_int_equal(ledger_lines("\"kind\":\"delete\",\"what\":\"object/box/b\""), 1);
	assert_int_equal(ledger_lines("\"kind\":\"delete\",\"what\":\"object/box/a\""), 1);
	assert_int_equal(ledger_lines("\"kind\":\"delete\",\"what\":\"bucket/box\""), 1);
}

static void made_up_bytes_are_the_same_at_every_offset(void **state)
{
	char whole[64];
	char part[16];
	(void)state;
	world_bucket_create(sim.world, "box", "US-EAST5");
	const struct object *o = world_object_put(sim.world, "box", "x", 64, NULL);
	world_object_read(o, 0, sizeof(whole), whole);
	world_object_read(o, 40, sizeof(part), part);
	assert_memory_equal(part, whole + 40, sizeof(part));
}

static void metrics_have_nine_digits(void **state)
{
	(void)state;
	ledger_metric(&sim, "rewards/train/sum", 3, 0.1);
	assert_int_equal(
		ledger_lines("\"what\":\"rewards/train/sum\",\"step\":3,\"value\":0.1}"), 1);
}

static void check_fields(const char *fields, const char *expected)
{
	json_t *j =
		json_loads("{\"items\":[{\"name\":\"a\",\"size\":\"1\",\"x\":{\"y\":1,\"z\":2}},"
			   "{\"name\":\"b\",\"size\":\"2\"}],\"next\":\"t\",\"kind\":\"k\"}",
			0, NULL);
	j = fields_keep(j, fields);
	AUTO_FREE char *text = json_dumps(j, JSON_COMPACT);
	json_decref(j);
	assert_string_equal(text, expected);
}

static void fields_keep_what_is_named(void **state)
{
	(void)state;
	check_fields("next", "{\"next\":\"t\"}");
	check_fields("items(name),next",
		"{\"items\":[{\"name\":\"a\"},{\"name\":\"b\"}],\"next\":\"t\"}");
	check_fields("items/name,items/size",
		"{\"items\":[{\"name\":\"a\",\"size\":\"1\"},{\"name\":\"b\",\"size\":\"2\"}]}");
	check_fields("items(x/y,size)",
		"{\"items\":[{\"x\":{\"y\":1},\"size\":\"1\"},{\"size\":\"2\"}]}");
	check_fields("gone(a,b(c)),kind", "{\"kind\":\"k\"}");
	check_fields("items(", "{\"items\":[{},{}]}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			events_of_one_tick_keep_their_own_moments, setup, teardown),
		cmocka_unit_test_setup_teardown(
			later_first_is_called_later_and_cancelled_never, setup, teardown),
		cmocka_unit_test_setup_teardown(
			pretend_time_begins_thirty_days_ago, setup, teardown),
		cmocka_unit_test_setup_teardown(
			objects_are_sorted_and_counted_once, setup, teardown),
		cmocka_unit_test_setup_teardown(
			made_up_bytes_are_the_same_at_every_offset, setup, teardown),
		cmocka_unit_test_setup_teardown(metrics_have_nine_digits, setup, teardown),
		cmocka_unit_test(fields_keep_what_is_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
