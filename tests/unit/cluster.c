/* SPDX-License-Identifier: Apache-2.0 */
/* A cluster that does not answer: what is told, and what the GKE API adds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/cloud/kube.h"
#include "core/io/loop.h"
#include "core/run/cluster.h"
#include "tests/unit/cloud_rig.h"
#include "tests/unit/web.h"

static struct state st;
static const char *wanted; /* the loop ends when this cause is told */

static void apply(void *arg, const struct event *ev)
{
	(void)arg;
	run_apply(&st, ev);
	if (ev->kind == EV_AWAY && strcmp(st.away.cause, wanted) == 0)
		loop_stop(rig.loop);
}

static struct cluster *open_cluster(struct cloud *cloud, const char *project)
{
	struct cluster_spec spec = {.cloud = cloud,
		.project = project,
		.region = "us-east5",
		.name = "demo",
		.kube = kube_new(cloud, web_url(rig.web), NULL, "t"),
		.emit = apply};

	return cluster_open(&spec);
}

/* What GKE says of a cluster that does not answer. */
static void told_by_gke(const char *word, const char *cause, const char *said)
{
	struct cloud *cloud;
	struct cluster *c;

	setenv("CLOUDSDK_API_ENDPOINT_OVERRIDES_CONTAINER", web_url(rig.web), 1);
	rig_clock(RIG_QUICK);
	cloud = cloud_new(rig.loop);
	state_init(&st);
	rig.cluster = word;
	rig.foreign = (struct rig_answer){503, "", "{\"kind\":\"Status\",\"message\":\"later\"}"};
	wanted = cause;
	c = open_cluster(cloud, "lab");
	loop_run(rig.loop);
	assert_non_null(strstr(st.away.said, word));
	assert_non_null(strstr(st.away.said, said));
	rig.foreign.status = 0; /* back again */
	wanted = "";
	loop_run(rig.loop);
	assert_string_equal(st.away.said, "");
	cluster_close(&c);
	state_fini(&st);
	cloud_free(cloud);
	rig_clock("0@0*1");
	unsetenv("CLOUDSDK_API_ENDPOINT_OVERRIDES_CONTAINER");
}

static void R35_a_cluster_under_repair_is_told_by_gke(void **state)
{
	(void)state;
	told_by_gke("RECONCILING", "control-plane", "GKE changes or repairs it");
}

static void R35_one_that_is_deleted_or_broken_is_not_under_repair(void **state)
{
	(void)state;
	told_by_gke("STOPPING", "cluster-leaves", "being deleted");
	told_by_gke("DEGRADED", "cluster-broken", "GKE says");
}

static void R76_a_refused_login_is_not_asked_about(void **state)
{
	struct cluster *c;

	(void)state;
	state_init(&st);
	rig.foreign = (struct rig_answer){401, "",
		"{\"kind\":\"Status\",\"reason\":\"Unauthorized\","
		"\"message\":\"Unauthorized\"}"};
	wanted = "cluster-login";
	c = open_cluster(rig.cloud, "lab");
	loop_run(rig.loop);
	assert_non_null(strstr(st.away.said, "Unauthorized"));
	assert_null(strstr(buf_str(&rig.seen), "/clusters/demo"));
	cluster_close(&c);
	state_fini(&st);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			R35_a_cluster_under_repair_is_told_by_gke, rig_setup, rig_teardown),
		cmocka_unit_test_setup_teardown(
			R35_one_that_is_deleted_or_broken_is_not_under_repair, rig_setup,
			rig_teardown),
		cmocka_unit_test_setup_teardown(
			R76_a_refused_login_is_not_asked_about, rig_setup, rig_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
