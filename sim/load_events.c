/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/load_events.h"

#include <string.h>

uint32_t events_crc(const void *data, size_t n)
{
	const unsigned char *p = data;
	uint32_t c = 0xffffffffu;

	for (size_t i = 0; i < n; i++) {
		c ^= p[i];
		for (int bit = 0; bit < 8; bit++)
			c = (c >> 1) ^ (c & 1 ? 0x82f63b78u : 0);
	}
	return c ^ 0xffffffffu;
}

static void add_le(struct buf *b, uint64_t v, int bytes)
{
	for (int i = 0; i < bytes; i++)
		buf_addc(b, (char)(v >> (8 * i) & 0xff));
}

static uint32_t masked(const void *data, size_t n)
{
	uint32_t c = events_crc(data, n);

	return ((c >> 15) | (c << 17)) + 0xa282ead8u;
}

static void add_record(struct buf *file, const struct buf *data)
{
	size_t at = file->len;

	add_le(file, data->len, 8);
	add_le(file, masked(file->data + at, 8), 4);
	buf_add(file, data->data, data->len);
	add_le(file, masked(data->data, data->len), 4);
}

static void add_varint(struct buf *b, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		buf_addc(b, (char)(v | 0x80));
	buf_addc(b, (char)v);
}

static void add_bytes(struct buf *b, int tag, const char *data, size_t n)
{
	buf_addc(b, (char)tag);
	add_varint(b, n);
	buf_add(b, data, n);
}

static void add_wall(struct buf *b, double wall)
{
	uint64_t bits;

	memcpy(&bits, &wall, sizeof(bits));
	buf_addc(b, 0x09);
	add_le(b, bits, 8);
}

void events_begin(struct buf *file, double wall)
{
	struct buf ev = {0};

	add_wall(&ev, wall);
	add_bytes(&ev, 0x1a, "brain.Event:2", 13);
	add_record(file, &ev);
	buf_fini(&ev);
}

void events_scalar(struct buf *file, double wall, int64_t step, const char *tag, float value)
{
	struct buf ev = {0}, item = {0}, summary = {0};
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	add_bytes(&item, 0x0a, tag, strlen(tag));
	buf_addc(&item, 0x15);
	add_le(&item, bits, 4);
	add_bytes(&summary, 0x0a, item.data, item.len);
	add_wall(&ev, wall);
	if (step != 0) {
		buf_addc(&ev, 0x10);
		add_varint(&ev, (uint64_t)step);
	}
	add_bytes(&ev, 0x2a, summary.data, summary.len);
	add_record(file, &ev);
	buf_fini(&ev);
	buf_fini(&item);
	buf_fini(&summary);
}
