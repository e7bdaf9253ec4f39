/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SHA-256 of bytes and files, as 64 lower-case hexadecimal digits.
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

#endif
