/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys as tests write them: "abc<Down><C-c><Enter>", as the bytes a terminal sends, and as words
 * that key_parse takes. "<lt>" is the character '<'.
 */
#ifndef RLPILOT_TESTS_RIG_KEYS_H
#define RLPILOT_TESTS_RIG_KEYS_H

#include <stdbool.h>
#include <stddef.h>

struct rig_key {
	char word[16]; /* "Down", "C-c", "a" */
	char bytes[16];
	size_t n;
};

/* Takes the next key of *s; false at the end. Dies on a word nobody knows. */
bool rig_key_next(const char **s, struct rig_key *out);

#endif
