/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Roles, and the colours a theme gives them. Views name roles, never colours. A theme is a YAML
 * file with three forms (256 colours, 16, mono); the form is chosen by what the terminal has and
 * by NO_COLOR. Meaning is never carried by colour alone.
 */
#ifndef RLPILOT_TUI_THEME_H
#define RLPILOT_TUI_THEME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct strvec;

enum { STYLE_BOLD = 1, STYLE_DIM = 2, STYLE_UNDERLINE = 4, STYLE_REVERSE = 8, STYLE_ITALIC = 16 };

/* enum name, word in theme files, letter in golden files, look without a theme file */
#define ROLES(X)                                                                                   \
	X(ROLE_TEXT, "text", '.', 0)                                                               \
	X(ROLE_DIM, "dim", 'd', 0)                                                                 \
	X(ROLE_STRONG, "strong", 'h', STYLE_BOLD)                                                  \
	X(ROLE_HEAD, "head", 'H', STYLE_REVERSE)                                                   \
	X(ROLE_HEAD_NAME, "head-name", 'N', STYLE_REVERSE | STYLE_BOLD)                            \
	X(ROLE_LABEL, "label", 'L', STYLE_REVERSE | STYLE_BOLD)                                    \
	X(ROLE_RULE, "rule", 'r', 0)                                                               \
	X(ROLE_TITLE, "title", 'T', STYLE_BOLD)                                                    \
	X(ROLE_COLUMN, "column", 'c', STYLE_UNDERLINE)                                             \
	X(ROLE_SELECTED, "selected", 's', STYLE_REVERSE)                                           \
	X(ROLE_KEY, "key", 'k', STYLE_BOLD)                                                        \
	X(ROLE_FOOTER, "footer", 'f', 0)                                                           \
	X(ROLE_OK, "ok", 'o', 0)                                                                   \
	X(ROLE_BUSY, "busy", 'b', STYLE_BOLD)                                                      \
	X(ROLE_WARN, "warn", 'w', STYLE_BOLD)                                                      \
	X(ROLE_BAD, "bad", 'e', STYLE_BOLD)                                                        \
	X(ROLE_UNKNOWN, "unknown", 'u', 0)                                                         \
	X(ROLE_CODE, "code", 'm', 0)                                                               \
	X(ROLE_LINK, "link", 'l', STYLE_UNDERLINE)                                                 \
	X(ROLE_CHART, "chart", 'C', 0)                                                             \
	X(ROLE_CHART2, "chart2", 'D', 0)                                                           \
	X(ROLE_POINT, "point", 'P', STYLE_BOLD)                                                    \
	X(ROLE_AXIS, "axis", 'a', 0)                                                               \
	X(ROLE_GAUGE, "gauge", 'g', 0)                                                             \
	X(ROLE_GAUGE_REST, "gauge-rest", 'G', 0)                                                   \
	X(ROLE_FIELD, "field", 'i', STYLE_UNDERLINE)                                               \
	X(ROLE_FIELD_FOCUS, "field-focus", 'I', STYLE_UNDERLINE | STYLE_BOLD)                      \
	X(ROLE_PLACEHOLDER, "placeholder", 'p', 0)                                                 \
	X(ROLE_MATCH, "match", 'M', STYLE_REVERSE)                                                 \
	X(ROLE_ALERT, "alert", 'A', STYLE_REVERSE)                                                 \
	X(ROLE_TOAST, "toast", 't', 0)                                                             \
	X(ROLE_DIALOG, "dialog", 'Y', STYLE_REVERSE)
enum role {
#define X(name, word, letter, flags) name,
	ROLES(X)
#undef X
		ROLE_COUNT
};

struct style {
	int16_t fg, bg; /* colour number, -1 = the terminal's own */
	unsigned flags;
};

enum theme_form { THEME_256, THEME_16, THEME_MONO, THEME_FORMS };

struct theme {
	char name[32];
	struct style styles[THEME_FORMS][ROLE_COUNT];
};

/* Built in, so that there is always one: bold, reverse and underline only. */
extern const struct theme theme_plain;

/* Reads a theme: a name looked up in the person's, then the installed, then the build tree's
 * themes, or a path with a slash. Roles that a file leaves out look like "text". ERR_BAD_FILE with
 * the place, ERR_USAGE with the known names. */
int theme_load(struct theme *t, const char *name, struct err *e);
/* Same from memory; file names the text in messages. */
int theme_parse(struct theme *t, const char *text, size_t n, const char *file, struct err *e);
/* Form for a terminal of so many colours; NO_COLOR is applied by the caller as 0 colours. */
enum theme_form theme_form(int colors);
const char *role_word(enum role r);
char role_letter(enum role r);

#endif
