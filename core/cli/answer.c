/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cli/answer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/base/vec.h"

#define ANSWER_MAX 4096 /* bytes */

enum {
	KEY_INTERRUPT = 3,
	KEY_END = 4,
	KEY_RUBOUT = 8,
	KEY_KILL = 21,
	KEY_DELETE = 127,
};

void answer_begin(void)
{
	setvbuf(stdin, NULL, _IONBF, 0);
}

/* 1 = a line, possibly cut (*cut), 0 = end of the input. */
static int read_line(char line[ANSWER_MAX], bool *cut)
{
	size_t n = 0;
	int c;

	while ((c = getchar()) != EOF && c != '\n')
		if (n < ANSWER_MAX - 1)
			line[n++] = (char)c;
		else
			*cut = true;
	if (c == EOF && n == 0)
		return 0;
	while (n && line[n - 1] == '\r')
		n--;
	line[n] = '\0';
	return strlen(line) == n; /* a NUL inside is no answer */
}

/* One key of a secret; 1 = it is complete, 0 = no, -1 = the person has had enough. */
static int secret_key(char *line, size_t *n, char c, bool *cut)
{
	switch (c) {
	case '\r':
	case '\n':
		return 1;
	case KEY_INTERRUPT:
		return -1;
	case KEY_END:
		return *n ? 1 : -1;
	case KEY_RUBOUT:
	case KEY_DELETE:
		*n -= *n > 0;
		return 0;
	case KEY_KILL:
		*n = 0;
		return 0;
	default:
		break;
	}
	if (*n < ANSWER_MAX - 1)
		line[(*n)++] = c;
	else
		*cut = true;
	return 0;
}

static void show(const char *prompt)
{
	printf("%s: ", prompt);
	fflush(stdout);
}

/* Key by key, so that an interrupt finds the terminal as it was. */
static int read_hidden(const char *prompt, char line[ANSWER_MAX], bool *cut)
{
	struct termios was, quiet;
	size_t n = 0;
	int rc = 0;
	char c;

	if (tcgetattr(STDIN_FILENO, &was) != 0) {
		show(prompt);
		return read_line(line, cut);
	}
	quiet = was;
	quiet.c_lflag &= ~(tcflag_t)(ECHO | ICANON | ISIG);
	tcsetattr(STDIN_FILENO, TCSADRAIN, &quiet);
	show(prompt);
	while (rc == 0) {
		ssize_t got = read(STDIN_FILENO, &c, 1);

		if (got < 0 && errno == EINTR)
			continue;
		rc = got == 1 ? secret_key(line, &n, c, cut) : -1;
	}
	tcsetattr(STDIN_FILENO, TCSADRAIN, &was);
	putchar('\n');
	line[n] = '\0';
	return rc > 0 && strlen(line) == n;
}

static enum answer steer(const char *word)
{
	static const struct {
		const char *word;
		enum answer answer;
	} words[] = {
		{"back", ANSWER_BACK},
		{"list", ANSWER_LIST},
		{"save", ANSWER_SAVE},
		{"quit", ANSWER_QUIT},
		{"help", ANSWER_HELP},
		{"?", ANSWER_HELP},
	};

	for (size_t i = 0; i < COUNT(words); i++)
		if (strcmp(word, words[i].word) == 0 ||
			(word[0] == words[i].word[0] && word[1] == '\0'))
			return words[i].answer;
	return ANSWER_UNKNOWN;
}

enum answer answer_read(const char *prompt, bool secret, char **text)
{
	char *line = x_malloc(ANSWER_MAX);
	enum answer what = ANSWER_TEXT;
	bool cut = false;
	int got;

	if (!secret)
		show(prompt);
	got = secret ? read_hidden(prompt, line, &cut) : read_line(line, &cut);
	if (!got)
		what = ANSWER_END;
	else if (cut)
		what = ANSWER_LONG;
	else if (line[0] == ':')
		what = steer(line + 1);
	else if (!line[strspn(line, " \t")])
		what = ANSWER_EMPTY;
	if (what == ANSWER_TEXT)
		*text = x_strdup(line);
	explicit_bzero(line, ANSWER_MAX);
	free(line);
	return what;
}
