/* SPDX-License-Identifier: Apache-2.0 */
/* Public reports of what goes wrong, seen before money is spent: the name carries the report. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
/* cmocka needs the four above first */
#include <cmocka.h>

#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/fmt/blueprint.h"
#include "core/run/checks_in.h"
#include "tests/unit/checks_rig.h"

#define RESERVATION(zone, machine, count, used, specific, status)                                  \
	"{'name':'rl','selfLink':'https://x/projects/lab/zones/" zone                              \
	"/reservations/rl','zone':'https://x/zones/" zone "','status':'" status                    \
	"','specificReservationRequired':" specific ",'specificReservation':{'count':'" count      \
	"','inUseCount':'" used "','instanceProperties':{'machineType':'" machine "'}}}"
#define N4(limit)                                                                                  \
	"{'quotaId':'x','dimensionsInfos':[{'dimensions':{'region':'us-east5','vm_family':'N4'},"  \
	"'details':{'value':'" limit "'}}]}"

static void judge_one(
	const char *id, enum check_source s, const char *text, int http, struct finding *f)
{
	const struct check_row *row = checks_row(id);
	struct checks c = {.place = {.recipe = recipe, .values = &values}};

	*f = (struct finding){.state = CHECK_UNKNOWN};
	answer(&c, s, text, http);
	row->judge(&c, question(id), f);
	json_decref(c.answers[s].reply);
}

static void forget(struct finding *f)
{
	free(f->cause);
	free(f->cure);
	strvec_fini(&f->argv);
}

static enum check_state state_of(const char *id, enum check_source s, const char *text, int http)
{
	struct finding f;

	judge_one(id, s, text, http, &f);
	forget(&f);
	return f.state;
}

/* With a value in place of its own for one judgement. */
static enum check_state state_with(const char *name, const char *value, const char *id)
{
	struct values other = {0};
	struct finding f = {.state = CHECK_UNKNOWN};
	struct checks c = {.place = {.recipe = recipe, .values = &other}};

	values_copy(&other, &values);
	values_put(&other, name, value, VALUE_SET, false);
	values_derive(&other, recipe);
	checks_row(id)->judge(&c, question(id), &f);
	forget(&f);
	values_fini(&other);
	return f.state;
}

static void R04_plugin_is_looked_up_beside_gcloud(void **state)
{
	char dir[] = "/tmp/rlpilot-checks-XXXXXX";
	AUTO_FREE char *old = x_strdup(getenv("PATH"));
	AUTO_FREE char *sdk = NULL, *bin = NULL, *gcloud = NULL, *link = NULL, *plugin = NULL;

	(void)state;
	assert_non_null(mkdtemp(dir));
	sdk = path_join(dir, "sdk");
	bin = path_join(dir, "bin");
	gcloud = path_join(sdk, "gcloud");
	plugin = path_join(sdk, "gke-gcloud-auth-plugin");
	link = path_join(bin, "gcloud");
	assert_int_equal(path_mkdirs(sdk, NULL) | path_mkdirs(bin, NULL), 0);
	assert_int_equal(path_write(gcloud, "#!\n", 3, NULL), 0);
	assert_int_equal(chmod(gcloud, 0755) | symlink(gcloud, link), 0);
	setenv("PATH", bin, 1);
	assert_int_equal(state_of("tool.gke-plugin", FROM_HERE, NULL, 0), CHECK_BLOCKING);
	assert_int_equal(path_write(plugin, "#!\n", 3, NULL) | chmod(plugin, 0755), 0);
	assert_int_equal(state_of("tool.gke-plugin", FROM_HERE, NULL, 0), CHECK_OK);
	setenv("PATH", old, 1);
	path_remove_tree(dir, NULL);
}

static void R01_room_is_asked_where_runs_are_kept(void **state)
{
	struct finding f;

	(void)state;
	setenv("XDG_STATE_HOME", "/proc/none", 1);
	judge_one("tool.disk", FROM_HERE, NULL, 0, &f);
	unsetenv("XDG_STATE_HOME");
	assert_int_equal(f.state, CHECK_BLOCKING);
	assert_non_null(strstr(f.cause, "/proc"));
	forget(&f);
}

