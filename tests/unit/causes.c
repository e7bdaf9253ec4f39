/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of public reports: each gives its cause, with the words that the cure needs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/cause.h"
#include "core/fmt/trainlog.h"
#include "tests/unit/tferr_rig.h"

/* The text has this cause, and its meaning and cure together hold all of these pieces. */
static void expect(const char *text, const char *id, ...)
{
	struct cause_hit hit;
	AUTO_FREE char *meaning = NULL;
	AUTO_FREE char *cure = NULL;
	AUTO_FREE char *all = NULL;
	const char *piece;
	va_list ap;

	cause_find(&hit, text, strlen(text));
	if (!hit.cause || strcmp(hit.cause->id, id))
		fail_msg("%s\n is %s, not %s", text, hit.cause ? hit.cause->id : "unknown", id);
	meaning = cause_meaning(&hit);
	cure = cause_cure(&hit);
	all = x_asprintf("%s | %s", meaning, cure);
	va_start(ap, id);
	while ((piece = va_arg(ap, const char *)) != NULL)
		if (!strstr(all, piece))
			fail_msg("%s\n does not tell %s: %s", text, piece, all);
	va_end(ap);
}

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
	expect("Unable to connect: getting credentials: exec: executable gke-gcloud-auth-plugin "
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
		expect(texts[i], "login-reauth", "gcloud auth login",
			"gcloud auth application-default login", NULL);
}

