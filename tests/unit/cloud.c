/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses, errors, pages, storage, connections. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/cloud/compute.h"
#include "core/cloud/gcs.h"
#include "core/cloud/hub.h"
#include "core/cloud/jobset.h"
#include "core/cloud/kube.h"
#include "core/cloud/project.h"
#include "core/cloud/services.h"
#include "core/fmt/json.h"
#include "core/io/loop.h"
#include "tests/unit/cloud_rig.h"
#include "tests/unit/web.h"

static void addresses_follow_gclouds_rule(void **state)
{
	(void)state;
	assert_true(strstr(cloud_endpoint(rig.cloud, CLOUD_COMPUTE), "/compute/v1/") != NULL);
	assert_non_null(strstr(cloud_endpoint(rig.cloud, CLOUD_STORAGE), "/given/path/"));
	assert_null(strstr(cloud_endpoint(rig.cloud, CLOUD_STORAGE), "storage/v1"));
	assert_string_equal(
		cloud_endpoint(rig.cloud, CLOUD_CONTAINER), "https://container.googleapis.com/");
	assert_int_equal(strlen(cloud_endpoint(rig.cloud, CLOUD_SERVICEUSAGE)),
		strlen(web_url(rig.web)) + 1);
}

static void errors_carry_status_reason_and_cure(void **state)
{
	static const char disabled[] =
		"{\"error\":{\"code\":403,\"status\":\"PERMISSION_DENIED\",\"message\":\"API off\","
		"\"details\":[{\"@type\":\"x\"},{\"reason\":\"SERVICE_DISABLED\"}]}}";
	static const char html[] =
		"<html><head><title>502 Bad</title></head>\n<b>Gateway</b></html>";
	static const char sign_in[] = "<h1>Sign in</h1> to Wi-Fi";
#define INFO(reason, metadata)                                                                     \
	"{\"error\":{\"code\":403,\"message\":\"m\",\"details\":[{\"reason\":\"" reason            \
	"\",\"metadata\":{" metadata "}}]}}"
	static const char client[] =
		INFO("SERVICE_DISABLED", "\"consumer\":\"projects/764086051850\"");
	static const char named[] = INFO("SERVICE_DISABLED",
		"\"service\":\"compute.googleapis.com\",\"consumer\":\"projects/lab\"");
	static const char lacks[] = INFO("IAM_PERMISSION_DENIED",
		"\"permission\":\"iam.serviceAccounts.create\",\"resource\":\"projects/lab\"");
	static const char legacy[] =
		"{\"error\":{\"code\":403,\"message\":\"u@e.org does not have storage.buckets.get "
		"access\",\"errors\":[{\"reason\":\"forbidden\"}]}}";
	static const char status[] =
		"{\"kind\":\"Status\",\"message\":\"pods is forbidden\",\"reason\":\"Forbidden\"}";
	struct err e;
	char reason[64];

	(void)state;
	cloud_error(&e, "projects/lab", 403, disabled, strlen(disabled));
	assert_int_equal(e.http, 403);
	assert_non_null(strstr(e.what, "projects/lab: API off"));
	assert_non_null(strstr(e.what, "SERVICE_DISABLED"));
	assert_string_not_equal(e.hint, "");
	cloud_error(&e, "x", 502, html, strlen(html));
	assert_non_null(strstr(e.what, "a web page instead of JSON: 502 Bad"));
	assert_int_equal(e.code, ERR_UNREACHABLE);
	cloud_error_typed(&e, "x", 403, "text/html", sign_in, strlen(sign_in));
	assert_string_equal(e.cause, "proxy-page");
	assert_non_null(strstr(e.what, "Sign in to Wi-Fi"));
	cloud_error(&e, "x", 403, disabled, strlen(disabled) - 30);
	assert_non_null(strstr(e.what, "cut off after"));
	assert_string_equal(e.cause, "permission");
	cloud_error(&e, "x", 403, client, strlen(client));
	assert_string_equal(e.cause, "no-quota-project");
	cloud_error(&e, "x", 403, lacks, strlen(lacks));
	assert_string_equal(e.cause, "permission");
	assert_non_null(strstr(e.hint, "roles/iam.serviceAccountAdmin"));
	cloud_error(&e, "x", 403, named, strlen(named));
	assert_non_null(
		strstr(e.hint, "gcloud services enable compute.googleapis.com --project=lab"));
	cloud_error(&e, "x", 403, legacy, strlen(legacy));
	assert_string_equal(e.cause, "bucket-get");
	cloud_error(&e, "x", 403, status, strlen(status));
	assert_non_null(strstr(e.what, "pods is forbidden"));
	cloud_error(&e, "x", 500, "", 0);
	assert_non_null(strstr(e.what, "HTTP 500"));
	cloud_reason(status, strlen(status), reason, sizeof(reason));
	assert_string_equal(reason, "Forbidden");
	project_get(rig.cloud, "missing", rig_done);
	loop_run(rig.loop);
	assert_int_equal(rig.e.http, 404);
	assert_null(strchr(rig.e.what, '\x1b'));
}