static void R06_a_listed_account_is_no_proof(void **state)
{
	struct checks c = {.place = {.recipe = recipe, .values = &values}};
	struct finding f = {.state = CHECK_OK};

	(void)state;
	err_set(&c.answers[FROM_ADC].e, ERR_PERSON, "run: gcloud auth application-default login",
		"reauth related error (invalid_rapt)");
	c.answers[FROM_ADC].e.cause = "login-reauth";
	unsetenv("GOOGLE_APPLICATION_CREDENTIALS");
	checks_row("login.adc")->judge(&c, question("login.adc"), &f);
	assert_int_equal(f.state, CHECK_BLOCKING);
	assert_string_equal(f.argv.items[2], "application-default");
	assert_string_equal(f.who, "you");
	forget(&f);
}

static void R07_no_adc_is_a_step_to_do_first(void **state)
{
	(void)state;
	assert_int_equal(state_of("login.quota-project", FROM_ADC, NULL, 0), CHECK_UNKNOWN);
	assert_int_equal(
		state_of("login.quota-project", FROM_ADC, "{'email':'a@b.c'}", 0), CHECK_WARNING);
}

static void R09_a_missing_permission_names_its_role(void **state)
{
	struct checks c = {.place = {.recipe = recipe, .values = &values}};
	struct finding f = {.state = CHECK_OK};

	(void)state;
	answer(&c, FROM_RIGHTS, "{'permissions':['compute.networks.delete']}", 0);
	answer(&c, FROM_GCLOUD, "{'email':'a@b.c'}", 0);
	checks_row("role.compute.admin")->judge(&c, question("role.compute.admin"), &f);
	assert_int_equal(f.state, CHECK_BLOCKING);
	assert_non_null(strstr(f.cause, "compute.networks.create"));
	assert_null(strstr(f.cause, "compute.networks.delete"));
	assert_string_equal(f.argv.items[4], "--member=user:a@b.c");
	assert_string_equal(f.argv.items[5], "--role=roles/compute.admin");
	forget(&f);
	json_decref(c.answers[FROM_RIGHTS].reply);
	json_decref(c.answers[FROM_GCLOUD].reply);
}

static void R11_one_command_enables_all_that_is_off(void **state)
{
	struct finding f;

	(void)state;
	judge_one("api.compute.googleapis.com", FROM_SERVICES,
		"{'services':[{'name':'projects/7/services/compute.googleapis.com','state':"
		"'DISABLED'},{'name':'projects/7/services/iam.googleapis.com','state':'DISABLED'},"
		"{'name':'projects/7/services/storage.googleapis.com','state':'ENABLED'}]}",
		0, &f);
	assert_int_equal(f.state, CHECK_BLOCKING);
	assert_int_equal(f.argv.n, 7);
	assert_string_equal(f.argv.items[3], "compute.googleapis.com");
	assert_string_equal(f.argv.items[4], "iam.googleapis.com");
	assert_string_equal(f.argv.items[6], "lab");
	forget(&f);
}

/* Checkpoints fail without storage.buckets.get: the nodes are given storage.admin before they are
 * made, or nothing is deployed. */
static void R13_the_nodes_may_look_at_the_bucket(void **state)
{
	static const char blueprint[] = "- id: nodes\n  settings:\n    project_roles:\n"
					"    - logging.logWriter\n    - storage.objectViewer\n";
	const struct recipe_stage *stage = recipe_stage(recipe, "cluster");
	int found = 0;

	(void)state;
	for (size_t i = 0; i < stage->commands.n; i++)
		for (size_t k = 0; k < stage->commands.items[i].edits.n; k++) {
			const struct recipe_edit *r = &stage->commands.items[i].edits.items[k];
			struct blueprint_edit edit = {
				BLUEPRINT_REPLACE, r->find, r->replace, (int)r->count};
			AUTO(buf_fini) struct buf out = {0};
			struct err e = {0};

			if (!r->find || !strstr(r->find, "storage.objectViewer"))
				continue;
			found++;
			assert_int_equal(
				blueprint_edit(blueprint, strlen(blueprint), &edit, 1, &out, &e),
				0);
			assert_non_null(strstr(buf_str(&out), "    - storage.admin\n"));
			assert_null(strstr(buf_str(&out), "objectViewer"));
			buf_clear(&out);
			assert_int_equal(blueprint_edit("- id: x\n", 8, &edit, 1, &out, &e), -1);
			assert_int_equal(e.code, ERR_BAD_FILE);
		}
	assert_int_equal(found, 1);
}

