/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the text of an SSH private key tells without opening it: of which kind it is and whether it
 * has a passphrase. OpenSSH's own form and the PEM forms. Pure; keeps nothing of the key.
 */
#ifndef RLPILOT_FMT_SSH_KEY_H
#define RLPILOT_FMT_SSH_KEY_H

#include <stdbool.h>

enum ssh_key_kind {
	SSH_KEY_NONE,  /* no private key */
	SSH_KEY_PLAIN, /* ed25519 or ECDSA */
	SSH_KEY_RSA,
	SSH_KEY_OTHER, /* DSA, or one that lives in a device */
};

enum ssh_key_kind ssh_key_look(const char *text, bool *locked);

#endif
