/* SPDX-License-Identifier: Apache-2.0 */
#include "core/io/ssh.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/io/http.h"
#include "core/io/loop.h"
#include "core/io/ssh_in.h"
#include "core/io/ssh_own.h"
#include "core/io/ssh_words.h"

#define QUIET_MS   20000 /* wall: nothing comes for that long: the connection is lost */
#define FREE_TRIES 64

/* --- ends */

static void tell_down(void *arg)
{
	struct ssh *s = arg;

	s->spec.on_down(s->spec.arg, &s->error, s->again);
}

static void go_down(struct ssh *s)
{
	AUTO_FREE char *where = ssh_place(&s->spec.at);

	log_line("ssh", "%s: %s", where, s->error.what);
	s->step = STEP_DOWN;
	loop_fd_stop(&s->watch);
	loop_timer_cancel(&s->quiet);
	loop_defer(s->loop, tell_down, s);
}

/* libssh2 gives its reason; a connection that broke comes back by itself. */
static void lose(struct ssh *s, const char *why)
{
	AUTO_FREE char *where = ssh_place(&s->spec.at);
	char *said = NULL;

	if (!s->error.code) {
		if (!why && s->session && libssh2_session_last_error(s->session, &said, NULL, 0) &&
			said)
			why = said;
		err_set(&s->error, ERR_UNREACHABLE,
			_("check the network and that machine; what runs there goes on"),
			_("the connection to %s was lost: %s"), where, why ? why : "");
		s->again = true;
	}
	go_down(s);
}

static void on_quiet(void *arg)
{
	struct ssh *s = arg;

	s->quiet = NULL;
	lose(s, _("no answer for 20 seconds"));
}

static void listen_on(struct ssh *s)
{
	loop_timer_cancel(&s->quiet);
	s->quiet = loop_after_wall(s->loop, QUIET_MS, on_quiet, s);
}

/* --- from step to step */

static void tell_ready(void *arg)
{
	struct ssh *s = arg;

	s->spec.on_ready(s->spec.arg);
}

static int (*const steps[])(struct ssh *s) = {
	[STEP_HELLO] = ssh_login_hello,
	[STEP_ASK] = ssh_login_ask,
	[STEP_LOGIN] = ssh_login_try,
	[STEP_OPEN] = ssh_command_open,
	[STEP_EXEC] = ssh_command_exec,
	[STEP_TALK] = ssh_command_talk,
	[STEP_CLOSE] = ssh_command_close,
	[STEP_FREE] = ssh_command_free,
	[STEP_LEAVE] = ssh_command_leave,
	[STEP_DOWN] = NULL,
};

static void pump(struct ssh *s)
{
	bool before = s->step < STEP_READY;
	int rc = 0, wants;

	while (rc == 0 && steps[s->step])
		rc = steps[s->step](s);
	if (rc != 0 && rc != LIBSSH2_ERROR_EAGAIN) {
		lose(s, NULL);
		return;
	}
	if (s->step == STEP_READY) {
		loop_timer_cancel(&s->quiet);
		loop_fd_change(s->watch, 0);
		if (before)
			loop_defer(s->loop, tell_ready, s);
		return;
	}
	wants = libssh2_session_block_directions(s->session);
	loop_fd_change(
		s->watch, (wants & LIBSSH2_SESSION_BLOCK_OUTBOUND ? LOOP_WRITE : 0) | LOOP_READ);
}

static void on_socket(void *arg, int events)
{
	struct ssh *s = arg;

	if (events & LOOP_READ)
		listen_on(s);
	pump(s);
}

static void on_dialled(void *arg, struct http_reply *r, const struct err *e)
{
	struct ssh *s = arg;

	s->dial = NULL;
	if (e || r->fd < 0) {
		s->error = e ? *e : (struct err){.code = ERR_UNREACHABLE};
		s->again = !r->refused;
		go_down(s);
		return;
	}
	s->fd = r->fd;
	s->step = STEP_HELLO;
	s->watch = loop_fd_watch(s->loop, s->fd, LOOP_READ, on_socket, s);
	s->session = libssh2_session_init_ex(NULL, NULL, NULL, s);
	if (!s->watch || !s->session)
		die("libssh2 cannot start");
	libssh2_session_set_blocking(s->session, 0);
	ssh_own_known(&s->known, &s->spec.at);
	ssh_login_listen(s);
	ssh_login_prefer(s);
	listen_on(s);
	pump(s);
}

/* --- outside */

static void dial(struct ssh *s)
{
	const struct ssh_address *a = &s->spec.at;
	AUTO_FREE char *url = x_asprintf(
		strchr(a->host, ':') ? "http://[%s]:%d" : "http://%s:%d", a->host, a->port);
	struct http_request r = {.url = url, .connect = true, .on_done = on_dialled, .arg = s};

	s->http = http_new(s->loop);
	s->dial = http_send(s->http, &r);
}

struct ssh *ssh_open(struct loop *l, const struct ssh_spec *spec)
{
	static bool ready;
	struct ssh *s = X_NEW(struct ssh);

	if (!ready && libssh2_init(0) != 0)
		die("libssh2 cannot start");
	ready = true;
	s->loop = l;
	s->spec = *spec;
	s->fd = -1;
	s->key = ssh_own_key(&s->error);
	if (s->key)
		dial(s);
	else
		go_down(s);
	return s;
}

bool ssh_ready(const struct ssh *s)
{
	return s->step == STEP_READY && !s->command.on_done;
}

void ssh_run(struct ssh *s, const struct ssh_command *c)
{
	if (!ssh_ready(s))
		die("a command on a connection that is not ready");
	ssh_command_take(s, c);
	listen_on(s);
	pump(s);
}

/* The socket is shut first: nothing can block or wait then. */
static void free_session(struct ssh *s)
{
	if (s->session && s->step != STEP_DOWN)
		(void)libssh2_session_disconnect(s->session, "the end");
	if (s->fd >= 0)
		(void)shutdown(s->fd, SHUT_RDWR);
	for (int i = 0; s->session && i < FREE_TRIES; i++)
		if (libssh2_session_free(s->session) != LIBSSH2_ERROR_EAGAIN)
			s->session = NULL;
	if (s->fd >= 0)
		close(s->fd);
}

void ssh_close(struct ssh **sp)
{
	struct ssh *s = *sp;

	if (!s)
		return;
	*sp = NULL;
	loop_defer_drop(s->loop, s);
	loop_timer_cancel(&s->quiet);
	loop_fd_stop(&s->watch);
	http_cancel(&s->dial);
	http_free(s->http);
	free_session(s);
	ssh_command_forget(s);
	buf_fini(&s->out);
	buf_fini(&s->said);
	known_hosts_fini(&s->known);
	free(s->key);
	free(s);
}
