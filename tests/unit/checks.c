/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/base/vec.h"
#include "core/run/checks_admin.h"
#include "core/run/checks_in.h"
#include "core/run/checks_rights.h"
#include "tests/unit/checks_rig.h"

/* Every id of the recipe has its judge. */
static void test_all_have_judges(void **state)
{
	(void)state;
	for (size_t i = 0; i < recipe->checks.n; i++)
		if (!checks_row(recipe->checks.items[i].id))
			fail_msg("%s", recipe->checks.items[i].id);
}

struct row {
	const char *id;
	const char *first; /* reply of `from` with ' for ", or NULL: http error */
	int first_http;
	const char *second; /* reply of `and_from`; NULL: http error */
	int second_http;
	enum check_state state;
};

#define RESERVATION(zone, machine, count, used, specific, status)                                  \
	"{'name':'rl','selfLink':'https://x/projects/lab/zones/" zone                              \
	"/reservations/rl','zone':'https://x/zones/" zone "','status':'" status                    \
	"','specificReservationRequired':" specific ",'specificReservation':{'count':'" count      \
	"','inUseCount':'" used "','instanceProperties':{'machineType':'" machine "'}}}"
#define GOOD  RESERVATION("us-east5-b", "ct6e-standard-4t", "8", "0", "true", "READY")
#define TAKEN RESERVATION("us-east5-b", "ct6e-standard-4t", "8", "8", "true", "READY")
#define N4(limit)                                                                                  \
	"{'quotaId':'x','dimensionsInfos':[{'dimensions':{'region':'us-east5','vm_family':'N4'},"  \
	"'details':{'value':'" limit "'}}]}"
#define OURS "{'nodePools':[{'config':{'reservationAffinity':{'values':['rl']}}}]}"