static void R07_quota_project_needs_adc_first_and_a_role(void **state)
{
	(void)state;
	expect("ERROR: (gcloud) Application default credentials have not been set up. Run $ gcloud "
	       "auth application-default login",
		"no-adc", "application-default login", "first", NULL);
	expect("Caller does not have required permission to use project lab-two. Grant the caller "
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
		expect(texts[i], "permission", "iam.serviceAccounts.create",
			"--role=roles/iam.serviceAccountAdmin", NULL);
	expect("Required 'compute.networks.create' permission for 'projects/lab/global/networks/x'",
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
	expect("403 np@lab.iam.gserviceaccount.com does not have storage.buckets.get access to the "
	       "Google Cloud Storage bucket.",
		"bucket-get", "storage.buckets.get", "np@lab.iam.gserviceaccount.com",
		"roles/storage.admin", NULL);
	expect("ValueError: GCS bucket 'gs://demo-bkt' not found or accessible.", "bucket-get",
		"gs://demo-bkt", NULL);
	expect("np@lab.iam.gserviceaccount.com does not have storage.objects.create access to x",
		"bucket-denied", "storage.objects.create", NULL);
}

static void R14_an_identity_of_the_cluster_is_not_the_nodes(void **state)
{
	(void)state;
	expect("Primary: /namespaces/my-project.svc.id.goog with additional claims does not have "
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
	expect("insufficient regional quota to satisfy request: resource \"SSD\": request requires "
	       "'9' and is short '2'",
		"quota-regional", "SSD", "short of 2", NULL);
}

static void R16_a_limit_of_zero_is_no_wait(void **state)
{
	(void)state;
	expect("429: Quota limit 'TPUV6EPerProjectPerRegion' has been exceeded. Limit: 0 in region "
	       "us-east5.",
		"quota-zero", "us-east5", "waiting never helps", "a reservation needs no TPU quota",
		NULL);
	expect("Quota limit 'TPUV6EPerZone' has been exceeded. Limit: 16 in zone us-east5-b.",
		"quota", "TPUV6EPerZone", NULL);
}

static void R19_three_wordings_of_a_small_reservation(void **state)
{
	(void)state;
	expect("code=429, Reservation does not have enough resources for the request: specific "
	       "reservation \"res-a\" is insufficient for node pool \"tpu-pool\" at zone "
	       "\"us-east5-b\": required 8 and short of 3 VM count",
		"reservation-short", "res-a", "8 needed, 3 missing", "--zone=us-east5-b", NULL);
	expect("Insufficient reserved capacity. Contact customer support to increase your "
	       "reservation. [EID: 0x1a2b]",
		"reservation-short", "EID 0x1a2b", NULL);
	expect("A target reservation must be specified when the host project has at least one",
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
	expect("[<StatusCondition canonicalCode: X message: \"Requested invalid target size '4' "
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

static void R32_a_webhook_that_is_not_up_is_waited_for(void **state)
{
	(void)state;
	expect("Internal error occurred: failed calling webhook \"mjob.kb.io\": failed to call "
	       "webhook: Post \"https://kueue-webhook-service.kueue-system.svc:443/x\": dial tcp "
	       "10.0.0.1:443: connect: connection refused",
		"webhook", "mjob.kb.io", "wait a minute", NULL);
}

static void R34_R35_no_answer_is_not_a_refusal(void **state)
{
	(void)state;
	expect("E0313 02:30:55.92 101 memcache.go:265] couldn't get current server API group list: "
	       "Get "
	       "\"https://203.0.113.7/api\": dial tcp 203.0.113.7:443: i/o timeout",
		"authorized-networks", "203.0.113.7", "authorized networks", NULL);
	expect("The connection to the server 203.0.113.7 was refused - did you specify the right "
	       "host "
	       "or port?",
		"control-plane", "the job itself usually runs on", NULL);
	expect("net/http: TLS handshake timeout", "control-plane", NULL);
	expect("The connection to the server localhost:8080 was refused - did you specify the "
	       "right "
	       "host or port?",
		"no-kubeconfig", "get-credentials", NULL);
}

static void R36_busy_and_never_are_told_apart(void **state)
{
	(void)state;
	expect("couldn't assign flavors to pod set job: resource cpu unavailable in ClusterQueue",
		"queue-never", "does not cover cpu", NULL);
	expect("couldn't assign flavors to pod set worker: insufficient unused quota for "
	       "google.com/tpu in flavor tpu, 32 more needed",
		"queue-quota", "32 missing", NULL);
}

static void R41_the_silently_refused_workers_have_a_cause(void **state)
{
	(void)state;
	expect("spec.template.spec.restartPolicy: Invalid value: \"OnFailure\": only \"Never\" is "
	       "supported when podFailurePolicy is specified",
		"pod-policy", "--restart-on-exit-codes", NULL);
}

static void R46_back_off_and_never_are_told_apart(void **state)
{
	(void)state;
	expect("pod didn't trigger scale-up: 1 in backoff after failed scale-up",
		"autoscaler-backoff", "wait", NULL);
	expect("pod didn't trigger scale-up (it wouldn't fit if a new node is added)",
		"autoscaler-never", "machine type", NULL);
	expect("0/9 nodes are available: 2 node(s) didn't match node selector, 8 Insufficient cpu.",
		"unschedulable", "8 Insufficient cpu", NULL);
}

static void R48_denied_missing_and_other_pulls(void **state)
{
	(void)state;
	expect("Failed to pull image \"us-docker.pkg.dev/x/y/z:1\": rpc error: pulling from host "
	       "failed "
	       "with status code [manifests 1]: 403 Forbidden",
		"image-denied", "us-docker.pkg.dev/x/y/z:1", "artifactregistry.reader", NULL);
	expect("Failed to pull image \"gcr.io/x:9\": rpc error: gcr.io/x:9: not found",
		"image-missing", "gcr.io/x:9", NULL);
	expect("Failed to pull image \"gcr.io/x:9\": context deadline exceeded", "image-pull",
		NULL);
}

static void R49_a_full_node_disk_tells_its_figures(void **state)
{
	(void)state;
	expect("The node was low on resource: ephemeral-storage. Threshold quantity: 2146223340, "
	       "available: 1883424Ki. Container main was using 73712Ki, request is 0, has larger "
	       "consumption of ephemeral-storage. ",
		"node-disk", "1883424Ki free", "2146223340", "main used 73712Ki",
		"v6e_node_pool_disk_size_gb", NULL);
	expect("The node was low on resource: ephemeral-storage.", "node-disk", NULL);
	expect("Pod The node had condition: [DiskPressure]. ", "node-disk", NULL);
}

static void R52_device_agents_faults_are_not_the_users(void **state)
{
	(void)state;
	expect("Memory cgroup out of memory: Killed process 7 (vbar_control_ag)", "tpu-agent",
		"not the job's fault", NULL);
}

static void R53_three_answers_of_a_gated_model(void **state)
{
	(void)state;
	expect("Access to model google/gemma-3-4b-pt is restricted and you are not in the "
	       "authorized "
	       "list.",
		"hf-gated", "https://huggingface.co/google/gemma-3-4b-pt", NULL);
	expect("huggingface_hub.errors.GatedRepoError: 403 Client Error.", "hf-gated", NULL);
	expect("OSError: You are trying to access a gated repo.", "hf-gated", NULL);
	expect("You must have access to it and be authenticated to access it. Please log in.",
		"hf-no-token", "HF_TOKEN", NULL);
}

static void R55_the_hubs_limit_is_a_wait(void **state)
{
	struct cause_hit hit;
	static const char text[] =
		"HTTP Error 429 thrown while requesting HEAD https://huggingface.co/x";

	(void)state;
	assert_true(cause_find(&hit, text, strlen(text)));
	assert_string_equal(hit.cause->id, "hf-rate");
	assert_false(hit.cause->fatal);
}

static void R57_R60_checkpoint_and_run_disagree(void **state)
{
	AUTO_FREE char *keys = x_calloc(1, 60000);
	AUTO_FREE char *line = NULL;

	(void)state;
	memset(keys, 'k', 59999);
	line = x_asprintf(
		"ValueError: maxtext_state_dict must be a subset of flattened param_map %s", keys);
	expect(line, "scan-layers", "scan_layers=False", NULL);
	expect("Configuration mismatch: Your run specifies scan_layers=True, but the checkpoint "
	       "was "
	       "saved with scan_layers=False",
		"scan-layers", "True here, False there", NULL);
	expect("Requested shape: (2048,) is not compatible with the stored shape: (2304,)",
		"checkpoint-shape", "(2048,) here, (2304,) there", "/0/items/", NULL);
	expect("User-provided restore item and on-disk value metadata tree structures do not match",
		"checkpoint-shape", NULL);
	expect("the restore yielded no parameters", "checkpoint-load", NULL);
}

static void R59_parallelism_messages(void **state)
{
	(void)state;
	expect("ValueError: At most one of rollout_tensor_parallelism, rollout_data_parallelism, "
	       "rollout_expert_parallelism can be -1",
		"parallelism-auto", "all but one", NULL);
	expect("rollout_tensor_parallelism(4) * x != len(sampler_devices)(16)", "chips-mismatch",
		NULL);
	expect("num_sampler_devices(16) must be divisible by rollout_tensor_parallelism(3)",
		"chips-mismatch", NULL);
}

static void R61_memory_tells_used_limit_and_excess(void **state)
{
	(void)state;
	expect("XlaRuntimeError: RESOURCE_EXHAUSTED: XLA:TPU compile permanent error. Ran out of "
	       "memory "
	       "in memory space hbm. Used 63.80G of 30.75G hbm. Exceeded hbm capacity by 33.05G.",
		"hbm-full", "63.80G of 30.75G", "33.05G too much", "train_micro_batch_size",
		"adafactor", NULL);
	expect("Ran out of memory in memory space vmem. Used 20M of 16M vmem.", "hbm-full",
		"20M of 16M", NULL);
}

static void R62_prefix_of_each_line_is_taken_off(void **state)
{
	static const char line[] =
		"(EngineCore_DP0 pid=12) ERROR 07-13 02:03:04 [core.py:9] ValueError: No available "
		"memory for the cache blocks. Try increasing `gpu_memory_utilization`";
	struct trainlog_event ev;

	(void)state;
	trainlog_parse(line, strlen(line), &ev);
	assert_string_equal(ev.cause, "cache-blocks");
	assert_true(text_starts(ev.text, "ValueError: No available"));
	expect(ev.text, "cache-blocks", "hbm_utilization_vllm", NULL);
}

static void R64_slow_start_is_no_failure(void **state)
{
	const struct cause *slow, *down;
	static const char a[] = "TPU backend initialization is taking more than 60.0 seconds.";
	static const char b[] =
		"Unable to initialize backend 'tpu': INTERNAL: Failed to get global TPU topology.";

	(void)state;
	slow = cause_of_text(a, strlen(a));
	down = cause_of_text(b, strlen(b));
	assert_string_equal(slow->id, "tpu-slow-start");
	assert_false(slow->fatal);
	assert_string_equal(down->id, "tpu-init");
	assert_true(down->fatal);
}

static void R70_R71_early_questions_are_no_faults(void **state)
{
	(void)state;
	expect("error: no matching resources found", "no-pods-yet", "wait", NULL);
	expect("container \"main\" in pod \"demo-1\" is waiting to start: PodInitializing",
		"pod-starting", NULL);
}

static void R76_expired_login_of_the_cluster(void **state)
{
	(void)state;
	expect("error: You must be logged in to the server (Unauthorized)", "cluster-login",
		"gcloud auth login", NULL);
	assert_string_equal(cause_of_reason("Unauthorized")->id, "cluster-login");
	assert_false(cause_of_reason("Unauthorized")->fatal);
}

static void R84_export_of_another_kind_of_checkpoint(void **state)
{
	(void)state;
	expect("Detected NNX-SFT checkpoint structure", "post-training-checkpoint",
		"checkpoints/actor/STEP/model_params/", NULL);
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
		cmocka_unit_test(R32_a_webhook_that_is_not_up_is_waited_for),
		cmocka_unit_test(R34_R35_no_answer_is_not_a_refusal),
		cmocka_unit_test(R36_busy_and_never_are_told_apart),
		cmocka_unit_test(R41_the_silently_refused_workers_have_a_cause),
		cmocka_unit_test(R46_back_off_and_never_are_told_apart),
		cmocka_unit_test(R48_denied_missing_and_other_pulls),
		cmocka_unit_test(R49_a_full_node_disk_tells_its_figures),
		cmocka_unit_test(R52_device_agents_faults_are_not_the_users),
		cmocka_unit_test(R53_three_answers_of_a_gated_model),
		cmocka_unit_test(R55_the_hubs_limit_is_a_wait),
		cmocka_unit_test(R57_R60_checkpoint_and_run_disagree),
		cmocka_unit_test(R59_parallelism_messages),
		cmocka_unit_test(R61_memory_tells_used_limit_and_excess),
		cmocka_unit_test(R62_prefix_of_each_line_is_taken_off),
		cmocka_unit_test(R64_slow_start_is_no_failure),
		cmocka_unit_test(R70_R71_early_questions_are_no_faults),
		cmocka_unit_test(R76_expired_login_of_the_cluster),
		cmocka_unit_test(R84_export_of_another_kind_of_checkpoint),
		cmocka_unit_test(R86_a_busy_network_names_its_user),
		cmocka_unit_test(what_keeps_a_bucket_names_the_object_and_the_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