static struct gcs_listing listing;

static void on_listing(void *arg, struct gcs_listing *l, const struct err *e)
{
	(void)arg;
	assert_null(e);
	gcs_listing_take(l, &listing);
	loop_stop(rig.loop);
}

static void listings_are_complete(void **state)
{
	(void)state;
	gcs_list(rig.cloud, "bucket", "a/", "/", on_listing, &rig);
	loop_run(rig.loop);
	assert_int_equal(listing.n, 2);
	assert_string_equal(listing.items[0].name, "a/1");
	assert_int_equal(listing.items[0].size, 40123);
	assert_int_equal(listing.items[1].generation, 77);
	assert_int_equal(listing.items[1].updated, INT64_C(1789027200500));
	assert_int_equal(listing.prefixes.n, 1);
	assert_non_null(strstr(buf_str(&rig.seen), "prefix=a%2F&delimiter=%2F"));
	gcs_listing_fini(&listing);
}

static void on_bytes(void *arg, const char *data, size_t n, int64_t generation, const struct err *e)
{
	(void)arg;
	rig.failed = e != NULL;
	buf_clear(&rig.seen);
	buf_addf(&rig.seen, "%.*s %zu %d", (int)n, data ? data : "", n, (int)generation);
	loop_stop(rig.loop);
}

static void on_exists(void *arg, bool there, const struct err *e)
{
	(void)arg;
	rig.failed = e != NULL;
	rig.calls = there;
	loop_stop(rig.loop);
}

static void objects_are_read_in_ranges(void **state)
{
	char *bucket, *object;

	(void)state;
	gcs_get(rig.cloud, "bucket", "dir/object x", "0-4", 100, on_bytes, &rig);
	loop_run(rig.loop);
	assert_string_equal(buf_str(&rig.seen), "bytes 5 42");
	assert_non_null(strstr(buf_str(&rig.head), "Range: bytes=0-4"));
	gcs_get(rig.cloud, "bucket", "empty", "-10", 100, on_bytes, &rig);
	loop_run(rig.loop);
	assert_string_equal(buf_str(&rig.seen), " 0 0");
	assert_false(rig.failed);
	gcs_exists(rig.cloud, "bucket", "missing", on_exists, &rig);
	loop_run(rig.loop);
	assert_false(rig.failed || rig.calls);
	gcs_exists(rig.cloud, "bucket", "there", on_exists, &rig);
	loop_run(rig.loop);
	assert_true(!rig.failed && rig.calls);
	assert_true(gcs_uri("gs://b/x/y", &bucket, &object));
	assert_string_equal(bucket, "b");
	assert_string_equal(object, "x/y");
	free(bucket);
	free(object);
	assert_false(gcs_uri("gs://", &bucket, &object));
	assert_false(gcs_uri("s3://b", &bucket, &object));
	assert_false(gcs_uri(NULL, &bucket, &object));
}

static void R26_object_names_are_escaped_whole(void **state)
{
	(void)state;
	gcs_exists(rig.cloud, "bucket", "a[1]#9/b**\r\n모", on_exists, &rig);
	loop_run(rig.loop);
	assert_non_null(strstr(buf_str(&rig.head), "/o/a%5B1%5D%239%2Fb%2A%2A%0D%0A%EB%AA%A8"));
}

#define QUICK     "1000@1000*1000"
#define JSON_TYPE "Content-Type: application/json\r\n"
#define HTML_TYPE "Content-Type: text/html\r\n"

