/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/server.h"

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/io/loop.h"
#include "sim/cert.h"
#include "sim/conn.h"
#include "sim/sim.h"
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BODY_LIMIT    ((size_t)64 << 20)
#define SWEEP_WALL_MS 2000
#define BACKLOG       256

struct listener {
	struct server *server;
	bool tls;
	int port;
	struct MHD_Daemon *daemon;
	struct loop_fd *watch;
	struct loop_timer *timer;
};

struct server {
	struct sim *sim;
	struct cert cert;
	struct listener http, tls;
	struct stream *streams;
	struct server_conn *held; /* suspended without an answer */
	bool kicked, stopping;
	int64_t last_request;
	struct loop_timer *sweep;
};

static int bind_loopback(int port, int *bound, struct err *e)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	socklen_t len = sizeof(a);
	int one = 1;
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) == 0 &&
		bind(fd, (struct sockaddr *)&a, sizeof(a)) == 0 && listen(fd, BACKLOG) == 0 &&
		getsockname(fd, (struct sockaddr *)&a, &len) == 0) {
		*bound = ntohs(a.sin_port);
		return fd;
	}
	int why = errno;
	if (fd >= 0)
		close(fd);
	if (why == EADDRINUSE)
		return err_set(e, ERR_UNREACHABLE,
			"end the program that listens there, or choose another port with --port, "
			"or leave "
			"--port away: a free one is found",
			"port %d of 127.0.0.1 is taken", port);
	return err_errno(e, ERR_UNREACHABLE, why, "choose another port with --port",
		"cannot listen on 127.0.0.1, port %d", port);
}

static size_t no_unescape(void *cls, struct MHD_Connection *c, char *s)
{
	(void)cls;
	(void)c;
	return strlen(s);
}

static enum MHD_Result add_query(
	void *cls, enum MHD_ValueKind kind, const char *key, const char *value)
{
	struct server_conn *c = cls;
	(void)kind;
	strvec_take(&c->query, conn_decode(key, strlen(key)));
	strvec_take(&c->query, conn_decode(value ? value : "", value ? strlen(value) : 0));
	return MHD_YES;
}

static struct server_conn *conn_new(
	struct listener *l, struct MHD_Connection *mhd, const char *url, const char *method)
{
	struct server_conn *c = X_NEW(struct server_conn);
	c->server = l->server;
	c->mhd = mhd;
	c->tls = l->tls;
	c->method = x_strdup(method);
	c->url = x_strdup(url);
	c->body.max = BODY_LIMIT;
	return c;
}

static void hold(struct server_conn *c)
{
	struct server *s = c->server;
	c->held = true;
	c->next_held = s->held;
	c->link = &s->held;
	if (s->held)
		s->held->link = &c->next_held;
	s->held = c;
	MHD_suspend_connection(c->mhd);
}

static void let_go(struct server_conn *c)
{
	*c->link = c->next_held;
	if (c->next_held)
		c->next_held->link = c->link;
	c->held = false;
	MHD_resume_connection(c->mhd);
}

void server_hold(struct server_conn *c)
{
	c->queued = MHD_YES;
	c->replied = true;
	hold(c);
}

/* After its delay a request is looked at again. */
static void on_delay(void *arg)
{
	struct server_conn *c = arg;
	struct server *s = c->server;
	let_go(c);
	server_kick(s);
}

void server_delay(struct server_conn *c, int64_t ms)
{
	c->queued = MHD_YES;
	hold(c);
	loop_after_wall(c->server->sim->loop, ms, on_delay, c);
}

