/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of ssh: this person's files. Which private key logs in (~/.ssh/id_ed25519, id_ecdsa), and
 * what known_hosts (the person's and the system's) says about the key that a server shows. Reads,
 * never writes; knows no connection.
 */
#ifndef RLPILOT_IO_SSH_OWN_H
#define RLPILOT_IO_SSH_OWN_H

#include <stddef.h>

struct err;
struct known_hosts;
struct ssh_address;

/* The file of the first key that can be used, the caller's; NULL with what is wrong with the first
 * one that cannot. */
char *ssh_own_key(struct err *e);
/* What both files say of the server. */
void ssh_own_known(struct known_hosts *k, const struct ssh_address *a);
/* key: its public key as it is sent, of that type. -1 with what is to be done. */
int ssh_own_check(const struct known_hosts *k, const struct ssh_address *a, const char *type,
	const void *key, size_t n, struct err *e);

#endif
