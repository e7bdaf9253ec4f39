/* SPDX-License-Identifier: Apache-2.0 */
/* Kubernetes and Compute objects with members of any kind: decoded or refused, then drawn from. */
#include "tests/fuzz/fuzz.h"

#include "core/fmt/json.h"
#include "core/model/jobset.h"
#include "core/model/kevent.h"
#include "core/model/node.h"
#include "core/model/pod.h"
#include "core/model/reservation.h"

static void jobsets(const json_t *j)
{
	struct jobset js = {0};
	struct jobset_queue q = {0};
	bool set = jobset_decode(&js, j), queue = jobset_queue_decode(&q, j);
	if (set) {
		jobset_queue_reason(&js, queue ? &q : NULL);
		jobset_main_role(&js);
	}
	jobset_fini(&js);
	jobset_queue_fini(&q);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO(json_auto) json_t *j = json_parse((const char *)data, size, NULL);
	struct pod pod = {0};
	struct node node = {0};
	struct kevent event = {0};
	struct reservation r = {0};
	if (!j)
		return 0;
	if (pod_decode(&pod, j)) {
		AUTO_FREE char *label = pod_label(&pod);
		MUST(*label && pod_cmp(&pod, &pod) == 0);
	}
	pod_fini(&pod);
	if (node_decode(&node, j))
		node_is_tpu(&node);
	node_fini(&node);
	if (kevent_decode(&event, j))
		MUST(kevent_cmp(&event, &event) == 0);
	kevent_fini(&event);
	if (reservation_decode(&r, j, "lab"))
		reservation_judge(&r, NULL, "ct6e-standard-4t", 8, 0, NULL);
	reservation_fini(&r);
	jobsets(j);
	return 0;
}