static void R14_the_bucket_is_asked_as_the_account_itself(void **state)
{
	(void)state;
	assert_int_equal(state_of("bucket.write", FROM_BUCKET_RIGHTS,
				 "{'kind':'k','permissions':['storage.objects.create',"
				 "'storage.objects.delete','storage.objects.list']}",
				 0),
		CHECK_OK);
	assert_int_equal(
		state_of("bucket.write", FROM_BUCKET_RIGHTS, "{'kind':'k'}", 0), CHECK_BLOCKING);
	assert_int_equal(state_of("bucket.write", FROM_BUCKET_RIGHTS, NULL, 403), CHECK_BLOCKING);
}

static void R15_each_short_quota_is_told(void **state)
{
	static const char text[] = "{'name':'us-east5','quotas':[{'metric':'CPUS','limit':24,"
				   "'usage':10},{'metric':'IN_USE_ADDRESSES','limit':8},"
				   "{'metric':'SSD_TOTAL_GB','limit':500}]}";

	(void)state;
	assert_int_equal(state_of("quota.cpus-e2", FROM_REGION, text, 0), CHECK_BLOCKING);
	assert_int_equal(state_of("quota.addresses", FROM_REGION, text, 0), CHECK_BLOCKING);
	assert_int_equal(state_of("quota.ssd", FROM_REGION, text, 0), CHECK_BLOCKING);
}

static void R16_a_limit_of_nothing_never_helps(void **state)
{
	(void)state;
	assert_int_equal(state_of("quota.cpus-n4", FROM_FAMILIES, N4("0"), 0), CHECK_BLOCKING);
}

static void R18_a_zone_lies_in_its_region(void **state)
{
	(void)state;
	assert_int_equal(state_with("REGION", "us-central1", "place.region"), CHECK_BLOCKING);
	assert_int_equal(state_with("REGION", "us-east5-b", "place.region"), CHECK_BLOCKING);
	assert_int_equal(state_with("ZONE", "us-east5", "place.region"), CHECK_BLOCKING);
}

static void R19_free_is_count_minus_in_use(void **state)
{
	struct finding f;

	(void)state;
	judge_one("reservation.free", FROM_RESERVATION,
		RESERVATION("us-east5-b", "ct6e-standard-4t", "8", "1", "true", "READY"), 0, &f);
	assert_int_equal(f.state, CHECK_BLOCKING);
	assert_non_null(strstr(f.cause, "7 of 8"));
	forget(&f);
}

static void R20_every_aspect_is_told_for_itself(void **state)
{
	static const char odd[] =
		RESERVATION("us-east5-a", "n4-standard-64", "8", "8", "false", "DELETING");
	static const char *const ids[] = {"reservation.exists", "reservation.zone",
		"reservation.machine", "reservation.free", "reservation.specific"};

	(void)state;
	for (size_t i = 0; i < COUNT(ids); i++)
		assert_int_equal(state_of(ids[i], FROM_RESERVATION, odd, 0), CHECK_BLOCKING);
}

