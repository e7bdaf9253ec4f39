/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens, addresses, errors, pages, storage, connections: against a scripted loopback server. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/cloud/auth.h"
#include "core/cloud/cloud.h"
#include "core/cloud/compute.h"
#include "core/cloud/gcs.h"
#include "core/cloud/hub.h"
#include "core/cloud/jobset.h"
#include "core/cloud/kube.h"
#include "core/cloud/project.h"
#include "core/cloud/services.h"
#include "core/fmt/json.h"
#include "core/io/loop.h"
#include "tests/unit/web.h"

static struct loop *loop;
static struct cloud *cloud;
static struct web *web;
static char *dir;
static struct buf head, body, seen;
static int tokens_given, refuse; /* refuse that many requests with 401 */

static struct {
	int calls;
	json_t *reply;
	struct err e;
	bool failed;
} got;

static void give_token(struct web_conn *c, const char *form)
{
	struct buf b = {0};

	buf_clear(&body);
	buf_adds(&body, form);
	if (strstr(form, "refresh_token=revoked")) {
		web_reply(c, 400, "",
			"{\"error\":\"invalid_grant\",\"error_subtype\":\"invalid_rapt\","
			"\"error_description\":\"reauth related error (invalid_rapt)\"}");
		return;
	}
	/* {"email":"ann@example.org"} */
	buf_addf(&b,
		"{\"access_token\":\"token-%d\",\"expires_in\":\"3599\","
		"\"id_token\":\"e30.eyJlbWFpbCI6ImFubkBleGFtcGxlLm9yZyJ9.sig\"}",
		++tokens_given);
	web_reply(c, 200, "", buf_str(&b));
	buf_fini(&b);
}

static void give_page(struct web_conn *c, const char *h)
{
	if (strstr(h, "pageToken=two"))
		web_reply(c, 200, "",
			"{\"items\":[],"
			"\"nextPageToken\":\"3/x\"}");
	else if (strstr(h, "pageToken=3%2Fx"))
		web_reply(c, 200, "",
			"{\"items\":[{\"name\":\"a/2\",\"size\":\"9\",\"generation\":\"77\","
			"\"updated\":\"2026-09-10T08:00:00.5Z\"}]}");
	else
		web_reply(c, 200, "",
			"{\"prefixes\":[\"a/b/\"],\"items\":[{\"name\":\"a/"
			"1\",\"size\":\"40123\"}],"
			"\"nextPageToken\":\"two\"}");
}

static void give_reservations(struct web_conn *c)
{
	web_reply(c, 200, "",
		"{\"items\":{\"zones/a\":{\"warning\":{\"code\":\"NO_RESULTS_ON_PAGE\"}},"
		"\"zones/b\":{\"reservations\":[{\"name\":\"rl\",\"zone\":\"https://x/zones/us-b\","
		"\"status\":\"READY\",\"specificReservationRequired\":true,\"specificReservation\":"
		"{\"count\":\"8\",\"inUseCount\":\"2\",\"instanceProperties\":{\"machineType\":"
		"\"ct6e-standard-4t\"}}}]}},\"unreachables\":[\"zones/c\"]}");
}

