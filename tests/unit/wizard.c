/* SPDX-License-Identifier: Apache-2.0 */
/* What the wizard keeps and takes: pasted shell lines, drafts, gcloud's configuration, the token.
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
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/recipe/import.h"
#include "core/recipe/recipe.h"
#include "core/recipe/values.h"
#include "core/run/drafts.h"
#include "core/run/gcloud_config.h"
#include "core/run/token.h"
#include "tests/unit/recipe_rig.h"

static char *dir;
static struct recipe *recipe;

static int setup(void **state)
{
	static const char *const names[] = {"CLOUDSDK_CORE_PROJECT", "CLOUDSDK_COMPUTE_ZONE",
		"CLOUDSDK_ACTIVE_CONFIG_NAME", "GOOGLE_CLOUD_PROJECT", "DEVSHELL_PROJECT_ID",
		"HUGGING_FACE_HUB_TOKEN", "HF_TOKEN"};
	const char *tmp = getenv("TMPDIR");

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++)
		unsetenv(names[i]);
	dir = x_asprintf("%s/rlpilot-wizard-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(dir))
		return -1;
	recipe = recipe_rig();
	setenv("CLOUDSDK_CONFIG", dir, 1);
	setenv("HF_HOME", dir, 1);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	recipe_free(recipe);
	assert_int_equal(path_remove_tree(dir, NULL), 0);
	free(dir);
	return 0;
}

static void write_text(const char *name, const char *text)
{
	AUTO_FREE char *file = path_join(dir, name);
	AUTO_FREE char *folder = x_strndup(file, (size_t)(strrchr(file, '/') - file));

	assert_int_equal(path_mkdirs(folder, NULL), 0);
	assert_int_equal(path_write(file, text, strlen(text), NULL), 0);
}

/* --- shell lines */

static const char *imported(const struct import *m, const char *name)
{
	for (size_t i = 0; i < m->n; i++)
		if (strcmp(m->items[i].variable->name, name) == 0)
			return m->items[i].value;
	return NULL;
}

static void a_pasted_block_gives_its_values(void **state)
{
	static const char block[] = "```sh\n$ export PROJECT=\"YOUR_PROJECT_ID\"\n"
				    "$ export ZONE='us-east5-b' # of the reservation\n\n"
				    "export REGION=us-east5\nCLUSTER_NAME=one\nCLUSTER_NAME=two\n"
				    "export OTHER=1\nexport OTHER=2\n```\n";
	struct import m;

	(void)state;
	import_read(recipe, block, &m);
	assert_int_equal(m.faults, 0);
	assert_int_equal(m.n, 3);
	assert_string_equal(imported(&m, "ZONE"), "us-east5-b");
	assert_string_equal(imported(&m, "CLUSTER_NAME"), "two");
	/* what is judged by others comes after them */
	assert_string_equal(m.items[2].variable->name, "REGION");
	assert_int_equal(m.placeholders.n, 1);
	assert_string_equal(m.placeholders.items[0], "PROJECT");
	assert_int_equal(m.unknown.n, 1);
	assert_string_equal(m.unknown.items[0], "OTHER");
	assert_true(import_any(&m));
	import_fini(&m);
}

static void what_is_no_assignment_is_a_fault_with_its_place(void **state)
{
	static const char text[] = "export ZONE=us-east5-b\nexport PROJECT=$(whoami)\nrm -rf /\n";
	struct import m;

	(void)state;
	import_read(recipe, text, &m);
	assert_int_equal(m.faults, 2);
	assert_int_equal(m.fault, strstr(text, "$(") - text);
	assert_string_equal(imported(&m, "ZONE"), "us-east5-b");
	assert_null(imported(&m, "PROJECT"));
	import_fini(&m);
	import_read(recipe, "", &m);
	assert_false(import_any(&m));
	import_fini(&m);
}

/* --- drafts */

static const char *draft(const char *name, char out[64])
{
	AUTO(json_auto) json_t *all = drafts_read(dir);
	const char *text = json_path_str(json_object_get(all, name), "");

	snprintf(out, 64, "%s", text ? text : "(none)");
	return out;
}

static void drafts_stay_until_they_are_good(void **state)
{
	char got[64];

	(void)state;
	assert_string_equal(draft("ZONE", got), "(none)");
	assert_int_equal(drafts_put(dir, "ZONE", "나쁜", NULL), 0);
	assert_int_equal(drafts_put(dir, "PROJECT", "Half a", NULL), 0);
	assert_string_equal(draft("ZONE", got), "나쁜");
	assert_int_equal(drafts_put(dir, "ZONE", NULL, NULL), 0);
	assert_string_equal(draft("ZONE", got), "(none)");
	assert_string_equal(draft("PROJECT", got), "Half a");
	write_text("drafts.json", "{\"drafts\":[1,2]}");
	assert_string_equal(draft("PROJECT", got), "(none)");
	write_text("drafts.json", "no JSON");
	assert_int_equal(drafts_put(dir, "ZONE", "x", NULL), 0);
	assert_string_equal(draft("ZONE", got), "x");
}

