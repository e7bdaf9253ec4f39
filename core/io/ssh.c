/* SPDX-License-Identifier: Apache-2.0 */
#include "core/io/ssh.h"

#include <libssh2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/base/err.h"
#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/known_hosts.h"
#include "core/io/http.h"
#include "core/io/loop.h"
#include "core/io/ssh_own.h"
#include "core/io/ssh_words.h"

#define QUIET_MS   20000 /* wall: nothing comes for that long: the connection is lost */
#define SAID_MAX   ((size_t)4 << 10)
#define FREE_TRIES 64

enum step {
	STEP_DIAL,
	STEP_HELLO, /* versions, keys, ciphers; then the host key */
	STEP_ASK,   /* which logins are there? */
	STEP_LOGIN,
	STEP_READY,
	STEP_OPEN, /* a command: its channel */
	STEP_EXEC,
	STEP_TALK,
	STEP_CLOSE,
	STEP_FREE,
	STEP_LEAVE, /* it goes on there */
	STEP_DOWN,
};

struct ssh {
	struct loop *loop;
	struct ssh_spec spec;
	struct http *http; /* connects: names are looked up without blocking */
	struct http_call *dial;
	int fd;
	struct loop_fd *watch;
	struct loop_timer *quiet;
	LIBSSH2_SESSION *session;
	struct known_hosts known;
	LIBSSH2_CHANNEL *channel;
	enum step step;
	char *key; /* file of our key */

	struct ssh_command command; /* on_done == NULL: none */
	char *line, *input;
	size_t sent;
	bool all_sent;
	struct buf out, said;
	int code;

	struct err error;
	bool again;
};

/* Kinds of host keys, the wanted one first. RSA is not among them: libssh2 before 1.11 knows only
 * its SHA-1 form, which servers no longer offer. */
static const struct {
	const char *name;
	int type;
} kinds[] = {
	{"ssh-ed25519", LIBSSH2_HOSTKEY_TYPE_ED25519},
	{"ecdsa-sha2-nistp256", LIBSSH2_HOSTKEY_TYPE_ECDSA_256},
	{"ecdsa-sha2-nistp384", LIBSSH2_HOSTKEY_TYPE_ECDSA_384},
	{"ecdsa-sha2-nistp521", LIBSSH2_HOSTKEY_TYPE_ECDSA_521},
};

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

/* --- host key */

static const char *kind_name(int type)
{
	for (size_t i = 0; i < COUNT(kinds); i++)
		if (kinds[i].type == type)
			return kinds[i].name;
	return "";
}

/* Kinds of which a key of this host is known come first, so that the server shows one of them. */
static void prefer_known(struct ssh *s)
{
	AUTO(buf_fini) struct buf list = {0};

	for (int known = 1; known >= 0; known--)
		for (size_t i = 0; i < COUNT(kinds); i++)
			if (known_hosts_has(&s->known, kinds[i].name) == (known != 0))
				buf_addf(&list, "%s%s", list.len ? "," : "", kinds[i].name);
	(void)libssh2_session_method_pref(s->session, LIBSSH2_METHOD_HOSTKEY, buf_str(&list));
}

static int check_host(struct ssh *s)
{
	size_t n = 0;
	int type = 0;
	const char *key = libssh2_session_hostkey(s->session, &n, &type);

	return ssh_own_check(
		&s->known, &s->spec.at, kind_name(type), key ? key : "", key ? n : 0, &s->error);
}

/* --- the steps: 0 = the next one, LIBSSH2_ERROR_EAGAIN = wait, else the connection is lost */

static int say_hello(struct ssh *s)
{
	int rc = libssh2_session_handshake(s->session, s->fd);

	if (rc == LIBSSH2_ERROR_KEX_FAILURE || rc == LIBSSH2_ERROR_METHOD_NONE)
		return ssh_say_no_common(&s->spec.at, &s->error);
	if (rc != 0)
		return rc;
	s->step = STEP_ASK;
	return check_host(s);
}

static int ask_logins(struct ssh *s)
{
	const struct ssh_address *a = &s->spec.at;
	const char *list = libssh2_userauth_list(s->session, a->user, (unsigned)strlen(a->user));

	if (!list && libssh2_userauth_authenticated(s->session))
		s->step = STEP_READY;
	else if (list)
		s->step = STEP_LOGIN;
	else
		return libssh2_session_last_errno(s->session);
	return 0;
}

