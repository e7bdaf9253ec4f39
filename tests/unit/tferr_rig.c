/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/tferr_rig.h"

#include <string.h>

const struct tferr *tferr_read(struct tferr_list *l, const char *text)
{
	for (const char *p = text; *p;) {
		size_t n = strcspn(p, "\n");

		tferr_line(l, p, n);
		p += n + (p[n] == '\n');
	}
	tferr_end(l);
	return tferr_main(l);
}