static void handler(void *arg, struct web_conn *c, const char *h, const char *b)
{
	(void)arg;
	if (strstr(h, "POST /token ")) {
		give_token(c, b);
		return;
	}
	buf_clear(&head);
	buf_adds(&head, h);
	buf_clear(&body);
	buf_adds(&body, b);
	buf_addf(&seen, "%.*s|", (int)strcspn(h, "\r"), h);
	if (refuse-- > 0)
		web_reply(c, 401, "", "{\"error\":{\"code\":401,\"status\":\"UNAUTHENTICATED\"}}");
	else if (strstr(h, "/b/bucket/o?"))
		give_page(c, h);
	else if (strstr(h, "/aggregated/reservations"))
		give_reservations(c);
	else if (strstr(h, "/o/empty?"))
		web_reply(c, 416, "", "");
	else if (strstr(h, "/o/dir%2Fobject%20x?alt=media"))
		web_reply(c, 206, "x-goog-generation: 42\r\n", "bytes");
	else if (strstr(h, ":batchEnable"))
		web_reply(c, 200, "", "{\"name\":\"operations/acat.1\",\"done\":false}");
	else if (strstr(h, "operations/acat.1"))
		web_reply(c, 200, "", "{\"name\":\"operations/acat.1\",\"done\":true}");
	else if (strstr(h, "/jobsets"))
		web_reply(c, 200, "",
			"{\"kind\":\"JobSetList\",\"metadata\":{\"resourceVersion\":\"9\"},"
			"\"items\":["
			"{\"metadata\":{\"name\":\"old\",\"creationTimestamp\":\"2026-09-09T08:00:"
			"00Z\"}},"
			"{\"metadata\":{\"name\":\"new\",\"creationTimestamp\":\"2026-09-10T08:00:"
			"00Z\"},"
			"\"status\":{\"terminalState\":\"Completed\"}},"
			"{\"metadata\":{\"name\":\"mid\",\"creationTimestamp\":\"2026-09-09T09:00:"
			"00Z\"}}]}");
	else if (strstr(h, "whoami"))
		web_reply(c, 200, "", "{\"name\":\"ann\"}");
	else if (strstr(h, "auth-check"))
		web_reply(c, 403, "X-Error-Code: GatedRepo\r\n", "{\"error\":\"gated\"}");
	else if (strstr(h, "missing"))
		web_reply(c, 404, "",
			"{\"error\":{\"code\":404,\"message\":\"Not \\u001b[31mfound\","
			"\"errors\":[{\"reason\":\"notFound\"}]}}");
	else
		web_reply(c, 200, "Date: Thu, 10 Sep 2026 08:00:00 GMT\r\n", "{\"ok\":true}");
}

static void write_adc(const char *text)
{
	AUTO_FREE char *file = path_join(dir, "application_default_credentials.json");
	struct err e;

	assert_int_equal(path_write(file, text, strlen(text), &e), 0);
}

static void set_endpoint(const char *api, const char *path)
{
	AUTO_FREE char *name = x_asprintf("CLOUDSDK_API_ENDPOINT_OVERRIDES_%s", api);
	AUTO_FREE char *value = x_asprintf("%s%s", web_url(web), path);

	setenv(name, value, 1);
}

static int setup(void **state)
{
	const char *tmp = getenv("TMPDIR");
	AUTO_FREE char *host = NULL;

	(void)state;
	dir = x_asprintf("%s/rlpilot-cloud-XXXXXX", tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(dir));
	loop = loop_new();
	web = web_new(loop, handler, NULL);
	host = x_asprintf("%s/token", web_url(web));
	setenv("CLOUDSDK_AUTH_TOKEN_HOST", host, 1);
	setenv("CLOUDSDK_CONFIG", dir, 1);
	setenv("HF_ENDPOINT", web_url(web), 1);
	setenv("RLPILOT_LOOPBACK_ONLY", "1", 1);
	unsetenv("GOOGLE_APPLICATION_CREDENTIALS");
	unsetenv("CLOUDSDK_AUTH_ACCESS_TOKEN");
	unsetenv("GOOGLE_CLOUD_QUOTA_PROJECT");
	set_endpoint("COMPUTE", "/");
	set_endpoint("STORAGE", "/given/path/");
	set_endpoint("SERVICEUSAGE", "");
	set_endpoint("CLOUDRESOURCEMANAGER", "/");
	write_adc("{\"type\":\"authorized_user\",\"client_id\":\"id\",\"client_secret\":\"s&s\","
		  "\"refresh_token\":\"1//refresh\",\"quota_project_id\":\"lab\"}");
	cloud = cloud_new(loop);
	memset(&got, 0, sizeof(got));
	tokens_given = refuse = 0;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	cloud_free(cloud);
	web_free(web);
	loop_free(loop);
	path_remove_tree(dir, NULL);
	free(dir);
	json_decref(got.reply);
	buf_fini(&head);
	buf_fini(&body);
	buf_fini(&seen);
	return 0;
}

static void on_done(void *arg, json_t *reply, const struct err *e)
{
	(void)arg;
	got.calls++;
	json_decref(got.reply);
	got.reply = json_incref(reply);
	got.failed = e != NULL;
	if (e)
		got.e = *e;
	assert_true((reply == NULL) == (e != NULL));
	loop_stop(loop);
}

