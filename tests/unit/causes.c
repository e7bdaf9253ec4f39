/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of public reports, of tools, terraform and Google's APIs: each gives its cause, with the
 * words that the cure needs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

#include "core/base/mem.h"
#include "core/fmt/cause.h"
#include "tests/unit/cause_rig.h"
#include "tests/unit/tferr_rig.h"

static void expect_error(const char *text, const char *id, const char *summary, const char *piece)
{
	struct tferr_list l = {0};
	const struct tferr *t = tferr_read(&l, text);
	AUTO_FREE char *told = NULL;
	AUTO_FREE char *cure = NULL;
	AUTO_FREE char *all = NULL;

	assert_non_null(t);
	if (!t->hit.cause || strcmp(t->hit.cause->id, id))
		fail_msg("%s\n is %s, not %s", text, t->hit.cause ? t->hit.cause->id : "unknown",
			id);
	assert_non_null(strstr(t->summary, summary));
	told = tferr_told(t);
	cure = cause_cure(&t->hit);
	all = x_asprintf("%s | %s", told, cure);
	if (!strstr(all, piece))
		fail_msg("%s is not in %s", piece, all);
	tferr_fini(&l);
}

static void R01_full_disk_of_terraform_is_told(void **state)
{
	(void)state;
	expect_error(
		"Error: Failed to install provider\n"
		"Error while installing hashicorp/google-beta v5.1.0: write .terraform/p/x: no "
		"space left on device\n"
		"Hint: initialization of deployment group lab/primary failed; manually resolve "
		"errors\n",
		"disk-full-providers", "Failed to install provider", "2 GB");
}

static void R04_missing_plugin_has_both_install_commands(void **state)
{
	(void)state;
	cause_expect(
		"Unable to connect: getting credentials: exec: executable gke-gcloud-auth-plugin "
		"not "
		"found",
		"gke-plugin", "apt-get install", "gcloud components install", NULL);
}

static void R06_reauthentication_names_both_logins(void **state)
{
	static const char *const texts[] = {
		"{\"error\":\"invalid_grant\",\"error_description\":\"reauth related error "
		"(invalid_rapt)\",\"error_subtype\":\"invalid_rapt\"}",
		"Reauthentication required.",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++)
		cause_expect(texts[i], "login-reauth", "gcloud auth login",
			"gcloud auth application-default login", NULL);
}

static void R07_quota_project_needs_adc_first_and_a_role(void **state)
{
	(void)state;
	cause_expect("ERROR: (gcloud) Application default credentials have not been set up. Run $ "
		     "gcloud "
		     "auth application-default login",
		"no-adc", "application-default login", "first", NULL);
	cause_expect(
		"Caller does not have required permission to use project lab-two. Grant the caller "
		"serviceusage.services.use",
		"quota-project-permission", "lab-two", "roles/serviceusage.serviceUsageConsumer",
		"minutes", NULL);
}

static void R09_three_wordings_give_one_permission(void **state)
{
	static const char *const texts[] = {
		"Permission iam.serviceAccounts.create is required to perform this operation on "
		"project lab",
		"Permission 'iam.serviceAccounts.create' denied on resource (or it may not exist).",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++)
		cause_expect(texts[i], "permission", "iam.serviceAccounts.create",
			"--role=roles/iam.serviceAccountAdmin", NULL);
	cause_expect("Required 'compute.networks.create' permission for "
		     "'projects/lab/global/networks/x'",
		"permission", "compute.networks.create", "--role=roles/compute.admin", NULL);
}

static void R11_an_api_that_is_off_is_named_from_a_box(void **state)
{
	(void)state;
	expect_error(
		"╷\n"
		"│ Error: Error creating Instance: googleapi: Error 403: Cloud Filestore API has "
		"not been used in project 123456 before or it is disabled. Enable it by visiting "
		"https://console.developers.google.com/apis/api/file.googleapis.com/"
		"overview?project=123456 then retry.\n"
		"│ [ {\"@type\": \"x\", \"metadata\": {\"service\": \"file.googleapis.com\"}} ]\n"
		"│ \n"
		"│   with module.store.google_filestore_instance.this,\n"
		"│   on modules/store/main.tf line 3, in resource \"x\" \"y\":\n"
		"╵\n",
		"api-off", "Error creating Instance",
		"gcloud services enable file.googleapis.com --project=123456");
}

static void R13_misleading_not_found_is_told_as_a_missing_right(void **state)
{
	(void)state;
	cause_expect("403 np@lab.iam.gserviceaccount.com does not have storage.buckets.get access "
		     "to the "
		     "Google Cloud Storage bucket.",
		"bucket-get", "storage.buckets.get", "np@lab.iam.gserviceaccount.com",
		"roles/storage.admin", NULL);
	cause_expect("ValueError: GCS bucket 'gs://demo-bkt' not found or accessible.",
		"bucket-get", "gs://demo-bkt", NULL);
	cause_expect(
		"np@lab.iam.gserviceaccount.com does not have storage.objects.create access to x",
		"bucket-denied", "storage.objects.create", NULL);
}

