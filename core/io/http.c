/* SPDX-License-Identifier: Apache-2.0 */
#include "core/io/http.h"

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/io/http_call.h"
#include "core/io/loop.h"

#include <curl/curl.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

struct sock {
	struct http *http;
	struct loop_fd *watch;
	curl_socket_t fd;
};

static void check_done(struct http *h);

static void act(struct http *h, curl_socket_t fd, int what)
{
	int running;

	h->depth++;
	curl_multi_socket_action(h->multi, fd, what, &running);
	h->depth--;
	check_done(h);
}

static void socket_ready(void *arg, int events)
{
	struct sock *s = arg;

	act(s->http, s->fd,
		(events & LOOP_READ ? CURL_CSELECT_IN : 0) |
			(events & LOOP_WRITE ? CURL_CSELECT_OUT : 0));
}

static int socket_wanted(CURL *easy, curl_socket_t fd, int what, void *user, void *mine)
{
	struct http *h = user;
	struct sock *s = mine;
	int events =
		(what & CURL_POLL_IN ? LOOP_READ : 0) | (what & CURL_POLL_OUT ? LOOP_WRITE : 0);

	(void)easy;
	if (what == CURL_POLL_REMOVE) {
		if (s)
			loop_fd_stop(&s->watch);
		free(s);
		curl_multi_assign(h->multi, fd, NULL);
		return 0;
	}
	if (s) {
		loop_fd_change(s->watch, events);
		return 0;
	}
	s = X_NEW(struct sock);
	s->http = h;
	s->fd = fd;
	s->watch = loop_fd_watch(h->loop, fd, events, socket_ready, s);
	if (!s->watch)
		die("a socket cannot be watched");
	curl_multi_assign(h->multi, fd, s);
	return 0;
}

static void timer_kick(void *arg)
{
	struct http *h = arg;

	h->timer = NULL;
	act(h, CURL_SOCKET_TIMEOUT, 0);
}

static void defer_kick(void *arg)
{
	act(arg, CURL_SOCKET_TIMEOUT, 0);
}

static int timer_wanted(CURLM *multi, long ms, void *user)
{
	struct http *h = user;

	(void)multi;
	loop_timer_cancel(&h->timer);
	loop_defer_drop(h->loop, h);
	if (ms == 0)
		loop_defer(h->loop, defer_kick, h);
	else if (ms > 0)
		h->timer = loop_after_wall(h->loop, ms, timer_kick, h);
	return 0;
}

struct http *http_new(struct loop *l)
{
	static bool ready;
	struct http *h = X_NEW(struct http);
	const char *only = getenv("RLPILOT_LOOPBACK_ONLY");
	const char *ca = getenv("CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE");