static const struct cloud_done done = {on_done, &got};

static void addresses_follow_gclouds_rule(void **state)
{
	(void)state;
	assert_true(strstr(cloud_endpoint(cloud, CLOUD_COMPUTE), "/compute/v1/") != NULL);
	assert_non_null(strstr(cloud_endpoint(cloud, CLOUD_STORAGE), "/given/path/"));
	assert_null(strstr(cloud_endpoint(cloud, CLOUD_STORAGE), "storage/v1"));
	assert_string_equal(
		cloud_endpoint(cloud, CLOUD_CONTAINER), "https://container.googleapis.com/");
	assert_int_equal(
		strlen(cloud_endpoint(cloud, CLOUD_SERVICEUSAGE)), strlen(web_url(web)) + 1);
}

static void a_token_is_fetched_once_and_sent(void **state)
{
	(void)state;
	project_get(cloud, "my lab", done);
	loop_run(loop);
	assert_false(got.failed);
	assert_non_null(strstr(buf_str(&head), "GET /v3/projects/my%20lab "));
	assert_non_null(strstr(buf_str(&head), "Authorization: Bearer token-1\r\n"));
	assert_non_null(strstr(buf_str(&head), "x-goog-user-project: lab\r\n"));
	assert_string_equal(auth_email(cloud_auth(cloud)), "ann@example.org");
	project_get(cloud, "lab", done);
	loop_run(loop);
	assert_int_equal(tokens_given, 1);
	assert_true(cloud_clock_skew(cloud) != 0);
}

static void the_refresh_form_is_escaped(void **state)
{
	(void)state;
	write_adc("{\"type\":\"authorized_user\",\"client_id\":\"id\",\"client_secret\":\"s&s\","
		  "\"refresh_token\":\"revoked\"}");
	project_get(cloud, "lab", done);
	loop_run(loop);
	assert_true(got.failed);
	assert_string_equal(buf_str(&body),
		"grant_type=refresh_token&client_id=id&client_secret=s%26s&refresh_token=revoked");
	assert_int_equal(got.e.code, ERR_PERSON);
	assert_non_null(strstr(got.e.what, "organisation"));
	assert_non_null(strstr(got.e.hint, "application-default login"));
}

static void a_refused_token_is_renewed_once(void **state)
{
	(void)state;
	refuse = 1;
	project_get(cloud, "lab", done);
	loop_run(loop);
	assert_false(got.failed);
	assert_int_equal(tokens_given, 2);
	assert_non_null(strstr(buf_str(&head), "Bearer token-2\r\n"));
	refuse = 5;
	project_get(cloud, "lab", done);
	loop_run(loop);
	assert_true(got.failed);
	assert_int_equal(got.e.http, 401);
	assert_int_equal(tokens_given, 3);
}

static void an_old_token_is_renewed_in_time(void **state)
{
	(void)state;
	clock_fix(1000000000);
	project_get(cloud, "lab", done);
	loop_run(loop);
	clock_fix(1000000000 + (3599 - 226) * INT64_C(1000));
	project_get(cloud, "lab", done);
	loop_run(loop);
	assert_int_equal(tokens_given, 1);
	clock_fix(1000000000 + (3599 - 224) * INT64_C(1000));
	project_get(cloud, "lab", done);
	loop_run(loop);
	assert_int_equal(tokens_given, 2);
	clock_fix(0);
}

static void bad_credentials_are_explained(void **state)
{
	static const struct {
		const char *text, *what;
	} bad[] = {
		{"{\"type\":\"service_account\"}", "service_account"},
		{"{\"type\":\"authorized_user\",\"client_id\":\"x\",\"client_secret\":\"y\"}",
			"refresh_token"},
		{"{", ""},
		{"", ""},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		write_adc(bad[i].text);
		project_get(cloud, "lab", done);
		loop_run(loop);
		assert_true(got.failed);
		assert_non_null(strstr(got.e.what, bad[i].what));
	}
	assert_int_equal(tokens_given, 0);
}

