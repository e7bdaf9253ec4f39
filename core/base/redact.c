/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/redact.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/base/vec.h"

struct secret {
	char *value;
	size_t len;
	const char *name;
};

static struct {
	struct secret *items;
	size_t n, cap;
} secrets;

/* Shapes of tokens: a prefix, then at least `least` characters of a token alphabet. */
static const struct shape {
	const char *prefix, *shown;
	size_t least;
} shapes[] = {
	{"hf_", "hf_***", 8},
	{"api_org", "api_org***", 8},
	{"ya29.", "ya29.***", 6},
	{"1//", "1//***", 10},
};

static const char pem_begin[] = "-----BEGIN ";
static const char pem_private[] = "PRIVATE KEY-----";

void redact_add(const char *secret, const char *name)
{
	struct secret *s;

	if (!secret || strlen(secret) < 6)
		return;
	for (size_t i = 0; i < secrets.n; i++)
		if (strcmp(secrets.items[i].value, secret) == 0)
			return;
	s = VEC_PUSH(&secrets);
	s->value = x_strdup(secret);
	s->len = strlen(secret);
	s->name = name;
}

void redact_wipe(void)
{
	for (size_t i = 0; i < secrets.n; i++)
		x_wipe_free(secrets.items[i].value);
	free(secrets.items);
	memset(&secrets, 0, sizeof(secrets));
}

static size_t known_secret(const char *s, size_t n, const char **shown)
{
	for (size_t i = 0; i < secrets.n; i++) {
		const struct secret *k = &secrets.items[i];

		if (k->len <= n && memcmp(s, k->value, k->len) == 0) {
			*shown = k->name;
			return k->len;
		}
	}
	return 0;
}

static size_t token_shape(const char *s, size_t n, const char **shown)
{
	for (size_t i = 0; i < COUNT(shapes); i++) {
		size_t p = strlen(shapes[i].prefix), end = p;

		if (p > n || memcmp(s, shapes[i].prefix, p) != 0)
			continue;
		while (end < n && (isalnum((unsigned char)s[end]) || strchr("-_.~+/", s[end])) &&
			s[end])
			end++;
		if (end - p >= shapes[i].least) {
			*shown = shapes[i].shown;
			return end;
		}
	}
	return 0;
}

/* A private key block; an unfinished one is hidden to the end. */
static size_t pem_block(const char *s, size_t n, const char **shown)
{
	static const char end_mark[] = "-----END ";
	const char *end, *head;

	if (n < sizeof(pem_begin) - 1 || memcmp(s, pem_begin, sizeof(pem_begin) - 1) != 0)
		return 0;
	head = memmem(s, n < 64 ? n : 64, pem_private, sizeof(pem_private) - 1);
	if (!head)
		return 0;
	*shown = "***private key***";
	end = memmem(s, n, end_mark, sizeof(end_mark) - 1);
	if (!end)
		return n;
	end = memmem(end, n - (size_t)(end - s), pem_private, sizeof(pem_private) - 1);
	return end ? (size_t)(end - s) + sizeof(pem_private) - 1 : n;
}

void redact(struct buf *out, const char *s, size_t n)
{
	size_t plain = 0;

	for (size_t at = 0; at < n;) {
		const char *shown = NULL;
		size_t hit = known_secret(s + at, n - at, &shown);

		if (!hit && strchr("ha y1-", s[at]) && s[at])
			hit = token_shape(s + at, n - at, &shown);
		if (!hit && s[at] == '-')
			hit = pem_block(s + at, n - at, &shown);
		if (!hit) {
			at++;
			continue;
		}
		buf_add(out, s + plain, at - plain);
		buf_adds(out, shown);
		at += hit;
		plain = at;
	}
	buf_add(out, s + plain, n - plain);
}

char *redact_dup(const char *s)
{
	struct buf b = {0};

	redact(&b, s, strlen(s));
	return buf_take(&b);
}
