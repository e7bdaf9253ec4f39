/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/there_words.h"

#include <string.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/text.h"

#define OFF_MINUTES 5

/* What a command of ours may meet there: its code (0 = any), what it says ("" = anything). */
static const struct {
	int code;
	const char *said, *cure;
} troubles[] = {
	{0, "No space left", N_("free some space in the home folder there")},
	{0, "Disk quota exceeded", N_("free some space in the home folder there")},
	{0, "Read-only file system", N_("make the home folder writable there")},
	{73, "not found",
		N_("install the programs of a plain system there: sh, mkdir, cat, wc, mv")},
	{127, "", N_("install the programs of a plain system there: sh, mkdir, cat, wc, mv")},
	{73, "", N_("make the home folder writable there")},
	{0, "",
		N_("look at its disk and rights: rlpilot needs sh, and room in the home folder "
		   "there")},
};

int there_trouble(const char *host, int code, const char *said, struct err *e)
{
	AUTO_FREE char *line = text_trim(said, strlen(said));
	size_t i = 0;

	while ((troubles[i].code && troubles[i].code != code) || !strstr(line, troubles[i].said))
		i++;
	return err_set(e, ERR_FAILED, _(troubles[i].cure),
		_("%s did not take a command of rlpilot (code %d): %s"), host, code, line);
}

char *there_clock(const char *host, const char *theirs, int64_t now_s)
{
	AUTO_FREE char *text = text_trim(theirs, strlen(theirs));
	int64_t then, off;

	if (text_to_i64(text, 1, INT64_MAX / 2, &then) != 0)
		return NULL;
	off = (then - now_s) / 60;
	if (off > -OFF_MINUTES && off < OFF_MINUTES)
		return NULL;
	return x_asprintf(
		off > 0 ? _("the clock of %s is %lld minutes fast: logins and tokens may be "
			    "refused there (set it: timedatectl set-ntp true)")
			: _("the clock of %s is %lld minutes slow: logins and tokens may be "
			    "refused there (set it: timedatectl set-ntp true)"),
		host, (long long)(off > 0 ? off : -off));
}
