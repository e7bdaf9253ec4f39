/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CRC-32C (Castagnoli, RFC 3720 B.4), as TensorBoard records and Cloud Storage use it. Debian has
 * no small C library for it. Slicing by eight: the event file of a million records must read at 100
 * MB/s.
 */
#ifndef RLPILOT_FMT_CRC32C_H
#define RLPILOT_FMT_CRC32C_H

#include <stddef.h>
#include <stdint.h>

uint32_t crc32c(const void *data, size_t n);
/* TensorFlow's masked form: rotated right by 15 and offset (tensorboardX record_writer.py:201-203).
 */
uint32_t crc32c_masked(const void *data, size_t n);

#endif
