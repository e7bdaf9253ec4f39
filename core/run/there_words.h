/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of there: what people are told about another machine that is not as it should be. Pure.
 */
#ifndef RLPILOT_RUN_THERE_WORDS_H
#define RLPILOT_RUN_THERE_WORDS_H

#include <stdint.h>

struct err;

/* A command of ours ended there with `code` and said something: -1, with the cure. */
int there_trouble(const char *host, int code, const char *said, struct err *e);
/* theirs: what `date +%s` said there. Five minutes off and more make tokens invalid: a line about
 * it, the caller's; NULL = its clock goes right, or that was no time. */
char *there_clock(const char *host, const char *theirs, int64_t now_s);

#endif