static void R14_an_identity_of_the_cluster_is_not_the_nodes(void **state)
{
	(void)state;
	cause_expect(
		"Primary: /namespaces/my-project.svc.id.goog with additional claims does not have "
		"storage.objects.create access to the Google Cloud Storage object.",
		"workload-identity", "my-project", "Kubernetes account", "storage.objects.create",
		"workloadIdentityPools/my-project.svc.id.goog", NULL);
}

static void R15_every_numbered_quota_is_read(void **state)
{
	(void)state;
	expect_error(
		"Error: error creating NodePool: googleapi: Error 403:\n"
		"\t(1) insufficient regional quota to satisfy request: resource \"CPUS\": request "
		"requires '72.0' and is short '48.0'. project has a quota of '24.0' with '24.0' "
		"available.\n"
		"\t(2) insufficient regional quota to satisfy request: resource "
		"\"IN_USE_ADDRESSES\": request requires '9.0' and is short '1.0'. x, forbidden\n",
		"quota-regional", "error creating NodePool", "CPUS, IN_USE_ADDRESSES");
	cause_expect("insufficient regional quota to satisfy request: resource \"SSD\": request "
		     "requires "
		     "'9' and is short '2'",
		"quota-regional", "SSD", "short of 2", NULL);
}

static void R16_a_limit_of_zero_is_no_wait(void **state)
{
	(void)state;
	cause_expect("429: Quota limit 'TPUV6EPerProjectPerRegion' has been exceeded. Limit: 0 in "
		     "region "
		     "us-east5.",
		"quota-zero", "us-east5", "waiting never helps", "a reservation needs no TPU quota",
		NULL);
	cause_expect("Quota limit 'TPUV6EPerZone' has been exceeded. Limit: 16 in zone us-east5-b.",
		"quota", "TPUV6EPerZone", NULL);
}

static void R19_three_wordings_of_a_small_reservation(void **state)
{
	(void)state;
	cause_expect(
		"code=429, Reservation does not have enough resources for the request: specific "
		"reservation \"res-a\" is insufficient for node pool \"tpu-pool\" at zone "
		"\"us-east5-b\": required 8 and short of 3 VM count",
		"reservation-short", "res-a", "8 needed, 3 missing", "--zone=us-east5-b", NULL);
	cause_expect("Insufficient reserved capacity. Contact customer support to increase your "
		     "reservation. [EID: 0x1a2b]",
		"reservation-short", "EID 0x1a2b", NULL);
	cause_expect(
		"A target reservation must be specified when the host project has at least one",
		"reservation-match", "projects/OWNER/reservations/NAME", NULL);
}

static void R20_quotes_and_braces_do_not_cut_the_message(void **state)
{
	static const char text[] = "Error: googleapi: Error 400: Invalid value for field "
				   "'resource.reservationAffinity': "
				   "'{  \"consumeReservationType\": \"SPECIFIC_RESERVATION\",  "
				   "\"key\": \"n\"}'. Wrong "
				   "zone.\n";
	struct tferr_list l = {0};
	const struct tferr *t = tferr_read(&l, text);

	(void)state;
	assert_non_null(t);
	assert_string_equal(t->hit.cause->id, "reservation-match");
	assert_non_null(strstr(t->summary, "\"key\": \"n\"}'. Wrong zone."));
	tferr_fini(&l);
}

static void R27_a_stockout_names_instance_zone_and_pool(void **state)
{
	static const char text[] =
		"Error: Error waiting for creating GKE NodePool: \n"
		"\t(1) Google Compute Engine: Not all instances running in IGM after 14.6s. "
		"Expected "
		"1, running 0, transitioning 1. Current errors: [GCE_STOCKOUT]: Instance "
		"'gke-demo-k7xw' creation failed: The zone 'projects/lab/zones/us-east5-b' does "
		"not "
		"have enough resources available to fulfill the request.\n"
		"\n"
		"  with module.pool.google_container_node_pool.node_pool[0],\n"
		"  on pool/main.tf line 9, in resource \"a\" \"b\":\n";

	(void)state;
	expect_error(text, "stockout", "GKE NodePool",
		"us-east5-b has no free machines of this type: gke-demo-k7xw "
		"(module.pool.google_container_node_pool.node_pool[0])");
	expect_error(text, "stockout", "GKE NodePool", "state ERROR");
}

static void R29_target_size_and_gang_are_told(void **state)
{
	(void)state;
	cause_expect(
		"[<StatusCondition canonicalCode: X message: \"Requested invalid target size '4' "
		"for a "
		"Managed Instance Group in the gang mode of size '8'. Should be equal to the gang "
		"size.\">]",
		"gang-size", "4 asked", "8 make one slice", "TOPOLOGY", NULL);
}

