/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/json.h"
#include "core/io/loop.h"
#include "sim/clock.h"
#include "sim/conn.h"
#include "sim/sim.h"
#include "sim/world.h"
#include "sim/worlds.h"
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define STREAM_LIMIT ((size_t)64 << 20)
#define BLOCK        ((size_t)32 << 10)
#define CUT_AFTER    ((size_t)900) /* of a stream whose connection breaks */
#define PIECES       64

struct stream {
	struct server *server;
	struct MHD_Connection *mhd;
	struct buf out;
	size_t taken; /* bytes of out already handed over */
	bool suspended, ended, gone;
	size_t left; /* bytes until the connection breaks, 0 = it does not */
	void (*on_close)(void *arg);
	void *arg;
	struct stream *next, **link;
};

void reply_header(struct req *req, const char *name, const char *value)
{
	strvec_push(&req->conn->headers, name);
	strvec_push(&req->conn->headers, value);
}

/* Clients read the server's clock from here: it must be the pretend one. */
static void add_date(struct req *req, struct MHD_Response *r)
{
	const char *ahead = world_setting(req->sim->world, "clock");
	time_t now = (time_t)(sim_now(req->sim) / 1000) + (ahead ? strtol(ahead, NULL, 10) : 0);
	struct tm tm;
	char text[64];
	gmtime_r(&now, &tm);
	strftime(text, sizeof(text), "%a, %d %b %Y %H:%M:%S GMT", &tm);
	MHD_add_response_header(r, "Date", text);
}

void reply_queue(struct req *req, int status, struct MHD_Response *r, const char *content_type)
{
	struct server_conn *c = req->conn;
	if (c->replied)
		die("two replies to %s %s", req->method, req->path);
	add_date(req, r);
	if (content_type)
		MHD_add_response_header(r, "Content-Type", content_type);
	for (size_t i = 0; i + 1 < c->headers.n; i += 2)
		MHD_add_response_header(r, c->headers.items[i], c->headers.items[i + 1]);
	c->queued = MHD_queue_response(c->mhd, (unsigned)status, r);
	c->replied = true;
	MHD_destroy_response(r);
}

/* An answer of which only the first half arrives. */
struct half {
	char *data;
	size_t n;
};

static ssize_t half_read(void *cls, uint64_t pos, char *out, size_t max)
{
	const struct half *h = cls;
	size_t n = h->n / 2;
	if (pos >= n)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	n -= (size_t)pos;
	n = n < max ? n : max;
	memcpy(out, h->data + pos, n);
	return (ssize_t)n;
}

static void half_free(void *cls)
{
	struct half *h = cls;
	free(h->data);
	free(h);
}

static void drip(struct req *req, const char *content_type, const void *data, size_t n);

/* Takes over data. */
static void reply_data(struct req *req, int status, const char *content_type, char *data, size_t n)
{
	struct server_conn *c = req->conn;
	if (c->body_fault == BODY_DRIPS && status == 200) {
		drip(req, content_type, data, n);
		free(data);
	} else if (c->body_fault == BODY_CUT && n > 1) {
		struct half *h = X_NEW(struct half);
		*h = (struct half){data, n};
		reply_queue(req, status,
			MHD_create_response_from_callback(n, BLOCK, half_read, h, half_free),
			content_type);
	} else {
		reply_queue(req, status,
			MHD_create_response_from_buffer(n, data, MHD_RESPMEM_MUST_FREE),
			content_type);
	}
}

void reply_bytes(struct req *req, int status, const char *content_type, const void *data, size_t n)
{
	char *copy = x_malloc(n + 1);
	memcpy(copy, n ? data : "", n);
	reply_data(req, status, content_type, copy, n);
}

void reply_json(struct req *req, int status, json_t *j)
{
	char *text = json_dumps(j, JSON_COMPACT | JSON_ENCODE_ANY);
	if (!text)
		die("reply to %s is no JSON", req->path);
	reply_data(req, status,
		req->conn->tls ? "application/json" : "application/json; charset=UTF-8", text,
		strlen(text));
	json_decref(j);
}

