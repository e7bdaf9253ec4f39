/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why a stage failed, in a person's words: what its commands or its job said, looked up in the
 * table of causes, the cure filled with the run's own names. Pure.
 */
#ifndef RLPILOT_RUN_WHY_H
#define RLPILOT_RUN_WHY_H

struct cause_hit;
struct state;
struct strvec;
struct tferr;
struct values;

struct why {
	char *cause;
	char *cure;     /* NULL = the table knows none */
	const char *id; /* of the cause, static; NULL = not known */
};

/* A command that ended with code: its error (NULL = none found), else its last lines, else the
 * code. */
struct why why_command(const struct tferr *error, const struct strvec *output, int code,
	const struct values *v, const char *jobset);
/* A JobSet that failed: its own message, the last error of its log or what its pods say ("" =
 * none), the cause that is known already (NULL = none). */
struct why why_job(const char *message, const char *error, const char *known,
	const struct values *v, const char *jobset);
void why_fini(struct why *w);
/* Names of the run for the words that the message does not hold: project, region, cluster, … */
void why_words(struct cause_hit *hit, const struct values *v, const char *jobset);
/* The same from what a screen knows of the run; "" and NULL are no names. */
void why_words_known(struct cause_hit *hit, const struct state *s);

#endif
