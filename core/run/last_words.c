/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/last_words.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/redact.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/run/record.h"

#define TAIL_BYTES 16384
#define LINES_MAX  5
#define LINE_MAX_N 160 /* bytes of a line */

/* The last bytes of a file, from the first whole line on. */
static bool read_tail(const char *file, struct buf *out)
{
	AUTO_FREE char *bytes = x_calloc(TAIL_BYTES + 1, 1);
	FILE *f = fopen(file, "re");
	long size;
	size_t n;

	if (!f)
		return false;
	(void)fseek(f, 0, SEEK_END);
	size = ftell(f);
	(void)fseek(f, size > TAIL_BYTES ? size - TAIL_BYTES : 0, SEEK_SET);
	n = fread(bytes, 1, TAIL_BYTES, f);
	(void)fclose(f);
	if (size > TAIL_BYTES && memchr(bytes, '\n', n)) {
		const char *first = (const char *)memchr(bytes, '\n', n) + 1;
		buf_add(out, first, n - (size_t)(first - bytes));
	} else {
		buf_add(out, bytes, n);
	}
	return true;
}

/* Without its stamp, without control characters, not longer than a reader wants. */
static void add_line(struct strvec *lines, const char *line, size_t n)
{
	size_t stamp_n = 0;
	int64_t ms;
	AUTO(buf_fini) struct buf clean = {0};

	if (record_spool_split(line, n, &stamp_n, &ms)) {
		line += stamp_n + 1;
		n -= stamp_n + 1;
	}
	text_clean(&clean, line, n > LINE_MAX_N ? LINE_MAX_N : n);
	AUTO_FREE char *safe = redact_dup(buf_str(&clean));
	if (safe[strspn(safe, " ")])
		strvec_push(lines, safe);
}

char *last_words(const char *run_dir, const char *pod, const char *container)
{
	AUTO_FREE char *file = record_spool_path(run_dir, pod, container);
	AUTO(buf_fini) struct buf tail = {0};
	AUTO(strvec_fini) struct strvec lines = {0};
	struct buf out = {0};

	if (!read_tail(file, &tail))
		return x_strdup("");
	for (const char *at = buf_str(&tail), *nl; (nl = strchr(at, '\n')); at = nl + 1)
		add_line(&lines, at, (size_t)(nl - at));
	if (!lines.n)
		return x_strdup("");
	buf_addf(&out, _("its log is kept in %s"), file);
	for (size_t i = lines.n > LINES_MAX ? lines.n - LINES_MAX : 0; i < lines.n; i++)
		buf_addf(&out, "\n  %s", lines.items[i]);
	return buf_take(&out);
}

/* A line of the note, after ": ", at the end of the cause; a line as long as may be has lost its
 * own end. NULL: it is not there. */
static char *repeated(char *cause, const char *line, size_t n)
{
	AUTO_FREE char *told = x_asprintf(": %.*s", (int)n, line);
	char *hit = strstr(cause, told);

	return hit && (n + 8 > LINE_MAX_N || !hit[strlen(told)]) ? hit : NULL;
}

void last_words_once(char *cause, const char *note)
{
	for (size_t n; *note; note += n + (note[n] == '\n')) {
		size_t blanks = strspn(note, " ");
		char *hit;

		n = strcspn(note, "\n");
		hit = blanks && blanks < n ? repeated(cause, note + blanks, n - blanks) : NULL;
		if (hit)
			*hit = '\0';
	}
}