void server_reset(struct server_conn *c)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(c->mhd, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct linger at_once = {.l_onoff = 1, .l_linger = 0};
	if (info)
		setsockopt(info->connect_fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
	c->queued = MHD_NO;
	c->replied = true;
}

static bool delayed(struct server_conn *c)
{
	const struct sim *sim = c->server->sim;
	if (!sim->delay_ms || c->waited)
		return false;
	c->waited = true;
	server_delay(c, sim->delay_ms);
	return true;
}

static enum MHD_Result on_request(void *cls, struct MHD_Connection *mhd, const char *url,
	const char *method, const char *version, const char *data, size_t *n, void **state)
{
	struct listener *l = cls;
	struct server_conn *c = *state;
	(void)version;
	if (!c) {
		*state = conn_new(l, mhd, url, method);
		return MHD_YES;
	}
	if (*n > 0) {
		buf_add(&c->body, data, *n);
		c->body_full = c->body_full || c->body.cut;
		*n = 0;
		return MHD_YES;
	}
	l->server->last_request = clock_wall();
	if (delayed(c))
		return MHD_YES;
	strvec_fini(&c->query);
	c->query = (struct strvec){0};
	MHD_get_connection_values(mhd, MHD_GET_ARGUMENT_KIND, add_query, c);
	c->req = (struct req){.sim = l->server->sim,
		.method = c->method,
		.path = c->url,
		.body = buf_str(&c->body),
		.body_len = c->body.len,
		.conn = c};
	route_dispatch(c);
	return c->queued;
}

static void on_completed(
	void *cls, struct MHD_Connection *mhd, void **state, enum MHD_RequestTerminationCode why)
{
	struct server_conn *c = *state;
	(void)cls;
	(void)mhd;
	(void)why;
	if (!c)
		return;
	for (size_t i = 0; i < c->n_captures; i++)
		free(c->captures[i].value);
	free(c->method);
	free(c->url);
	buf_fini(&c->body);
	strvec_fini(&c->query);
	strvec_fini(&c->headers);
	json_decref(c->json);
	free(c);
	*state = NULL;
}

static void listener_run(struct listener *l);

static void on_timer(void *arg)
{
	struct listener *l = arg;
	l->timer = NULL;
	listener_run(l);
}

static void on_kick(void *arg)
{
	struct server *s = arg;
	s->kicked = false;
	if (s->stopping)
		return;
	listener_run(&s->http);
	listener_run(&s->tls);
}

void server_kick(struct server *s)
{
	if (s->kicked || s->stopping)
		return;
	s->kicked = true;
	loop_defer(s->sim->loop, on_kick, s);
}

static void listener_run(struct listener *l)
{
	MHD_UNSIGNED_LONG_LONG ms = 0;
	MHD_run(l->daemon);
	loop_timer_cancel(&l->timer);
	if (MHD_get_timeout(l->daemon, &ms) != MHD_YES)
		return;
	if (ms == 0)
		server_kick(l->server);
	else
		l->timer = loop_after_wall(l->server->sim->loop, (int64_t)ms, on_timer, l);
}

static void on_ready(void *arg, int events)
{
	(void)events;
	listener_run(arg);
}

static void on_sweep(void *arg)
{
	struct server *s = arg;
	reply_sweep(s, false);
	s->sweep = loop_after_wall(s->sim->loop, SWEEP_WALL_MS, on_sweep, s);
}

static int listener_start(struct listener *l, int port, struct err *e)
{
	struct server *s = l->server;
	int fd = bind_loopback(port, &l->port, e);
	if (fd < 0)
		return -1;
	struct MHD_OptionItem tls[] = {
		{MHD_OPTION_HTTPS_MEM_KEY, 0, s->cert.key_pem},
		{MHD_OPTION_HTTPS_MEM_CERT, 0, s->cert.server_pem},
		{MHD_OPTION_END, 0, NULL},
	};
	struct MHD_OptionItem none[] = {{MHD_OPTION_END, 0, NULL}};
	unsigned flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_SUPPRESS_DATE_NO_CLOCK |
			 (l->tls ? MHD_USE_TLS : 0);
	l->daemon = MHD_start_daemon(flags, 0, NULL, NULL, on_request, l, MHD_OPTION_LISTEN_SOCKET,
		fd, MHD_OPTION_NOTIFY_COMPLETED, on_completed, l, MHD_OPTION_UNESCAPE_CALLBACK,
		no_unescape, NULL, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)256 << 10,
		MHD_OPTION_ARRAY, l->tls ? tls : none, MHD_OPTION_END);
	if (!l->daemon) {
		close(fd);
		return err_set(e, ERR_UNREACHABLE, "raise the limit of open files (ulimit -n)",
			"the pretend cloud's listener does not start");
	}
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(l->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	fcntl(info->epoll_fd, F_SETFD, FD_CLOEXEC);
	l->watch = loop_fd_watch(s->sim->loop, info->epoll_fd, LOOP_READ, on_ready, l);
	return 0;
}

int server_start(struct sim *sim, int port, struct err *e)
{
	struct server *s = X_NEW(struct server);
	sim->server = s;
	s->sim = sim;
	s->http = (struct listener){.server = s};
	s->tls = (struct listener){.server = s, .tls = true};
	s->last_request = clock_wall();
	if (cert_make(&s->cert, e) < 0 || listener_start(&s->http, port, e) < 0 ||
		listener_start(&s->tls, 0, e) < 0) {
		server_stop(sim);
		return -1;
	}
	s->sweep = loop_after_wall(sim->loop, SWEEP_WALL_MS, on_sweep, s);
	return 0;
}

static void listener_stop(struct listener *l)
{
	loop_timer_cancel(&l->timer);
	loop_fd_stop(&l->watch);
	if (l->daemon)
		MHD_stop_daemon(l->daemon);
	l->daemon = NULL;
}

void server_stop(struct sim *sim)
{
	struct server *s = sim->server;
	if (!s)
		return;
	s->stopping = true;
	reply_sweep(s, true);
	while (s->held)
		let_go(s->held);
	loop_timer_cancel(&s->sweep);
	listener_stop(&s->http);
	listener_stop(&s->tls);
	cert_fini(&s->cert);
	free(s);
	sim->server = NULL;
}

struct stream **server_streams(struct server *s)
{
	return &s->streams;
}

int server_http_port(const struct sim *sim)
{
	return sim->server->http.port;
}

int server_tls_port(const struct sim *sim)
{
	return sim->server->tls.port;
}

const char *server_ca_pem(const struct sim *sim)
{
	return sim->server->cert.ca_pem;
}

int64_t server_last_request(const struct sim *sim)
{
	return sim->server->last_request;
}