static void R31_a_lock_tells_who_holds_it(void **state)
{
	static const char text[] =
		"Error: Error acquiring the state lock\n"
		"\n"
		"Error message: the state is already locked by another terraform client\n"
		"Lock Info:\n"
		"  ID:        545e1e3c-a3c5\n"
		"  Path:      x\n"
		"  Operation: OperationTypeApply\n"
		"  Who:       @host\n"
		"  Version:   1.9.8\n"
		"  Created:   2026-07-13 12:50:09.33 +0000 UTC\n";

	(void)state;
	expect_error(text, "state-lock", "state lock", "terraform force-unlock 545e1e3c-a3c5");
	expect_error(text, "state-lock", "state lock", "begun by @host at 2026-07-13");
}

static void a_state_that_could_not_be_saved_is_to_be_pushed(void **state)
{
	(void)state;
	expect_error("Error: Failed to persist state to backend\n\nThe error shown above has "
		     "prevented Terraform from writing the updated state to the configured "
		     "backend. To allow for recovery, the state has been written to the file "
		     "\"errored.tfstate\" in the current working directory.\n",
		"state-errored", "Failed to persist state", "terraform state push errored.tfstate");
	expect_error("Error: Failed to save state\n\nError saving state: open terraform.tfstate: "
		     "read-only file system\n",
		"state-errored", "Failed to save state", "terraform state push errored.tfstate");
}

static void R86_a_busy_network_names_its_user(void **state)
{
	(void)state;
	expect_error("│ Error: Error waiting for Deleting Network: The network resource "
		     "'projects/lab/global/networks/demo-net-0' is already being used by "
		     "'projects/lab/global/firewalls/demo-net-0-iyv-4'\n╵\n",
		"network-busy", "Deleting Network", "firewalls demo-net-0-iyv-4");
}

static void what_keeps_a_bucket_names_the_object_and_the_way(void **state)
{
	static const struct {
		const char *text, *id, *meaning, *cure;
	} rows[] = {
		{"ERROR: (gcloud.storage.rm) HTTPError 403: Object 'demo-bkt/a/b.json' is under "
		 "active Temporary hold and cannot be deleted, overwritten or archived until hold "
		 "is removed.",
			"bucket-hold", "demo-bkt/a/b.json",
			"gcloud storage objects update gs://demo-bkt/a/b.json --no-temporary-hold"},
		{"HTTPError 403: Object 'demo-bkt/a' is under active Event-Based hold and cannot "
		 "be deleted",
			"bucket-hold", "demo-bkt/a", "--no-event-based-hold"},
		{"HTTPError 403: Object 'demo-bkt/a' is subject to bucket's retention policy or "
		 "object retention and cannot be deleted or overwritten until "
		 "2026-12-24T10:00:00Z",
			"bucket-retention", "demo-bkt/a until 2026-12-24T10:00:00Z",
			"--clear-retention-period"},
		{"Error: Error trying to delete bucket training-data-demo-1f2e containing objects "
		 "without `force_destroy` set to true",
			"bucket-full", "training-data-demo-1f2e",
			"gcloud storage rm -r 'gs://training-data-demo-1f2e/**'"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct cause_hit hit;
		AUTO_FREE char *meaning = NULL;
		AUTO_FREE char *cure = NULL;
		assert_true(cause_find(&hit, rows[i].text, strlen(rows[i].text)));
		assert_string_equal(hit.cause->id, rows[i].id);
		meaning = cause_meaning(&hit);
		cure = cause_cure(&hit);
		assert_non_null(strstr(meaning, rows[i].meaning));
		assert_non_null(strstr(cure, rows[i].cure));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(R01_full_disk_of_terraform_is_told),
		cmocka_unit_test(R04_missing_plugin_has_both_install_commands),
		cmocka_unit_test(R06_reauthentication_names_both_logins),
		cmocka_unit_test(R07_quota_project_needs_adc_first_and_a_role),
		cmocka_unit_test(R09_three_wordings_give_one_permission),
		cmocka_unit_test(R11_an_api_that_is_off_is_named_from_a_box),
		cmocka_unit_test(R13_misleading_not_found_is_told_as_a_missing_right),
		cmocka_unit_test(R14_an_identity_of_the_cluster_is_not_the_nodes),
		cmocka_unit_test(R15_every_numbered_quota_is_read),
		cmocka_unit_test(R16_a_limit_of_zero_is_no_wait),
		cmocka_unit_test(R19_three_wordings_of_a_small_reservation),
		cmocka_unit_test(R20_quotes_and_braces_do_not_cut_the_message),
		cmocka_unit_test(R27_a_stockout_names_instance_zone_and_pool),
		cmocka_unit_test(R29_target_size_and_gang_are_told),
		cmocka_unit_test(R31_a_lock_tells_who_holds_it),
		cmocka_unit_test(a_state_that_could_not_be_saved_is_to_be_pushed),
		cmocka_unit_test(R86_a_busy_network_names_its_user),
		cmocka_unit_test(what_keeps_a_bucket_names_the_object_and_the_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
