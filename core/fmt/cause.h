/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one table of known causes: a text, a code or a condition from outside becomes a cause id,
 * what it means, what to do, the command that does it and who can. Checks, stages, alerts and logs
 * share it; a recipe adds rows of its own, which come first. Order matters: the first hit wins,
 * special before general. Texts may hold {word}, filled from what was found; a part in [brackets]
 * is left out when its words are not known. Words from outside are cleaned and masked here.
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
	CAUSE_TEXT,   /* PCRE2 pattern over text */
	CAUSE_REASON, /* exact word: ErrorInfo, legacy, Kubernetes, OAuth, conditions of our own */
	CAUSE_HUB,    /* exact X-Error-Code or status of Hugging Face */
	CAUSE_EXIT,   /* exit code of a command or container, decimal */
	CAUSE_HTTP,   /* HTTP status, decimal: the last resort */
};

struct cause {
	const char *id; /* stable, kebab case */
	enum cause_kind kind;
	const char *match;
	const char *meaning; /* English source for _(), with {words} */
	const char *cure;    /* English source for _(), with {words} */
	const char *words;   /* names of the pattern's groups in order, by blanks; NULL = none */
	const char *command; /* shell line with {words}; NULL = there is none */
	enum cause_who who;
	bool fatal;      /* the run cannot go on */
	bool all;        /* a word found again is joined: "a, b"; otherwise the first stays */
	const void *own; /* of an added row: the texts come from cause_tell, NULL otherwise */
};

#define CAUSE_WORDS_MAX 20

struct cause_word {
	char name[24];
	char value[200];
};

/* What was found: the row and the words for its texts. */
struct cause_hit {
	const struct cause *cause; /* NULL = nothing known */
	struct cause_word words[CAUSE_WORDS_MAX];
	size_t n;
};

/* --- finding. False and hit->cause NULL when nothing is known; harmless noise is nothing. */
bool cause_find(struct cause_hit *hit, const char *s, size_t n);
/* A reason or word without text; further words by cause_put. */
bool cause_find_reason(struct cause_hit *hit, const char *reason);
/* Sets or replaces a word: service permission role project resource … . "permission" sets "role"
 * as well, "consumer" sets "project". NULL or "" is no word. */
void cause_put(struct cause_hit *hit, const char *name, const char *value);
const char *cause_word(const struct cause_hit *hit, const char *name); /* NULL = not known */

/* --- telling, in the person's language; the caller's. "" for a hit without cause. */
char *cause_meaning(const struct cause_hit *hit);
/* The sentence, then ": command" where there is one. */
char *cause_cure(const struct cause_hit *hit);
/* Unknown words stand as their names in capitals; NULL = there is no command. */
char *cause_command(const struct cause_hit *hit);
/* The same for a row alone. */
char *cause_cure_of(const struct cause *c);
char *cause_meaning_of(const struct cause *c);

/* --- rows */
/* The cause of a text, or NULL. */
const struct cause *cause_of_text(const char *s, size_t n);
/* True for words of the programs that look like trouble and are none. */
bool cause_is_noise(const char *s, size_t n);
/* The cause of an error reason (SERVICE_DISABLED, OOMKilled, …), or NULL. */
const struct cause *cause_of_reason(const char *reason);
/* X-Error-Code of the Hub first, then what the status means there; or NULL. */
const struct cause *cause_of_hub(const char *code, int status);
const struct cause *cause_of_exit(int code);
/* The cause of an HTTP status alone, the last resort; or NULL. */
const struct cause *cause_of_http(int status);
const struct cause *cause_by_id(const char *id);
/* "you", "administrator", "google" */
const char *cause_who_name(enum cause_who who);
/* Walks the own table: NULL at its end. */
const struct cause *cause_at(size_t i);
/* The role that holds a permission, "roles/storage.admin"; NULL = not known. */
const char *cause_role(const char *permission);

/* Replaces the added rows (borrowed; n 0 = none) and the pattern of added noise (NULL = none).
 * tell gives the texts of a row in the person's language. */
void cause_extend(const struct cause *rows, size_t n, const char *noise,
	const char *(*tell)(const void *own, bool cure));

#endif
