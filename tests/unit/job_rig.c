/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/job_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/mem.h"
#include "core/run/alerts.h"

int job_setup(void **state)
{
	struct event name = event_text(EV_JOBSET_NAME, "demo");

	(void)state_setup(state);
	run_apply(&st, &name);
	return 0;
}

void jobset(bool suspend)
{
	AUTO_FREE char *text = x_asprintf(
		"{\"metadata\":{\"name\":\"demo\",\"creationTimestamp\":\"2026-09-21T13:30:00Z\"},"
		"\"spec\":{\"suspend\":%s,\"coordinator\":{\"replicatedJob\":\"pathways-head\"},"
		"\"startupPolicy\":{\"startupPolicyOrder\":\"InOrder\"},\"replicatedJobs\":["
		"{\"name\":\"pathways-head\",\"template\":{\"spec\":{\"parallelism\":1}}},"
		"{\"name\":\"worker\",\"template\":{\"spec\":{\"parallelism\":8}}}]},\"status\":{}"
		"}",
		suspend ? "true" : "false");

	put_object(EV_JOBSET, text);
}

void pod(const char *name, const char *role, const char *spec, const char *status)
{
	AUTO_FREE char *text = x_asprintf(
		"{\"metadata\":{\"name\":\"%s\",\"uid\":\"%s\",\"creationTimestamp\":"
		"\"2026-09-21T13:30:00Z\",\"labels\":{\"jobset.sigs.k8s.io/jobset-name\":\"demo\","
		"\"jobset.sigs.k8s.io/replicatedjob-name\":\"%s\"}},\"spec\":{%s\"containers\":[{"
		"\"name\":\"workload-container\"}]},\"status\":{%s}}",
		name, name, role, spec, status);

	put_object(EV_POD, text);
}

static void apply(void *arg, const struct event *ev)
{
	(void)arg;
	run_apply(&st, ev);
}

const char *raised(const char *id)
{
	alerts_judge(&st, apply, NULL);
	for (size_t i = 0; i < st.alerts.n; i++)
		if (strcmp(st.alerts.items[i].id, id) == 0 &&
			strcmp(st.alerts.items[i].state, "raised") == 0)
			return st.alerts.items[i].text;
	return NULL;
}

const struct state_alert *alert_of(const char *id)
{
	for (size_t i = 0; i < st.alerts.n; i++)
		if (strcmp(st.alerts.items[i].id, id) == 0)
			return &st.alerts.items[i];
	fail_msg("no alert %s", id);
	return NULL;
}
