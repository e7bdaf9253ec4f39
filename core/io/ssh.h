/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One connection to an SSH server on the loop (libssh2, never blocking) and commands on it, one
 * after the other. The host key is checked against ~/.ssh/known_hosts and /etc/ssh/ssh_known_hosts,
 * always; the login is by the key ~/.ssh/id_ed25519 or id_ecdsa. Callbacks come from the loop,
 * never from inside a function of this file. What a command reads and writes is bounded. Nothing
 * here asks a person, writes a file or tries again: who holds the connection decides that.
 */
#ifndef RLPILOT_IO_SSH_H
#define RLPILOT_IO_SSH_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/buf.h"

#define SSH_PORT 22

struct err;
struct loop;
struct ssh;

/* Where: user@host[:port], user@[IPv6][:port]. */
struct ssh_address {
	char user[64], host[256];
	int port;
};

/* ERR_USAGE with the form as cure. */
int ssh_address_parse(const char *text, struct ssh_address *out, struct err *e);

struct ssh_spec {
	struct ssh_address at;
	void (*on_ready)(void *arg); /* logged in: ssh_run may be called */
	/* Once, at any time: the connection is not there, or no more. again: it may come back by
	 * itself; else a person must do something first (host key, login, address). */
	void (*on_down)(void *arg, const struct err *e, bool again);
	void *arg;
};

struct ssh_command {
	const char *line;  /* for the login shell there; quoted by the caller */
	const void *input; /* its stdin, copied and wiped; NULL = empty */
	size_t input_n;
	size_t max; /* bytes of output taken; more is an error of the connection */
	bool leave; /* done as soon as its stdout has ended: it goes on there */
	/* Its stdout has ended; code = exit status, -1 = left, or killed. */
	void (*on_done)(void *arg, int code, struct buf *out, const char *said);
	void *arg;
};

struct ssh *ssh_open(struct loop *l, const struct ssh_spec *spec);
/* Only while ready and no other command runs. */
void ssh_run(struct ssh *s, const struct ssh_command *c);
bool ssh_ready(const struct ssh *s); /* logged in, and no command runs */
/* No callback any more; sets *s to NULL. What was started there goes on. */
void ssh_close(struct ssh **s);

#endif
