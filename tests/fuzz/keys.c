/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever a terminal sends becomes keys whose labels are short, and a paste without controls. */
#include "tests/fuzz/fuzz.h"

#include "core/base/text.h"
#include "tui/input.h"
#include "tui/term.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int terminal = -1; /* where keys are written */

static void open_terminal(void)
{
	int ends[2];
	char note[200];
	MUST(pipe(ends) == 0);
	terminal = ends[1];
	MUST(fcntl(terminal, F_SETFL, O_NONBLOCK) == 0);
	const struct term_options o = {.type = "xterm-256color",
		.in = fdopen(ends[0], "r"),
		.out = fopen("/dev/null", "w"),
		.rows = 24,
		.cols = 80,
		.accept_non_tty = true};
	text_language("en", NULL);
	MUST(term_open(&o, note, sizeof(note)) == TERM_SCREEN);
	input_open(true);
}

static void look(const struct key *k)
{
	char label[32];
	MUST(strlen(key_label(k, label, sizeof(label))) < sizeof(label));
	if (k->code == K_PASTE)
		for (size_t i = 0; i < k->len; i++)
			MUST((unsigned char)k->text[i] >= 0x20 || strchr("\n\t", k->text[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char end[] = "\033[201~\r";
	struct key k;
	if (terminal < 0)
		open_terminal();
	size_t n = size < 4096 ? size : 4096;
	AUTO_FREE char *word = fuzz_string(data, n);
	if (key_parse(word, strlen(word), &k) == 0)
		look(&k);
	MUST(write(terminal, data, n) == (ssize_t)n);
	MUST(write(terminal, end, sizeof(end) - 1) == (ssize_t)sizeof(end) - 1);
	for (int quiet = 0; quiet < 3;) {
		if (input_next(&k))
			look(&k);
		else
			quiet++;
	}
	return 0;
}
