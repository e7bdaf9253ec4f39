/* SPDX-License-Identifier: Apache-2.0 */
/* Files that gcluster leaves with the token in them: closed, told, deleted, and no others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/run/secure.h"
#include "tests/unit/recipe_rig.h"

static struct recipe *recipe;
static struct state st;
static char *home;
static int told;

static int setup(void **state)
{
	const char *tmp = getenv("TMPDIR");
	AUTO_FREE char *generated = NULL;

	(void)state;
	home = x_asprintf("%s/rlpilot-home-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(home));
	setenv("HOME", home, 1);
	generated = path_join(home, ".gcluster/generated");
	assert_int_equal(path_mkdirs(generated, NULL), 0);
	state_init(&st);
	told = 0;
	recipe = recipe_rig();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	state_fini(&st);
	recipe_free(recipe);
	assert_int_equal(path_remove_tree(home, NULL), 0);
	free(home);
	return 0;
}

static char *manifest(const char *job)
{
	return x_asprintf("%s/.gcluster/generated/%s.yaml", home, job);
}

static void leave(const char *job, mode_t mode)
{
	AUTO_FREE char *file = manifest(job);

	assert_int_equal(path_write(file, "kind: JobSet\n", 13, NULL), 0);
	assert_int_equal(chmod(file, mode), 0);
}

static int mode_of(const char *job)
{
	AUTO_FREE char *file = manifest(job);
	struct stat s;

	return stat(file, &s) == 0 ? (int)(s.st_mode & 07777) : -1;
}

static void emit(void *arg, const struct event *ev)
{
	(void)arg;
	told++;
	run_apply(&st, ev);
}

static void manifests_are_closed_for_all_others(void **state)
{
	struct strvec files = {0};

	(void)state;
	assert_int_equal(secure_close(recipe, &files, NULL), 0);
	assert_int_equal(files.n, 0);
	leave("gemma4-hf-to-mt", 0644);
	leave("gemma4-training", 0600);
	leave("somebody-else", 0644);
	assert_int_equal(secure_close(recipe, &files, NULL), 0);
	assert_int_equal(files.n, 2);
	assert_int_equal(mode_of("gemma4-hf-to-mt"), 0600);
	assert_int_equal(mode_of("gemma4-training"), 0600);
	assert_int_equal(mode_of("somebody-else"), 0644);
	strvec_fini(&files);
}

/* What lies there under the name of ours may be a link to anything. */
static void links_and_folders_are_left_alone(void **state)
{
	AUTO_FREE char *link = manifest("gemma4-training");
	AUTO_FREE char *folder = manifest("gemma4-mt-to-hf");
	AUTO_FREE char *target = manifest("target");
	struct strvec files = {0};

	(void)state;
	leave("target", 0644);
	assert_int_equal(symlink(target, link), 0);
	assert_int_equal(mkdir(folder, 0755) | chmod(folder, 0755), 0);
	assert_int_equal(secure_close(recipe, &files, NULL), 0);
	assert_int_equal(secure_delete(recipe, &files, NULL), 0);
	assert_int_equal(files.n, 0);
	assert_int_equal(mode_of("target"), 0644);
	assert_int_equal(mode_of("gemma4-mt-to-hf"), 0755);
	secure_tell(recipe, &st, emit, NULL);
	assert_int_equal(told, 0);
	strvec_fini(&files);
}

static void they_are_told_once_and_deleted(void **state)
{
	struct strvec gone = {0};

	(void)state;
	secure_tell(recipe, &st, emit, NULL);
	assert_int_equal(told, 0);
	leave("gemma4-training", 0600);
	leave("somebody-else", 0600);
	secure_tell(recipe, &st, emit, NULL);
	secure_tell(recipe, &st, emit, NULL);
	assert_int_equal(told, 1);
	assert_int_equal(st.token_files.n, 1);
	assert_int_equal(secure_delete(recipe, &gone, NULL), 0);
	assert_int_equal(gone.n, 1);
	assert_string_equal(gone.items[0], st.token_files.items[0]);
	assert_int_equal(mode_of("gemma4-training"), -1);
	assert_int_equal(mode_of("somebody-else"), 0600);
	secure_tell(recipe, &st, emit, NULL);
	assert_int_equal(told, 2);
	assert_int_equal(st.token_files.n, 0);
	assert_int_equal(secure_delete(recipe, &gone, NULL), 0);
	assert_int_equal(gone.n, 1);
	strvec_fini(&gone);
}

static void without_a_home_there_is_nothing(void **state)
{
	struct strvec files = {0};

	(void)state;
	leave("gemma4-training", 0644);
	unsetenv("HOME");
	assert_int_equal(secure_close(recipe, &files, NULL), 0);
	assert_int_equal(secure_delete(recipe, &files, NULL), 0);
	assert_int_equal(files.n, 0);
	setenv("HOME", home, 1);
	assert_int_equal(mode_of("gemma4-training"), 0644);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(manifests_are_closed_for_all_others),
		T(links_and_folders_are_left_alone),
		T(they_are_told_once_and_deleted),
		T(without_a_home_there_is_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
