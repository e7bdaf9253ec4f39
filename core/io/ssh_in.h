/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of ssh that know its connection: ssh.c holds it and goes from step to step, ssh_login.c has
 * the steps up to the login, ssh_command.c those of a command. Internal to these three, and the one
 * home of <libssh2.h>. A step gives 0 = on to the next one, LIBSSH2_ERROR_EAGAIN = wait, anything
 * else = the connection is lost.
 */
#ifndef RLPILOT_IO_SSH_IN_H
#define RLPILOT_IO_SSH_IN_H

#include <libssh2.h>

#include "core/base/err.h"
#include "core/fmt/known_hosts.h"
#include "core/io/ssh.h"

enum ssh_step {
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
	enum ssh_step step;
	size_t heard; /* bytes since the start */
	char *key;    /* file of our key */

	struct ssh_command command; /* on_done == NULL: none */
	char *line, *input;
	size_t sent;
	bool all_sent;
	struct buf out, said;
	int code;

	struct err error;
	bool again;
};

/* ssh_login.c */
/* Before the first step: what is known of the server decides which of its keys is asked for. */
void ssh_login_prefer(struct ssh *s);
/* Bytes come through us: libssh2 would look for a greeting in an endless stream for ever. */
void ssh_login_listen(struct ssh *s);
int ssh_login_hello(struct ssh *s);
int ssh_login_ask(struct ssh *s);
int ssh_login_try(struct ssh *s);

/* ssh_command.c */
/* Takes what is to be run and sent. */
void ssh_command_take(struct ssh *s, const struct ssh_command *c);
/* Wipes it. */
void ssh_command_forget(struct ssh *s);
int ssh_command_open(struct ssh *s);
int ssh_command_exec(struct ssh *s);
int ssh_command_talk(struct ssh *s);
int ssh_command_close(struct ssh *s);
int ssh_command_free(struct ssh *s);
int ssh_command_leave(struct ssh *s);

#endif
