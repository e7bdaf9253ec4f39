/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/view/scene_rig.h"
#include "tests/unit/recipe_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "tests/rig/view_rig.h"
#include "views/views.h"

static struct recipe *recipe;
char run_dir[64];

int next_intent(struct intent *in)
{
	while (intent_take(run_dir, in) == 1 && intent_settle(in)) {
		if (in->kind != INTENT_DISCOVER)
			return 1;
		intent_fini(in);
	}
	return 0;
}

static void drain_inbox(void)
{
	struct intent in;
	while (next_intent(&in) == 1)
		intent_fini(&in);
}

static int no_program(void *terminal, const struct view_program *p, struct err *e)
{
	(void)terminal;
	return err_set(e, ERR_FAILED, "", "no terminal for %s", p->argv[0]);
}

void set_up(struct stage_set *t, const struct scene *sc, int cols, int rows, const char *lang)
{
	drain_inbox();
	world_make(&t->state, sc->world, recipe);
	t->context = (struct views_context){
		.recipe = recipe, .run_dir = run_dir, .program = "rlpilot", .run = no_program};
	struct host_options o = {.state = &t->state, .tabs = views_tabs, .context = &t->context};
	t->rig = view_rig_open(cols, rows, lang, &o, NULL);
	assert_int_equal(host_push(view_rig_host(t->rig), sc->ops), 0);
	view_rig_frame(t->rig);
	view_rig_keys(t->rig, sc->keys);
}

void take_down(struct stage_set *t)
{
	view_rig_close(t->rig);
	state_fini(&t->state);
}

const struct scene *scene(const char *name)
{
	for (size_t i = 0; i < scenes_n; i++)
		if (strcmp(scenes[i].name, name) == 0)
			return &scenes[i];
	fail_msg("no scene %s", name);
	return NULL;
}

int set_up_all(void **state)
{
	const char *tmp = getenv("TMPDIR");
	(void)state;
	setenv("TZ", "UTC", 1);
	setenv("HOME", "/home/someone", 1);
	unsetenv("CLOUD_SHELL");
	tzset();
	snprintf(run_dir, sizeof(run_dir), "%s/views-XXXXXX",
		tmp && strlen(tmp) < 40 ? tmp : "/tmp");
	recipe = recipe_rig();
	for (size_t i = 0; i < recipe->variables.n; i++) /* of whoever runs the tests */
		unsetenv(recipe->variables.items[i].name);
	return mkdtemp(run_dir) ? 0 : -1;
}

int take_down_all(void **state)
{
	(void)state;
	recipe_free(recipe);
	return path_remove_tree(run_dir, NULL);
}
