/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RUN/engine: where the engine of a run lives and when it gave its last sign, written by rename.
 */
#ifndef RLPILOT_RUN_BEAT_H
#define RLPILOT_RUN_BEAT_H

#include <stddef.h>
#include <stdint.h>

struct err;

int beat_write(const char *run_dir, const char *host, int64_t pid, int64_t beat_ms, struct err *e);
/* -1 when there is none. */
int beat_read(const char *run_dir, char *host, size_t size, int64_t *pid, int64_t *beat_ms);

#endif