static void a_draft_is_no_secret_and_no_novel(void **state)
{
	AUTO_FREE char *novel = x_malloc(DRAFT_MAX + 100);
	AUTO(buf_fini) struct buf b = {0};
	AUTO_FREE char *file = path_join(dir, "drafts.json");
	char got[64];

	(void)state;
	assert_int_equal(drafts_put(dir, "PROJECT", "hf_abcdefghijklmnopqrstuvwxyz0123", NULL), 1);
	assert_string_equal(draft("PROJECT", got), "(none)");
	memset(novel, 'x', DRAFT_MAX + 99);
	novel[DRAFT_MAX + 99] = '\0';
	assert_int_equal(drafts_put(dir, "PROJECT", novel, NULL), 0);
	assert_int_equal(path_read(file, DRAFT_MAX + 200, &b, NULL), 0);
	assert_true(b.len < DRAFT_MAX + 80);
}

/* --- gcloud's configuration */

static void origin_is(const char *name, const char *value, enum value_origin origin)
{
	struct values v = {0};
	const struct value *got;

	gcloud_config_values(&v, recipe);
	got = values_find(&v, name);
	if (!value) {
		assert_null(got);
	} else {
		assert_non_null(got);
		assert_string_equal(got->value, value);
		assert_int_equal(got->origin, origin);
	}
	values_fini(&v);
}

static void the_active_configuration_gives_project_and_zone(void **state)
{
	(void)state;
	origin_is("PROJECT", NULL, VALUE_NONE);
	write_text("configurations/config_default",
		"# mine\n[core]\nproject = my-lab-1\n[compute]\nzone=us-east5-b\n");
	origin_is("PROJECT", "my-lab-1", VALUE_GCLOUD);
	origin_is("ZONE", "us-east5-b", VALUE_GCLOUD);
	origin_is("REGION", "us-east5", VALUE_DERIVED);
	write_text("active_config", "work\n");
	origin_is("PROJECT", NULL, VALUE_NONE);
	write_text("configurations/config_work", "[core]\nproject = work-lab-2\n");
	origin_is("PROJECT", "work-lab-2", VALUE_GCLOUD);
	setenv("CLOUDSDK_CORE_PROJECT", "env-lab-3", 1);
	origin_is("PROJECT", "env-lab-3", VALUE_GCLOUD);
	unsetenv("CLOUDSDK_CORE_PROJECT");
	write_text("active_config", "../../etc\n");
	origin_is("PROJECT", "my-lab-1", VALUE_GCLOUD);
}

static void an_odd_configuration_gives_nothing(void **state)
{
	static const char *const odd[] = {"", "[core", "project = x\n", "[core]\nproject\n",
		"[core]\nproject = 나의 프로젝트\n", "[corex]\nproject = my-lab-1\n",
		"\xff\xfe\n[core]\nproject = \x01\n"};

	(void)state;
	for (size_t i = 0; i < COUNT(odd); i++) {
		write_text("configurations/config_default", odd[i]);
		origin_is("PROJECT", NULL, VALUE_NONE);
	}
	write_text("configurations/config_default", "");
	setenv("DEVSHELL_PROJECT_ID", "shell-lab-4", 1);
	origin_is("PROJECT", "shell-lab-4", VALUE_GCLOUD);
}

/* --- the token */

static void token_is(const char *given, const char *want, enum value_origin origin)
{
	struct values v = {0};
	const struct value *got;

	if (given)
		values_put(&v, "HF_TOKEN", given, VALUE_ENV, true);
	token_find(&v, recipe, dir);
	got = values_find(&v, "HF_TOKEN");
	if (!want) {
		assert_null(got);
	} else {
		assert_string_equal(got->value, want);
		assert_int_equal(got->origin, origin);
		assert_true(got->secret);
	}
	values_fini(&v);
}

static void a_token_comes_from_its_sources_in_order(void **state)
{
	AUTO_FREE char *home = path_join(dir, "hf");

	(void)state;
	setenv("HF_HOME", home, 1);
	token_is(NULL, NULL, VALUE_NONE);
	write_text("hf/token", "\n hf_OfTheTools \r\n");
	token_is(NULL, "hf_OfTheTools", VALUE_ENV);
	setenv("HUGGING_FACE_HUB_TOKEN", " hf_OldName\n", 1);
	token_is(NULL, "hf_OldName", VALUE_ENV);
	token_is("hf_Exported", "hf_Exported", VALUE_ENV);
	assert_int_equal(token_keep(dir, "hf_Kept", NULL), 0);
	token_is("hf_Exported", "hf_Kept", VALUE_TYPED);
	unsetenv("HUGGING_FACE_HUB_TOKEN");
	write_text("hf/token", "  \n");
	assert_int_equal(token_keep(dir, NULL, NULL), 0);
	token_is(NULL, NULL, VALUE_NONE);
}

static void a_kept_token_is_for_its_owner_alone(void **state)
{
	AUTO_FREE char *file = token_file(dir);
	struct stat st;

	(void)state;
	assert_int_equal(token_keep(dir, "hf_Kept", NULL), 0);
	assert_int_equal(stat(file, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(token_keep(dir, NULL, NULL), 0);
	assert_int_equal(token_keep(dir, NULL, NULL), 0);
	assert_false(path_exists(file));
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(a_pasted_block_gives_its_values),
		T(what_is_no_assignment_is_a_fault_with_its_place),
		T(drafts_stay_until_they_are_good),
		T(a_draft_is_no_secret_and_no_novel),
		T(the_active_configuration_gives_project_and_zone),
		T(an_odd_configuration_gives_nothing),
		T(a_token_comes_from_its_sources_in_order),
		T(a_kept_token_is_for_its_owner_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
