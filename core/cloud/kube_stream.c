/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cloud/kube.h"

#include "core/base/mem.h"
#include "core/cloud/auth.h"
#include "core/cloud/kube_private.h"

#include <stdlib.h>
#include <string.h>

enum { TOKEN_TRIES = 2 };

struct kube_stream {
	struct kube *kube;
	struct kube_stream_spec spec;
	char *path, *token;
	struct http_call *call;
	int tokens;
};

static void stream_free(struct kube_stream *s)
{
	auth_token_drop(cloud_auth(s->kube->cloud), s);
	loop_defer_drop(cloud_loop(s->kube->cloud), s);
	http_cancel(&s->call);
	free(s->path);
	x_wipe_free(s->token);
	free(s);
}

void kube_stream_close(struct kube_stream **sp)
{
	if (*sp)
		stream_free(*sp);
	*sp = NULL;
}

static void end(struct kube_stream *s, int64_t retry_after_s, const struct err *e)
{
	struct kube_stream_spec spec = s->spec;

	stream_free(s);
	spec.on_end(spec.arg, retry_after_s, e);
}

static void ask_token(struct kube_stream *s);

static void on_head(void *arg, const struct http_reply *r)
{
	struct kube_stream *s = arg;

	(void)r;
	if (s->spec.on_head)
		s->spec.on_head(s->spec.arg);
}

static void on_data(void *arg, const char *data, size_t n)
{
	struct kube_stream *s = arg;

	s->spec.on_data(s->spec.arg, data, n);
}

static void on_done(void *arg, struct http_reply *r, const struct err *e)
{
	struct kube_stream *s = arg;
	struct err why = {0};

	s->call = NULL;
	if (e) {
		end(s, r->retry_after_s, e);
	} else if (r->status / 100 == 2) {
		end(s, r->retry_after_s, NULL);
	} else if (r->status == 401 && s->token && s->tokens < TOKEN_TRIES) {
		auth_refused(cloud_auth(s->kube->cloud), s->token);
		ask_token(s);
	} else {
		AUTO_FREE char *what = x_strndup(s->path, strcspn(s->path, "?"));

		cloud_error(&why, what, r->status, buf_str(&r->body), r->body.len);
		end(s, r->retry_after_s, &why);
	}
}

static void send_with(struct kube_stream *s, const char *token)
{
	struct kube *k = s->kube;
	AUTO_FREE char *url = x_asprintf("%s%s", k->server, s->path);
	struct http_request req = {
		.url = url,
		.bearer = token && *token ? token : NULL,
		.ca_pem = k->ca_pem,
		.cert_pem = k->cert_pem,
		.key_pem = k->key_pem,
		.tls_name = k->tls_name,
		.idle_ms = s->spec.idle_ms,
		.on_head = on_head,
		.on_data = on_data,
		.on_done = on_done,
		.arg = s,
	};

	s->call = http_send(cloud_http(k->cloud), &req);
}

static void token_came(void *arg, const char *token, const struct err *e)
{
	struct kube_stream *s = arg;

	if (e) {
		end(s, -1, e);
		return;
	}
	x_wipe_free(s->token);
	s->token = x_strdup(token);
	send_with(s, token);
}

static void ask_token(struct kube_stream *s)
{
	s->tokens++;
	auth_token(cloud_auth(s->kube->cloud), token_came, s);
}

struct kube_stream *kube_stream_open(struct kube *k, const struct kube_stream_spec *spec)
{
	struct kube_stream *s = X_NEW(struct kube_stream);
	const char *token = kube_token(k);

	s->kube = k;
	s->spec = *spec;
	s->path = x_strdup(spec->path);
	if (token)
		send_with(s, token);
	else
		ask_token(s);
	return s;
}
