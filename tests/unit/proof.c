/* SPDX-License-Identifier: Apache-2.0 */
/* What copies of terraform's state say that a run has made, whom to ask for it, what removes it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/mem.h"
#include "core/fmt/json.h"
#include "core/run/proof.h"

static const struct proof_place here = {"p", "r", "c"};

static json_t *parse(const char *text)
{
	json_t *j = json_parse(text, strlen(text), NULL);

	assert_non_null(j);
	return j;
}

static void read_state(struct proof_list *l, const char *text)
{
	json_t *j = parse(text);

	proof_read(l, &here, j);
	json_decref(j);
}

#define RESOURCE(type, id)                                                                         \
	"{\"resources\":[{\"mode\":\"managed\",\"type\":\"" type                                   \
	"\",\"name\":\"x\",\"instances\":"                                                         \
	"[{\"attributes\":{\"id\":\"" id "\"}}]}]}"
#define EMAIL "a@p.iam.gserviceaccount.com"

static const struct row {
	const char *json;
	enum proof_kind kind;
	const char *what, *path, *cure; /* NULL: none */
	enum cloud_api api;
} rows[] = {
	{RESOURCE("google_compute_subnetwork", "projects/p/regions/r/subnetworks/s"), PROOF_THING,
		"subnetwork s", "projects/p/regions/r/subnetworks/s",
		"gcloud compute networks subnets delete s --region=r --project=p", CLOUD_COMPUTE},
	{RESOURCE("google_compute_router_nat", "p/r/router/nat"), PROOF_PART, "NAT nat",
		"projects/p/regions/r/routers/router",
		"gcloud compute routers nats delete nat --router=router --region=r --project=p",
		CLOUD_COMPUTE},
	{RESOURCE("google_compute_instance", "projects/p/zones/z/instances/i"), PROOF_THING,
		"google_compute_instance.x i", "projects/p/zones/z/instances/i", NULL,
		CLOUD_COMPUTE},
	{RESOURCE("google_container_node_pool", "projects/p/locations/r/clusters/c/nodePools/q"),
		PROOF_THING, "node pool q", "v1/projects/p/locations/r/clusters/c/nodePools/q",
		"gcloud container node-pools delete q --cluster=c --location=r --project=p",
		CLOUD_CONTAINER},
	{RESOURCE("google_service_account", "projects/p/serviceAccounts/" EMAIL), PROOF_THING,
		"service account " EMAIL, "v1/projects/p/serviceAccounts/" EMAIL,
		"gcloud iam service-accounts delete " EMAIL " --project=p", CLOUD_IAM},
	{RESOURCE("google_service_account_iam_member",
		 "projects/p/serviceAccounts/" EMAIL
		 "/roles/iam.workloadIdentityUser/serviceAccount:p.svc.id.goog[default/k]"),
		PROOF_WITHIN, "workload identity of " EMAIL, "v1/projects/p/serviceAccounts/" EMAIL,
		NULL, CLOUD_IAM},
	{RESOURCE("google_project_iam_member", "p/roles/storage.admin/serviceAccount:" EMAIL),
		PROOF_ROLES, "roles of " EMAIL, "v1/projects/p:getIamPolicy", NULL, CLOUD_PROJECTS},
	{RESOURCE("google_storage_bucket", "a-bucket.x"), PROOF_THING, "bucket a-bucket.x",
		"b/a-bucket.x", "gcloud storage rm -r gs://a-bucket.x", CLOUD_STORAGE},
	{RESOURCE("helm_release", "kueue"), PROOF_WITHIN, "helm_release.x kueue",
		"v1/projects/p/locations/r/clusters/c", NULL, CLOUD_CONTAINER},
	{RESOURCE("kubectl_manifest", "/api/v1/namespaces/default/persistentvolumeclaims/d"),
		PROOF_WITHIN, "kubectl_manifest.x d", "v1/projects/p/locations/r/clusters/c", NULL,
		CLOUD_CONTAINER},
	{RESOURCE("google_pubsub_topic", "projects/p/topics/t"), PROOF_WORD,
		"google_pubsub_topic.x", NULL, NULL, CLOUD_COMPUTE},
	/* what is no id goes into no address and into no command */
	{RESOURCE("google_storage_bucket", "a b?c#d"), PROOF_WORD, "google_storage_bucket.x", NULL,
		NULL, CLOUD_COMPUTE},
	{RESOURCE("google_compute_subnetwork", "projects/p/regions/r/subnetworks/s;id"), PROOF_WORD,
		"google_compute_subnetwork.x", NULL, NULL, CLOUD_COMPUTE},
	{RESOURCE("google_compute_network", "projects/../../x"), PROOF_WORD,
		"google_compute_network.x", NULL, NULL, CLOUD_COMPUTE},
	{RESOURCE("google_compute_network", "projects/p/global/networks/.."), PROOF_WORD,
		"google_compute_network.x", NULL, NULL, CLOUD_COMPUTE},
	{RESOURCE("google_compute_network", ""), PROOF_WORD, "google_compute_network.x", NULL, NULL,
		CLOUD_COMPUTE},
};

static void same(const char *got, const char *want)
{
	if (want)
		assert_string_equal(got, want);
	else
		assert_null(got);
}