static void the_environments_token_comes_first(void **state)
{
	(void)state;
	setenv("CLOUDSDK_AUTH_ACCESS_TOKEN", "from-env", 1);
	project_get(cloud, "lab", done);
	loop_run(loop);
	assert_non_null(strstr(buf_str(&head), "Bearer from-env\r\n"));
	assert_int_equal(tokens_given, 0);
}

static void on_who(void *arg, const struct auth_who *who, const struct err *e)
{
	(void)arg;
	got.failed = e != NULL;
	if (e)
		got.e = *e;
	buf_clear(&seen);
	if (who)
		buf_addf(&seen, "%s %s %s", who->email, who->project, who->quota_project);
	loop_stop(loop);
}

static void write_gcloud(const char *script)
{
	AUTO_FREE char *file = path_join(dir, "gcloud");
	AUTO_FREE char *text = x_asprintf("#!/bin/sh\n%s\n", script);
	FILE *f = fopen(file, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fchmod(fileno(f), 0700), 0);
	fclose(f);
}

static void gcloud_is_the_last_source(void **state)
{
	AUTO_FREE char *old = x_strdup(getenv("PATH"));
	AUTO_FREE char *path = x_asprintf("%s:%s", dir, old);

	(void)state;
	setenv("PATH", path, 1);
	write_gcloud(
		"test \"$CLOUDSDK_CORE_DISABLE_PROMPTS $*\" = '1 config config-helper "
		"--format=json "
		"--min-expiry=5m' || exit 9\n"
		"echo "
		"'{\"configuration\":{\"properties\":{\"core\":{\"account\":\"bo@example.org\","
		"\"project\":\"lab-2\"}}},\"credential\":{\"access_token\":\"from-gcloud\","
		"\"token_expiry\":\"2099-01-01T00:00:00Z\"}}'");
	auth_probe(cloud_auth(cloud), AUTH_GCLOUD, on_who, &got);
	loop_run(loop);
	assert_false(got.failed);
	assert_string_equal(buf_str(&seen), "bo@example.org lab-2 ");
	auth_probe(cloud_auth(cloud), AUTH_ADC, on_who, &got);
	loop_run(loop);
	assert_string_equal(buf_str(&seen), "ann@example.org  lab");
	{
		AUTO_FREE char *adc = auth_adc_path();

		path_remove_tree(adc, NULL);
	}
	project_get(cloud, "lab", done);
	loop_run(loop);
	assert_non_null(strstr(buf_str(&head), "Bearer from-gcloud\r\n"));
	write_gcloud(
		"echo 'ERROR: You do not currently have an active account selected.' >&2; exit 1");
	auth_probe(cloud_auth(cloud), AUTH_GCLOUD, on_who, &got);
	loop_run(loop);
	assert_true(got.failed);
	assert_int_equal(got.e.code, ERR_PERSON);
	assert_non_null(strstr(got.e.what, "active account"));
	auth_probe(cloud_auth(cloud), AUTH_ADC, on_who, &got);
	loop_run(loop);
	assert_true(got.failed);
	setenv("PATH", old, 1);
}

static void errors_carry_status_reason_and_cure(void **state)
{
	static const char disabled[] =
		"{\"error\":{\"code\":403,\"status\":\"PERMISSION_DENIED\",\"message\":\"API off\","
		"\"details\":[{\"@type\":\"x\"},{\"reason\":\"SERVICE_DISABLED\"}]}}";
	static const char html[] =
		"<html><head><title>502 Bad</title></head>\n<b>Gateway</b></html>";
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
	assert_non_null(strstr(e.what, "502 Bad Gateway"));
	assert_int_equal(e.code, ERR_UNREACHABLE);
	cloud_error(&e, "x", 403, status, strlen(status));
	assert_non_null(strstr(e.what, "pods is forbidden"));
	cloud_error(&e, "x", 500, "", 0);
	assert_non_null(strstr(e.what, "HTTP 500"));
	cloud_reason(status, strlen(status), reason, sizeof(reason));
	assert_string_equal(reason, "Forbidden");
	project_get(cloud, "missing", done);
	loop_run(loop);
	assert_int_equal(got.e.http, 404);
	assert_null(strchr(got.e.what, '\x1b'));
}

