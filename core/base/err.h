/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The error value: what happened, why, what to do now.
 * A function that can fail returns 0 or -1 and fills `struct err *e`, its last parameter.
 * `e` may be NULL: the caller does not want to know. Texts are truncated, never split in a
 * character. Out of memory and broken invariants do not come here, they abort.
 */
#ifndef RLPILOT_BASE_ERR_H
#define RLPILOT_BASE_ERR_H

#include <stddef.h>

/* One line per code: enum name, exit code of contract.md ("64 usage · 65 bad file · …"). */
#define ERR_CODES(X)                                                                               \
	X(ERR_NONE, 0)                                                                             \
	X(ERR_FAILED, 1)                                                                           \
	X(ERR_BLOCKED, 2)                                                                          \
	X(ERR_PERSON, 3)                                                                           \
	X(ERR_LOCKED, 4)                                                                           \
	X(ERR_CANCELLED, 5)                                                                        \
	X(ERR_USAGE, 64)                                                                           \
	X(ERR_BAD_FILE, 65)                                                                        \
	X(ERR_UNREACHABLE, 69)                                                                     \
	X(ERR_CANNOT_WRITE, 73)

enum err_code {
#define X(name, exit_code) name,
	ERR_CODES(X)
#undef X
};

struct err {
	enum err_code code;
	int http;          /* status of the reply that caused it, or 0 */
	const char *cause; /* cause id of fmt/cause, static, or NULL */
	char what[512];    /* what happened, a sentence without the final stop */
	char hint[512];    /* what to do now, or "" */
	char place[256];   /* file:line:column or address, or "" */
};

/* Fills e and returns -1, so that `return err_set(e, …)` is the way out. */
int err_set(struct err *e, enum err_code code, const char *hint, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Same, with the text of an errno value appended as ": text". */
int err_errno(struct err *e, enum err_code code, int errnum, const char *hint, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
/* Sets the place ("file:line:column"); returns -1. */
int err_at(struct err *e, const char *file, size_t line, size_t column);
void err_clear(struct err *e);
/* Exit code of contract.md for a code. */
int err_exit_code(enum err_code code);
/* "rlpilot: what: why (what to do)" on stderr, secrets masked. */
void err_print(const struct err *e);

#endif
