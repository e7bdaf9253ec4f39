/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A throw-away certificate authority and one server certificate for 127.0.0.1 and localhost, made
 * in memory at start. Validity is in real time, wide enough for the pretend one. Keys never reach a
 * file.
 */
#ifndef RLPILOT_SIM_CERT_H
#define RLPILOT_SIM_CERT_H

struct err;

struct cert {
	char *ca_pem, *server_pem, *key_pem;
};

int cert_make(struct cert *c, struct err *e);
void cert_fini(struct cert *c); /* wipes the key */

#endif
