/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of public reports, of the cluster and of programs in it: each gives its cause, with the
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
#include "core/base/text.h"
#include "core/fmt/cause.h"
#include "core/fmt/trainlog.h"
#include "tests/unit/cause_rig.h"

static void R32_a_webhook_that_is_not_up_is_waited_for(void **state)
{
	(void)state;
	cause_expect(
		"Internal error occurred: failed calling webhook \"mjob.kb.io\": failed to call "
		"webhook: Post \"https://kueue-webhook-service.kueue-system.svc:443/x\": dial tcp "
		"10.0.0.1:443: connect: connection refused",
		"webhook", "mjob.kb.io", "wait a minute", NULL);
}

static void R34_R35_no_answer_is_not_a_refusal(void **state)
{
	(void)state;
	cause_expect("E0313 02:30:55.92 101 memcache.go:265] couldn't get current server API group "
		     "list: "
		     "Get "
		     "\"https://203.0.113.7/api\": dial tcp 203.0.113.7:443: i/o timeout",
		"authorized-networks", "203.0.113.7", "authorized networks", NULL);
	cause_expect(
		"The connection to the server 203.0.113.7 was refused - did you specify the right "
		"host "
		"or port?",
		"control-plane", "the job itself usually runs on", NULL);
	cause_expect("net/http: TLS handshake timeout", "control-plane", NULL);
	cause_expect(
		"The connection to the server localhost:8080 was refused - did you specify the "
		"right "
		"host or port?",
		"no-kubeconfig", "get-credentials", NULL);
}

static void R36_busy_and_never_are_told_apart(void **state)
{
	(void)state;
	cause_expect(
		"couldn't assign flavors to pod set job: resource cpu unavailable in ClusterQueue",
		"queue-never", "does not cover cpu", NULL);
	cause_expect("couldn't assign flavors to pod set worker: insufficient unused quota for "
		     "google.com/tpu in flavor tpu, 32 more needed",
		"queue-quota", "32 missing", NULL);
}

static void R41_the_silently_refused_workers_have_a_cause(void **state)
{
	(void)state;
	cause_expect(
		"spec.template.spec.restartPolicy: Invalid value: \"OnFailure\": only \"Never\" is "
		"supported when podFailurePolicy is specified",
		"pod-policy", "--restart-on-exit-codes", NULL);
}

static void R46_back_off_and_never_are_told_apart(void **state)
{
	(void)state;
	cause_expect("pod didn't trigger scale-up: 1 in backoff after failed scale-up",
		"autoscaler-backoff", "wait", NULL);
	cause_expect("pod didn't trigger scale-up (it wouldn't fit if a new node is added)",
		"autoscaler-never", "machine type", NULL);
	cause_expect("0/9 nodes are available: 2 node(s) didn't match node selector, 8 "
		     "Insufficient cpu.",
		"unschedulable", "8 Insufficient cpu", NULL);
}

static void R48_denied_missing_and_other_pulls(void **state)
{
	(void)state;
	cause_expect(
		"Failed to pull image \"us-docker.pkg.dev/x/y/z:1\": rpc error: pulling from host "
		"failed "
		"with status code [manifests 1]: 403 Forbidden",
		"image-denied", "us-docker.pkg.dev/x/y/z:1", "artifactregistry.reader", NULL);
	cause_expect("Failed to pull image \"gcr.io/x:9\": rpc error: gcr.io/x:9: not found",
		"image-missing", "gcr.io/x:9", NULL);
	cause_expect("Failed to pull image \"gcr.io/x:9\": context deadline exceeded", "image-pull",
		NULL);
}

static void R49_a_full_node_disk_tells_its_figures(void **state)
{
	(void)state;
	cause_expect(
		"The node was low on resource: ephemeral-storage. Threshold quantity: 2146223340, "
		"available: 1883424Ki. Container main was using 73712Ki, request is 0, has larger "
		"consumption of ephemeral-storage. ",
		"node-disk", "1883424Ki free", "2146223340", "main used 73712Ki",
		"v6e_node_pool_disk_size_gb", NULL);
	cause_expect("The node was low on resource: ephemeral-storage.", "node-disk", NULL);
	cause_expect("Pod The node had condition: [DiskPressure]. ", "node-disk", NULL);
}

