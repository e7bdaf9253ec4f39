/* SPDX-License-Identifier: Apache-2.0 */
#include "core/fmt/digest.h"

#include <ctype.h>
#include <errno.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/text.h"

static EVP_MD_CTX *start(void)
{
	EVP_MD_CTX *c = EVP_MD_CTX_new();

	if (!c || EVP_DigestInit_ex(c, EVP_sha256(), NULL) != 1)
		die("libcrypto offers no SHA-256");
	return c;
}

static void finish(EVP_MD_CTX *c, char out[DIGEST_SIZE])
{
	static const char hex[] = "0123456789abcdef";
	unsigned char raw[EVP_MAX_MD_SIZE];
	unsigned int n = 0;

	if (EVP_DigestFinal_ex(c, raw, &n) != 1 || n != (DIGEST_SIZE - 1) / 2)
		die("SHA-256 did not finish");
	for (unsigned int i = 0; i < n; i++) {
		out[2 * i] = hex[raw[i] >> 4];
		out[2 * i + 1] = hex[raw[i] & 15];
	}
	out[DIGEST_SIZE - 1] = 0;
	EVP_MD_CTX_free(c);
}

static void more(EVP_MD_CTX *c, const void *data, size_t n)
{
	if (EVP_DigestUpdate(c, data, n) != 1)
		die("SHA-256 refused its data");
}

void digest_bytes(const void *data, size_t n, char out[DIGEST_SIZE])
{
	EVP_MD_CTX *c = start();

	more(c, data, n);
	finish(c, out);
}

int digest_file(const char *path, char out[DIGEST_SIZE], int64_t *size, struct err *e)
{
	unsigned char block[16384];
	int64_t total = 0;
	size_t n;
	EVP_MD_CTX *c;
	FILE *f = fopen(path, "rbe");

	out[0] = 0;
	if (!f)
		return err_errno(e, ERR_BAD_FILE, errno, _("check the path and its rights"),
			_("cannot read %s"), path);
	c = start();
	while ((n = fread(block, 1, sizeof(block), f)) > 0) {
		more(c, block, n);
		total += (int64_t)n;
	}
	finish(c, out);
	if (ferror(f)) {
		out[0] = 0;
		fclose(f);
		return err_errno(e, ERR_BAD_FILE, errno ? errno : EIO, _("check the disk"),
			_("cannot read %s to its end"), path);
	}
	fclose(f);
	if (size)
		*size = total;
	return 0;
}

char *digest_base64_decode(const char *s, size_t *n)
{
	size_t len = 0, pad = 0;
	char *in = x_malloc(strlen(s) + 1);
	unsigned char *out;
	int got;

	for (; *s; s++)
		if (!isspace((unsigned char)*s))
			in[len++] = *s;
	while (pad < 2 && pad < len && in[len - 1 - pad] == '=')
		pad++;
	out = x_malloc(len / 4 * 3 + 1);
	got = len % 4 || len > INT32_MAX
		      ? -1
		      : EVP_DecodeBlock(out, (const unsigned char *)in, (int)len);
	free(in);
	if (got < (int)pad) {
		free(out);
		return NULL;
	}
	*n = (size_t)got - pad;
	out[*n] = 0;
	return (char *)out;
}

char *digest_base64(const void *data, size_t n)
{
	char *out = x_malloc(n / 3 * 4 + 5);

	if (n > INT32_MAX / 2)
		die("%zu bytes for base64", n);
	(void)EVP_EncodeBlock((unsigned char *)out, data, (int)n);
	return out;
}

char *digest_fingerprint(const void *data, size_t n)
{
	unsigned char raw[EVP_MAX_MD_SIZE];
	unsigned int raw_n = 0;
	AUTO_FREE char *text = NULL;

	if (EVP_Digest(data, n, raw, &raw_n, EVP_sha256(), NULL) != 1)
		die("SHA-256 did not finish");
	text = digest_base64(raw, raw_n);
	text[strcspn(text, "=")] = '\0';
	return x_asprintf("SHA256:%s", text);
}

char *digest_hmac_sha1(const void *key, size_t key_n, const char *text)
{
	unsigned char raw[EVP_MAX_MD_SIZE];
	unsigned int n = 0;

	if (key_n > INT32_MAX || !HMAC(EVP_sha1(), key, (int)key_n, (const unsigned char *)text,
					 strlen(text), raw, &n))
		die("libcrypto offers no HMAC-SHA1");
	return digest_base64(raw, n);
}
