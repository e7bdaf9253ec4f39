/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of ssh: names of a server, and what people are told about its host key and about logins.
 * The say functions fill e and return -1. Knows no connection.
 */
#ifndef RLPILOT_IO_SSH_WORDS_H
#define RLPILOT_IO_SSH_WORDS_H

#include "core/io/ssh.h"

/* user@host[:port]; the caller's. */
char *ssh_place(const struct ssh_address *a);
/* As known_hosts names it: host, or [host]:port; the caller's. */
char *ssh_known_name(const struct ssh_address *a);

/* hash: SHA-256 of the key that it shows, 32 bytes, or NULL. */
int ssh_say_unknown(const struct ssh_address *a, const char *hash, struct err *e);
int ssh_say_changed(const struct ssh_address *a, struct err *e);
int ssh_say_refused(const struct ssh_address *a, const char *key, struct err *e);
int ssh_say_locked(const char *key, struct err *e);

#endif