static void R52_device_agents_faults_are_not_the_users(void **state)
{
	(void)state;
	cause_expect("Memory cgroup out of memory: Killed process 7 (vbar_control_ag)", "tpu-agent",
		"not the job's fault", NULL);
}

static void R53_three_answers_of_a_gated_model(void **state)
{
	(void)state;
	cause_expect("Access to model google/gemma-3-4b-pt is restricted and you are not in the "
		     "authorized "
		     "list.",
		"hf-gated", "https://huggingface.co/google/gemma-3-4b-pt", NULL);
	cause_expect("huggingface_hub.errors.GatedRepoError: 403 Client Error.", "hf-gated", NULL);
	cause_expect("OSError: You are trying to access a gated repo.", "hf-gated", NULL);
	cause_expect("You must have access to it and be authenticated to access it. Please log in.",
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
	cause_expect(line, "scan-layers", "scan_layers=False", NULL);
	cause_expect(
		"Configuration mismatch: Your run specifies scan_layers=True, but the checkpoint "
		"was "
		"saved with scan_layers=False",
		"scan-layers", "True here, False there", NULL);
	cause_expect("Requested shape: (2048,) is not compatible with the stored shape: (2304,)",
		"checkpoint-shape", "(2048,) here, (2304,) there", "/0/items/", NULL);
	cause_expect("User-provided restore item and on-disk value metadata tree structures do not "
		     "match",
		"checkpoint-shape", NULL);
	cause_expect("the restore yielded no parameters", "checkpoint-load", NULL);
}

static void R59_parallelism_messages(void **state)
{
	(void)state;
	cause_expect(
		"ValueError: At most one of rollout_tensor_parallelism, rollout_data_parallelism, "
		"rollout_expert_parallelism can be -1",
		"parallelism-auto", "all but one", NULL);
	cause_expect("rollout_tensor_parallelism(4) * x != len(sampler_devices)(16)",
		"chips-mismatch", NULL);
	cause_expect("num_sampler_devices(16) must be divisible by rollout_tensor_parallelism(3)",
		"chips-mismatch", NULL);
}

static void R61_memory_tells_used_limit_and_excess(void **state)
{
	(void)state;
	cause_expect(
		"XlaRuntimeError: RESOURCE_EXHAUSTED: XLA:TPU compile permanent error. Ran out of "
		"memory "
		"in memory space hbm. Used 63.80G of 30.75G hbm. Exceeded hbm capacity by 33.05G.",
		"hbm-full", "63.80G of 30.75G", "33.05G too much", "train_micro_batch_size",
		"adafactor", NULL);
	cause_expect("Ran out of memory in memory space vmem. Used 20M of 16M vmem.", "hbm-full",
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
	cause_expect(ev.text, "cache-blocks", "hbm_utilization_vllm", NULL);
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
	cause_expect("error: no matching resources found", "no-pods-yet", "wait", NULL);
	cause_expect("container \"main\" in pod \"demo-1\" is waiting to start: PodInitializing",
		"pod-starting", NULL);
}

static void R76_expired_login_of_the_cluster(void **state)
{
	(void)state;
	cause_expect("error: You must be logged in to the server (Unauthorized)", "cluster-login",
		"gcloud auth login", NULL);
	assert_string_equal(cause_of_reason("Unauthorized")->id, "cluster-login");
	assert_false(cause_of_reason("Unauthorized")->fatal);
}

static void R84_export_of_another_kind_of_checkpoint(void **state)
{
	(void)state;
	cause_expect("Detected NNX-SFT checkpoint structure", "post-training-checkpoint",
		"checkpoints/actor/STEP/model_params/", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
