/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TensorBoard event files, as tensorboardX writes them (facts: record_writer.py:184-203): records
 * of u64 length, masked CRC-32C of it, data, masked CRC-32C of the data. Bytes come in any chunks;
 * a short tail waits for more. A record that fails its checksum stops the reader: bytes already
 * seen of a file never change, so the cause is a wrong offset or a damaged file. Steps and tags are
 * given as written, no rule of a recipe is applied here.
 */
#ifndef RLPILOT_FMT_TFEVENT_H
#define RLPILOT_FMT_TFEVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/buf.h"

struct err;

struct tfevent_scalar {
	const char *tag; /* borrowed for the call, as written: text from outside */
	int64_t step;
	double value; /* a float32; NaN and infinities pass */
	double wall;  /* seconds since 1970 */
};

struct tfevent_reader {
	void (*scalar)(void *arg, const struct tfevent_scalar *s);
	void *arg;
	uint64_t offset; /* bytes of whole records read: where to go on after a lost stream */
	uint64_t records;
	struct buf rest; /* the tail that is not a whole record yet */
	bool broken;
};

/* A record larger than this is damage: the largest real one (a histogram) is far below. */
#define TFEVENT_RECORD_MAX ((uint64_t)8 << 20)

/* -1 when the file is damaged at r->offset; later calls answer -1 at once. */
int tfevent_feed(struct tfevent_reader *r, const void *data, size_t n, struct err *e);
void tfevent_fini(struct tfevent_reader *r);

#endif
