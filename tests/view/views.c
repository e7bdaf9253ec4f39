/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every screen in every size and both languages as golden text, and what its keys post.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/run/event.h"
#include "core/run/intent.h"
#include "core/run/state.h"
#include "tests/rig/golden.h"
#include "tests/rig/view_rig.h"
#include "tests/rig/vt.h"
#include "tests/view/scene_rig.h"
#include "tests/view/scenes.h"
#include "tests/view/world_pods.h"
#include "views/common.h"
#include "views/views.h"

static const int sizes[][2] = {{80, 24}, {120, 40}, {60, 16}};
static const char *const languages[] = {"en", "ko"};

static void screens_are_the_golden_ones(void **state)
{
	(void)state;
	bool ok = true;
	for (size_t i = 0; i < scenes_n; i++) {
		for (size_t j = 0; j < COUNT(sizes) * COUNT(languages); j++) {
			struct stage_set t;
			const int *size = sizes[j / COUNT(languages)];
			const char *lang = languages[j % COUNT(languages)];
			set_up(&t, &scenes[i], size[0], size[1], lang);
			AUTO_FREE char *name = x_asprintf("tests/view/golden/%s-%dx%d-%s.txt",
				scenes[i].name, size[0], size[1], lang);
			ok = view_rig_golden(t.rig, name) && ok;
			take_down(&t);
		}
	}
	assert_true(ok);
}

static void every_size_draws_something_and_nothing_breaks(void **state)
{
	(void)state;
	for (size_t i = 0; i < scenes_n; i++) {
		struct stage_set t;
		set_up(&t, &scenes[i], 80, 24, "en");
		for (int cols = 1; cols <= 130; cols += 3) {
			view_rig_resize(t.rig, cols, 1 + cols % 41);
			AUTO(buf_fini) struct buf row = {0};
			vt_row(view_rig_vt(t.rig), 0, &row);
			assert_true(cols < 4 || row.len > 0);
		}
		take_down(&t);
	}
}

/* The one intent that lies in the inbox, as JSON. */
static void assert_intent(const char *want)
{
	struct intent in;
	assert_int_equal(next_intent(&in), 1);
	AUTO_FREE char *got = intent_to_json(&in);
	assert_string_equal(got, want);
	intent_fini(&in);
	assert_int_equal(next_intent(&in), 0);
}

