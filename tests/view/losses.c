/* SPDX-License-Identifier: Apache-2.0 */
/* What may be lost by a stop: of each stage, in each of its situations, in both languages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/run/event.h"
#include "tests/rig/golden.h"
#include "views/stage_words.h"

static const struct {
	enum stage_id id;
	const char *title;
	int64_t step, safe; /* of the training, -1 = none */
	enum { WORKS, IS_UNDONE, IS_VERIFIED } how;
} rows[] = {
	{STAGE_TOOLS, "tools", 0, -1, WORKS},
	{STAGE_TOOLKIT, "toolkit", 0, -1, WORKS},
	{STAGE_LOGIN, "login", 0, -1, WORKS},
	{STAGE_BUCKET, "bucket", 0, -1, WORKS},
	{STAGE_CLUSTER, "cluster", 0, -1, WORKS},
	{STAGE_CLUSTER, "undo of the cluster", 0, -1, IS_UNDONE},
	{STAGE_CONVERT, "convert", 0, -1, WORKS},
	{STAGE_CONVERT, "undo of the conversion", 0, -1, IS_UNDONE},
	{STAGE_TRAIN, "train, starting", 0, -1, WORKS},
	{STAGE_TRAIN, "train, nothing safe", 31, -1, WORKS},
	{STAGE_TRAIN, "train, step 20 safe", 31, 20, WORKS},
	{STAGE_EXPORT, "export", 0, -1, WORKS},
	{STAGE_EXPORT, "export, being verified", 0, -1, IS_VERIFIED},
	{STAGE_CLEANUP, "cleanup", 0, -1, WORKS},
};

static void train(struct state *s, int64_t step, int64_t safe)
{
	struct checkpoint_list l;
	static const char *const files[] = {
		"model_params/commit_success.txt", "commit_success.txt"};
	static const bool ended[CHECKPOINT_TREE_COUNT] = {true, true, true};
	struct event ev = {.kind = EV_CHECKPOINTS};

	s->work[STAGE_TRAIN].step = step;
	checkpoint_list_init(&l, "b");
	for (size_t i = 0; safe >= 0 && i < COUNT(files); i++) {
		AUTO_FREE char *name = x_asprintf("a/%d/%s", (int)safe, files[i]);
		assert_true(checkpoint_list_add(&l, CHECKPOINT_TRAINED, "a/", name, 1, 1000));
	}
	checkpoint_list_judge(&l, 2000, ended, NULL);
	ev.u.checkpoints = &l;
	run_apply(s, &ev);
	checkpoint_list_fini(&l);
}

static char *loss(size_t row)
{
	struct state s;
	struct event ev = event_stage(rows[row].id, MOVE_START, 1);
	char *text;

	state_init(&s);
	run_apply(&s, &ev);
	train(&s, rows[row].step, rows[row].safe);
	ev = event_stage(rows[row].id, MOVE_UNDO, 0);
	ev.u.stage.undo = 1;
	if (rows[row].how == IS_UNDONE)
		run_apply(&s, &ev);
	ev = event_stage(rows[row].id, MOVE_VERIFY, 1);
	if (rows[row].how == IS_VERIFIED)
		run_apply(&s, &ev);
	text = stage_loss_text(&s, rows[row].id);
	state_fini(&s);
	return text;
}

static void every_stage_says_what_a_stop_may_lose(void **state)
{
	const char *src = getenv("srcdir"), *build = getenv("builddir");
	AUTO_FREE char *locale = x_asprintf("%s/locale", build ? build : ".");

	(void)state;
	for (int ko = 0; ko < 2; ko++) {
		AUTO(buf_fini) struct buf all = {0};
		AUTO_FREE char *file = x_asprintf(
			"%s/tests/view/golden/losses-%s.txt", src ? src : ".", ko ? "ko" : "en");
		text_language(ko ? "ko" : "en", locale);
		for (size_t i = 0; i < COUNT(rows); i++) {
			AUTO_FREE char *text = loss(i);
			assert_true(*text);
			if (ko) /* "ed 95 …": Hangul, so nothing is left in English */
				assert_non_null(strpbrk(text, "\xea\xeb\xec\xed"));
			buf_addf(&all, "%s\n\t%s\n", rows[i].title, text);
		}
		assert_true(golden_compare(file, buf_str(&all)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_stage_says_what_a_stop_may_lose),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
