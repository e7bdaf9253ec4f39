/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cloud Shell on screen: how long its machine stays without a key, on every page; what is said
 * before it deploys, before the long stages and before it destroys. Nothing of it elsewhere.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/run/event.h"
#include "core/run/intent.h"
#include "tests/rig/view_rig.h"
#include "tests/rig/vt.h"
#include "tests/unit/recipe_rig.h"
#include "tests/view/world.h"
#include "views/common.h"
#include "views/views.h"

#define MINUTE ((int64_t)60000)

static struct recipe *recipe;
static char dir[64];

struct page {
	struct state state;
	struct views_context context;
	struct view_rig *rig;
};

static void open_page(
	struct page *p, const struct view_ops *ops, enum world world, const char *lang)
{
	struct host_options o = {.state = &p->state, .tabs = views_tabs, .context = &p->context};

	world_make(&p->state, world, recipe);
	for (unsigned i = STAGE_TOOLS; world == WORLD_EMPTY && i < STAGE_CLUSTER; i++) {
		struct event ev = event_stage((enum stage_id)i, MOVE_DONE, 1);

		run_apply(&p->state, &ev); /* the deploy is next */
	}
	p->context = (struct views_context){.recipe = recipe, .run_dir = dir};
	p->rig = view_rig_open(80, 24, lang, &o, NULL);
	assert_int_equal(host_push(view_rig_host(p->rig), ops), 0);
	view_rig_frame(p->rig);
}

static void close_page(struct page *p)
{
	view_rig_close(p->rig);
	state_fini(&p->state);
}

static bool shows(const struct page *p, const char *text)
{
	return vt_has(view_rig_vt(p->rig), text);
}

static void idle_for(struct page *p, int64_t ms)
{
	host_typed(view_rig_host(p->rig), clock_wall() - ms);
	host_redraw(view_rig_host(p->rig));
	view_rig_frame(p->rig);
}

static void every_page_has_the_idle_clock(void **state)
{
	static const struct view_ops *const pages[] = {&view_welcome, &view_variables,
		&view_preflight, &view_reservations, &view_plan, &view_stages, &view_monitor};

	(void)state;
	for (size_t i = 0; i < COUNT(pages); i++) {
		struct page p;

		open_page(&p, pages[i], WORLD_TRAIN, "en");
		assert_true(shows(&p, "Cloud Shell: 20 min left"));
		idle_for(&p, 5 * MINUTE - 30000);
		assert_true(shows(&p, "Cloud Shell: 16 min left"));
		assert_false(shows(&p, "press a key"));
		idle_for(&p, 16 * MINUTE - 30000);
		assert_true(shows(&p, "Cloud Shell: 5 min left, press a key"));
		idle_for(&p, 18 * MINUTE + 31000);
		assert_true(shows(&p, "Cloud Shell: 90 s left, press a key"));
		idle_for(&p, 60 * MINUTE);
		assert_true(shows(&p, "Cloud Shell: 0 s left, press a key"));
		view_rig_keys(p.rig, "<Down>");
		assert_true(shows(&p, "Cloud Shell: 20 min left"));
		close_page(&p);
	}
}

/* The text, and the end of it: all of it fits. */
static void the_machines_end_is_said_before_what_lasts_long(void **state)
{
	static const struct {
		enum world world;
		const char *keys;
		const char *en[2], *ko[2];
	} asked[] = {
		{WORLD_EMPTY, "<Enter>", {"terraform with it, half-way", "machine that stays."},
			{"terraform", "배포하십시오."}},
		{WORLD_EMPTY, "A", {"terraform with it, half-way", "machine that stays."},
			{"terraform", "배포하십시오."}},
		{WORLD_UP, "<Enter>", {"without a key: the jobs", "stage convert."},
			{"작업은", "convert."}},
		{WORLD_LEFT, "R", {"terraform with it, half-way", "while it destroys."},
			{"terraform", "키를 누르십시오."}},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(asked); i++)
		for (int ko = 0; ko < 2; ko++) {
			const char *const *texts = ko ? asked[i].ko : asked[i].en;
			struct page p;

			open_page(&p, &view_stages, asked[i].world, ko ? "ko" : "en");
			view_rig_keys(p.rig, asked[i].keys);
			for (int k = 0; k < 2; k++)
				if (!shows(&p, texts[k]))
					fail_msg("question %zu does not show: %s", i, texts[k]);
			close_page(&p);
		}
}

static void the_deploy_begins_only_with_a_yes(void **state)
{
	struct intent in;
	struct page p;

	(void)state;
	open_page(&p, &view_stages, WORLD_EMPTY, "en");
	view_rig_keys(p.rig, "<Enter><Esc>");
	assert_int_equal(intent_take(dir, &in), 0);
	view_rig_keys(p.rig, "<Enter><Enter>");
	assert_int_equal(intent_take(dir, &in), 1);
	assert_int_equal(in.kind, INTENT_START);
	assert_int_equal(in.stage, STAGE_CLUSTER);
	assert_true(intent_settle(&in));
	intent_fini(&in);
	close_page(&p);
}

static void elsewhere_nothing_is_said(void **state)
{
	struct page p;

	(void)state;
	unsetenv("CLOUD_SHELL");
	open_page(&p, &view_stages, WORLD_UP, "en");
	view_rig_keys(p.rig, "<Enter>");
	assert_false(shows(&p, "Cloud Shell"));
	close_page(&p);
	setenv("CLOUD_SHELL", "true", 1);
}

static int set_up_all(void **state)
{
	const char *tmp = getenv("TMPDIR");

	(void)state;
	setenv("TZ", "UTC", 1);
	setenv("CLOUD_SHELL", "true", 1);
	snprintf(dir, sizeof(dir), "%s/shell-XXXXXX", tmp && strlen(tmp) < 40 ? tmp : "/tmp");
	recipe = recipe_rig();
	return mkdtemp(dir) ? 0 : -1;
}

static int take_down_all(void **state)
{
	(void)state;
	recipe_free(recipe);
	return path_remove_tree(dir, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_page_has_the_idle_clock),
		cmocka_unit_test(the_machines_end_is_said_before_what_lasts_long),
		cmocka_unit_test(the_deploy_begins_only_with_a_yes),
		cmocka_unit_test(elsewhere_nothing_is_said),
	};

	return cmocka_run_group_tests(tests, set_up_all, take_down_all);
}
