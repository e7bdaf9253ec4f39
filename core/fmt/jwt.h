/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON Web Tokens (RFC 7519) as Google's token service takes them: compact form, RS256. Signs by
 * libcrypto and reads claims without checking a signature: they tell who we are, they prove
 * nothing. Never asks for a passphrase; keys and intermediate texts are wiped.
 */
#ifndef RLPILOT_FMT_JWT_H
#define RLPILOT_FMT_JWT_H

#include <jansson.h>

struct err;

/* header.claims.signature, the caller's (x_wipe_free). key: PEM of an RSA private key (PKCS #8 or
 * #1); kid may be NULL. NULL with ERR_BAD_FILE when the key is none. */
char *jwt_sign(const char *kid, const json_t *claims, const char *key, struct err *e);
/* 0 when jwt_sign could use the key. */
int jwt_key_check(const char *key, struct err *e);
/* The claims of a token; a new reference, NULL when it is no token. */
json_t *jwt_claims(const char *token);

#endif