void reply_google_error(
	struct req *req, int code, const char *status, const char *reason, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	AUTO_FREE char *text = x_vasprintf(fmt, ap);
	va_end(ap);
	json_t *error = json_pack("{s:i, s:o}", "code", code, "message", json_from_str(text));
	if (reason)
		json_object_set_new(error, "errors",
			json_pack("[{s:o, s:s, s:s}]", "message", json_from_str(text), "domain",
				"global", "reason", reason));
	if (status)
		json_object_set_new(error, "status", json_string(status));
	reply_json(req, code, json_pack("{s:o}", "error", error));
}

void reply_google_info(struct req *req, int code, const char *status, const char *info,
	json_t *metadata, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	AUTO_FREE char *text = x_vasprintf(fmt, ap);
	va_end(ap);
	json_t *detail =
		json_pack("{s:s, s:s, s:s}", "@type", "type.googleapis.com/google.rpc.ErrorInfo",
			"reason", info, "domain", "googleapis.com");
	if (metadata)
		json_object_set_new(detail, "metadata", metadata);
	reply_json(req, code,
		json_pack("{s:{s:i, s:o, s:s, s:[o]}}", "error", "code", code, "message",
			json_from_str(text), "status", status, "details", detail));
}

void reply_kube_status(
	struct req *req, int code, const char *reason, json_t *details, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	AUTO_FREE char *text = x_vasprintf(fmt, ap);
	va_end(ap);
	json_t *j = json_pack("{s:s, s:s, s:{}, s:s, s:o, s:s, s:i}", "kind", "Status",
		"apiVersion", "v1", "metadata", "status", "Failure", "message", json_from_str(text),
		"reason", reason, "code", code);
	if (details)
		json_object_set_new(j, "details", details);
	reply_json(req, code, j);
}

struct made {
	void (*fill)(void *arg, int64_t at, size_t n, char *out);
	void (*done)(void *arg);
	void *arg;
	int64_t n;
};

static ssize_t made_read(void *cls, uint64_t pos, char *out, size_t max)
{
	struct made *m = cls;
	size_t left = (size_t)(m->n - (int64_t)pos);
	size_t n = left < max ? left : max;
	m->fill(m->arg, (int64_t)pos, n, out);
	return (ssize_t)n;
}

static void made_free(void *cls)
{
	struct made *m = cls;
	m->done(m->arg);
	free(m);
}

void reply_made(struct req *req, int status, const char *content_type, int64_t n,
	void (*fill)(void *arg, int64_t at, size_t n, char *out), void (*done)(void *arg),
	void *arg)
{
	struct made *m = X_NEW(struct made);
	*m = (struct made){.fill = fill, .done = done, .arg = arg, .n = n};
	reply_queue(req, status,
		MHD_create_response_from_callback((uint64_t)n, BLOCK, made_read, m, made_free),
		content_type);
}

static ssize_t stream_read(void *cls, uint64_t pos, char *out, size_t max)
{
	struct stream *s = cls;
	(void)pos;
	if (s->gone)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	size_t n = s->out.len - s->taken;
	if (n == 0 && s->ended)
		return MHD_CONTENT_READER_END_OF_STREAM;
	if (n == 0) {
		s->suspended = true;
		MHD_suspend_connection(s->mhd);
		return 0;
	}
	n = n < max ? n : max;
	if (s->left) {
		n = n < s->left ? n : s->left;
		s->left -= n;
		s->gone = s->left == 0;
	}
	memcpy(out, s->out.data + s->taken, n);
	s->taken += n;
	if (s->taken == s->out.len)
		buf_clear(&s->out);
	else if (s->taken > s->out.len / 2)
		buf_drop(&s->out, s->taken);
	else
		return (ssize_t)n;
	s->taken = 0;
	return (ssize_t)n;
}

