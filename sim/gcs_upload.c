/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/json.h"
#include "sim/conn.h"
#include "sim/google.h"
#include "sim/server.h"
#include "sim/sim.h"
#include "sim/world.h"
#include <stdlib.h>
#include <string.h>

static void store(struct req *req, const char *name, const char *type, const char *data, size_t n)
{
	const struct bucket *b = gcs_bucket(req);
	if (!b)
		return;
	if (!name || !*name || strlen(name) > 1024) {
		gcs_error(req, 400, name ? "invalid" : "required", "Required parameter: name");
		return;
	}
	if (!gcs_conditions(req, world_object(req->sim->world, b->name, name)))
		return;
	struct object *o = world_object_put(req->sim->world, b->name, name, (int64_t)n, data);
	if (type && conn_is_utf8(type)) {
		free(o->content_type);
		o->content_type = x_strdup(type);
	}
	google_reply(req, gcs_object_json(req, b, o));
}

/* One part of a multipart/related body: its headers (up to the blank line) and its content. */
struct part {
	const char *headers, *data;
	size_t n;
};

static const char *find_bytes(const char *from, const char *end, const char *what)
{
	return from < end ? memmem(from, (size_t)(end - from), what, strlen(what)) : NULL;
}

/* The part that begins at s (behind the line of the boundary); NULL when the body is broken. */
static const char *part_read(const char *s, const char *end, const char *boundary, struct part *p)
{
	const char *blank = find_bytes(s, end, "\r\n\r\n");
	const char *lf = find_bytes(s, end, "\n\n");
	size_t skip = 4;
	if (lf && (!blank || lf < blank)) {
		blank = lf;
		skip = 2;
	}
	if (!blank)
		return NULL;
	p->headers = s;
	p->data = blank + skip;
	const char *stop = find_bytes(p->data, end, boundary);
	if (!stop)
		return NULL;
	const char *last = stop;
	if (last > p->data && last[-1] == '\n')
		last--;
	if (last > p->data && last[-1] == '\r')
		last--;
	p->n = (size_t)(last - p->data);
	const char *line = memchr(stop, '\n', (size_t)(end - stop));
	return line ? line + 1 : end;
}

static char *part_type(const struct part *p)
{
	const char *at = strcasestr(p->headers, "content-type:");
	if (!at || at > p->data)
		return NULL;
	at += strlen("content-type:");
	at += strspn(at, " ");
	return x_strndup(at, strcspn(at, "\r\n"));
}

static void upload_multipart(struct req *req)
{
	const char *type = req_header(req, "Content-Type");
	const char *b = type ? strstr(type, "boundary=") : NULL;
	const char *end = req->body + req->body_len;
	struct part meta;
	struct part data;
	if (b)
		b += strlen("boundary=") +
		     (b[strlen("boundary=")] == '"' || b[strlen("boundary=")] == '\'');
	AUTO_FREE char *boundary = b ? x_asprintf("--%.*s", (int)strcspn(b, "\"';"), b) : NULL;
	const char *s = b ? find_bytes(req->body, end, boundary) : NULL;
	const char *line = s ? memchr(s, '\n', (size_t)(end - s)) : NULL;
	s = line ? part_read(line + 1, end, boundary, &meta) : NULL;
	s = s ? part_read(s, end, boundary, &data) : NULL;
	if (!s) {
		gcs_error(req, 400, "badRequest", "Malformed multipart body.");
		return;
	}
	AUTO(json_auto) json_t *j = json_loadb(meta.data, meta.n, 0, NULL);
	const char *name = json_path_str(j, "name");
	AUTO_FREE char *part = part_type(&data);
	store(req, name ? name : req_query(req, "name"), json_path_str_or(j, "contentType", part),
		data.data, data.n);
}

/* The session's address carries all that a later PUT needs; the body comes in one piece. */
static void upload_resumable(struct req *req)
{
	const char *asked = json_path_str(req_json(req), "name");
	const char *name = asked ? asked : req_query(req, "name");
	const char *type = json_path_str(req_json(req), "contentType");
	if (!gcs_bucket(req))
		return;
	if (!name) {
		gcs_error(req, 400, "required", "Required parameter: name");
		return;
	}
	AUTO_FREE char *id = world_id(req->sim->world);
	AUTO(json_auto) json_t *session = json_pack("{s:s, s:s?}", "name", name, "type", type);
	AUTO_FREE char *text = json_dumps(session, JSON_COMPACT);
	AUTO_FREE char *key = x_asprintf("%s/%s", req_capture(req, "bucket"), id);
	map_set(&req->sim->world->uploads, key, x_strdup(text));
	AUTO_FREE char *where = x_asprintf(
		"http://127.0.0.1:%d/upload/storage/v1/b/%s/o?uploadType=resumable&upload_id=%s",
		server_http_port(req->sim), req_capture(req, "bucket"), id);
	reply_header(req, "Location", where);
	reply_header(req, "X-GUploader-UploadID", id);
	reply_bytes(req, 200, "text/plain; charset=utf-8", NULL, 0);
}

static void upload_put(struct req *req)
{
	const char *id = req_query(req, "upload_id");
	AUTO_FREE char *key = x_asprintf("%s/%s", req_capture(req, "bucket"), id ? id : "");
	const char *text = map_get(&req->sim->world->uploads, key);
	AUTO(json_auto) json_t *session = text ? json_loads(text, 0, NULL) : NULL;
	const char *range = req_header(req, "Content-Range");
	if (!session) {
		gcs_error(req, 404, "notFound", "Upload session not found.");
		return;
	}
	if (range && text_ends(range, "/*")) {
		gcs_error(req, 501, "notImplemented",
			"This pretend cloud takes an upload in one piece: send the whole body at "
			"once.");
		return;
	}
	map_del(&req->sim->world->uploads, key);
	store(req, json_path_str(session, "name"), json_path_str(session, "type"), req->body,
		req->body_len);
}

static void upload(struct req *req)
{
	const char *kind = req_query(req, "uploadType");
	if (kind && strcmp(kind, "media") == 0)
		store(req, req_query(req, "name"), req_header(req, "Content-Type"), req->body,
			req->body_len);
	else if (kind && strcmp(kind, "multipart") == 0)
		upload_multipart(req);
	else if (kind && strcmp(kind, "resumable") == 0)
		upload_resumable(req);
	else
		gcs_error(req, 400, "invalid", "uploadType must be media, multipart or resumable.");
}

#define U "/upload/storage/v1/b/{bucket}/o"

const struct route gcs_upload_routes[] = {
	{"POST", U, upload, ROUTE_GOOGLE},
	{"PUT", U, upload_put, ROUTE_OPEN},
	{0},
};