/* Keys of a page, and the one intent that they post. */
static const struct {
	const char *scene, *keys, *intent;
} posting[] = {
	{"stages-failed", "r",
		"{\"v\":1,\"intent\":\"retry\",\"stage\":\"convert\",\"text\":\"hf-gated\"}"},
	{"stages-recognised", "<Enter><Enter>",
		"{\"v\":1,\"intent\":\"skip\",\"stage\":\"convert\",\"text\":\"recognised: the "
		"result is "
		"already there: gs://rehearsal-lab-gemma/gemma4-26b/max-text-format/; compared and "
		"the same: the folder, item items, the size, scan_layers; not compared: the "
		"command of its deleted job, the weights themselves\"}"},
	{"stages-other", "<Enter><Enter>",
		"{\"v\":1,\"intent\":\"retry\",\"stage\":\"train\",\"text\":\"other-result\"}"},
	{"stages-undo-left", "r<Enter>max-text-format<Enter>",
		"{\"v\":1,\"intent\":\"undo\",\"stage\":\"convert\",\"text\":\"max-text-format\"}"},
	{"stages-undo-left", "r<Down><Enter>",
		"{\"v\":1,\"intent\":\"retry\",\"stage\":\"convert\",\"text\":\"undo-left\"}"},
	{"stages-recognised", "<Enter><End><Enter>", "{\"v\":1,\"intent\":\"forget-token\"}"},
	{"stages-recognised", "Umax-text-format<Enter>",
		"{\"v\":1,\"intent\":\"undo\",\"stage\":\"convert\",\"text\":\"max-text-format\"}"},
	{"stages-failed", "Snot needed<Enter>",
		"{\"v\":1,\"intent\":\"skip\",\"stage\":\"convert\",\"text\":\"not needed\"}"},
	{"stages-deploy", "xgemma-r<Enter>l<Enter>",
		"{\"v\":1,\"intent\":\"cancel\",\"stage\":\"cluster\",\"attempt\":1,\"text\":"
		"\"gemma-rl\"}"},
	{"stages-failed", "<Enter><Enter>",
		"{\"v\":1,\"intent\":\"retry\",\"stage\":\"convert\",\"text\":\"hf-gated\"}"},
	{"stages-failed", "<Enter><Down><Down><Enter>known<Enter>",
		"{\"v\":1,\"intent\":\"skip\",\"stage\":\"convert\",\"text\":\"known\"}"},
	{"stages-failed", "<Enter><End><Enter>max-text-format<Enter>",
		"{\"v\":1,\"intent\":\"undo\",\"stage\":\"convert\",\"text\":\"max-text-format\"}"},
	{"stages-failed", "Umax-text<Enter>-format<Enter>",
		"{\"v\":1,\"intent\":\"undo\",\"stage\":\"convert\",\"text\":\"max-text-format\"}"},
	{"stages-failed", "T<Down><Enter>gemma-rl<Enter>",
		"{\"v\":1,\"intent\":\"undo\",\"stage\":\"cluster\",\"text\":\"gemma-rl\"}"},
	{"stages-failed", "T<Enter>", "{\"v\":1,\"intent\":\"stop-after-stage\"}"},
	{"stages-train", "A<Down><Enter>", "{\"v\":1,\"intent\":\"go-on-alone\"}"},
	{"stages-stopping", "x",
		"{\"v\":1,\"intent\":\"withdraw-cancel\",\"stage\":\"cluster\",\"attempt\":1}"},
	{"stages-train", "x<Enter>",
		"{\"v\":1,\"intent\":\"cancel\",\"stage\":\"train\",\"attempt\":1}"},
	{"welcome", "s<Enter>",
		"{\"v\":1,\"intent\":\"start-stage\",\"stage\":\"tools\",\"text\":\"-\"}"},
	{"variables", "<Down><Down><Enter><C-u>us-east5-c<Enter>",
		"{\"v\":1,\"intent\":\"set-value\",\"name\":\"ZONE\",\"text\":\"us-east5-c\"}"},
	{"plan", "2<Down><Space>",
		"{\"v\":1,\"intent\":\"set-deviation\",\"name\":\"restarts-0\",\"text\":\"off\"}"},
	{"plan", "2<End><Enter>",
		"{\"v\":1,\"intent\":\"set-deviation\",\"name\":\"checkpoint-every-10\",\"text\":"
		"\"on\"}"},
	{"plan", "3<Down><Down><Down><Enter>",
		"{\"v\":1,\"intent\":\"set-deviation\",\"name\":\"dataset-openmath\",\"text\":"
		"\"on\"}"},
	{"plan", "4<Enter><C-u>60<Enter>",
		"{\"v\":1,\"intent\":\"set-value\",\"name\":\"num_batches\",\"text\":\"60\"}"},
	{"plan", "<Tab><Tab><Tab><Down><Enter><C-u>6<Enter>",
		"{\"v\":1,\"intent\":\"set-value\",\"name\":\"batch_size\",\"text\":\"6\"}"},
	{"variables-keep", TO_TOKEN "W<Down><Enter>",
		"{\"v\":1,\"intent\":\"keep-secret\",\"name\":\"HF_TOKEN\",\"text\":\"on\"}"},
	{"variables-keep", TO_TOKEN "W<Enter>",
		"{\"v\":1,\"intent\":\"keep-secret\",\"name\":\"HF_TOKEN\",\"text\":\"off\"}"},
	/* a wrong value is kept as a draft: the engine does not use it */
	{"variables", "<Down><Down><Down><Enter><C-u>Bad_Name<Enter>",
		"{\"v\":1,\"intent\":\"set-value\",\"name\":\"CLUSTER_NAME\",\"text\":\"Bad_"
		"Name\"}"},
	{"preflight", "r", "{\"v\":1,\"intent\":\"rerun-check\",\"text\":\"role.tpu.admin\"}"},
	{"preflight", "R", "{\"v\":1,\"intent\":\"rerun-check\"}"},
	{"reservations", "<Enter>",
		"{\"v\":1,\"intent\":\"choose-reservation\",\"name\":\"v6e-rehearsal\",\"text\":"
		"\"us-east5-b\"}"},
	{"monitor", "a", "{\"v\":1,\"intent\":\"acknowledge\",\"text\":\"length-limit\"}"},
};