static void R22_both_shapes_of_a_reservation(void **state)
{
	static const char report[] =
		"{'name':'res-a','selfLink':'https://www.googleapis.com/compute/v1/projects/lab/"
		"zones/us-east5-b/reservations/res-a','specificReservation':{'count':'8',"
		"'instanceProperties':{'machineType':'ct6e-standard-4t'}},"
		"'specificReservationRequired':true,'status':'READY','zone':'https://x/zones/"
		"us-east5-b'}";
	static const char chips[] =
		"{'name':'res-b','status':'READY','zone':'https://x/zones/us-east5-b',"
		"'specificReservationRequired':true,'aggregateReservation':{'reservedResources':[{"
		"'accelerator':{'acceleratorType':'projects/7/zones/z/acceleratorTypes/ct6e',"
		"'acceleratorCount':64}}],'inUseResources':[{'accelerator':{'acceleratorType':"
		"'projects/7/zones/z/acceleratorTypes/ct6e','acceleratorCount':36}}]}}";
	struct finding f;

	(void)state;
	assert_int_equal(state_of("reservation.free", FROM_RESERVATION, report, 0), CHECK_OK);
	assert_int_equal(state_of("reservation.machine", FROM_RESERVATION, chips, 0), CHECK_OK);
	judge_one("reservation.free", FROM_RESERVATION, chips, 0, &f);
	assert_int_equal(f.state, CHECK_BLOCKING);
	assert_non_null(strstr(f.cause, "7 of 16"));
	forget(&f);
	assert_int_equal(state_of("reservation.exists", FROM_RESERVATION, "{'name':'x'}", 0),
		CHECK_BLOCKING);
}

static void R23_a_strangers_bucket_stops(void **state)
{
	(void)state;
	assert_int_equal(state_of("bucket.owner", FROM_BUCKET, NULL, 403), CHECK_BLOCKING);
	assert_int_equal(state_of("bucket.name", FROM_BUCKET, NULL, 403), CHECK_BLOCKING);
}

static void R29_chips_hosts_and_type_agree(void **state)
{
	struct values other = {0};
	struct err e = {0};

	(void)state;
	values_copy(&other, &values);
	assert_string_equal(values_get(&other, "HOSTS"), "8");
	values_put(&other, "TPU_TYPE", "v6e-16", VALUE_SET, false);
	assert_int_equal(values_check(&other, recipe, &e), -1);
	values_fini(&other);
}

static void R34_a_narrow_network_must_hold_this_machine(void **state)
{
	(void)state;
	assert_int_equal(
		state_with("AUTHORIZED_CIDR", "0.0.0.0/0", "net.authorized-cidr"), CHECK_WARNING);
	assert_int_equal(state_with("AUTHORIZED_CIDR", "192.168.1.7/32", "net.authorized-cidr"),
		CHECK_BLOCKING);
	assert_int_equal(state_with("AUTHORIZED_CIDR", "172.20.0.1/32", "net.authorized-cidr"),
		CHECK_BLOCKING);
	assert_int_equal(state_with("AUTHORIZED_CIDR", "203.0.113.7", "net.authorized-cidr"),
		CHECK_BLOCKING);
	assert_int_equal(
		state_with("AUTHORIZED_CIDR", "203.0.113.7/32", "net.authorized-cidr"), CHECK_OK);
}

static void R40_the_head_fits_its_machine(void **state)
{
	static const char small[] = "{'name':'n4-standard-32','guestCpus':32,'memoryMb':131072}";
	static const char large[] = "{'name':'n4-standard-64','guestCpus':64,'memoryMb':262144}";

	(void)state;
	assert_int_equal(state_of("place.n4", FROM_N4, small, 0), CHECK_BLOCKING);
	assert_int_equal(state_of("place.n4", FROM_N4, large, 0), CHECK_OK);
}

static void R43_names_leave_room_for_what_is_added(void **state)
{
	(void)state;
	assert_int_equal(
		state_with("CLUSTER_NAME", "gemma-rl-with-20-let", "name.cluster"), CHECK_OK);
	assert_int_equal(state_with("CLUSTER_NAME", "gemma-rl-with-21-letr", "name.cluster"),
		CHECK_BLOCKING);
	for (size_t i = 0; i < recipe->stages.n; i++)
		if (recipe->stages.items[i].jobset)
			assert_true(strlen(recipe->stages.items[i].jobset) <= 28);
}

