/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text: UTF-8, widths in terminal cells (libc's wcwidth only; -1 becomes U+FFFD of width 1), and
 * the one door to translations. Text from outside passes text_clean before it is drawn or printed.
 */
#ifndef RLPILOT_BASE_TEXT_H
#define RLPILOT_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct catalog;

#define _(s)  text_translate(s)
#define N_(s) (s)

/* The text in the chosen language, or s itself; lives to the end of the program. */
const char *text_translate(const char *s) __attribute__((format_arg(1)));

/* Languages of the program: "en", "ko". */
enum lang { LANG_EN, LANG_KO };
/* Sets locale and message catalogue (lang NULL: from the environment). localedir NULL: the one
 * given before. May be called again to switch. Messages of the C library stay English: err_errno
 * translates them. */
void text_language(const char *lang, const char *localedir);
enum lang text_lang(void);
const char *text_lang_code(void); /* "en" or "ko" */
/* The catalogue in use; NULL in English. */
const struct catalog *text_catalog(void);

/* Decodes one character at s (n bytes left, n > 0); returns its length in bytes, 1 and U+FFFD for
 * a broken sequence. */
size_t text_decode(const char *s, size_t n, uint32_t *cp);
size_t text_encode(uint32_t cp, char out[4]);
/* Cells of one character: 0, 1 or 2; unknown and control characters count 1 (drawn as U+FFFD). */
int text_cp_width(uint32_t cp);
/* Cells of a string. */
int text_width(const char *s);
/* Bytes of the longest prefix of s that fits into `cells`; *used gets its cells (may be NULL). */
size_t text_fit(const char *s, int cells, int *used);
/* s cut to `cells` with a final "…" when shortened; the caller's. */
char *text_cut(const char *s, int cells);
/* Appends s and blanks up to `cells`: columns that hold under double-width letters; a longer s
 * stays whole. */
void text_pad(struct buf *out, const char *s, int cells);
/* Appends s without control sequences (CSI, OSC, DCS, C0, C1, BiDi overrides); newline and tab
 * become one space; broken UTF-8 becomes U+FFFD. n = bytes. */
void text_clean(struct buf *out, const char *s, size_t n);
char *text_clean_dup(const char *s); /* the caller's */
/* The first n bytes of s without blanks and line ends around them; the caller's. */
char *text_trim(const char *s, size_t n);
bool text_is_ascii(const char *s);
bool text_starts(const char *s, const char *prefix);
bool text_ends(const char *s, const char *suffix);
/* Strict decimal; -1 when there is anything else or it does not fit lo..hi. */
int text_to_i64(const char *s, int64_t lo, int64_t hi, int64_t *out);

#endif