static const struct row rows[] = {
	{"project.exists", "{'name':'projects/7','projectId':'lab','state':'ACTIVE'}", 0, NULL, 0,
		CHECK_OK},
	{"project.exists", "{'projectId':'lab','state':'DELETE_REQUESTED'}", 0, NULL, 0,
		CHECK_BLOCKING},
	{"project.exists", NULL, 403, NULL, 0, CHECK_BLOCKING},
	{"project.exists", NULL, 503, NULL, 0, CHECK_UNKNOWN},
	{"project.billing", "{'billingEnabled':true}", 0, NULL, 0, CHECK_OK},
	{"project.billing", "{'billingEnabled':false}", 0, NULL, 0, CHECK_BLOCKING},
	{"project.billing", "{}", 0, NULL, 0, CHECK_UNKNOWN},
	{"project.billing", NULL, 403, "{'name':'lab'}", 0, CHECK_OK},
	{"project.billing", NULL, 403, NULL, 0, CHECK_UNKNOWN},
	{"api.compute.googleapis.com",
		"{'services':[{'name':'projects/7/services/"
		"compute.googleapis.com','state':'ENABLED'}]}",
		0, NULL, 0, CHECK_OK},
	{"api.compute.googleapis.com",
		"{'services':[{'name':'projects/7/services/"
		"compute.googleapis.com','state':'DISABLED'}]}",
		0, NULL, 0, CHECK_BLOCKING},
	{"role.iam.serviceAccountUser", "{'permissions':['iam.serviceAccounts.actAs']}", 0,
		"{'email':'a@b.c'}", 0, CHECK_OK},
	{"role.iam.serviceAccountUser", "{}", 0, "{'email':'a@b.c'}", 0, CHECK_BLOCKING},
	{"role.tpu.admin", "{}", 0, "{'email':'a@b.c'}", 0, CHECK_WARNING},
	{"role.storage.admin", "{'permissions':['storage.buckets.create']}", 0, "{'email':'a@b.c'}",
		0, CHECK_WARNING},
	{"role.storage.admin", "{}", 0, "{'email':'a@b.c'}", 0, CHECK_BLOCKING},
	{"role.compute.admin", NULL, 403, "{'email':'a@b.c'}", 0, CHECK_UNKNOWN},
	{"bucket.name", NULL, 404, NULL, 0, CHECK_OK},
	{"bucket.name", "{'name':'lab-gemma'}", 0, NULL, 0, CHECK_OK},
	{"bucket.name", "{}", 0, NULL, 0, CHECK_UNKNOWN},
	{"bucket.name", NULL, 403, NULL, 0, CHECK_BLOCKING},
	{"bucket.owner", "{'name':'b','projectNumber':'7'}", 0,
		"{'name':'projects/7','projectId':'lab'}", 0, CHECK_OK},
	{"bucket.owner", "{'name':'b','projectNumber':'8'}", 0,
		"{'name':'projects/7','projectId':'lab'}", 0, CHECK_BLOCKING},
	{"bucket.owner", NULL, 404, NULL, 500, CHECK_OK},
	{"bucket.location", "{'name':'b','location':'US-EAST5'}", 0, NULL, 0, CHECK_OK},
	{"bucket.location", "{'name':'b','location':'EU'}", 0, NULL, 0, CHECK_WARNING},
	{"bucket.write", NULL, 404, "{'permissions':['storage.buckets.create']}", 0, CHECK_OK},
	{"bucket.write", NULL, 404, "{}", 0, CHECK_BLOCKING},
	{"bucket.write", "{'kind':'k','permissions':['storage.objects.list']}", 0, "{}", 0,
		CHECK_BLOCKING},
	{"hf.token", "{'auth':{'accessToken':{'role':'read'}}}", 0, NULL, 0, CHECK_OK},
	{"hf.token", "{'name':'ann'}", 0, NULL, 0, CHECK_UNKNOWN},
	{"hf.kind", "{'auth':{'accessToken':{'role':'write'}}}", 0, NULL, 0, CHECK_WARNING},
	{"hf.token", NULL, 401, NULL, 0, CHECK_BLOCKING},
	{"hf.token", NULL, 0, NULL, 0, CHECK_UNKNOWN},
	{"hf.kind", "{'auth':{'accessToken':{'role':'read'}}}", 0, NULL, 0, CHECK_OK},
	{"hf.kind", "{'auth':{'accessToken':{'role':'fineGrained','fineGrained':{}}}}", 0, NULL, 0,
		CHECK_BLOCKING},
	{"hf.kind",
		"{'auth':{'accessToken':{'role':'fineGrained','fineGrained':{'canReadGatedRepos':"
		"true}}}}",
		0, NULL, 0, CHECK_OK},
	{"hf.licence", "{}", 0, NULL, 0, CHECK_OK},
	{"hf.licence", NULL, 403, NULL, 0, CHECK_BLOCKING},
	{"hf.dataset", NULL, 404, NULL, 0, CHECK_BLOCKING},
	{"collision.cluster", NULL, 404, NULL, 0, CHECK_OK},
	{"collision.cluster", "{'name':'gemma-rl','status':'RUNNING'}", 0, NULL, 0, CHECK_WARNING},
	{"collision.jobset", "{'items':[]}", 0, NULL, 0, CHECK_OK},
	{"collision.jobset", "{'items':[{'metadata':{'name':'gemma4-training'}}]}", 0, NULL, 0,
		CHECK_WARNING},
	{"collision.service-accounts", "{'left':[]}", 0, NULL, 404, CHECK_OK},
	{"collision.service-accounts", "{'left':['a@b']}", 0, NULL, 404, CHECK_WARNING},
	{"collision.service-accounts", "{'left':['a@b']}", 0, "{}", 0, CHECK_OK},
	{"collision.service-accounts", NULL, 403, NULL, 404, CHECK_UNKNOWN},
	{"place.zone", "{'name':'z','status':'UP'}", 0, NULL, 0, CHECK_OK},
	{"place.zone", "{'name':'z','status':'DOWN'}", 0, NULL, 0, CHECK_BLOCKING},
	{"place.zone", NULL, 404, NULL, 0, CHECK_BLOCKING},
	{"place.ct6e", "{'name':'m'}", 0, "{}", 0, CHECK_OK},
	{"place.ct6e", NULL, 404, "{}", 0, CHECK_BLOCKING},
	{"place.ct6e", NULL, 404, NULL, 404, CHECK_UNKNOWN},
	{"quota.cpus-e2", "{'name':'us-east5','quotas':[{'metric':'CPUS','limit':100,'usage':10}]}",
		0, NULL, 0, CHECK_OK},
	{"quota.cpus-e2",
		"{'name':'us-east5','quotas':[{'metric':'CPUS','limit':100,'usage':10},{'metric':'"
		"E2_CPUS','limit':8}"
		"]}",
		0, NULL, 0, CHECK_BLOCKING},
	{"quota.cpus-n4", N4("500"), 0, NULL, 0, CHECK_OK},
	{"quota.cpus-n4", N4("-1"), 0, NULL, 0, CHECK_OK},
	{"quota.cpus-n4", N4("32"), 0, NULL, 0, CHECK_BLOCKING},
	{"quota.cpus-n4", "{'quotaId':'x','dimensionsInfos':[]}", 0, NULL, 0, CHECK_UNKNOWN},
	{"quota.cpus-n4", NULL, 403, NULL, 0, CHECK_UNKNOWN},
	{"quota.networks",
		"{'name':'us-east5','quotas':[{'metric':'NETWORKS','limit':5,'usage':5}]}", 0, NULL,
		0, CHECK_BLOCKING},
	{"reservation.exists", GOOD, 0, NULL, 404, CHECK_OK},
	{"reservation.exists", NULL, 404, NULL, 404, CHECK_BLOCKING},
	{"reservation.exists", NULL, 403, NULL, 404, CHECK_UNKNOWN},
	{"reservation.zone", NULL, 404, NULL, 404, CHECK_UNKNOWN},
	{"reservation.zone",
		RESERVATION("us-east5-a", "ct6e-standard-4t", "8", "0", "true", "READY"), 0, NULL,
		404, CHECK_BLOCKING},
	{"reservation.machine",
		RESERVATION("us-east5-b", "n4-standard-64", "8", "0", "true", "READY"), 0, NULL,
		404, CHECK_BLOCKING},
	{"reservation.specific",
		RESERVATION("us-east5-b", "ct6e-standard-4t", "8", "0", "false", "READY"), 0, NULL,
		404, CHECK_BLOCKING},
	{"reservation.free", TAKEN, 0, NULL, 404, CHECK_BLOCKING},
	{"reservation.free", TAKEN, 0, OURS, 0, CHECK_OK},
	{"login.gcloud", "{'email':'a@b.c'}", 0, NULL, 0, CHECK_OK},
	{"login.gcloud", NULL, 0, NULL, 0, CHECK_UNKNOWN},
	{"login.same-identity", "{'email':'a@b.c'}", 0, "{'email':'a@b.c'}", 0, CHECK_OK},
	{"login.same-identity", "{'email':'a@b.c'}", 0, "{'email':'d@b.c'}", 0, CHECK_WARNING},
	{"login.same-identity", "{'email':'a@b.c'}", 0, "{'email':''}", 0, CHECK_UNKNOWN},
	{"login.quota-project", "{'quota_project':'lab'}", 0, NULL, 0, CHECK_OK},
	{"login.quota-project", "{'quota_project':'other'}", 0, NULL, 0, CHECK_WARNING},
	{"name.cluster", NULL, 0, NULL, 0, CHECK_OK},
	{"name.job", NULL, 0, NULL, 0, CHECK_OK},
	{"place.region", NULL, 0, NULL, 0, CHECK_OK},
	{"train.rollout", NULL, 0, NULL, 0, CHECK_OK},
	{"train.batch", NULL, 0, NULL, 0, CHECK_OK},
	{"collision.folder", NULL, 0, NULL, 0, CHECK_OK},
	{"tool.gcluster", NULL, 0, NULL, 0, CHECK_UNKNOWN},
	{"tool.gcluster", "{'status':302}", 0, NULL, 0, CHECK_OK},
	{"tool.gcluster", NULL, 404, NULL, 0, CHECK_BLOCKING},
	{"tool.glibc", "{'code':0,'out':'glibc 2.36\\n'}", 0, NULL, 0, CHECK_OK},
	{"tool.glibc", "{'code':0,'out':'glibc 2.31'}", 0, NULL, 0, CHECK_BLOCKING},
	{"tool.glibc", "{'code':1,'out':''}", 0, NULL, 0, CHECK_UNKNOWN},
	{"tool.glibc", NULL, 0, NULL, 0, CHECK_UNKNOWN},
	{"tool.terraform", "{'code':0,'out':'{\\'terraform_version\\':\\'1.13.0\\'}'}", 0, NULL, 0,
		CHECK_OK},
	{"tool.terraform", "{'code':0,'out':'{\\'terraform_version\\':\\'1.9.8\\'}'}", 0, NULL, 0,
		CHECK_WARNING},
	{"tool.terraform", "{'code':0,'out':'Terraform'}", 0, NULL, 0, CHECK_WARNING},
	{"tool.terraform", NULL, 0, NULL, 0, CHECK_WARNING},
};

