/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/faults.h"

#include "core/base/mem.h"
#include "core/base/text.h"
#include "sim/conn.h"
#include "sim/fault_plan.h"
#include "sim/logins.h"
#include "sim/sim.h"
#include "sim/world.h"
#include "sim/worlds.h"
#include <string.h>

static const char portal[] =
	"<!DOCTYPE html><html><head><title>Sign in to the guest network</title></head>"
	"<body><h1>Welcome</h1><p>Accept the terms to go on.</p></body></html>\n";
static const char gateway[] = "<html><head><title>502 Bad Gateway</title></head>\r\n<body><center>"
			      "<h1>502 Bad Gateway</h1></center></body></html>\r\n";
static const char half[] = "{\"services\": [{\"name\": \"projects/1/services/compute.goo";
static const char other_types[] =
	"{\"name\": 7, \"type\": [], \"auth\": \"none\", \"items\": {\"a\": 1}, \"ok\": \"maybe\"}";

static void html(struct req *req)
{
	reply_bytes(req, 200, "text/html; charset=utf-8", portal, sizeof(portal) - 1);
}

static void proxy(struct req *req)
{
	reply_bytes(req, 502, "text/html", gateway, sizeof(gateway) - 1);
}

static void empty(struct req *req)
{
	reply_bytes(req, 200, "application/json", "", 0);
}

static ssize_t half_read(void *cls, uint64_t pos, char *out, size_t max)
{
	size_t n = sizeof(half) - 1;
	(void)cls;
	if (pos >= n)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	n -= (size_t)pos;
	n = n < max ? n : max;
	memcpy(out, half + pos, n);
	return (ssize_t)n;
}

/* More is promised than comes, then the connection ends. */
static void cut(struct req *req)
{
	reply_queue(req, 200, MHD_create_response_from_callback(4096, 512, half_read, NULL, NULL),
		"application/json");
}

static void types(struct req *req)
{
	reply_bytes(req, 200, "application/json", other_types, sizeof(other_types) - 1);
}

static void never(struct req *req)
{
	server_hold(req->conn);
}

static const struct {
	const char *name;
	void (*reply)(struct req *req);
} kinds[] = {{"html", html}, {"proxy", proxy}, {"empty", empty}, {"cut", cut}, {"types", types},
	{"never", never}};

/* --- of the plan */

static const struct {
	int code;
	const char *google, *legacy, *kube, *text;
} statuses[] = {
	{400, "INVALID_ARGUMENT", "badRequest", "BadRequest",
		"Request contains an invalid argument."},
	{401, "UNAUTHENTICATED", "authError", "Unauthorized", "Unauthorized"},
	{403, "PERMISSION_DENIED", "forbidden", "Forbidden", "The caller does not have permission"},
	{404, "NOT_FOUND", "notFound", "NotFound", "Requested entity was not found."},
	{409, "ABORTED", "conflict", "Conflict", "The operation was aborted."},
	{429, "RESOURCE_EXHAUSTED", "rateLimitExceeded", "TooManyRequests",
		"The request rate is too high; please try again later."},
	{500, "INTERNAL", "backendError", "InternalError", "Internal error encountered."},
	{502, "UNAVAILABLE", "backendError", "ServiceUnavailable", "Bad gateway"},
	{503, "UNAVAILABLE", "backendError", "ServiceUnavailable",
		"The service is currently unavailable."},
	{504, "DEADLINE_EXCEEDED", "backendError", "Timeout", "The request timed out."},
};

static void status(struct req *req, const struct fault *f)
{
	const char *comma = strchr(f->value, ',');
	size_t i = 0;
	int64_t wait = 0;
	while (i + 1 < COUNT(statuses) && statuses[i].code != f->number)
		i++;
	if (comma && text_to_i64(comma + 1, 0, 86400, &wait) == 0)
		reply_header(req, "Retry-After", comma + 1);
	if (req->conn->tls)
		reply_kube_status(req, statuses[i].code, statuses[i].kube,
			wait ? json_pack("{s:I}", "retryAfterSeconds", (json_int_t)wait) : NULL,
			"%s", statuses[i].text);
	else
		reply_google_error(req, statuses[i].code,
			strstr(req->path, "/storage/v1/") ? NULL : statuses[i].google,
			statuses[i].legacy, "%s", statuses[i].text);
}

