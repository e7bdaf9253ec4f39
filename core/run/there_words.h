/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of there: what people are told about another machine that is not as it should be. Pure.
 */
#ifndef RLPILOT_RUN_THERE_WORDS_H
#define RLPILOT_RUN_THERE_WORDS_H

#include <stddef.h>
#include <stdint.h>

struct buf;
struct err;

/* The first line that a command of ours prints there: what stands before it is of login scripts. */
#define THERE_MARK "rlpilot answers:"
/* Drops all up to the answer. -1: there is none, and what was run there was not our command. */
int there_answer(const char *host, struct buf *out, const char *said, struct err *e);

/* A command of ours ended there with `code` and said something: -1, with the cure. */
int there_trouble(const char *host, int code, const char *said, struct err *e);
/* theirs: what `date +%s` said there. Five minutes off and more make tokens invalid: a line about
 * it, the caller's; NULL = its clock goes right, or that was no time. */
char *there_clock(const char *host, const char *theirs, int64_t now_s);

#endif
