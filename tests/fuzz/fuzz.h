/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What fuzz targets share. A target is one file with LLVMFuzzerTestOneInput: under libFuzzer
 * (--enable-fuzzing) it invents inputs, linked with replay.c it runs the kept corpus in `make
 * check`. Besides crashes, leaks and undefined behaviour it looks for broken promises of the
 * headers: MUST states them. Inputs are the bytes as they come; nothing outlives a call.
 */
#ifndef RLPILOT_FUZZ_FUZZ_H
#define RLPILOT_FUZZ_FUZZ_H

#include "core/base/mem.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition))                                                                  \
			die("%s:%d: %s", __FILE__, __LINE__, #condition);                          \
	} while (0)

/* The input as a string, cut at its first NUL; the caller's. */
static inline char *fuzz_string(const uint8_t *data, size_t size)
{
	return x_strndup((const char *)data, size);
}

/* Length of the next chunk of n left bytes, 1..n, decided by a seed that goes on. */
static inline size_t fuzz_chunk(uint32_t *seed, size_t n)
{
	*seed = *seed * 1664525u + 1013904223u;
	return 1 + (*seed >> 16) % (n < 64 ? n : 64);
}

#endif