static void every_kind_is_asked_where_it_is_known(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct proof_list l = {0};
		read_state(&l, rows[i].json);
		assert_int_equal(l.n, 1);
		assert_int_equal(l.items[0].kind, rows[i].kind);
		assert_string_equal(l.items[0].what, rows[i].what);
		same(l.items[0].path, rows[i].path);
		same(l.items[0].cure, rows[i].cure);
		if (rows[i].path)
			assert_int_equal(l.items[0].api, rows[i].api);
		proof_list_fini(&l);
	}
}

/* What the network's deletion waits for stands before it (R86); what lives in the state alone is
 * nothing that could be left. */
static void a_network_brings_what_gke_makes_in_it(void **state)
{
	static const char *const whats[] = {"firewall rules in n-net-0",
		"network endpoint groups in n-net-0", "network n-net-0"};
	struct proof_list l = {0};

	(void)state;
	read_state(&l, RESOURCE("google_compute_network", "projects/p/global/networks/n-net-0"));
	read_state(&l, RESOURCE("random_id", "x"));
	read_state(&l, RESOURCE("time_sleep", "x"));
	read_state(&l, RESOURCE("local_file", "x"));
	proof_sort(&l);
	assert_int_equal(l.n, COUNT(whats));
	for (size_t i = 0; i < l.n; i++)
		assert_string_equal(l.items[i].what, whats[i]);
	assert_string_equal(l.items[0].path, "network eq \".*/networks/n-net-0\"");
	proof_list_fini(&l);
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
	assert_string_equal(l.items[1].what, "bucket two");
	proof_list_fini(&l);
}

/* The cluster is asked for in any case, once, and before what goes with it. */
static void the_cluster_comes_first_and_once(void **state)
{
	struct proof_list l = {0};

	(void)state;
	proof_beside(&l, &here);
	read_state(&l, RESOURCE("google_compute_address", "projects/p/regions/r/addresses/a"));
	read_state(&l, RESOURCE("google_container_cluster", "projects/p/locations/r/clusters/c"));
	proof_sort(&l);
	assert_int_equal(l.n, 4);
	assert_string_equal(l.items[0].what, "cluster c");
	assert_string_equal(l.items[1].path, "labels.goog-k8s-cluster-name=c");
	assert_string_equal(l.items[3].what, "address a");
	proof_list_fini(&l);
}

static void listed_things_have_their_command(void **state)
{
	static const char *const lists[][3] = {
		{"disks", "https://x/compute/v1/projects/p/zones/z/disks/pvc-1",
			"gcloud compute disks delete pvc-1 --zone=z --project=p"},
		{"disks", "https://x/compute/v1/projects/p/regions/r/disks/pvc-1",
			"gcloud compute disks delete pvc-1 --region=r --project=p"},
		{"instances", "https://x/compute/v1/projects/p/zones/z/instances/i",
			"gcloud compute instances delete i --zone=z --project=p"},
		{"networkEndpointGroups",
			"https://x/compute/v1/projects/p/zones/z/networkEndpointGroups/g",
			"gcloud compute network-endpoint-groups delete g --zone=z --project=p"},
		{"firewalls", "https://x/compute/v1/projects/p/global/firewalls/f",
			"gcloud compute firewall-rules delete f --project=p"},
		{"firewalls", "https://x/compute/v1/projects/p/global/firewalls/f$(id)", NULL},
		{"firewalls", "", NULL},
		{"addresses", "https://x/compute/v1/projects/p/global/firewalls/f", NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(lists); i++) {
		json_t *thing = json_pack("{s:s}", "selfLink", lists[i][1]);
		AUTO_FREE char *cure = proof_cure_listed(lists[i][0], thing);
		same(cure, lists[i][2]);
		json_decref(thing);
	}
}

/* A role outlives its account, under another name. */
static void roles_of_a_deleted_account_are_found(void **state)
{
	json_t *policy =
		parse("{\"bindings\":[{\"role\":\"roles/a\",\"members\":[\"user:" EMAIL
		      "\",\"serviceAccount:" EMAIL ".x\"]},{\"role\":\"roles/b\","
		      "\"members\":[3,\"deleted:serviceAccount:" EMAIL
		      "?uid=12\"]},{\"role\":\"roles/c\",\"members\":[\"serviceAccount:" EMAIL
		      "\"]},{\"role\":\"roles/d\"}]}");
	char *found = NULL;
	AUTO_FREE char *roles = proof_roles(policy, "p", EMAIL, &found);
	AUTO_FREE char *cure = found;
	AUTO_FREE char *none = proof_roles(policy, "p", "b@p.iam.gserviceaccount.com", &found);

	(void)state;
	assert_string_equal(roles, "roles/b, roles/c");
	assert_string_equal(cure,
		"gcloud projects remove-iam-policy-binding p "
		"--member='deleted:serviceAccount:" EMAIL "?uid=12' --role=roles/b; "
		"gcloud projects remove-iam-policy-binding p --member=serviceAccount:" EMAIL
		" --role=roles/c");
	assert_null(none);
	assert_null(found);
	json_decref(policy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_is_asked_where_it_is_known),
		cmocka_unit_test(a_network_brings_what_gke_makes_in_it),
		cmocka_unit_test(copies_are_put_together),
		cmocka_unit_test(the_cluster_comes_first_and_once),
		cmocka_unit_test(listed_things_have_their_command),
		cmocka_unit_test(roles_of_a_deleted_account_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