static void test_judges(void **state)
{
	(void)state;
	unsetenv("GOOGLE_CLOUD_QUOTA_PROJECT");
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct row *r = &rows[i];
		const struct check_row *row = checks_row(r->id);
		struct checks c = {.place = {.recipe = recipe, .values = &values}};
		struct finding f = {.state = CHECK_UNKNOWN};

		answer(&c, row->from, r->first, r->first_http);
		answer(&c, row->and_from, r->second, r->second_http);
		row->judge(&c, question(r->id), &f);
		if (f.state != r->state)
			fail_msg("row %zu %s is %d: %s", i, r->id, (int)f.state,
				f.cause ? f.cause : "");
		if (f.state != CHECK_OK)
			assert_true(f.cause && f.cause[0] && f.who);
		free(f.cause);
		free(f.cure);
		strvec_fini(&f.argv);
		json_decref(c.answers[row->from].reply);
		if (row->and_from != row->from)
			json_decref(c.answers[row->and_from].reply);
	}
}

/* The places in a reply, deepest last. */
static void mangle(json_t *at, const json_t *with, struct checks *c, const struct row *r)
{
	const struct check_row *row = checks_row(r->id);
	const char *key;
	json_t *child;
	size_t i;
	struct strvec keys = {0};

	json_object_foreach(at, key, child) strvec_push(&keys, key);
	for (i = 0; i < keys.n; i++) {
		json_t *was = json_incref(json_object_get(at, keys.items[i]));
		struct finding f = {.state = CHECK_UNKNOWN};

		json_object_set(at, keys.items[i], (json_t *)(uintptr_t)with);
		row->judge(c, question(r->id), &f);
		if (f.state != CHECK_OK && !(f.cause && *f.cause && f.who))
			fail_msg("%s with another %s says nothing", r->id, keys.items[i]);
		finding_ok(&f);
		json_object_set_new(at, keys.items[i], was);
		mangle(was, with, c, r);
	}
	strvec_fini(&keys);
	json_array_foreach(at, i, child) mangle(child, with, c, r);
}

