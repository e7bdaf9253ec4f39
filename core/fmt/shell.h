/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quoting for a POSIX shell. What comes out is one word that the shell turns back into the same
 * bytes. Must not decide what is run.
 */
#ifndef RLPILOT_FMT_SHELL_H
#define RLPILOT_FMT_SHELL_H

#include <stddef.h>

struct buf;

/* As it is when that is safe, else in single quotes. */
void shell_quote(struct buf *out, const char *s);
/* The inside of double quotes: \ " ` $ are escaped, line ends stay. */
void shell_inside_double(struct buf *out, const char *s, size_t n);
/* All words, quoted, one blank between. */
void shell_words(struct buf *out, char *const *words, size_t n);
/* Reads `export NAME=value` and `NAME=value` lines with POSIX quoting, as a shell would when
 * nothing is expanded. Empty lines and comments are passed over. Returns 1 with name and value (the
 * caller's) and moves *s behind the line; 0 at the end; -1 when the line is something else: *s
 * stays at the fault. */
int shell_assignment(const char **s, char **name, char **value);

#endif