static void garbage(struct req *req)
{
	static const char bytes[] = "\x1f\x8b\x08\0\0\0\0\0\xff{]\xc3(\r\n\x1b[2J\"items\": [{";
	reply_bytes(req, 200, "application/json", bytes, sizeof(bytes) - 1);
}

static bool is_watch(struct req *req)
{
	return req->conn->tls && req_query_true(req, "watch");
}

/* As the API server says that a version is too old: inside of 200 to a watch. */
static void gone(struct req *req)
{
	static const char text[] = "too old resource version: 657887 (680402)";
	if (!is_watch(req)) {
		reply_kube_status(req, 410, "Expired", NULL, "%s", text);
		return;
	}
	struct stream *s = reply_stream(req, "application/json", NULL, NULL);
	json_t *ev = json_pack("{s:s, s:{s:s, s:s, s:{}, s:s, s:s, s:s, s:i}}", "type", "ERROR",
		"object", "kind", "Status", "apiVersion", "v1", "metadata", "status", "Failure",
		"message", text, "reason", "Expired", "code", 410);
	stream_json(s, ev);
	json_decref(ev);
	stream_end(s);
}

static void webhook(struct req *req)
{
	static const char text[] =
		"Internal error occurred: failed calling webhook \"mjobset.kb.io\": failed to call "
		"webhook: Post \"https://kueue-webhook-service.kueue-system.svc:443/"
		"mutate-jobset-x-k8s-io-v1alpha2-jobset?timeout=10s\": dial tcp 10.52.1.14:443: "
		"connect: connection refused";
	reply_kube_status(req, 500, "InternalError",
		json_pack("{s:[{s:s}]}", "causes", "message", text), "%s", text);
}

/* False: a handler goes on with it. */
static bool planned(struct req *req, const struct fault *f)
{
	struct server_conn *c = req->conn;
	struct world *w = req->sim->world;
	switch (f->what) {
	case FAULT_DELAY:
		c->late = true;
		server_delay(c, f->number);
		return true;
	case FAULT_STATUS:
		status(req, f);
		return true;
	case FAULT_RESET:
		server_reset(c);
		return true;
	case FAULT_CUT:
		c->body_fault = BODY_CUT;
		return false;
	case FAULT_DRIP:
		c->body_fault = BODY_DRIPS;
		c->drip_ms = f->number;
		return false;
	case FAULT_GARBAGE:
		garbage(req);
		return true;
	case FAULT_GONE:
		gone(req);
		return true;
	case FAULT_CLOSES:
		stream_end(reply_stream(req, "application/json", NULL, NULL));
		return true;
	case FAULT_LOGIN:
		logins_set(w, LOGIN_REAUTH);
		logins_end(w);
		return false;
	case FAULT_TOKEN:
		logins_end(w);
		return false;
	case FAULT_CLUSTER:
		req->cluster_status = f->value;
		return false;
	case FAULT_WEBHOOK:
		webhook(req);
		return true;
	default:
		return false;
	}
}

static const char *kind_of(struct req *req)
{
	if (is_watch(req))
		return "WATCH";
	return req->conn->tls && text_ends(req->path, "/log") ? "LOG" : req->method;
}

bool faults_reply(struct req *req)
{
	const char *prefix;
	const char *kind;
	const struct fault *f;
	if (text_starts(req->path, "/sim/v1/"))
		return false;
	f = req->conn->late ? NULL : fault_take(req->sim, AT_WIRE, kind_of(req), req->path);
	if (f)
		return planned(req, f);
	for (size_t i = 0; world_settings_next(req->sim->world, "fault.", &i, &prefix, &kind);) {
		if (!text_starts(req->path, prefix))
			continue;
		for (size_t k = 0; k < COUNT(kinds); k++)
			if (strcmp(kinds[k].name, kind) == 0) {
				kinds[k].reply(req);
				return true;
			}
	}
	return false;
}
