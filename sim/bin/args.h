/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options of the stand-ins: `--name value`, `--name=value`, `-n value`, words in between. A table
 * says which names there are; an unknown one is reported, not guessed.
 */
#ifndef RLPILOT_SIM_BIN_ARGS_H
#define RLPILOT_SIM_BIN_ARGS_H

#include "core/base/vec.h"
#include <stdbool.h>

struct arg_flag {
	const char *name; /* without dashes; NULL ends a table */
	char letter;      /* of the short form, or 0 */
	bool value;       /* takes one (each of a repeated one is kept) */
};

struct args {
	struct strvec words;  /* what is no option */
	struct strvec names;  /* options in order … */
	struct strvec values; /* … and their values, "" for one without */
	char *bad;            /* the first unknown option or one without its value, or NULL */
	bool bad_value;       /* bad is known, but its value is missing */
};

/* Two tables, the second may be NULL. 0, or -1 with `bad` set. */
int args_parse(struct args *a, const struct arg_flag *own, const struct arg_flag *common, int argc,
	char **argv);
void args_fini(struct args *a);
bool args_has(const struct args *a, const char *name);
const char *args_get(const struct args *a, const char *name); /* the last one; NULL if absent */
/* The next value of a repeated option: for (size_t i = 0; (v = args_next(a, "env", &i));) */
const char *args_next(const struct args *a, const char *name, size_t *i);

#endif
