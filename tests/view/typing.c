/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of what is typed and pasted: values, drafts, tokens that are never shown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "core/base/mem.h"
#include "tests/rig/view_rig.h"
#include "tests/rig/vt.h"
#include "tests/view/scene_rig.h"

static void a_pasted_token_is_masked(void **state)
{
	(void)state;
	struct stage_set t;
	struct scene plain = *scene("variables");
	struct intent in;
	set_up(&t, &plain, 80, 24, "en");
	for (int i = 0; i < 13; i++)
		view_rig_keys(t.rig, "<Down>");
	view_rig_paste(t.rig, "hf_AbcdefghijKLMNOPqrstuvwxyz012345\n");
	assert_false(vt_has(view_rig_vt(t.rig), "hf_Abc"));
	assert_true(vt_has(view_rig_vt(t.rig), "HF_TOKEN"));
	view_rig_keys(t.rig, "<Enter>");
	assert_int_equal(next_intent(&in), 1);
	assert_string_equal(in.name, "HF_TOKEN");
	assert_string_equal(in.text, "hf_AbcdefghijKLMNOPqrstuvwxyz012345");
	intent_fini(&in);
	take_down(&t);
}

static void a_pasted_block_is_imported_after_a_question(void **state)
{
	static const char block[] =
		"```bash\nexport PROJECT=\"YOUR_PROJECT_ID\"\nexport REGION=\"us-east5\"\n"
		"export ZONE='us-east5-b'\nexport CLUSTER_NAME=gemma-two\n```\n";
	static const char *const want[][2] = {
		{"ZONE", "us-east5-b"}, {"CLUSTER_NAME", "gemma-two"}, {"REGION", "us-east5"}};
	(void)state;
	struct stage_set t;
	struct intent in;
	set_up(&t, scene("variables"), 80, 24, "en");
	view_rig_keys(t.rig, "<Down><Down><Down><Enter>");
	view_rig_paste(t.rig, block);
	assert_true(vt_has(view_rig_vt(t.rig), "Import"));
	assert_int_equal(next_intent(&in), 0);
	view_rig_keys(t.rig, "<Esc>");
	assert_int_equal(next_intent(&in), 0);
	view_rig_paste(t.rig, block);
	view_rig_keys(t.rig, "<Enter>");
	for (size_t i = 0; i < COUNT(want); i++) {
		assert_int_equal(next_intent(&in), 1);
		assert_int_equal(in.kind, INTENT_SET_VALUE);
		assert_string_equal(in.name, want[i][0]);
		assert_string_equal(in.text, want[i][1]);
		intent_fini(&in);
	}
	assert_int_equal(next_intent(&in), 0);
	take_down(&t);
}

static void what_cannot_be_a_value_is_refused_with_its_reason(void **state)
{
	static const struct {
		const char *paste, *reason;
	} cases[] = {
		{"\xed\x95\x9c\xea\xb5\xad-\xed\x94\x84\xeb\xa1\x9c", "ASCII"},
		{"hf_AbcdefghijKLMNOPqrstuvwxyz012345", "looks like a"},
	};
	(void)state;
	AUTO_FREE char *million = x_calloc(1, 1000001);
	memset(million, 'a', 1000000);
	struct stage_set t;
	set_up(&t, scene("variables"), 120, 40, "en");
	view_rig_keys(t.rig, "<Enter>");
	for (size_t i = 0; i < COUNT(cases); i++) {
		view_rig_keys(t.rig, "<C-u>");
		view_rig_paste(t.rig, cases[i].paste);
		if (!vt_has(view_rig_vt(t.rig), cases[i].reason))
			fail_msg("no word about \"%s\"", cases[i].reason);
	}
	struct key odd = {.code = K_PASTE, .text = "myproject", .len = 9, .odd = true};
	view_rig_keys(t.rig, "<C-u>");
	host_key(view_rig_host(t.rig), &odd);
	view_rig_frame(t.rig);
	assert_true(vt_has(view_rig_vt(t.rig), "cannot be"));
	assert_false(vt_has(view_rig_vt(t.rig), "myproject"));
	view_rig_keys(t.rig, "<C-u>");
	view_rig_paste(t.rig, million);
	assert_true(vt_has(view_rig_vt(t.rig), "too long"));
	take_down(&t);
}

static void a_wrong_token_stays_in_memory_alone(void **state)
{
	(void)state;
	struct stage_set t;
	struct intent in;
	set_up(&t, scene("variables"), 80, 24, "en");
	view_rig_keys(t.rig,
		"<Down><Down><Down><Down><Down><Down><Down><Down><Down><Down><Down><Down><Down>");
	view_rig_paste(t.rig, "not a\ntoken\n");
	view_rig_keys(t.rig, "<Tab>");
	assert_int_equal(next_intent(&in), 0);
	assert_true(vt_has(view_rig_vt(t.rig), "not used yet"));
	assert_false(vt_has(view_rig_vt(t.rig), "notatoken"));
	view_rig_keys(t.rig, "<Up><Enter><C-u>");
	view_rig_paste(t.rig, "hf_Abcdefghij\nKLMNOP qrstuvwxyz\n");
	view_rig_keys(t.rig, "<Enter>");
	assert_int_equal(next_intent(&in), 1);
	assert_string_equal(in.text, "hf_AbcdefghijKLMNOPqrstuvwxyz");
	intent_fini(&in);
	take_down(&t);
}

static void the_rules_speak_while_one_types(void **state)
{
	(void)state;
	struct stage_set t;
	struct scene plain = *scene("plan");
	plain.keys = "";
	set_up(&t, &plain, 120, 40, "en");
	view_rig_keys(t.rig, "4<Down><Down><Enter><C-u>3");
	assert_true(vt_has(view_rig_vt(t.rig), "multiple of"));
	assert_true(vt_has(view_rig_vt(t.rig), "the trainer would say"));
	view_rig_keys(t.rig, "<Backspace>4");
	assert_false(vt_has(view_rig_vt(t.rig), "the trainer would say"));
	view_rig_keys(t.rig, "<C-u>x");
	assert_true(vt_has(view_rig_vt(t.rig), "number"));
	view_rig_keys(t.rig, "<Esc>");
	take_down(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pasted_token_is_masked),
		cmocka_unit_test(a_pasted_block_is_imported_after_a_question),
		cmocka_unit_test(what_cannot_be_a_value_is_refused_with_its_reason),
		cmocka_unit_test(a_wrong_token_stays_in_memory_alone),
		cmocka_unit_test(the_rules_speak_while_one_types),
	};
	return cmocka_run_group_tests(tests, set_up_all, take_down_all);
}
