/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/hash.h"

#include "core/base/mem.h"
#include "sim/world.h"
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <stdio.h>
#include <string.h>

/* Castagnoli, reflected, bit by bit: objects with data are small. */
static uint32_t crc32c(const char *data, size_t n)
{
	uint32_t crc = 0xffffffffU;
	for (size_t i = 0; i < n; i++) {
		crc ^= (unsigned char)data[i];
		for (int bit = 0; bit < 8; bit++)
			crc = (crc >> 1) ^ (0x82f63b78U & (0U - (crc & 1U)));
	}
	return ~crc;
}

static void base64(const unsigned char *bytes, unsigned n, char *out, size_t size)
{
	gnutls_datum_t in = {(unsigned char *)(uintptr_t)bytes, n};
	gnutls_datum_t text;
	if (gnutls_base64_encode2(&in, &text) < 0)
		die("base64 of a hash");
	snprintf(out, size, "%.*s", (int)text.size, (const char *)text.data);
	gnutls_free(text.data);
}

void hash_object(struct object *o)
{
	unsigned char md5[16];
	o->md5[0] = o->crc32c[0] = '\0';
	if (!o->data)
		return;
	size_t n = (size_t)o->size;
	uint32_t crc = crc32c(o->data, n);
	unsigned char big[4] = {(unsigned char)(crc >> 24), (unsigned char)(crc >> 16),
		(unsigned char)(crc >> 8), (unsigned char)crc};
	if (gnutls_hash_fast(GNUTLS_DIG_MD5, o->data, n, md5) < 0)
		memset(md5, 0, sizeof(md5));
	base64(md5, sizeof(md5), o->md5, sizeof(o->md5));
	base64(big, sizeof(big), o->crc32c, sizeof(o->crc32c));
}
