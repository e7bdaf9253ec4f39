/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errors in the output of terraform, gcluster and gcloud: diagnostic events of terraform's JSON
 * lines and the text boxes "│ Error: …", line by line as they come; each becomes a summary, a
 * detail, the resource that it is about and its cause. The same error told twice is one. Texts are
 * cleaned and masked. Must not keep more than TFERR_MAX errors of TFERR_DETAIL_MAX bytes.
 */
#ifndef RLPILOT_FMT_TFERR_H
#define RLPILOT_FMT_TFERR_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/buf.h"
#include "core/fmt/cause.h"
#include "core/fmt/json.h"

#define TFERR_MAX        16
#define TFERR_DETAIL_MAX ((size_t)8192)

struct tferr {
	char *summary;  /* one line */
	char *resource; /* "module.x.google_container_cluster.y[0]", "" = none named */
	char *detail;   /* further lines by '\n', "" = none */
	bool warning;
	struct cause_hit hit; /* cause NULL = not known */
};

struct tferr_list {
	struct tferr items[TFERR_MAX];
	size_t n;
	/* of the box being read */
	bool open, box, warning, in_detail;
	struct buf summary, resource, detail;
};

/* One line of text; the end of a box closes its error. True when the list may have changed. */
bool tferr_line(struct tferr_list *l, const char *line, size_t n);
/* One JSON event; others than diagnostics change nothing. */
bool tferr_event(struct tferr_list *l, const json_t *event);
/* Closes a box whose end has not come. */
void tferr_end(struct tferr_list *l);
void tferr_fini(struct tferr_list *l);

/* The error that tells most: a known fatal cause, a known cause, the first; NULL = none at all.
 * Warnings are errors only when nothing else is there. */
const struct tferr *tferr_main(const struct tferr_list *l);
/* True for a line that begins an error or belongs to a known fatal cause: for colours. */
bool tferr_bad_line(const char *line);
/* "meaning (resource): summary" in the person's language; the caller's. */
char *tferr_told(const struct tferr *t);

#endif
