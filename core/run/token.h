/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the Hugging Face token comes from when it is neither typed nor exported as HF_TOKEN: kept
 * for this run on request (RUN/token, mode 0600, as strong as typed), HUGGING_FACE_HUB_TOKEN, the
 * file of Hugging Face's own tools. Nothing is ever written but RUN/token, and that only by
 * token_keep.
 */
#ifndef RLPILOT_RUN_TOKEN_H
#define RLPILOT_RUN_TOKEN_H

struct err;
struct recipe;
struct values;

/* Puts what is found into the values. run_dir NULL: there is no run. */
void token_find(struct values *v, const struct recipe *r, const char *run_dir);
/* token NULL: what was kept is removed; 0 too when there is none. */
int token_keep(const char *run_dir, const char *token, struct err *e);
/* RUN/token; the caller's. */
char *token_file(const char *run_dir);

#endif
