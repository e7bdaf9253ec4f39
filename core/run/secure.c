/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/secure.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/text.h"

/* The manifest of a stage's job, NULL when it has none; the caller's. */
static char *manifest(const struct recipe_stage *st)
{
	const char *home = getenv("HOME");

	if (!st->jobset || !home || *home != '/')
		return NULL;
	return x_asprintf("%s/.gcluster/generated/%s.yaml", home, st->jobset);
}

/* Open for reading, -1 when it is not there or not a file of ours. */
static int open_ours(const char *file, struct stat *st)
{
	int fd = open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return -1;
	if (fstat(fd, st) == 0 && S_ISREG(st->st_mode) && st->st_uid == geteuid())
		return fd;
	close(fd);
	return -1;
}

static bool ours(const char *file)
{
	struct stat st;

	return lstat(file, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid();
}

static int close_one(const char *file, struct strvec *files, struct err *e)
{
	struct stat st;
	int fd = open_ours(file, &st), rc = 0;

	if (fd < 0)
		return 0;
	strvec_push(files, file);
	if ((st.st_mode & 077) != 0 && fchmod(fd, 0600) != 0)
		rc = err_errno(e, ERR_CANNOT_WRITE, errno,
			_("delete it: the token in it can be read by others"),
			_("cannot change the mode of %s"), file);
	close(fd);
	return rc;
}

int secure_close(const struct recipe *r, struct strvec *files, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < r->stages.n; i++) {
		AUTO_FREE char *file = manifest(&r->stages.items[i]);
		if (file && strvec_find(files, file) < 0 && close_one(file, files, e) != 0)
			rc = -1;
	}
	return rc;
}

int secure_delete(const struct recipe *r, struct strvec *gone, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < r->stages.n; i++) {
		AUTO_FREE char *file = manifest(&r->stages.items[i]);
		if (!file || !ours(file))
			continue;
		if (unlink(file) == 0)
			strvec_push(gone, file);
		else
			rc = err_errno(e, ERR_CANNOT_WRITE, errno,
				_("delete it by hand: it holds the token"), _("cannot delete %s"),
				file);
	}
	return rc;
}

static bool same(const struct strvec *a, const struct strvec *b)
{
	for (size_t i = 0; i < a->n && a->n == b->n; i++)
		if (strcmp(a->items[i], b->items[i]) != 0)
			return false;
	return a->n == b->n;
}

void secure_tell(const struct recipe *r, const struct state *s,
	void (*emit)(void *arg, const struct event *ev), void *arg)
{
	struct strvec files = {0};
	struct event ev = {.kind = EV_TOKEN_FILES};

	for (size_t i = 0; i < r->stages.n; i++) {
		AUTO_FREE char *file = manifest(&r->stages.items[i]);
		if (file && ours(file))
			strvec_push(&files, file);
	}
	ev.u.files = &files;
	if (!same(&files, &s->token_files))
		emit(arg, &ev);
	strvec_fini(&files);
}
