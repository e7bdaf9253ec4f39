/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/view/world_pods.h"

#include "core/base/mem.h"
#include "core/fmt/time.h"

#include <inttypes.h>
#include <string.h>

#define MINUTE 60000

void world_object(struct state *s, int64_t now, enum event_kind kind, char *text)
{
	struct event ev = {.kind = kind, .at = now};
	struct err *none = NULL;
	json_t *j = json_parse(text, strlen(text), none);
	if (!j)
		die("world: not JSON: %s", text);
	ev.u.object = j;
	run_apply(s, &ev);
	json_decref(j);
	free(text);
}

void world_pods(struct state *s, int64_t now, int ready)
{
	char created[TIME_SIZE];
	time_format(now - 96 * MINUTE, created);
	world_object(s, now, EV_JOBSET,
		x_asprintf(
			"{\"metadata\":{\"name\":\"gemma4-training\",\"uid\":\"j1\",\"namespace\":"
			"\"default\","
			"\"creationTimestamp\":\"%s\"},\"spec\":{\"coordinator\":{"
			"\"replicatedJob\":"
			"\"pathways-head\"},\"replicatedJobs\":[{\"name\":\"pathways-head\","
			"\"replicas\":1,"
			"\"template\":{\"spec\":{\"parallelism\":1}}},{\"name\":\"worker\","
			"\"replicas\":1,"
			"\"template\":{\"spec\":{\"parallelism\":8}}}]},\"status\":{\"restarts\":0,"
			"\"conditions\":[{\"type\":\"StartupPolicyCompleted\",\"status\":\"True\","
			"\"lastTransitionTime\":\"%s\"}]}}",
			created, created));
	for (int i = 0; i < 9; i++) {
		bool head = i == 8, ok = head || i < ready;
		world_object(s, now, EV_POD,
			x_asprintf("{\"metadata\":{\"name\":\"gemma4-training-%s-0-%d-x%d\","
				   "\"uid\":\"u%d\","
				   "\"creationTimestamp\":\"%s\",\"labels\":{\"jobset.sigs.k8s.io/"
				   "jobset-name\":\"gemma4-training\",\"jobset.sigs.k8s.io/"
				   "replicatedjob-name\":\"%s\",\"batch.kubernetes.io/"
				   "job-completion-index\":\"%d\"}},\"spec\":{\"nodeName\":\"gke-%"
				   "s-%d\","
				   "\"containers\":[{\"name\":\"main\"}]},\"status\":{\"phase\":\"%"
				   "s\","
				   "\"conditions\":[{\"type\":\"Ready\",\"status\":\"%s\"}],"
				   "\"containerStatuses\":[{\"name\":\"main\",\"ready\":%s,"
				   "\"restartCount\":%d,\"state\":{%s}}]}}",
				head ? "pathways-head" : "worker", head ? 0 : i, i, i, created,
				head ? "pathways-head" : "worker", head ? 0 : i,
				head ? "cpu" : "tpu", i, ok ? "Running" : "Pending",
				ok ? "True" : "False", ok ? "true" : "false", i == 3 ? 1 : 0,
				ok ? "\"running\":{}"
				   : "\"waiting\":{\"reason\":\"ContainerCreating\"}"));
	}
	for (int i = 0; i < 8; i++)
		world_object(s, now, EV_NODE,
			x_asprintf("{\"metadata\":{\"name\":\"gke-tpu-%d\",\"uid\":\"n%d\","
				   "\"creationTimestamp\":\"%s\",\"labels\":{"
				   "\"cloud.google.com/"
				   "gke-nodepool\":\"gke-tpu-v6e-pool\",\"cloud.google."
				   "com/"
				   "gke-tpu-accelerator\":\"tpu-v6e-slice\"}},\"status\":{"
				   "\"allocatable\":"
				   "{\"google.com/"
				   "tpu\":\"4\"},\"conditions\":[{\"type\":\"Ready\",\"status\":"
				   "\"True\"}]}}",
				i, i, created));
}

void world_evicted(struct state *s, int64_t now)
{
	char created[TIME_SIZE];
	time_format(now - 40 * MINUTE, created);
	world_object(s, now, EV_POD,
		x_asprintf(
			"{\"metadata\":{\"name\":\"gemma4-convert-main-job-0-0-x7\",\"uid\":\"p1\","
			"\"creationTimestamp\":\"%s\",\"labels\":{\"jobset.sigs.k8s.io/"
			"jobset-name\":"
			"\"gemma4-convert\",\"jobset.sigs.k8s.io/"
			"replicatedjob-name\":\"main-job\"}},"
			"\"spec\":{\"nodeName\":\"gke-n1\",\"containers\":[{\"name\":\"main\"}]},"
			"\"status\":{\"phase\":\"Failed\",\"reason\":\"Evicted\",\"message\":\"The "
			"node was "
			"low on resource: ephemeral-storage. Threshold quantity: 2146223340, "
			"available: "
			"1883424Ki. Container main was using 73712Ki, request is 0.\"}}",
			created));
}