static void wrong_types_break_no_judge(void **state)
{
	static const char *const types[] = {
		"7", "\"x\"", "[]", "{}", "null", "true", "[[7]]", "-1e99"};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct check_row *row = checks_row(rows[i].id);
		struct checks c = {.place = {.recipe = recipe, .values = &values}};

		answer(&c, row->from, rows[i].first, rows[i].first_http);
		answer(&c, row->and_from, rows[i].second, rows[i].second_http);
		for (size_t k = 0; k < COUNT(types); k++) {
			json_error_t e;
			json_t *with = json_loads(types[k], JSON_DECODE_ANY, &e);

			mangle(c.answers[row->from].reply, with, &c, &rows[i]);
			json_decref(with);
		}
		json_decref(c.answers[row->from].reply);
		if (row->and_from != row->from)
			json_decref(c.answers[row->and_from].reply);
	}
}

/* Judged by the status alone, or answered by a part of the program itself. */
static bool has_no_shape(const char *id)
{
	static const char *const ids[] = {
		"hf.dataset", "hf.licence", "tool.gcluster", "login.gcloud", "collision.jobset"};

	for (size_t i = 0; i < COUNT(ids); i++)
		if (strcmp(ids[i], id) == 0)
			return true;
	return false;
}

/* An answer that is something else proves nothing: no check takes it for good. */
static void an_answer_of_another_shape_is_no_proof(void **state)
{
	static const char *const shapes[] = {
		"[]", "[7]", "{'error':'x'}", "{'kind':'storage#object'}"};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct check_row *row = checks_row(rows[i].id);

		if (row->from == FROM_HERE || has_no_shape(rows[i].id))
			continue;
		for (size_t k = 0; k < COUNT(shapes); k++) {
			struct checks c = {.place = {.recipe = recipe, .values = &values}};
			struct finding f = {.state = CHECK_UNKNOWN};

			answer(&c, row->from, shapes[k], 0);
			if (row->and_from != row->from)
				answer(&c, row->and_from, shapes[k], 0);
			row->judge(&c, question(rows[i].id), &f);
			if (f.state == CHECK_OK)
				fail_msg("%s takes %s for good", rows[i].id, shapes[k]);
			finding_ok(&f);
			json_decref(c.answers[row->from].reply);
			if (row->and_from != row->from)
				json_decref(c.answers[row->and_from].reply);
		}
	}
}

