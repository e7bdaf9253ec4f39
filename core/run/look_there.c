/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/look_there.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/base/vec.h"

enum {
	WORD_SCRIPT = 2,
	WORD_CLAIM,
	WORD_GO,
	WORD_CODE,
	WORD_PID,
	WORD_SCRIPT_LIVES,
	WORD_SESSION_LIVES,
	WORD_ELSEWHERE,
	WORD_BYTES,
	WORD_COUNT
};

static bool flag(const char *s, bool *out)
{
	*out = *s == '1';
	return (*s == '0' || *s == '1') && !s[1];
}

static bool go_of(const char *s, enum attempt_go *out)
{
	static const char *const words[] = {
		[ATTEMPT_OPEN] = "open", [ATTEMPT_BEGUN] = "begun", [ATTEMPT_GIVEN_UP] = "nobody"};

	for (size_t i = 0; i < COUNT(words); i++) {
		*out = (enum attempt_go)i;
		if (strcmp(s, words[i]) == 0)
			return true;
	}
	return false;
}

/* As here, a code that is no code counts as not recorded. */
static int code_of(const char *s)
{
	int64_t n;

	return text_to_i64(s, 0, 255, &n) == 0 ? (int)n : -1;
}

static bool words_of(char *const *w, size_t n, struct look_there *out)
{
	struct attempt_facts *f = &out->facts;
	int64_t pid, bytes;

	if (n != WORD_COUNT || strcmp(w[0], "look") != 0 || strcmp(w[1], "1") != 0 ||
		!flag(w[WORD_SCRIPT], &out->script) || !flag(w[WORD_CLAIM], &f->claim) ||
		!go_of(w[WORD_GO], &f->go) || text_to_i64(w[WORD_PID], 0, INT32_MAX, &pid) != 0 ||
		!flag(w[WORD_SCRIPT_LIVES], &f->script_lives) ||
		!flag(w[WORD_SESSION_LIVES], &f->session_lives) ||
		!flag(w[WORD_ELSEWHERE], &f->elsewhere) ||
		text_to_i64(w[WORD_BYTES], 0, (int64_t)LOOK_THERE_LOG, &bytes) != 0)
		return false;
	f->script = (pid_t)pid;
	f->exit = code_of(w[WORD_CODE]);
	out->log_n = (size_t)bytes;
	return true;
}

bool look_there_parse(const char *answer, size_t n, struct look_there *out)
{
	const char *end = memchr(answer, '\n', n < 256 ? n : 256);
	AUTO_FREE char *line = NULL;
	AUTO(strvec_fini) struct strvec words = {0};

	*out = (struct look_there){0};
	if (!end)
		return false;
	line = x_strndup(answer, (size_t)(end - answer));
	strvec_split(&words, line, " ");
	out->log = end + 1;
	return words_of(words.items, words.n, out) && out->log_n == n - (size_t)(out->log - answer);
}
