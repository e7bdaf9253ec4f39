/* SPDX-License-Identifier: Apache-2.0 */
#include "core/fmt/base64.h"

#include <stdint.h>

static int value_of(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	if (c == '+' || c == '-')
		return 62;
	if (c == '/' || c == '_')
		return 63;
	return -1;
}

int base64_decode(struct buf *out, const char *s, size_t n)
{
	uint32_t bits = 0;
	size_t held = 0, digits = 0, padding = 0;

	for (size_t i = 0; i < n; i++) {
		int v = value_of(s[i]);

		if (s[i] == ' ' || s[i] == '\n' || s[i] == '\r' || s[i] == '\t')
			continue;
		if (s[i] == '=') {
			padding++;
			continue;
		}
		if (v < 0 || padding)
			return -1;
		digits++;
		bits = (bits << 6 | (uint32_t)v) & 0xffffff;
		held += 6;
		if (held >= 8) {
			held -= 8;
			buf_addc(out, (char)(bits >> held & 0xff));
		}
	}
	return digits % 4 == 1 || padding > 2 ? -1 : 0;
}