	if (!ready && curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		die("libcurl cannot start");
	ready = true;
	h->loop = l;
	h->loopback_only = only && strcmp(only, "1") == 0;
	h->ca_file = ca && *ca ? x_strdup(ca) : NULL;
	h->multi = curl_multi_init();
	if (!h->multi)
		die("libcurl cannot start");
	curl_multi_setopt(h->multi, CURLMOPT_SOCKETFUNCTION, socket_wanted);
	curl_multi_setopt(h->multi, CURLMOPT_SOCKETDATA, h);
	curl_multi_setopt(h->multi, CURLMOPT_TIMERFUNCTION, timer_wanted);
	curl_multi_setopt(h->multi, CURLMOPT_TIMERDATA, h);
	return h;
}

struct loop *http_loop(const struct http *h)
{
	return h->loop;
}

static void call_free(struct http_call *c)
{
	struct http *h = c->http;

	loop_defer_drop(h->loop, c);
	loop_timer_cancel(&c->idle);
	if (c->easy) {
		curl_multi_remove_handle(h->multi, c->easy);
		curl_easy_cleanup(c->easy);
	}
	curl_url_cleanup(c->url);
	curl_slist_free_all(c->headers);
	curl_slist_free_all(c->connect_to);
	if (c->prev)
		c->prev->next = c->next;
	else
		h->calls = c->next;
	if (c->next)
		c->next->prev = c->prev;
	buf_fini(&c->reply.body);
	http_request_free(c->req);
	free(c);
}

void http_free(struct http *h)
{
	if (!h)
		return;
	while (h->calls)
		call_free(h->calls);
	curl_multi_cleanup(h->multi);
	loop_timer_cancel(&h->timer);
	loop_defer_drop(h->loop, h);
	free(h->ca_file);
	free(h);
}

/* curl closes its descriptor with the call; the connection lives on in ours. */
static void hand_over(struct http_call *c)
{
	curl_socket_t fd = CURL_SOCKET_BAD;

	if (curl_easy_getinfo(c->easy, CURLINFO_ACTIVESOCKET, &fd) == CURLE_OK &&
		fd != CURL_SOCKET_BAD)
		c->reply.fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

static void finish(struct http_call *c, const struct err *e)
{
	c->finishing = true;
	if (!c->cancelled) {
		log_line("http", "%s %s status=%d ms=%lld%s%s",
			c->req->method ? c->req->method : "GET", c->req->url, c->reply.status,
			(long long)(clock_wall() - c->started), e ? " error=" : "",
			e ? e->what : "");
		if (c->req->on_done)
			c->req->on_done(c->req->arg, &c->reply, e);
	}
	call_free(c);
}

/* What curl's codes mean; hint NULL = none of ours. */
static const struct cause {
	CURLcode code;
	const char *what, *hint;
} causes[] = {
	{CURLE_COULDNT_RESOLVE_HOST, N_("the host name %s cannot be found"),
		N_("check the network and the name server")},
	{CURLE_COULDNT_RESOLVE_PROXY, N_("the proxy for %s cannot be found"),
		N_("check the proxy variables")},
	{CURLE_COULDNT_CONNECT, N_("%s does not answer"),
		N_("check the network, the proxy and the address")},
	{CURLE_OPERATION_TIMEDOUT, N_("%s did not answer in time"),
		N_("check the network; a cluster may admit only some addresses")},
	{CURLE_PEER_FAILED_VERIFICATION, N_("the certificate of %s is not trusted"),
		N_("behind an inspecting proxy set CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE; else do not "
		   "go on")},
	{CURLE_SSL_CACERT_BADFILE, N_("the file of trusted certificates for %s cannot be read"),
		N_("check CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE")},
	{CURLE_PARTIAL_FILE, N_("the answer of %s ended early"), N_("try again")},
	{CURLE_GOT_NOTHING, N_("%s closed the connection without an answer"), N_("try again")},
	{CURLE_RECV_ERROR, N_("the connection to %s was lost"), N_("try again")},
	{CURLE_SEND_ERROR, N_("the connection to %s was lost"), N_("try again")},
};

/* Nothing on the way can be at fault then. */
static const char *hint_of(const struct http_call *c, const struct cause *cause)
{
	if (cause->code == CURLE_COULDNT_CONNECT && c->loopback && !c->req->connect)
		return _("start what has listened there on this machine; if it was the pretend "
			 "cloud of a rehearsal, that is gone: `rlpilot demo` begins a new one");
	return _(cause->hint);
}

static void call_failed(struct http_call *c, CURLcode code)
{
	struct err e = {0};
	AUTO_FREE char *host = NULL;
	char *curl_host = NULL;
	const struct cause *cause = NULL;

	curl_url_get(c->url, CURLUPART_HOST, &curl_host, 0);
	host = x_strdup(curl_host ? curl_host : c->req->url);
	curl_free(curl_host);
	for (size_t i = 0; i < COUNT(causes); i++)
		if (causes[i].code == code)
			cause = &causes[i];
	if (c->too_long) {
		err_set(&e, ERR_UNREACHABLE, _("narrow the request"),
			_("the answer of %s is too long"), host);
	} else if (cause) {
		AUTO(buf_fini) struct buf what = {0};

		for (const char *p = _(cause->what); *p; p++)
			if (text_starts(p, "%s")) {
				buf_adds(&what, host);
				p++;
			} else {
				buf_addc(&what, *p);
			}
		err_set(&e, ERR_UNREACHABLE, hint_of(c, cause), "%s%s%s", buf_str(&what),
			*c->detail ? ": " : "", c->detail);
	} else {
		err_set(&e, ERR_UNREACHABLE, _("try again"), _("the request to %s failed: %s"),
			host, *c->detail ? c->detail : curl_easy_strerror(code));
	}
	e.http = c->reply.status;
	c->reply.cut_off = c->reply.status != 0 && !c->too_long;
	c->reply.refused =
		c->reply.refused || c->too_long || code == CURLE_PEER_FAILED_VERIFICATION;
	finish(c, &e);
}

static void check_done(struct http *h)
{
	CURLMsg *m;
	int left;

	while ((m = curl_multi_info_read(h->multi, &left))) {
		struct http_call *c = NULL;
		CURLcode code = m->data.result;

		if (m->msg != CURLMSG_DONE)
			continue;
		curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, (char **)&c);
		if (code == CURLE_OK && c->req->connect && !c->cancelled)
			hand_over(c);
		if (code == CURLE_OK)
			finish(c, NULL);
		else
			call_failed(c, code);
	}
}

static void idle_check(void *arg)
{
	struct http_call *c = arg;
	int64_t quiet = clock_wall() - c->last;
	int limit = c->req->idle_ms;

	c->idle = NULL;
	if (quiet >= limit)
		call_failed(c, CURLE_OPERATION_TIMEDOUT);
	else
		c->idle = loop_after_wall(c->http->loop, limit - quiet, idle_check, c);
}

static void start(void *arg)
{
	struct http_call *c = arg;
	struct err e = {0};

	c->started = c->last = clock_wall();
	if (http_call_setup(c, &e) != 0) {
		finish(c, &e);
		return;
	}
	if (c->req->idle_ms > 0)
		c->idle = loop_after_wall(c->http->loop, c->req->idle_ms, idle_check, c);
	curl_multi_add_handle(c->http->multi, c->easy);
}

struct http_call *http_send(struct http *h, const struct http_request *r)
{
	struct http_call *c = X_NEW(struct http_call);

	c->http = h;
	c->req = http_request_copy(r);
	c->reply.retry_after_s = -1;
	c->reply.fd = -1;
	c->next = h->calls;
	if (h->calls)
		h->calls->prev = c;
	h->calls = c;
	loop_defer(h->loop, start, c);
	return c;
}

static void bury(void *arg)
{
	call_free(arg);
}

void http_cancel(struct http_call **cp)
{
	struct http_call *c = *cp;

	*cp = NULL;
	if (!c || c->finishing)
		return;
	c->cancelled = true;
	loop_defer_drop(c->http->loop, c);
	if (c->http->depth)
		loop_defer(c->http->loop, bury, c);
	else
		call_free(c);
}
