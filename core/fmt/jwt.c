/* SPDX-License-Identifier: Apache-2.0 */
#include "core/fmt/jwt.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/digest.h"
#include "core/fmt/json.h"

/* Base64 with the URL alphabet and without padding. */
static void add_base64url(struct buf *out, const unsigned char *data, size_t n)
{
	unsigned char *text = x_malloc(4 * ((n + 2) / 3) + 1);
	int len = EVP_EncodeBlock(text, data, (int)n);

	for (int i = 0; i < len && text[i] != '='; i++)
		buf_addc(out, text[i] == '+' ? '-' : text[i] == '/' ? '_' : (char)text[i]);
	free(text);
}

/* Without it libcrypto would ask on the terminal. */
static int no_passphrase(char *out, int size, int writing, void *arg)
{
	(void)out;
	(void)size;
	(void)writing;
	(void)arg;
	return 0;
}

static EVP_PKEY *read_key(const char *pem, struct err *e)
{
	BIO *bio = BIO_new_mem_buf(pem, -1);
	EVP_PKEY *key = bio ? PEM_read_bio_PrivateKey(bio, NULL, no_passphrase, NULL) : NULL;
	int kind = key ? EVP_PKEY_base_id(key) : EVP_PKEY_NONE;

	BIO_free(bio);
	ERR_clear_error();
	if (kind == EVP_PKEY_RSA)
		return key;
	EVP_PKEY_free(key);
	err_set(e, ERR_BAD_FILE, _("download the key again"), "%s",
		kind != EVP_PKEY_NONE        ? _("the private key is not an RSA key")
		: strstr(pem, "ENCRYPTED")   ? _("the private key is locked by a passphrase")
		: strstr(pem, "-----BEGIN ") ? _("the private key is damaged")
					     : _("the private key is not in PEM form"));
	return NULL;
}

int jwt_key_check(const char *key, struct err *e)
{
	EVP_PKEY *k = read_key(key, e);
	int rc = k ? 0 : -1;

	EVP_PKEY_free(k);
	return rc;
}

static void add_part(struct buf *out, const json_t *j)
{
	char *text = json_line(j);

	add_base64url(out, (const unsigned char *)text, strlen(text));
	x_wipe_free(text);
}

/* Appends ".signature" of what is in b. */
static void add_signature(struct buf *b, EVP_PKEY *key)
{
	EVP_MD_CTX *c = EVP_MD_CTX_new();
	size_t n = (size_t)EVP_PKEY_size(key);
	unsigned char *raw = x_malloc(n);

	if (!c || EVP_DigestSignInit(c, NULL, EVP_sha256(), NULL, key) != 1 ||
		EVP_DigestSign(c, raw, &n, (const unsigned char *)b->data, b->len) != 1)
		die("libcrypto does not sign");
	EVP_MD_CTX_free(c);
	buf_addc(b, '.');
	add_base64url(b, raw, n);
	free(raw);
}

char *jwt_sign(const char *kid, const json_t *claims, const char *key, struct err *e)
{
	EVP_PKEY *k = read_key(key, e);
	AUTO(json_auto) json_t *head = NULL;
	struct buf b = {0};

	if (!k)
		return NULL;
	head = json_pack("{s:s, s:s, s:s*}", "alg", "RS256", "typ", "JWT", "kid", kid);
	add_part(&b, head);
	buf_addc(&b, '.');
	add_part(&b, claims);
	add_signature(&b, k);
	EVP_PKEY_free(k);
	return buf_take(&b);
}

json_t *jwt_claims(const char *token)
{
	const char *body = token ? strchr(token, '.') : NULL;
	const char *end = body ? strchr(body + 1, '.') : NULL;
	AUTO(buf_fini) struct buf text = {0};
	AUTO_FREE char *bytes = NULL;
	json_t *claims;
	size_t n;

	if (!end)
		return NULL;
	for (const char *p = body + 1; p < end; p++)
		buf_addc(&text, *p == '-' ? '+' : *p == '_' ? '/' : *p);
	while (text.len % 4)
		buf_addc(&text, '=');
	bytes = digest_base64_decode(buf_str(&text), &n);
	claims = bytes ? json_parse(bytes, n, NULL) : NULL;
	if (json_is_object(claims))
		return claims;
	json_decref(claims);
	return NULL;
}
