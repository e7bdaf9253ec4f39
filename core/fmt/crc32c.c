/* SPDX-License-Identifier: Apache-2.0 */
#include "core/fmt/crc32c.h"

#include <stdbool.h>

#define POLYNOMIAL 0x82f63b78u /* reflected */

static uint32_t table[8][256];
static bool ready;

static void fill(void)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i;

		for (int bit = 0; bit < 8; bit++)
			c = c >> 1 ^ (c & 1 ? POLYNOMIAL : 0);
		table[0][i] = c;
	}
	for (uint32_t i = 0; i < 256; i++)
		for (int k = 1; k < 8; k++)
			table[k][i] = table[k - 1][i] >> 8 ^ table[0][table[k - 1][i] & 0xff];
	ready = true;
}

uint32_t crc32c(const void *data, size_t n)
{
	const unsigned char *p = data;
	uint32_t c = 0xffffffffu;

	if (!ready)
		fill();
	for (; n >= 8; p += 8, n -= 8) {
		c ^= (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
		     (uint32_t)p[3] << 24;
		c = table[7][c & 0xff] ^ table[6][c >> 8 & 0xff] ^ table[5][c >> 16 & 0xff] ^
		    table[4][c >> 24] ^ table[3][p[4]] ^ table[2][p[5]] ^ table[1][p[6]] ^
		    table[0][p[7]];
	}
	while (n--)
		c = c >> 8 ^ table[0][(c ^ *p++) & 0xff];
	return ~c;
}

uint32_t crc32c_masked(const void *data, size_t n)
{
	uint32_t c = crc32c(data, n);

	return (c >> 15 | c << 17) + 0xa282ead8u;
}
