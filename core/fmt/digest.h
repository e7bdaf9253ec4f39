/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SHA-256 of bytes and files, as 64 lower-case hexadecimal digits, base64 as certificates come in
 * it, and what SSH makes of both: fingerprints, hashed names. Together with fmt/jwt the only door
 * to libcrypto.
 */
#ifndef RLPILOT_FMT_DIGEST_H
#define RLPILOT_FMT_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#define DIGEST_SIZE 65 /* with the final NUL */

struct err;

void digest_bytes(const void *data, size_t n, char out[DIGEST_SIZE]);
/* ERR_BAD_FILE when it cannot be read. *size (may be NULL) gets the bytes read. */
int digest_file(const char *path, char out[DIGEST_SIZE], int64_t *size, struct err *e);
/* Decodes base64 (white space allowed); the memory is the caller's, NUL terminated, *n gets its
 * length. NULL when malformed. */
char *digest_base64_decode(const char *s, size_t *n);
/* The other way, with padding, without line ends; the caller's. */
char *digest_base64(const void *data, size_t n);
/* "SHA256:…" of a public key's bytes, as ssh-keygen -l writes it; the caller's. */
char *digest_fingerprint(const void *data, size_t n);
/* HMAC-SHA1 of a text in base64, by which known_hosts hides its names; the caller's. */
char *digest_hmac_sha1(const void *key, size_t key_n, const char *text);

#endif
