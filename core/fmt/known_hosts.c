/* SPDX-License-Identifier: Apache-2.0 */
#include "core/fmt/known_hosts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/fmt/digest.h"

static bool glob(const char *p, const char *end, const char *s)
{
	const char *star = NULL, *back = NULL;

	for (;;) {
		if (p < end && *p == '*') {
			star = ++p;
			back = s;
		} else if (*s && p < end && (*p == '?' || tolower((unsigned char)*p) == *s)) {
			p++;
			s++;
		} else if (!*s && p == end) {
			return true;
		} else if (star && *back) {
			p = star;
			s = ++back;
		} else {
			return false;
		}
	}
}

/* |1|SALT|HASH */
static bool hashed(const char *p, size_t n, const char *name)
{
	const char *hash = memchr(p + 3, '|', n - 3);
	AUTO_FREE char *salt = hash ? x_strndup(p + 3, (size_t)(hash - p) - 3) : NULL;
	AUTO_FREE char *key = NULL;
	AUTO_FREE char *made = NULL;
	size_t key_n = 0;

	key = salt ? digest_base64_decode(salt, &key_n) : NULL;
	made = key ? digest_hmac_sha1(key, key_n, name) : NULL;
	return made && strlen(made) == n - (size_t)(hash + 1 - p) &&
	       strncmp(made, hash + 1, strlen(made)) == 0;
}

/* One name denied is enough. */
static bool names_it(const char *list, const char *name)
{
	bool found = false;

	while (*list) {
		size_t n = strcspn(list, ",");
		bool denied = *list == '!';
		const char *p = list + denied;
		bool is = n > 3 && strncmp(list, "|1|", 3) == 0 ? hashed(list, n, name)
								: glob(p, list + n, name);

		if (is && denied)
			return false;
		found = found || (is && n > 0);
		list += n + (list[n] == ',');
	}
	return found;
}

static bool marker_of(const char *word, enum known_marker *out)
{
	*out = strcmp(word, "@revoked") == 0 ? KNOWN_REVOKED : KNOWN_AUTHORITY;
	return *out == KNOWN_REVOKED || strcmp(word, "@cert-authority") == 0;
}

static void take_line(struct known_hosts *k, const char *file, int line, const char *text,
	size_t text_n, const char *name)
{
	AUTO_FREE char *whole = x_strndup(text, text_n);
	AUTO(strvec_fini) struct strvec words = {0};
	enum known_marker marker = KNOWN_KEY;
	struct known_host *h;
	size_t at = 0;

	strvec_split(&words, whole, " \t\r");
	if (words.n && words.items[0][0] == '#')
		return;
	if (words.n && words.items[0][0] == '@' && !marker_of(words.items[at++], &marker))
		return;
	if (words.n < at + 3 || !names_it(words.items[at], name))
		return;
	h = VEC_PUSH(k);
	h->marker = marker;
	h->file = x_strdup(file);
	h->line = line;
	h->type = x_strdup(words.items[at + 1]);
	h->key = x_strdup(words.items[at + 2]);
}

void known_hosts_read(struct known_hosts *k, const char *file, const char *text, const char *name)
{
	AUTO_FREE char *small = x_strdup(name);

	for (char *p = small; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	for (int line = 1; *text; line++) {
		size_t n = strcspn(text, "\n");

		take_line(k, file, line, text, n, small);
		text += n + (text[n] == '\n');
	}
}

void known_hosts_fini(struct known_hosts *k)
{
	for (size_t i = 0; i < k->n; i++) {
		free(k->items[i].file);
		free(k->items[i].type);
		free(k->items[i].key);
	}
	free(k->items);
	*k = (struct known_hosts){0};
}

bool known_hosts_has(const struct known_hosts *k, const char *type)
{
	for (size_t i = 0; i < k->n; i++)
		if (k->items[i].marker == KNOWN_KEY && strcmp(k->items[i].type, type) == 0)
			return true;
	return false;
}

static enum known_verdict judge_line(const struct known_host *h, const char *type, const char *key)
{
	bool same = strcmp(h->key, key) == 0;

	if (h->marker == KNOWN_REVOKED)
		return same ? KNOWN_IS_REVOKED : KNOWN_IS_NEW;
	if (h->marker == KNOWN_AUTHORITY || strcmp(h->type, type) != 0)
		return KNOWN_IS_OTHER;
	return same ? KNOWN_IS_RIGHT : KNOWN_IS_CHANGED;
}

/* Revoked beats all; one line that is right beats others of its kind. */
enum known_verdict known_hosts_judge(const struct known_hosts *k, const char *type, const char *key,
	const struct known_host **at)
{
	static const int weight[] = {[KNOWN_IS_NEW] = 0,
		[KNOWN_IS_OTHER] = 1,
		[KNOWN_IS_CHANGED] = 2,
		[KNOWN_IS_RIGHT] = 3,
		[KNOWN_IS_REVOKED] = 4};
	enum known_verdict best = KNOWN_IS_NEW;

	*at = NULL;
	for (size_t i = 0; i < k->n; i++) {
		enum known_verdict v = judge_line(&k->items[i], type, key);

		if (weight[v] <= weight[best])
			continue;
		best = v;
		*at = &k->items[i];
	}
	return best;
}
