/* SPDX-License-Identifier: Apache-2.0 */
/* What is known here of attempts on another machine: the files `there` of a run and of an attempt,
 * and in the attempt's folder `sent`, the log as it has come, `exit` and `ended`. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/run/there_in.h"

bool there_has(const char *dir, const char *name)
{
	AUTO_FREE char *file = path_join(dir, name);

	return path_exists(file);
}

int there_put(const char *dir, const char *name, const char *text, struct err *e)
{
	AUTO_FREE char *file = path_join(dir, name);

	return path_write(file, text, strlen(text), e);
}

off_t there_log_size(const struct there *t)
{
	AUTO_FREE char *file = path_join(t->dir, "log");
	struct stat st;

	return stat(file, &st) == 0 ? st.st_size : 0;
}

int there_add_log(const struct there *t, const char *data, size_t n, struct err *e)
{
	AUTO_FREE char *file = path_join(t->dir, "log");

	return n ? path_append(file, data, n, e) : 0;
}

bool there_is(const char *dir)
{
	return there_has(dir, "there");
}

bool there_ended(const char *dir)
{
	return there_has(dir, "exit") || there_has(dir, "ended") || !there_has(dir, "sent");
}

static const char name_bytes[] =
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

/* Of a folder there, with nothing that leads out of the place for it. */
static bool folder_good(const char *name)
{
	return *name && *name != '.' && strspn(name, name_bytes) == strlen(name);
}

/* "user@host:port folder" */
int there_where(const char *dir, char **address, char **folder, struct err *e)
{
	AUTO_FREE char *file = path_join(dir, "there");
	AUTO(buf_fini) struct buf b = {0};
	AUTO(strvec_fini) struct strvec words = {0};

	if (path_read(file, 1024, &b, e) != 0)
		return -1;
	strvec_split(&words, buf_str(&b), " \n");
	if (words.n != 2 || !folder_good(words.items[1])) {
		err_set(e, ERR_BAD_FILE,
			_("the first word is user@host:port, the second the folder there"),
			_("the file that names the machine of an attempt is damaged"));
		return err_at(e, file, 1, 1);
	}
	*address = x_strdup(words.items[0]);
	*folder = x_strdup(words.items[1]);
	return 0;
}

char *there_address(const char *dir)
{
	AUTO_FREE char *folder = NULL;
	char *address = NULL;

	return there_where(dir, &address, &folder, NULL) == 0 ? address : NULL;
}

/* One folder a run there, and no two runs in one: the name of the run and a number of its own. */
static int folder_name(const char *run_dir, char **out, struct err *e)
{
	AUTO_FREE char *file = path_join(run_dir, "there");
	AUTO(buf_fini) struct buf name = {0};
	const char *slash = strrchr(run_dir, '/');
	unsigned number;

	if (path_exists(file)) {
		if (path_read(file, 256, &name, e) != 0)
			return -1;
		*out = buf_take(&name);
		(*out)[strcspn(*out, "\n")] = '\0';
		if (folder_good(*out))
			return 0;
		free(*out);
		*out = NULL;
		err_set(e, ERR_BAD_FILE,
			_("write the run's folder on the other machine into it, or remove it"),
			_("the file that names the folder on the other machine is damaged"));
		return err_at(e, file, 1, 1);
	}
	if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
		return err_errno(e, ERR_FAILED, errno, "", _("no random number"));
	for (const char *p = slash ? slash + 1 : run_dir; *p && name.len < 64; p++)
		buf_addc(&name, strchr(name_bytes, *p) && (name.len || *p != '.') ? *p : '_');
	buf_addf(&name, "-%08x", number);
	*out = buf_take(&name);
	return path_write(file, *out, strlen(*out), e);
}

int there_mark(const char *run_dir, const char *dir, const char *address, struct err *e)
{
	AUTO_FREE char *folder = NULL;
	AUTO_FREE char *text = NULL;
	AUTO_FREE char *file = path_join(dir, "there");
	struct ssh_address at;

	if (ssh_address_parse(address, &at, e) != 0 || path_mkdirs(dir, e) != 0 ||
		folder_name(run_dir, &folder, e) != 0)
		return -1;
	text = x_asprintf("%s %s\n", address, folder);
	return path_write(file, text, strlen(text), e);
}
