/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/cloud_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/cloud/project.h"
#include "core/fmt/cause.h"
#include "core/io/loop.h"
#include "tests/unit/web.h"

struct rig rig;

static bool give_odd(struct web_conn *c)
{
	const struct rig_answer *a = &rig.odd[rig.odd_given];

	if (rig.odd_given == COUNT(rig.odd) || !a->status)
		return false;
	rig.odd_given++;
	web_reply(c, a->status, a->headers ? a->headers : "", a->body);
	return true;
}

static void give_token(struct web_conn *c, const char *form)
{
	struct buf b = {0};

	rig.token_requests++;
	buf_clear(&rig.body);
	buf_adds(&rig.body, form);
	if (give_odd(c))
		return;
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
		++rig.tokens_given);
	web_reply(c, 200, "", buf_str(&b));
	buf_fini(&b);
}

static void give_lent(struct web_conn *c)
{
	if (!give_odd(c))
		web_reply(c, 200, "",
			"{\"accessToken\":\"lent-token\",\"expireTime\":\"2099-01-01T00:00:00Z\"}");
	rig.lent++;
}

static void give_metadata(struct web_conn *c, const char *h)
{
	static const char flavor[] = "Metadata-Flavor: Google\r\n";

	rig.metadata_requests++;
	if (!strstr(h, "\r\nMetadata-Flavor: Google\r\n"))
		web_reply(c, 403, flavor, "");
	else if (strstr(h, "/default/email "))
		web_reply(c, 200, flavor, "vm@lab.iam.gserviceaccount.com");
	else if (!give_odd(c))
		web_reply(c, 200, flavor,
			"{\"access_token\":\"metadata-token\",\"expires_in\":3599,"
			"\"token_type\":\"Bearer\"}");
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

static void give_cluster(struct web_conn *c)
{
	AUTO_FREE char *text = x_asprintf(
		"{\"name\":\"demo\",\"status\":\"%s\"}", rig.cluster ? rig.cluster : "RECONCILING");

	web_reply(c, 200, "", text);
}

static void give_foreign(struct web_conn *c)
{
	const struct rig_answer *a = &rig.foreign;

	if (a->status > 0) {
		web_reply(c, a->status, a->headers, a->body);
		return;
	}
	web_write(c, a->headers);
	web_write(c, a->body);
	web_close(c);
}

static void handler(void *arg, struct web_conn *c, const char *h, const char *b)
{
	(void)arg;
	if (strstr(h, "POST /token ")) {
		give_token(c, b);
		return;
	}
	if (strstr(h, "GET /computeMetadata/v1/")) {
		give_metadata(c, h);
		return;
	}
	buf_clear(&rig.head);
	buf_adds(&rig.head, h);
	buf_clear(&rig.body);
	buf_adds(&rig.body, b);
	buf_addf(&rig.seen, "%.*s|", (int)strcspn(h, "\r"), h);
	if (strstr(h, ":generateAccessToken "))
		give_lent(c);
	else if (strstr(h, "/clusters/demo "))
		give_cluster(c);
	else if (rig.foreign.status)
		give_foreign(c);
	else if (rig.refuse-- > 0)
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

void rig_write_adc(const char *text)
{
	AUTO_FREE char *file = path_join(rig.dir, "application_default_credentials.json");
	struct err e;

	assert_int_equal(path_write(file, text, strlen(text), &e), 0);
}

static void set_endpoint(const char *api, const char *path)
{
	AUTO_FREE char *name = x_asprintf("CLOUDSDK_API_ENDPOINT_OVERRIDES_%s", api);
	AUTO_FREE char *value = x_asprintf("%s%s", web_url(rig.web), path);

	setenv(name, value, 1);
}

int rig_setup(void **state)
{
	const char *tmp = getenv("TMPDIR");
	AUTO_FREE char *host = NULL;

	(void)state;
	rig = (struct rig){0};
	rig.dir = x_asprintf("%s/rlpilot-cloud-XXXXXX", tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(rig.dir));
	rig.loop = loop_new();
	rig.web = web_new(rig.loop, handler, NULL);
	host = x_asprintf("%s/token", web_url(rig.web));
	setenv("CLOUDSDK_AUTH_TOKEN_HOST", host, 1);
	setenv("CLOUDSDK_CONFIG", rig.dir, 1);
	setenv("HF_ENDPOINT", web_url(rig.web), 1);
	setenv("RLPILOT_LOOPBACK_ONLY", "1", 1);
	unsetenv("GOOGLE_APPLICATION_CREDENTIALS");
	unsetenv("CLOUDSDK_AUTH_ACCESS_TOKEN");
	unsetenv("GOOGLE_CLOUD_QUOTA_PROJECT");
	unsetenv("CLOUDSDK_AUTH_ACCESS_TOKEN_FILE");
	unsetenv("GCE_METADATA_HOST");
	unsetenv("GCE_METADATA_ROOT");
	unsetenv("CLOUD_SHELL");
	setenv("NO_GCE_CHECK", "true", 1);
	set_endpoint("COMPUTE", "/");
	set_endpoint("STORAGE", "/given/path/");
	set_endpoint("SERVICEUSAGE", "");
	set_endpoint("CLOUDRESOURCEMANAGER", "/");
	rig_write_adc(
		"{\"type\":\"authorized_user\",\"client_id\":\"id\",\"client_secret\":\"s&s\","
		"\"refresh_token\":\"1//refresh\",\"quota_project_id\":\"lab\"}");
	rig.cloud = cloud_new(rig.loop);
	return 0;
}

int rig_teardown(void **state)
{
	(void)state;
	cloud_free(rig.cloud);
	web_free(rig.web);
	loop_free(rig.loop);
	path_remove_tree(rig.dir, NULL);
	free(rig.dir);
	json_decref(rig.reply);
	buf_fini(&rig.head);
	buf_fini(&rig.body);
	buf_fini(&rig.seen);
	return 0;
}

static void keep_answer(void *arg, json_t *reply, const struct err *e)
{
	(void)arg;
	rig.calls++;
	json_decref(rig.reply);
	rig.reply = json_incref(reply);
	rig.failed = e != NULL;
	if (e)
		rig.e = *e;
	assert_true((reply == NULL) == (e != NULL));
	loop_stop(rig.loop);
}

const struct cloud_done rig_done = {keep_answer, &rig};

void rig_clock(const char *value)
{
	struct err e;

	setenv("RLPILOT_CLOCK", value, 1);
	assert_int_equal(clock_init(&e), 0);
	unsetenv("RLPILOT_CLOCK");
}

void rig_ask(void)
{
	project_get(rig.cloud, "lab", rig_done);
	loop_run(rig.loop);
}

void rig_want_cause(const char *cause, const char *what, const char *hint)
{
	assert_true(rig.failed);
	if (!rig.e.cause || strcmp(rig.e.cause, cause) != 0 || !strstr(rig.e.what, what) ||
		!strstr(rig.e.hint, hint))
		fail_msg("%s | %s | %s", rig.e.cause ? rig.e.cause : "no cause", rig.e.what,
			rig.e.hint);
	assert_non_null(cause_by_id(cause));
}

void rig_want_bearer(const char *token)
{
	AUTO_FREE char *line = x_asprintf("Authorization: Bearer %s\r\n", token);

	if (rig.failed)
		fail_msg("%s: %s", rig.e.cause ? rig.e.cause : "no cause", rig.e.what);
	assert_non_null(strstr(buf_str(&rig.head), line));
}