static void a_change_asks_again_what_depends_on_it(void **state)
{
	AUTO(strvec_fini) struct strvec ids = {0};
	AUTO(strvec_fini) struct strvec zone = {0};
	AUTO(strvec_fini) struct strvec none = {0};

	(void)state;
	checks_affected(recipe, "HF_TOKEN", &ids);
	assert_int_equal(ids.n, 4);
	for (size_t i = 0; i < ids.n; i++)
		assert_int_equal(strncmp(ids.items[i], "hf.", 3), 0);
	checks_affected(recipe, "ZONE", &zone);
	assert_true(strvec_find(&zone, "place.ct6e") >= 0);
	assert_true(strvec_find(&zone, "quota.ssd") >= 0); /* by REGION, which follows from it */
	assert_true(strvec_find(&zone, "bucket.name") < 0);
	assert_true(strvec_find(&zone, "role.tpu.admin") < 0);
	checks_affected(recipe, "NOTHING", &none);
	assert_int_equal(none.n, 0);
}

static void add_check(struct state *s, const char *id, const char *state, const char *who,
	const char *cause, const char *command)
{
	struct state_check *c = VEC_PUSH(&s->checks);

	c->id = x_strdup(id);
	c->state = x_strdup(state);
	c->who = x_strdup(who);
	c->cause = x_strdup(cause);
	strvec_split(&c->cure_argv, command, " ");
}

static void forget_checks(struct state *s)
{
	for (size_t i = 0; i < s->checks.n; i++) {
		free(s->checks.items[i].id);
		free(s->checks.items[i].state);
		free(s->checks.items[i].who);
		free(s->checks.items[i].cause);
		strvec_fini(&s->checks.items[i].cure_argv);
	}
	free(s->checks.items);
	free(s->values.items);
}

