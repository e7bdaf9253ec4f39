/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one table of known causes: a text, code or condition from outside becomes a cause id, what it
 * means, what to do and who can do it. Checks, stages, alerts and logs share it. Order matters: the
 * first hit wins, special before general. Sources: facts on Google errors, gcluster, MaxText.
 */
#ifndef RLPILOT_FMT_CAUSE_H
#define RLPILOT_FMT_CAUSE_H

#include <stdbool.h>
#include <stddef.h>

enum cause_who {
	CAUSE_YOU,
	CAUSE_ADMINISTRATOR,
	CAUSE_GOOGLE,
};

enum cause_kind {
	CAUSE_TEXT,   /* PCRE2 pattern over a line of text */
	CAUSE_REASON, /* exact ErrorInfo or Kubernetes reason */
	CAUSE_HTTP,   /* HTTP status, decimal */
};

struct cause {
	const char *id; /* stable, kebab case */
	enum cause_kind kind;
	const char *match;
	const char *meaning; /* English source for _() */
	const char *cure;    /* English source for _() */
	enum cause_who who;
	bool fatal; /* the run cannot go on */
};

/* The cause of a line of text, or NULL. Harmless noise gives NULL. */
const struct cause *cause_of_text(const char *s, size_t n);
/* True for words of the programs that look like trouble and are none. */
bool cause_is_noise(const char *s, size_t n);
/* The cause of an error reason (SERVICE_DISABLED, OOMKilled, …), or NULL. */
const struct cause *cause_of_reason(const char *reason);
/* The cause of an HTTP status alone, the last resort; or NULL. */
const struct cause *cause_of_http(int status);
const struct cause *cause_by_id(const char *id);
/* "you", "administrator", "google" */
const char *cause_who_name(enum cause_who who);
/* Walks the table: NULL at its end. */
const struct cause *cause_at(size_t i);

#endif