static struct gcs_listing listing;

static void on_listing(void *arg, struct gcs_listing *l, const struct err *e)
{
	(void)arg;
	assert_null(e);
	gcs_listing_take(l, &listing);
	loop_stop(loop);
}

static void listings_are_complete(void **state)
{
	(void)state;
	gcs_list(cloud, "bucket", "a/", "/", on_listing, &got);
	loop_run(loop);
	assert_int_equal(listing.n, 2);
	assert_string_equal(listing.items[0].name, "a/1");
	assert_int_equal(listing.items[0].size, 40123);
	assert_int_equal(listing.items[1].generation, 77);
	assert_int_equal(listing.items[1].updated, INT64_C(1789027200500));
	assert_int_equal(listing.prefixes.n, 1);
	assert_non_null(strstr(buf_str(&seen), "prefix=a%2F&delimiter=%2F"));
	gcs_listing_fini(&listing);
}

static void on_bytes(void *arg, const char *data, size_t n, int64_t generation, const struct err *e)
{
	(void)arg;
	got.failed = e != NULL;
	buf_clear(&seen);
	buf_addf(&seen, "%.*s %zu %d", (int)n, data ? data : "", n, (int)generation);
	loop_stop(loop);
}

static void on_exists(void *arg, bool there, const struct err *e)
{
	(void)arg;
	got.failed = e != NULL;
	got.calls = there;
	loop_stop(loop);
}

static void objects_are_read_in_ranges(void **state)
{
	char *bucket, *object;

	(void)state;
	gcs_get(cloud, "bucket", "dir/object x", "0-4", 100, on_bytes, &got);
	loop_run(loop);
	assert_string_equal(buf_str(&seen), "bytes 5 42");
	assert_non_null(strstr(buf_str(&head), "Range: bytes=0-4"));
	gcs_get(cloud, "bucket", "empty", "-10", 100, on_bytes, &got);
	loop_run(loop);
	assert_string_equal(buf_str(&seen), " 0 0");
	assert_false(got.failed);
	gcs_exists(cloud, "bucket", "missing", on_exists, &got);
	loop_run(loop);
	assert_false(got.failed || got.calls);
	gcs_exists(cloud, "bucket", "there", on_exists, &got);
	loop_run(loop);
	assert_true(!got.failed && got.calls);
	assert_true(gcs_uri("gs://b/x/y", &bucket, &object));
	assert_string_equal(bucket, "b");
	assert_string_equal(object, "x/y");
	free(bucket);
	free(object);
	assert_false(gcs_uri("gs://", &bucket, &object));
	assert_false(gcs_uri("s3://b", &bucket, &object));
	assert_false(gcs_uri(NULL, &bucket, &object));
}

static void reservations_of_all_zones_are_read(void **state)
{
	struct compute_reservation r;

	(void)state;
	compute_reservations(cloud, "lab", done);
	loop_run(loop);
	assert_true(json_path_bool(got.reply, "incomplete", false));
	compute_reservation_read(json_path(got.reply, "reservations[0]"), &r);
	assert_string_equal(r.name, "rl");
	assert_string_equal(r.zone, "us-b");
	assert_string_equal(r.machine_type, "ct6e-standard-4t");
	assert_int_equal(r.count - r.in_use, 6);
	assert_true(r.specific);
	compute_reservation_read(NULL, &r);
	assert_int_equal(r.count, -1);
}

static void fast_clock(const char *value)
{
	struct err e;

	setenv("RLPILOT_CLOCK", value, 1);
	assert_int_equal(clock_init(&e), 0);
	unsetenv("RLPILOT_CLOCK");
}

static void services_are_asked_and_enabled(void **state)
{
	static const char *const names[] = {"compute.googleapis.com", "iam.googleapis.com"};
	AUTO(json_auto)
	json_t *j = json_pack("{s:[{s:s, s:s}]}", "services", "name",
		"projects/1/services/iam.googleapis.com", "state", "ENABLED");

	(void)state;
	services_get(cloud, "lab", names, 2, done);
	loop_run(loop);
	assert_non_null(strstr(buf_str(&head),
		"batchGet?names=projects/lab/services/compute.googleapis.com&names=projects/lab/"));
	assert_string_equal(services_state(got.reply, names[0]), "");
	fast_clock("1000@1000*1000");
	services_enable(cloud, "lab", names, 2, done);
	loop_run(loop);
	assert_true(json_path_bool(got.reply, "done", false));
	assert_non_null(strstr(buf_str(&seen), "operations/acat.1"));
	fast_clock("0@0*1");
	assert_string_equal(services_state(j, names[1]), "ENABLED");
}

