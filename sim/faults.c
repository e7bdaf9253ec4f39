/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/faults.h"

#include "core/base/mem.h"
#include "core/base/text.h"
#include "sim/conn.h"
#include "sim/sim.h"
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

bool faults_reply(struct req *req)
{
	const char *prefix;
	const char *kind;
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
