/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/rig/keys.h"

#include "core/base/mem.h"
#include "core/base/text.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *word, *bytes;
} named[] = {
	{"Up", "\033[A"},
	{"Down", "\033[B"},
	{"Right", "\033[C"},
	{"Left", "\033[D"},
	{"Home", "\033[H"},
	{"End", "\033[F"},
	{"PgUp", "\033[5~"},
	{"PgDn", "\033[6~"},
	{"Ins", "\033[2~"},
	{"Del", "\033[3~"},
	{"Backspace", "\177"},
	{"Tab", "\t"},
	{"S-Tab", "\033[Z"},
	{"Enter", "\r"},
	{"Esc", "\033"},
	{"Space", " "},
	{"F1", "\033OP"},
	{"F2", "\033OQ"},
	{"F3", "\033OR"},
	{"F4", "\033OS"},
	{"F5", "\033[15~"},
	{"F6", "\033[17~"},
	{"F7", "\033[18~"},
	{"F8", "\033[19~"},
	{"F9", "\033[20~"},
	{"F10", "\033[21~"},
	{"F11", "\033[23~"},
	{"F12", "\033[24~"},
};

static void key_set(struct rig_key *k, const char *word, size_t word_n, const char *bytes, size_t n)
{
	if (word_n >= sizeof(k->word) || n >= sizeof(k->bytes))
		die("key of the test is too long");
	memcpy(k->word, word, word_n);
	k->word[word_n] = '\0';
	memcpy(k->bytes, bytes, n);
	k->bytes[n] = '\0';
	k->n = n;
}

static void key_word(struct rig_key *k, const char *word, size_t n)
{
	if (n == 2 && strncmp(word, "lt", n) == 0) {
		key_set(k, "<", 1, "<", 1);
		return;
	}
	for (size_t i = 0; i < COUNT(named); i++) {
		if (strlen(named[i].word) != n || strncmp(named[i].word, word, n) != 0)
			continue;
		key_set(k, word, n, named[i].bytes, strlen(named[i].bytes));
		return;
	}
	if (n == 3 && word[0] == 'C' && word[1] == '-' &&
		((word[2] >= 'a' && word[2] <= 'z') || strchr("[\\]^_", word[2]))) {
		char c = word[2] & 0x1f;
		key_set(k, word, n, &c, 1);
		return;
	}
	die("no such key: <%.*s>", (int)n, word);
}

bool rig_key_next(const char **s, struct rig_key *out)
{
	uint32_t cp;
	const char *at = *s;
	if (!*at)
		return false;
	if (*at == '<') {
		const char *end = strchr(at, '>');
		if (!end)
			die("key without '>': %s", at);
		key_word(out, at + 1, (size_t)(end - at - 1));
		*s = end + 1;
		return true;
	}
	size_t n = text_decode(at, strlen(at), &cp);
	if (cp == ' ')
		key_set(out, "Space", 5, " ", 1);
	else
		key_set(out, at, n, at, n);
	*s = at + n;
	return true;
}