static void keys_post_intents(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(posting); i++) {
		struct stage_set t;
		struct scene plain = *scene(posting[i].scene);
		plain.keys = "";
		set_up(&t, &plain, 80, 24, "en");
		view_rig_keys(t.rig, posting[i].keys);
		assert_intent(posting[i].intent);
		take_down(&t);
	}
}

static void nothing_is_posted_without_the_name(void **state)
{
	(void)state;
	static const char *const keys[][2] = {
		{"stages-deploy", "xgemma<Enter><Esc>"},
		{"stages-deploy", "x<Enter><Esc>"},
		{"stages-failed", "S<Enter><Esc>"},
		{"stages-failed", "U<Enter><Esc>"},
		{"stages-failed", "Umax<Enter><Esc>"},
		{"stages-failed", "<Enter><Esc>"},
		{"stages-failed", "T<Down><Enter>gemma<Enter><Esc>"},
		{"stages-train", "Ux<Esc>"},
		{"stages-deploy", "A<Esc>"},
		{"variables", "<Enter>other-project<Esc>"},
		{"reservations", "<Down><Enter>"},
		{"variables-keep", TO_TOKEN "W<Esc>"},
		{"variables", "W<Enter>"},
		{"preflight", "f<Esc>"},
		{"preflight", "fru<Enter><Esc>"},
		{"plan-frozen", "2<Space>4<Enter><C-u>60<Enter>"},
		{"plan", "3<Down><Down><Enter>"},
		{"plan", "4<Enter><C-u>many<Enter>"},
		{"plan", "4<End><Enter>"},
	};
	struct intent in;
	for (size_t i = 0; i < COUNT(keys); i++) {
		struct stage_set t;
		struct scene plain = *scene(keys[i][0]);
		plain.keys = "";
		set_up(&t, &plain, 80, 24, "en");
		view_rig_keys(t.rig, keys[i][1]);
		if (next_intent(&in) == 1)
			fail_msg("%s %s posted %s", keys[i][0], keys[i][1], intent_word(in.kind));
		take_down(&t);
	}
}

