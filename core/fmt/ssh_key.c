/* SPDX-License-Identifier: Apache-2.0 */
#include "core/fmt/ssh_key.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/digest.h"

#define MAGIC      "openssh-key-v1" /* with its NUL, PROTOCOL.key of OpenSSH */
#define HEAD_CHARS 200              /* of base64: what is secret comes later */

struct reader {
	const unsigned char *p;
	size_t left;
};

static bool number(struct reader *r, uint32_t *out)
{
	if (r->left < 4)
		return false;
	*out = (uint32_t)r->p[0] << 24 | (uint32_t)r->p[1] << 16 | (uint32_t)r->p[2] << 8 | r->p[3];
	r->p += 4;
	r->left -= 4;
	return true;
}

static bool string(struct reader *r, const char **s, uint32_t *n)
{
	if (!number(r, n) || *n > r->left)
		return false;
	*s = (const char *)r->p;
	r->p += *n;
	r->left -= *n;
	return true;
}

static bool is(const char *s, uint32_t n, const char *word)
{
	return n == strlen(word) && memcmp(s, word, n) == 0;
}

static enum ssh_key_kind kind_of(const char *s, uint32_t n)
{
	if (is(s, n, "ssh-rsa"))
		return SSH_KEY_RSA;
	return is(s, n, "ssh-ed25519") || (n > 12 && memcmp(s, "ecdsa-sha2-n", 12) == 0)
		       ? SSH_KEY_PLAIN
		       : SSH_KEY_OTHER;
}

/* MAGIC, cipher, kdf, its options, how many keys, the length and the kind of the first public key.
 */
static enum ssh_key_kind openssh(const char *base64, bool *locked)
{
	size_t all_n = 0;
	AUTO_FREE char *all = digest_base64_decode(base64, &all_n);
	struct reader r = {(const unsigned char *)all, all_n};
	const char *s;
	uint32_t n;

	if (!all || all_n < sizeof(MAGIC) || memcmp(all, MAGIC, sizeof(MAGIC)) != 0)
		return SSH_KEY_NONE;
	r.p += sizeof(MAGIC);
	r.left -= sizeof(MAGIC);
	if (!string(&r, &s, &n))
		return SSH_KEY_NONE;
	*locked = !is(s, n, "none");
	if (!string(&r, &s, &n) || !string(&r, &s, &n) || !number(&r, &n) || !number(&r, &n))
		return SSH_KEY_NONE;
	return string(&r, &s, &n) ? kind_of(s, n) : SSH_KEY_NONE;
}

/* The first HEAD_CHARS of the text without its white space; the caller's. */
static char *head_of(const char *text)
{
	char *out = x_calloc(HEAD_CHARS + 1, 1);

	for (size_t n = 0; *text && *text != '-' && n < HEAD_CHARS; text++)
		if (!isspace((unsigned char)*text))
			out[n++] = *text;
	return out;
}

enum ssh_key_kind ssh_key_look(const char *text, bool *locked)
{
	static const struct {
		const char *head;
		enum ssh_key_kind kind;
	} heads[] = {
		{"-----BEGIN RSA PRIVATE KEY-----", SSH_KEY_RSA},
		{"-----BEGIN EC PRIVATE KEY-----", SSH_KEY_PLAIN},
		{"-----BEGIN DSA PRIVATE KEY-----", SSH_KEY_OTHER},
		{"-----BEGIN PRIVATE KEY-----", SSH_KEY_PLAIN},
		{"-----BEGIN ENCRYPTED PRIVATE KEY-----", SSH_KEY_PLAIN},
	};
	static const char own[] = "-----BEGIN OPENSSH PRIVATE KEY-----";
	const char *at = strstr(text, own);
	enum ssh_key_kind kind = SSH_KEY_NONE;

	*locked = false;
	if (at) {
		AUTO_FREE char *head = head_of(at + strlen(own));

		return openssh(head, locked);
	}
	for (size_t i = 0; i < COUNT(heads) && kind == SSH_KEY_NONE; i++)
		if (strstr(text, heads[i].head))
			kind = heads[i].kind;
	*locked = kind != SSH_KEY_NONE && strstr(text, "ENCRYPTED") != NULL;
	return kind;
}
