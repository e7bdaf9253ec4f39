/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of ssh: names of a server, and what people are told about its host key and about logins.
 * The say functions fill e and return -1. Knows no connection.
 */
#ifndef RLPILOT_IO_SSH_WORDS_H
#define RLPILOT_IO_SSH_WORDS_H

#include "core/fmt/known_hosts.h"
#include "core/io/ssh.h"

/* user@host[:port]; the caller's. */
char *ssh_place(const struct ssh_address *a);
/* As known_hosts names it: host, or [host]:port; the caller's. */
char *ssh_known_name(const struct ssh_address *a);

/* print: fingerprint of the key that it shows; at: the line of known_hosts that decides. */
int ssh_say_unknown(const struct ssh_address *a, const char *print, struct err *e);
int ssh_say_other(const struct ssh_address *a, const char *type, const char *print,
	const struct known_host *at, struct err *e);
int ssh_say_changed(
	const struct ssh_address *a, const char *print, const struct known_host *at, struct err *e);
int ssh_say_revoked(
	const struct ssh_address *a, const char *print, const struct known_host *at, struct err *e);
int ssh_say_no_server(const struct ssh_address *a, struct err *e);
int ssh_say_no_common(const struct ssh_address *a, struct err *e);

/* key: the file of ours. */
int ssh_say_refused(const struct ssh_address *a, const char *key, struct err *e);
int ssh_say_no_key(struct err *e);
int ssh_say_locked(const char *key, struct err *e);
int ssh_say_wrong_kind(const char *key, bool rsa, struct err *e);
int ssh_say_open_to_all(const char *key, unsigned mode, struct err *e);

#endif