/* A connection that breaks while the answer is waited for is no answer. */
static bool broken(const struct ssh *s)
{
	char c;

	return recv(s->fd, &c, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

static int refuse_login(struct ssh *s, int rc)
{
	if (rc == LIBSSH2_ERROR_FILE)
		return ssh_say_locked(s->key, &s->error);
	if (rc == LIBSSH2_ERROR_PUBLICKEY_UNVERIFIED && broken(s))
		return LIBSSH2_ERROR_SOCKET_DISCONNECT;
	if (rc == LIBSSH2_ERROR_AUTHENTICATION_FAILED || rc == LIBSSH2_ERROR_PUBLICKEY_UNVERIFIED)
		return ssh_say_refused(&s->spec.at, s->key, &s->error);
	return rc;
}

static int log_in(struct ssh *s)
{
	const char *user = s->spec.at.user;
	int rc = libssh2_userauth_publickey_fromfile_ex(
		s->session, user, (unsigned)strlen(user), NULL, s->key, NULL);

	if (rc == LIBSSH2_ERROR_EAGAIN)
		return rc;
	if (rc != 0)
		return refuse_login(s, rc);
	s->step = STEP_READY;
	return 0;
}

static int open_channel(struct ssh *s)
{
	s->channel = libssh2_channel_open_session(s->session);
	if (!s->channel)
		return libssh2_session_last_errno(s->session);
	s->step = STEP_EXEC;
	return 0;
}

static int start_command(struct ssh *s)
{
	int rc = libssh2_channel_exec(s->channel, s->line);

	if (rc == 0)
		s->step = STEP_TALK;
	return rc;
}

static ssize_t send_input(struct ssh *s)
{
	while (s->sent < s->command.input_n) {
		ssize_t n = libssh2_channel_write(
			s->channel, s->input + s->sent, s->command.input_n - s->sent);
		if (n < 0)
			return n;
		s->sent += (size_t)n;
	}
	if (!s->all_sent) {
		int rc = libssh2_channel_send_eof(s->channel);
		if (rc != 0)
			return rc;
		s->all_sent = true;
	}
	return 0;
}

static ssize_t read_some(struct ssh *s, int stream, struct buf *b)
{
	char block[16384];
	ssize_t n;

	while ((n = libssh2_channel_read_ex(s->channel, stream, block, sizeof(block))) > 0)
		buf_add(b, block, (size_t)n);
	return n;
}

static int talk(struct ssh *s)
{
	ssize_t sent = send_input(s), out = read_some(s, 0, &s->out),
		said = read_some(s, SSH_EXTENDED_DATA_STDERR, &s->said);

	if (s->out.cut)
		return err_set(&s->error, ERR_UNREACHABLE,
			_("look at its login scripts: they must be silent"),
			_("%s sends more than was asked for"), s->spec.at.host);
	if (libssh2_channel_eof(s->channel) == 1) {
		s->step = s->command.leave ? STEP_LEAVE : STEP_CLOSE;
		return 0;
	}
	if (sent < 0 && sent != LIBSSH2_ERROR_EAGAIN)
		return (int)sent;
	if (out < 0 && out != LIBSSH2_ERROR_EAGAIN)
		return (int)out;
	return said < 0 && said != LIBSSH2_ERROR_EAGAIN ? (int)said : LIBSSH2_ERROR_EAGAIN;
}

/* Without this wait the exit status may be read before it has come. */
static int close_channel(struct ssh *s)
{
	int rc = libssh2_channel_close(s->channel);

	if (rc == 0)
		rc = libssh2_channel_wait_closed(s->channel);
	if (rc != 0)
		return rc;
	s->code = libssh2_channel_get_exit_status(s->channel);
	s->step = STEP_FREE;
	return 0;
}

static void tell_done(void *arg)
{
	struct ssh *s = arg;
	struct ssh_command c = s->command;
	AUTO(buf_fini) struct buf out = s->out;
	AUTO(buf_fini) struct buf said = {0};
	AUTO(buf_fini) struct buf raw = s->said;

	s->command = (struct ssh_command){0};
	s->out = s->said = (struct buf){0};
	text_clean(&said, buf_str(&raw), raw.len);
	c.on_done(c.arg, s->code, &out, buf_str(&said));
}

static void forget_command(struct ssh *s)
{
	if (s->input)
		explicit_bzero(s->input, s->command.input_n);
	free(s->input);
	free(s->line);
	s->input = s->line = NULL;
	s->sent = 0;
	s->all_sent = false;
}

static int end_command(struct ssh *s)
{
	s->channel = NULL;
	forget_command(s);
	s->step = STEP_READY;
	loop_defer(s->loop, tell_done, s);
	return 0;
}

static int free_channel(struct ssh *s)
{
	int rc = libssh2_channel_free(s->channel);

	return rc != 0 ? rc : end_command(s);
}

/* The server closes the channel only when the command has ended: it stays, and goes with the
 * session. */
static int leave_channel(struct ssh *s)
{
	s->code = -1;
	return end_command(s);
}

static void tell_ready(void *arg)
{
	struct ssh *s = arg;

	s->spec.on_ready(s->spec.arg);
}

static int (*const steps[])(struct ssh *s) = {
	[STEP_HELLO] = say_hello,
	[STEP_ASK] = ask_logins,
	[STEP_LOGIN] = log_in,
	[STEP_OPEN] = open_channel,
	[STEP_EXEC] = start_command,
	[STEP_TALK] = talk,
	[STEP_CLOSE] = close_channel,
	[STEP_FREE] = free_channel,
	[STEP_LEAVE] = leave_channel,
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
	s->session = libssh2_session_init();
	if (!s->watch || !s->session)
		die("libssh2 cannot start");
	libssh2_session_set_blocking(s->session, 0);
	ssh_own_known(&s->known, &s->spec.at);
	prefer_known(s);
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
	s->command = *c;
	s->line = x_strdup(c->line);
	if (c->input_n) {
		s->input = x_malloc(c->input_n);
		memcpy(s->input, c->input, c->input_n);
	}
	s->out.max = c->max;
	s->said.max = SAID_MAX;
	s->step = STEP_OPEN;
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
	forget_command(s);
	buf_fini(&s->out);
	buf_fini(&s->said);
	known_hosts_fini(&s->known);
	free(s->key);
	free(s);
}
