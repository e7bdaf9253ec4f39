/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts of ours in records. An engine writes its records in English, whoever started it; a screen
 * shows them in its own language. The way back from a written text to its translation is the
 * catalogue (and the recipe's pairs): the original whose fixed words stand in it, with what stood
 * in its places (%s, {word}, [parts with {words}]) carried over. Texts of others stay as they are.
 */
#ifndef RLPILOT_BASE_RECORDED_H
#define RLPILOT_BASE_RECORDED_H

#include <stddef.h>

struct text_pair {
	const char *en, *ko;
};

/* Pairs besides the catalogue; borrowed until the next call. NULL, 0: none. */
void recorded_pairs(const struct text_pair *pairs, size_t n);
/* The text in the language of the program as far as it is known; never NULL, the caller's. */
char *recorded_text(const char *english);

#endif