static void stream_free(void *cls)
{
	struct stream *s = cls;
	*s->link = s->next;
	if (s->next)
		s->next->link = s->link;
	if (!s->ended && s->on_close)
		s->on_close(s->arg);
	buf_fini(&s->out);
	free(s);
}

struct stream *reply_stream(
	struct req *req, const char *content_type, void (*on_close)(void *arg), void *arg)
{
	struct stream *s = X_NEW(struct stream);
	s->server = req->conn->server;
	s->mhd = req->conn->mhd;
	s->out.max = STREAM_LIMIT;
	s->left = req->conn->body_fault == BODY_CUT ? CUT_AFTER : 0;
	s->on_close = on_close;
	s->arg = arg;
	s->link = server_streams(s->server);
	s->next = *s->link;
	if (s->next)
		s->next->link = &s->next;
	*s->link = s;
	reply_queue(req, 200,
		MHD_create_response_from_callback(
			MHD_SIZE_UNKNOWN, BLOCK, stream_read, s, stream_free),
		content_type);
	return s;
}

static void stream_wake(struct stream *s)
{
	if (!s->suspended)
		return;
	s->suspended = false;
	MHD_resume_connection(s->mhd);
	server_kick(s->server);
}

void stream_write(struct stream *s, const void *data, size_t n)
{
	if (s->out.len + n > STREAM_LIMIT)
		s->gone = true; /* a client that does not read is cut off, as a real server does */
	if (!s->gone)
		buf_add(&s->out, data, n);
	stream_wake(s);
}

void stream_json(struct stream *s, const json_t *j)
{
	AUTO_FREE char *text = json_dumps(j, JSON_COMPACT);
	if (!text)
		die("stream got what is no JSON");
	stream_write(s, text, strlen(text));
	stream_write(s, "\n", 1);
}

size_t stream_pending(const struct stream *s)
{
	return s->out.len - s->taken;
}

void stream_end(struct stream *s)
{
	s->ended = true;
	stream_wake(s);
}

void reply_sweep(struct server *server, bool all)
{
	for (struct stream *s = *server_streams(server); s; s = s->next) {
		const union MHD_ConnectionInfo *info =
			MHD_get_connection_info(s->mhd, MHD_CONNECTION_INFO_CONNECTION_FD);
		struct pollfd p = {.fd = info ? info->connect_fd : -1, .events = POLLRDHUP};
		bool hung = s->suspended && poll(&p, 1, 0) == 1 &&
			    (p.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
		if (!hung && !all)
			continue;
		s->gone = true;
		stream_wake(s);
	}
}

/* An answer that comes in pieces. */
struct drip {
	struct stream *stream;
	struct loop *loop;
	struct loop_timer *timer;
	struct buf rest;
	size_t piece;
	int64_t ms;
};

static void drip_free(struct drip *d)
{
	loop_timer_cancel(&d->timer);
	buf_fini(&d->rest);
	free(d);
}

static void drip_closed(void *arg)
{
	drip_free(arg);
}

static void drip_on(void *arg)
{
	struct drip *d = arg;
	size_t n = d->rest.len < d->piece ? d->rest.len : d->piece;
	d->timer = NULL;
	stream_write(d->stream, d->rest.data, n);
	buf_drop(&d->rest, n);
	if (d->rest.len > 0) {
		d->timer = loop_after_wall(d->loop, d->ms, drip_on, d);
		return;
	}
	stream_end(d->stream);
	drip_free(d);
}

static void drip(struct req *req, const char *content_type, const void *data, size_t n)
{
	struct drip *d = X_NEW(struct drip);
	d->loop = req->sim->loop;
	d->ms = req->conn->drip_ms;
	d->piece = n / PIECES + 1;
	buf_add(&d->rest, data, n);
	d->stream = reply_stream(req, content_type, drip_closed, d);
	d->timer = loop_after_wall(d->loop, d->ms, drip_on, d);
}
