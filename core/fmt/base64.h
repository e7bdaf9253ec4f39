/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Base64 to bytes: both alphabets, with or without padding, white space skipped (certificates in
 * kubeconfig and GKE answers, parts of a JWT).
 */
#ifndef RLPILOT_FMT_BASE64_H
#define RLPILOT_FMT_BASE64_H

#include "core/base/buf.h"

#include <stddef.h>

/* Appends the bytes to out; -1 when s is not base64 (out then holds a part). */
int base64_decode(struct buf *out, const char *s, size_t n);

#endif
