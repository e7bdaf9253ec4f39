/* SPDX-License-Identifier: Apache-2.0 */
#include "core/fmt/ansi.h"

#include <string.h>

#include "core/base/buf.h"
#include "core/base/text.h"

static int blank(const char *s, size_t n)
{
	struct buf b = {0};
	int yes;

	text_clean(&b, s, n);
	yes = b.len == strspn(buf_str(&b), " ");
	buf_fini(&b);
	return yes;
}

const char *ansi_last_segment(const char *line, size_t *n)
{
	size_t end = *n;

	for (;;) {
		size_t start = end;

		while (start > 0 && line[start - 1] != '\r')
			start--;
		if (start == 0 || !blank(line + start, end - start)) {
			*n = end - start;
			return line + start;
		}
		end = start - 1;
	}
}

void ansi_visible(struct buf *out, const char *line, size_t n)
{
	const char *s = ansi_last_segment(line, &n);

	text_clean(out, s, n);
}
