/* SPDX-License-Identifier: Apache-2.0 */
/* What copies of terraform's state say that a run has made, and whom to ask for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/mem.h"
#include "core/fmt/json.h"
#include "core/run/proof.h"

static void read_state(struct proof_list *l, const char *text)
{
	json_t *j = json_parse(text, strlen(text), NULL);

	assert_non_null(j);
	proof_read(l, j);
	json_decref(j);
}

#define RESOURCE(type, id)                                                                         \
	"{\"resources\":[{\"mode\":\"managed\",\"type\":\"" type                                   \
	"\",\"name\":\"x\",\"instances\":"                                                         \
	"[{\"attributes\":{\"id\":\"" id "\"}}]}]}"

static void every_kind_is_asked_where_it_is_known(void **state)
{
	static const struct {
		const char *json, *what, *path; /* path NULL: nobody is asked */
		enum cloud_api api;
	} rows[] = {
		{RESOURCE("google_compute_network", "projects/p/global/networks/n-net-0"),
			"google_compute_network.x n-net-0", "projects/p/global/networks/n-net-0",
			CLOUD_COMPUTE},
		{RESOURCE("google_compute_subnetwork", "projects/p/regions/r/subnetworks/s"),
			"google_compute_subnetwork.x s", "projects/p/regions/r/subnetworks/s",
			CLOUD_COMPUTE},
		{RESOURCE("google_compute_router_nat", "p/r/router/nat"),
			"google_compute_router_nat.x", NULL, CLOUD_COMPUTE},
		{RESOURCE("google_container_node_pool",
			 "projects/p/locations/r/clusters/c/nodePools/q"),
			"google_container_node_pool.x q",
			"v1/projects/p/locations/r/clusters/c/nodePools/q", CLOUD_CONTAINER},
		{RESOURCE("google_service_account",
			 "projects/p/serviceAccounts/a@p.iam.gserviceaccount.com"),
			"google_service_account.x a@p.iam.gserviceaccount.com",
			"v1/projects/p/serviceAccounts/a@p.iam.gserviceaccount.com", CLOUD_IAM},
		{RESOURCE("google_service_account_iam_member",
			 "projects/p/serviceAccounts/a/roles/x"),
			"google_service_account_iam_member.x", NULL, CLOUD_IAM},
		{RESOURCE("google_storage_bucket", "a-bucket"), "google_storage_bucket.x a-bucket",
			"b/a-bucket", CLOUD_STORAGE},
		{RESOURCE("helm_release", "kueue"), "helm_release.x", NULL, CLOUD_COMPUTE},
		/* what is no id goes into no address */
		{RESOURCE("google_storage_bucket", "a b?c#d"), "google_storage_bucket.x", NULL,
			CLOUD_STORAGE},
		{RESOURCE("google_compute_network", "projects/../../x"), "google_compute_network.x",
			NULL, CLOUD_COMPUTE},
		{RESOURCE("google_compute_network", ""), "google_compute_network.x", NULL,
			CLOUD_COMPUTE},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct proof_list l = {0};
		read_state(&l, rows[i].json);
		assert_int_equal(l.n, 1);
		assert_string_equal(l.items[0].what, rows[i].what);
		if (rows[i].path) {
			assert_string_equal(l.items[0].path, rows[i].path);
			assert_int_equal(l.items[0].api, rows[i].api);
		} else {
			assert_null(l.items[0].path);
		}
		proof_list_fini(&l);
	}
}

/* An earlier copy adds what a later one no longer holds; data and empty resources are nothing. */
static void copies_are_put_together(void **state)
{
	struct proof_list l = {0};

	(void)state;
	read_state(&l, RESOURCE("google_storage_bucket", "one"));
	read_state(&l, "{\"resources\":[{\"mode\":\"data\",\"type\":\"google_x\",\"name\":\"y\","
		       "\"instances\":[{}]},{\"mode\":\"managed\",\"type\":\"helm_release\","
		       "\"name\":\"z\",\"instances\":[]}]}");
	read_state(&l, RESOURCE("google_storage_bucket", "one"));
	read_state(&l, RESOURCE("google_storage_bucket", "two"));
	read_state(&l, "{}");
	read_state(&l, "{\"resources\":3}");
	assert_int_equal(l.n, 2);
	assert_string_equal(l.items[1].what, "google_storage_bucket.x two");
	proof_list_fini(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_is_asked_where_it_is_known),
		cmocka_unit_test(copies_are_put_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
