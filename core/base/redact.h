/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Secrets by value and by pattern. Every secret the program learns is registered here; whatever is
 * shown, logged or saved and comes from outside passes redact(). Patterns: hf_…, ya29.…, 1//…, PEM
 * blocks.
 */
#ifndef RLPILOT_BASE_REDACT_H
#define RLPILOT_BASE_REDACT_H

#include <stddef.h>

struct buf;

/* Registers a secret value (copied, wiped at exit); shorter than 6 bytes is ignored. `name` is what
 * is shown instead, e.g. "$HF_TOKEN"; static. */
void redact_add(const char *secret, const char *name);
/* Appends s with every secret replaced. */
void redact(struct buf *out, const char *s, size_t n);
char *redact_dup(const char *s); /* the caller's */
void redact_wipe(void);

#endif