static void every_page_says_that_the_engine_or_the_folder_is_gone(void **state)
{
	static const struct view_ops *const pages[] = {&view_welcome, &view_variables,
		&view_preflight, &view_reservations, &view_plan, &view_stages, &view_monitor};
	static const struct {
		const char *id, *text, *shown;
		int code; /* of the engine */
	} signs[] = {
		{ALERT_ENGINE_SILENT, "no sign", "has given no sign for 2m: E goes on here", 0},
		{ALERT_ENGINE_STOPPED, "ended", "the engine has ended, its work goes on: E", 0},
		{ALERT_ENGINE_STOPPED, "ended",
			"cannot write (disk full?): engine ended: E starts it again", 73},
		{ALERT_ENGINE_GONE, "gone",
			"(last sign 2m ago), its work goes on: E starts it again", 0},
		{ALERT_FOLDER_GONE, "the folder is gone", "the folder is gone", 0},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(pages); i++) {
		struct scene page = {"page", pages[i], WORLD_TRAIN, ""};
		struct stage_set t;
		set_up(&t, &page, 80, 24, "en");
		clock_fix(t.state.engine_beat + 120000);
		for (size_t k = 0; k < COUNT(signs); k++) {
			struct state_alert alert = {.id = (char *)signs[k].id,
				.state = (char *)"raised",
				.text = (char *)signs[k].text};
			struct event ev = {.kind = EV_ALERT, .u.alert = &alert};
			assert_false(vt_has(view_rig_vt(t.rig), signs[k].shown));
			t.state.exit_code = signs[k].code;
			run_apply(&t.state, &ev);
			assert_true(pages[i]->topics & TOPIC_BIT(TOPIC_ALERTS));
			host_redraw(view_rig_host(t.rig));
			view_rig_frame(t.rig);
			assert_true(vt_has(view_rig_vt(t.rig), signs[k].shown));
			alert.state = (char *)"cleared";
			run_apply(&t.state, &ev);
		}
		take_down(&t);
	}
}

static void fast_keys_mean_what_they_mean_slowly(void **state)
{
	(void)state;
	struct stage_set t;
	static const struct key skip = {.code = K_CHAR, .cp = 'S'}, esc = {.code = K_ESC},
				help = {.code = K_CHAR, .cp = '?'};
	set_up(&t, scene("stages-failed"), 80, 24, "en");
	host_key(view_rig_host(t.rig), &skip);
	host_key(view_rig_host(t.rig), &help);
	host_key(view_rig_host(t.rig), &esc);
	host_key(view_rig_host(t.rig), &help);
	view_rig_frame(t.rig);
	assert_true(vt_has(view_rig_vt(t.rig), "help: stages"));
	assert_true(vt_has(view_rig_vt(t.rig), "more below"));
	view_rig_keys(t.rig, "<PgDn><PgDn><PgDn><PgDn>");
	assert_false(vt_has(view_rig_vt(t.rig), "more below"));
	take_down(&t);
}

/* A job without a pod has a phase and a reason: no empty table in their place. */
static void a_job_that_waits_in_its_queue_is_told_on_wide_screens_too(void **state)
{
	(void)state;
	struct stage_set t;
	struct event name = event_text(EV_JOBSET_NAME, "gemma4-training");
	set_up(&t, scene("monitor-idle"), 120, 40, "en");
	run_apply(&t.state, &name);
	world_object(&t.state, clock_now(), EV_JOBSET,
		x_strdup("{\"metadata\":{\"name\":\"gemma4-training\",\"uid\":\"j9\","
			 "\"namespace\":\"default\"},\"spec\":{\"suspend\":true,"
			 "\"replicatedJobs\":[]},\"status\":{}}"));
	host_redraw(view_rig_host(t.rig));
	view_rig_frame(t.rig);
	assert_true(vt_has(view_rig_vt(t.rig), "JobSet         queued"));
	take_down(&t);
}

static void clean_up_wants_both_names(void **state)
{
	(void)state;
	struct stage_set t;
	struct scene plain = *scene("stages-failed");
	struct intent in;
	set_up(&t, &plain, 80, 24, "en");
	view_rig_keys(t.rig, "<End><Enter>gemma-rl<Enter><Down><Enter>rehearsal-lab-gemma<Enter>");
	assert_int_equal(next_intent(&in), 1);
	assert_int_equal(in.kind, INTENT_CONFIRM_BUCKET);
	assert_string_equal(in.text, "rehearsal-lab-gemma");
	intent_fini(&in);
	assert_int_equal(next_intent(&in), 1);
	assert_int_equal(in.kind, INTENT_CONFIRM_CLEANUP);
	assert_string_equal(in.text, "gemma-rl");
	intent_fini(&in);
	take_down(&t);
}