static void the_administrator_gets_one_message(void **state)
{
	struct state s = {0};
	char name[] = "PROJECT", project[] = "lab";
	AUTO_FREE char *none = checks_admin_message(&s);
	AUTO_FREE char *message = NULL;

	(void)state;
	assert_null(none);
	*VEC_PUSH(&s.values) =
		(struct state_value){.name = name, .value = project, .present = true};
	add_check(&s, "hf.token", "blocking", "you", "refused", "");
	add_check(&s, "role.tpu.admin", "ok", "", "", "");
	add_check(&s, "role.compute.admin", "blocking", "administrator", "missing: x",
		"gcloud projects add-iam-policy-binding lab --member=user:a@b.c "
		"--role=roles/compute.admin");
	add_check(&s, "role.container.admin", "blocking", "administrator", "missing: y",
		"gcloud projects add-iam-policy-binding lab --member=user:a@b.c "
		"--role=roles/container.admin");
	add_check(&s, "api.iam.googleapis.com", "blocking", "administrator", "iam is not enabled",
		"gcloud services enable a b");
	add_check(&s, "api.compute.googleapis.com", "blocking", "administrator",
		"compute is not enabled", "gcloud services enable a b");
	add_check(&s, "role.storage.admin", "unknown", "administrator", "no answer", "gcloud x");
	message = checks_admin_message(&s);
	assert_string_equal(message,
		"I need your help with the Google Cloud project lab.\n"
		"Account: a@b.c\n"
		"Missing roles: roles/compute.admin, roles/container.admin\n"
		"- iam is not enabled\n"
		"- compute is not enabled\n"
		"gcloud projects add-iam-policy-binding lab --member=user:a@b.c "
		"--role=roles/compute.admin\n"
		"gcloud projects add-iam-policy-binding lab --member=user:a@b.c "
		"--role=roles/container.admin\n"
		"gcloud services enable a b\n");
	forget_checks(&s);
}

/* An id of the contract that nobody judges would be a promise that nobody keeps. */
static void every_id_of_the_contract_is_there(void **state)
{
	static const char *const ids[] = {"tool.gcloud", "tool.kubectl", "tool.gke-plugin",
		"tool.terraform", "tool.tar", "tool.curl", "tool.glibc", "tool.disk",
		"tool.docker-helpers", "tool.gcluster", "login.gcloud", "login.adc",
		"login.quota-project", "login.same-identity", "login.clock", "project.exists",
		"project.billing", "api.compute.googleapis.com", "role.tpu.admin",
		"role.container.admin", "role.compute.admin", "role.storage.admin",
		"role.iam.serviceAccountUser", "role.iam.serviceAccountAdmin",
		"role.resourcemanager.projectIamAdmin", "role.serviceusage.serviceUsageAdmin",
		"place.zone", "place.region", "place.ct6e", "place.e2", "place.n4", "quota.cpus-e2",
		"quota.cpus-n4", "quota.addresses", "quota.ssd", "quota.networks",
		"reservation.exists", "reservation.zone", "reservation.machine", "reservation.free",
		"reservation.specific", "bucket.name", "bucket.owner", "bucket.location",
		"bucket.write", "hf.token", "hf.kind", "hf.licence", "hf.dataset", "name.cluster",
		"name.job", "collision.cluster", "collision.jobset", "collision.service-accounts",
		"collision.folder", "train.rollout", "train.trainer", "train.heads", "train.batch",
		"train.lengths", "train.generations", "net.authorized-cidr"};

	(void)state;
	for (size_t i = 0; i < COUNT(ids); i++) {
		question(ids[i]);
		assert_true(checks_states(ids[i]) & MAY_OK);
	}
}

/* One question holds at most a hundred permissions, none twice. */
static void test_permissions(void **state)
{
	const char *names[CHECKS_PERMISSIONS_MAX];
	size_t n = checks_permissions(names);

	(void)state;
	assert_in_range(n, 8, CHECKS_PERMISSIONS_MAX - 1);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(names[i], names[k]);
	assert_null(checks_role("owner"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_have_judges),
		cmocka_unit_test(test_judges),
		cmocka_unit_test(test_permissions),
		cmocka_unit_test(wrong_types_break_no_judge),
		cmocka_unit_test(an_answer_of_another_shape_is_no_proof),
		cmocka_unit_test(a_change_asks_again_what_depends_on_it),
		cmocka_unit_test(every_id_of_the_contract_is_there),
		cmocka_unit_test(the_administrator_gets_one_message),
	};

	return cmocka_run_group_tests(tests, checks_setup, checks_teardown);
}
