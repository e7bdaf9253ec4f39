/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A TensorBoard event file as tensorboardX builds it in memory (facts/maxtext-run.md section 2.4):
 * records with masked CRC32C, one scalar an event, simple_value. It only grows. Shares no code with
 * the reader.
 */
#ifndef RLPILOT_SIM_LOAD_EVENTS_H
#define RLPILOT_SIM_LOAD_EVENTS_H

#include "core/base/buf.h"

#include <stdint.h>

/* The first record. wall: seconds since 1970. */
void events_begin(struct buf *file, double wall);
void events_scalar(struct buf *file, double wall, int64_t step, const char *tag, float value);
uint32_t events_crc(const void *data, size_t n); /* CRC32C, not masked */

#endif