static void what_was_over_before_says_where_its_output_is(void **state)
{
	(void)state;
	struct stage_set t;
	set_up(&t, scene("stages-done"), 120, 40, "en");
	assert_false(vt_has(view_rig_vt(t.rig), "it is kept in"));
	view_rig_keys(t.rig, "<Home>");
	assert_true(vt_has(view_rig_vt(t.rig), "it is kept in"));
	assert_true(vt_has(view_rig_vt(t.rig), "/stages/tools/1/log"));
	take_down(&t);
}

static void read_only_screens_post_nothing(void **state)
{
	(void)state;
	struct stage_set t;
	struct intent in;
	set_up(&t, scene("stages-failed"), 80, 24, "en");
	assert_true(vt_has(view_rig_vt(t.rig), "r again"));
	t.context.read_only = true;
	view_rig_keys(t.rig, "v");
	assert_false(vt_has(view_rig_vt(t.rig), "what now"));
	assert_false(vt_has(view_rig_vt(t.rig), "r again"));
	view_rig_keys(t.rig, "rSxa<F4><Enter>x<Enter><Esc>");
	assert_int_equal(next_intent(&in), 0);
	take_down(&t);
}

static void the_script_is_saved_for_its_owner_alone(void **state)
{
	(void)state;
	struct stage_set t;
	struct stat st;
	AUTO(buf_fini) struct buf text = {0};
	AUTO_FREE char *file = path_join(run_dir, "plan.sh");
	set_up(&t, scene("plan"), 80, 24, "en");
	view_rig_keys(t.rig, "W");
	assert_true(vt_has(view_rig_vt(t.rig), "saved: "));
	assert_int_equal(stat(file, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(path_read(file, 1 << 20, &text, NULL), 0);
	assert_true(text_starts(buf_str(&text), "#!/usr/bin/env bash\n"));
	assert_non_null(strstr(buf_str(&text), "${HF_TOKEN:?}"));
	take_down(&t);
}

/* With PICTURES=FOLDER every scene is written as a picture in the dark theme as well. */
static void pictures(void **state)
{
	const char *folder = getenv("PICTURES");
	const char *src = getenv("srcdir");
	struct theme theme;
	(void)state;
	AUTO_FREE char *path = x_asprintf("%s/themes/dark.yaml", src ? src : ".");
	assert_int_equal(theme_load(&theme, path, NULL), 0);
	for (size_t i = 0; i < scenes_n; i++) {
		struct stage_set t;
		AUTO(buf_fini) struct buf svg = {0};
		set_up(&t, &scenes[i], 100, 30, "en");
		host_set_theme(view_rig_host(t.rig), &theme);
		view_rig_frame(t.rig);
		svg_dump(view_rig_vt(t.rig), "rlpilot", &svg);
		assert_true(text_ends(buf_str(&svg), "</svg>\n"));
		AUTO_FREE char *file =
			x_asprintf("%s/%s.svg", folder ? folder : run_dir, scenes[i].name);
		assert_int_equal(path_write(file, svg.data, svg.len, NULL), 0);
		take_down(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(screens_are_the_golden_ones),
		cmocka_unit_test(every_size_draws_something_and_nothing_breaks),
		cmocka_unit_test(keys_post_intents),
		cmocka_unit_test(nothing_is_posted_without_the_name),
		cmocka_unit_test(every_page_says_that_the_engine_or_the_folder_is_gone),
		cmocka_unit_test(fast_keys_mean_what_they_mean_slowly),
		cmocka_unit_test(a_job_that_waits_in_its_queue_is_told_on_wide_screens_too),
		cmocka_unit_test(clean_up_wants_both_names),
		cmocka_unit_test(what_was_over_before_says_where_its_output_is),
		cmocka_unit_test(read_only_screens_post_nothing),
		cmocka_unit_test(the_script_is_saved_for_its_owner_alone),
		cmocka_unit_test(pictures),
	};
	return cmocka_run_group_tests(tests, set_up_all, take_down_all);
}