/* HTML, nothing, a proxy's page, half an answer: each is told as what it is, with what to do. */
static void bodies_that_are_not_the_services_have_a_cause_and_a_cure(void **state)
{
	static const struct {
		struct rig_answer a;
		const char *cause, *says, *cure;
	} rows[] = {
		{{200, HTML_TYPE, "<!DOCTYPE html><title>Welcome to the hotel</title><p>x</p>"},
			"proxy-page", "Welcome to the hotel", "log in to the network"},
		{{200, JSON_TYPE, "<html><h1>Just a moment</h1></html>"}, "proxy-page",
			"Just a moment", "proxy"},
		{{403, HTML_TYPE, "<html><title>Blocked by the web filter</title></html>"},
			"proxy-page", "Blocked by the web filter", "proxy"},
		{{407, HTML_TYPE, "<html><title>Proxy Authentication Required</title></html>"},
			"proxy-page", "Proxy Authentication Required", "proxy"},
		{{407, "", ""}, "proxy-page", "HTTP 407", "HTTPS_PROXY"},
		{{200, JSON_TYPE, ""}, "answer-empty", "answer is empty", "proxy"},
		{{403, JSON_TYPE, ""}, "permission", "HTTP 403", "administrator"},
		{{200, JSON_TYPE, "{\"items\":{\"zones/a\":{\"reserv"}, "answer-cut",
			"cut off after 28", "try again"},
		{{403, JSON_TYPE, "{\"error\":{\"code\":403,\"mess"}, "permission", "HTTP 403",
			"administrator"},
		{{-1, "HTTP/1.1 200 OK\r\n" JSON_TYPE "Content-Length: 500\r\n\r\n", "{\"items\":"},
			"answer-cut", "", ""},
		{{200, "Content-Type: text/plain\r\n", "upstream connect error"}, "answer-foreign",
			"upstream connect error", "endpoint"},
		{{200, JSON_TYPE, "\xff\xfe\xfd\xfc\xfb"}, "answer-foreign", "no text", "endpoint"},
	};

	(void)state;
	rig_clock(QUICK); /* a lost connection is tried again: no waiting here */
	for (size_t i = 0; i < COUNT(rows); i++) {
		rig.foreign = rows[i].a;
		compute_reservations(rig.cloud, "lab", rig_done);
		loop_run(rig.loop);
		assert_true(rig.failed);
		if (!rig.e.cause || strcmp(rig.e.cause, rows[i].cause) != 0)
			fail_msg("%zu: %s: %s", i, rig.e.cause ? rig.e.cause : "no cause",
				rig.e.what);
		if (!strstr(rig.e.what, rows[i].says) || !strstr(rig.e.hint, rows[i].cure))
			fail_msg("%zu: %s (%s)", i, rig.e.what, rig.e.hint);
		assert_true(*rig.e.hint);
	}
	rig_clock("0@0*1");
}

static void reservations_of_all_zones_are_read(void **state)
{
	struct compute_reservation r;

	(void)state;
	compute_reservations(rig.cloud, "lab", rig_done);
	loop_run(rig.loop);
	assert_true(json_path_bool(rig.reply, "incomplete", false));
	compute_reservation_read(json_path(rig.reply, "reservations[0]"), &r);
	assert_string_equal(r.name, "rl");
	assert_string_equal(r.zone, "us-b");
	assert_string_equal(r.machine_type, "ct6e-standard-4t");
	assert_int_equal(r.count - r.in_use, 6);
	assert_true(r.specific);
	compute_reservation_read(NULL, &r);
	assert_int_equal(r.count, -1);
}

static void services_are_asked_and_enabled(void **state)
{
	static const char *const names[] = {"compute.googleapis.com", "iam.googleapis.com"};
	AUTO(json_auto)
	json_t *j = json_pack("{s:[{s:s, s:s}]}", "services", "name",
		"projects/1/services/iam.googleapis.com", "state", "ENABLED");

	(void)state;
	services_get(rig.cloud, "lab", names, 2, rig_done);
	loop_run(rig.loop);
	assert_non_null(strstr(buf_str(&rig.head),
		"batchGet?names=projects/lab/services/compute.googleapis.com&names=projects/lab/"));
	assert_string_equal(services_state(rig.reply, names[0]), "");
	rig_clock("1000@1000*1000");
	services_enable(rig.cloud, "lab", names, 2, rig_done);
	loop_run(rig.loop);
	assert_true(json_path_bool(rig.reply, "done", false));
	assert_non_null(strstr(buf_str(&rig.seen), "operations/acat.1"));
	rig_clock("0@0*1");
	assert_string_equal(services_state(j, names[1]), "ENABLED");
}