static void hugging_face_gets_its_own_token(void **state)
{
	(void)state;
	hub_whoami(cloud, "hf_abc", done);
	loop_run(loop);
	assert_string_equal(json_path_str(got.reply, "name"), "ann");
	assert_non_null(strstr(buf_str(&head), "GET /api/whoami-v2 "));
	assert_non_null(strstr(buf_str(&head), "Bearer hf_abc\r\n"));
	assert_null(strstr(buf_str(&head), "x-goog"));
	hub_auth_check(cloud, "hf_abc", "models", "google/gemma-4", done);
	loop_run(loop);
	assert_int_equal(got.e.http, 403);
	assert_non_null(strstr(buf_str(&head), "/api/models/google/gemma-4/auth-check "));
	assert_int_equal(tokens_given, 0);
}

static void stop(void *arg)
{
	(void)arg;
	loop_stop(loop);
}

static void cancelled_work_is_silent(void **state)
{
	struct cloud_call *call = project_get(cloud, "lab", done);

	(void)state;
	cloud_cancel(&call);
	assert_null(call);
	compute_reservations(cloud, "lab", done);
	gcs_list(cloud, "bucket", "a/", NULL, on_listing, &got);
	gcs_exists(cloud, "bucket", "x", on_exists, &got);
	project_get(cloud, "lab", done);
	cloud_cancel_all(cloud, &got);
	loop_after_wall(loop, 60, stop, NULL);
	loop_run(loop);
	assert_int_equal(got.calls, 0);
	/* The token is for everyone and may have been fetched. */
	assert_int_equal(seen.len, 0);
}

static void the_newest_open_jobset_is_found(void **state)
{
	struct kube *k = kube_new(cloud, web_url(web), NULL, "cluster-token");

	(void)state;
	jobset_newest(k, "default", done);
	loop_run(loop);
	assert_string_equal(json_path_str(got.reply, "jobset.metadata.name"), "mid");
	assert_non_null(strstr(buf_str(&head),
		"GET /apis/jobset.x-k8s.io/v1alpha2/namespaces/default/jobsets?limit=500"));
	assert_non_null(strstr(buf_str(&head), "Bearer cluster-token\r\n"));
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
	AUTO_FREE char *file = path_join(dir, "config");
	struct err e;
	struct kube *k;

	(void)state;
	assert_int_equal(path_write(file, text, strlen(text), &e), 0);
	k = kube_open_config(cloud, file, NULL, &e);
	assert_non_null(k);
	assert_string_equal(kube_server(k), "https://127.0.0.1:6443");
	assert_string_equal(kube_namespace(k), "train");
	kube_free(k);
	assert_null(kube_open_config(cloud, file, "bad", &e));
	assert_non_null(strstr(e.what, "certificates"));
	assert_null(kube_open_config(cloud, file, "plugin", &e));
	assert_non_null(strstr(e.what, "aws"));
	assert_null(kube_open_config(cloud, file, "absent", &e));
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(addresses_follow_gclouds_rule),
		T(a_token_is_fetched_once_and_sent),
		T(the_refresh_form_is_escaped),
		T(a_refused_token_is_renewed_once),
		T(an_old_token_is_renewed_in_time),
		T(bad_credentials_are_explained),
		T(the_environments_token_comes_first),
		T(gcloud_is_the_last_source),
		T(errors_carry_status_reason_and_cure),
		T(listings_are_complete),
		T(objects_are_read_in_ranges),
		T(reservations_of_all_zones_are_read),
		T(services_are_asked_and_enabled),
		T(hugging_face_gets_its_own_token),
		T(cancelled_work_is_silent),
		T(the_newest_open_jobset_is_found),
		T(kubeconfigs_become_connections),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