static void R49_model_and_image_fit_the_boot_disk(void **state)
{
	struct recipe_check small = *question("quota.ssd");
	struct recipe_pair pairs[] = {{.name = "need", .value = "1"},
		{.name = "disk_gb", .value = "60"}, {.name = "model_gb", .value = "52"},
		{.name = "image_gb", .value = "20"}};
	struct checks c = {.place = {.recipe = recipe, .values = &values}};
	struct finding f = {.state = CHECK_OK};

	(void)state;
	small.args.items = pairs;
	small.args.n = COUNT(pairs);
	checks_row("quota.ssd")->judge(&c, &small, &f);
	assert_int_equal(f.state, CHECK_BLOCKING);
	assert_non_null(strstr(f.cause, "60 GB"));
	forget(&f);
	assert_int_equal(
		state_of("quota.ssd", FROM_REGION,
			"{'name':'r','quotas':[{'metric':'SSD_TOTAL_GB','limit':5000}]}", 0),
		CHECK_OK);
}

static void R53_the_licence_is_asked_before_money_is_spent(void **state)
{
	(void)state;
	assert_int_equal(state_of("hf.licence", FROM_LICENCE, NULL, 403), CHECK_BLOCKING);
	assert_int_equal(state_of("hf.token", FROM_WHOAMI, NULL, 401), CHECK_BLOCKING);
	assert_int_equal(state_of("hf.licence", FROM_LICENCE, NULL, 401), CHECK_UNKNOWN);
}

static void R59_parallelisms_fit_the_chips(void **state)
{
	(void)state;
	assert_int_equal(
		state_with("rollout_tensor_parallelism", "3", "train.rollout"), CHECK_BLOCKING);
	assert_int_equal(state_with("rollout_tensor_parallelism", "8", "train.rollout"), CHECK_OK);
	assert_int_equal(state_with("ici_fsdp_parallelism", "3", "train.trainer"), CHECK_BLOCKING);
	assert_int_equal(
		state_with("ici_tensor_parallelism", "-1", "train.trainer"), CHECK_BLOCKING);
	assert_int_equal(state_with("ici_tensor_parallelism", "4", "train.heads"), CHECK_BLOCKING);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(R01_room_is_asked_where_runs_are_kept),
		cmocka_unit_test(R04_plugin_is_looked_up_beside_gcloud),
		cmocka_unit_test(R06_a_listed_account_is_no_proof),
		cmocka_unit_test(R07_no_adc_is_a_step_to_do_first),
		cmocka_unit_test(R09_a_missing_permission_names_its_role),
		cmocka_unit_test(R11_one_command_enables_all_that_is_off),
		cmocka_unit_test(R13_the_nodes_may_look_at_the_bucket),
		cmocka_unit_test(R14_the_bucket_is_asked_as_the_account_itself),
		cmocka_unit_test(R15_each_short_quota_is_told),
		cmocka_unit_test(R16_a_limit_of_nothing_never_helps),
		cmocka_unit_test(R18_a_zone_lies_in_its_region),
		cmocka_unit_test(R19_free_is_count_minus_in_use),
		cmocka_unit_test(R20_every_aspect_is_told_for_itself),
		cmocka_unit_test(R22_both_shapes_of_a_reservation),
		cmocka_unit_test(R23_a_strangers_bucket_stops),
		cmocka_unit_test(R29_chips_hosts_and_type_agree),
		cmocka_unit_test(R34_a_narrow_network_must_hold_this_machine),
		cmocka_unit_test(R40_the_head_fits_its_machine),
		cmocka_unit_test(R43_names_leave_room_for_what_is_added),
		cmocka_unit_test(R49_model_and_image_fit_the_boot_disk),
		cmocka_unit_test(R53_the_licence_is_asked_before_money_is_spent),
		cmocka_unit_test(R59_parallelisms_fit_the_chips),
	};

	return cmocka_run_group_tests(tests, checks_setup, checks_teardown);
}