static void hugging_face_gets_its_own_token(void **state)
{
	(void)state;
	hub_whoami(rig.cloud, "hf_abc", rig_done);
	loop_run(rig.loop);
	assert_string_equal(json_path_str(rig.reply, "name"), "ann");
	assert_non_null(strstr(buf_str(&rig.head), "GET /api/whoami-v2 "));
	assert_non_null(strstr(buf_str(&rig.head), "Bearer hf_abc\r\n"));
	assert_null(strstr(buf_str(&rig.head), "x-goog"));
	hub_auth_check(rig.cloud, "hf_abc", "models", "google/gemma-4", rig_done);
	loop_run(rig.loop);
	assert_int_equal(rig.e.http, 403);
	assert_non_null(strstr(rig.e.what, "google/gemma-4"));
	assert_non_null(strstr(rig.e.hint, "licence"));
	assert_non_null(strstr(buf_str(&rig.head), "/api/models/google/gemma-4/auth-check "));
	assert_int_equal(rig.tokens_given, 0);
}

static void stop(void *arg)
{
	(void)arg;
	loop_stop(rig.loop);
}

static void cancelled_work_is_silent(void **state)
{
	struct cloud_call *call = project_get(rig.cloud, "lab", rig_done);

	(void)state;
	cloud_cancel(&call);
	assert_null(call);
	compute_reservations(rig.cloud, "lab", rig_done);
	gcs_list(rig.cloud, "bucket", "a/", NULL, on_listing, &rig);
	gcs_exists(rig.cloud, "bucket", "x", on_exists, &rig);
	project_get(rig.cloud, "lab", rig_done);
	cloud_cancel_all(rig.cloud, &rig);
	loop_after_wall(rig.loop, 60, stop, NULL);
	loop_run(rig.loop);
	assert_int_equal(rig.calls, 0);
	/* The token is for everyone and may have been fetched. */
	assert_int_equal(rig.seen.len, 0);
}

static void the_newest_open_jobset_is_found(void **state)
{
	struct kube *k = kube_new(rig.cloud, web_url(rig.web), NULL, "cluster-token");

	(void)state;
	jobset_newest(k, "default", rig_done);
	loop_run(rig.loop);
	assert_string_equal(json_path_str(rig.reply, "jobset.metadata.name"), "mid");
	assert_non_null(strstr(buf_str(&rig.head),
		"GET /apis/jobset.x-k8s.io/v1alpha2/namespaces/default/jobsets?limit=500"));
	assert_non_null(strstr(buf_str(&rig.head), "Bearer cluster-token\r\n"));
	kube_free(k);
}

static void kubeconfigs_become_connections(void **state)
{
	static const char text[] =
		"apiVersion: v1\nkind: Config\ncurrent-context: gke_lab_us-b_rl\n"
		"clusters:\n- name: c\n  cluster: {server: 'https://127.0.0.1:6443/'}\n"
		"- name: bad\n  cluster: {server: 'https://127.0.0.1:6443', "
		"insecure-skip-tls-verify: true}\n"
		"contexts:\n- name: gke_lab_us-b_rl\n  context: {cluster: c, user: u, namespace: "
		"train}\n"
		"- name: bad\n  context: {cluster: bad, user: u}\n"
		"- name: plugin\n  context: {cluster: c, user: p}\n"
		"users:\n- name: u\n  user: {exec: {command: gke-gcloud-auth-plugin, apiVersion: "
		"x}}\n"
		"- name: p\n  user: {exec: {command: aws, apiVersion: x}}\n";
	AUTO_FREE char *file = path_join(rig.dir, "config");
	struct err e;
	struct kube *k;

	(void)state;
	assert_int_equal(path_write(file, text, strlen(text), &e), 0);
	k = kube_open_config(rig.cloud, file, NULL, &e);
	assert_non_null(k);
	assert_string_equal(kube_server(k), "https://127.0.0.1:6443");
	assert_string_equal(kube_namespace(k), "train");
	kube_free(k);
	assert_null(kube_open_config(rig.cloud, file, "bad", &e));
	assert_non_null(strstr(e.hint, "insecure-skip-tls-verify"));
	assert_null(kube_open_config(rig.cloud, file, "plugin", &e));
	assert_non_null(strstr(e.what, "aws"));
	assert_null(kube_open_config(rig.cloud, file, "absent", &e));
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, rig_setup, rig_teardown)
	const struct CMUnitTest tests[] = {
		T(addresses_follow_gclouds_rule),
		T(errors_carry_status_reason_and_cure),
		T(listings_are_complete),
		T(objects_are_read_in_ranges),
		T(R26_object_names_are_escaped_whole),
		T(bodies_that_are_not_the_services_have_a_cause_and_a_cure),
		T(reservations_of_all_zones_are_read),
		T(services_are_asked_and_enabled),
		T(hugging_face_gets_its_own_token),
		T(cancelled_work_is_silent),
		T(the_newest_open_jobset_is_found),
		T(kubeconfigs_become_connections),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
