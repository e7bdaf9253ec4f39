/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/there_words.h"

#include <string.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/text.h"

#define OFF_MINUTES 5

int there_answer(const char *host, struct buf *out, const char *said, struct err *e)
{
	const char *all = buf_str(out);
	const char *mark = memmem(all, out->len, THERE_MARK "\n", sizeof(THERE_MARK));
	AUTO(buf_fini) struct buf shown = {0};

	if (mark) {
		buf_drop(out, (size_t)(mark - all) + sizeof(THERE_MARK));
		return 0;
	}
	if (!out->len)
		all = said;
	text_clean(&shown, all, strcspn(all, "\r\n"));
	return err_set(e, ERR_FAILED,
		_("let this login run any command: look at its login scripts, its shell, and "
		  "ForceCommand or command= there"),
		_("%s does not run what it is told; it says: \"%.100s\""), host, buf_str(&shown));
}

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
	if (!*line)
		return err_set(e, ERR_FAILED, _(troubles[i].cure),
			_("%s did not take a command of rlpilot (code %d)"), host, code);
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
