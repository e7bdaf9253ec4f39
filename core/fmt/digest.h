/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SHA-256 of bytes and files, as 64 lower-case hexadecimal digits, and base64 as certificates come
 * in it. Together with fmt/jwt the only door to libcrypto.
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

#endif
