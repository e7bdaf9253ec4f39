/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/base/vec.h"

char *path_join(const char *dir, const char *name)
{
	size_t n = strlen(dir);

	return x_asprintf("%s%s%s", dir, n && dir[n - 1] == '/' ? "" : "/", name);
}

static int xdg_root(const char *variable, const char *below_home, char **out, struct err *e)
{
	const char *root = getenv(variable);
	const char *home = getenv("HOME");

	if (root && root[0] == '/')
		*out = path_join(root, "rlpilot");
	else if (home && home[0] == '/')
		*out = x_asprintf("%s/%s/rlpilot", home, below_home);
	else
		return err_set(e, ERR_CANNOT_WRITE, _("set HOME to your home folder"),
			_("there is no place for files: neither %s nor HOME names a folder"),
			variable);
	return 0;
}

int path_state_root(char **out, struct err *e)
{
	return xdg_root("XDG_STATE_HOME", ".local/state", out, e);
}

int path_config_root(char **out, struct err *e)
{
	return xdg_root("XDG_CONFIG_HOME", ".config", out, e);
}

char *path_short(const char *text)
{
	const char *home = getenv("HOME"), *at = text;
	size_t n = home ? strlen(home) : 0;
	struct buf out = {0};

	while (n && home[n - 1] == '/')
		n--;
	AUTO_FREE char *below = x_asprintf("%.*s/", (int)n, n ? home : "");
	for (const char *hit; n && (hit = strstr(at, below)); at = hit + n) {
		bool begins = hit == text || hit[-1] == ' ' || hit[-1] == '\n';
		buf_add(&out, at, (size_t)(hit - at));
		if (begins)
			buf_addc(&out, '~');
		else
			buf_add(&out, hit, n);
	}
	buf_adds(&out, at);
	return buf_take(&out);
}

/* The cure for the errno of a failed write. */
static const char *write_cure(int errnum)
{
	switch (errnum) {
	case ENOSPC:
	case EDQUOT:
		return _("free some space there, or set XDG_STATE_HOME to a folder with room");
	case EROFS:
	case EACCES:
	case EPERM:
		return _("make the folder writable for you, or set XDG_STATE_HOME to one that is");
	case ENOTDIR:
	case EEXIST:
		return _("a file stands where a folder is needed: move it away");
	default:
		return _("look at the disk, or set XDG_STATE_HOME to another folder");
	}
}

const char *path_cure(int errnum)
{
	switch (errnum) {
	case ENOSPC:
	case EDQUOT:
		return _("free some space, then start the run again; nothing is lost");
	case EROFS:
	case EACCES:
	case EPERM:
		return _("make the folder writable again, then start the run again; nothing is "
			 "lost");
	default:
		return _("look at the disk, then start the run again; nothing is lost");
	}
}

int path_mkdirs(const char *dir, struct err *e)
{
	AUTO_FREE char *copy = x_strdup(dir);

	for (char *p = copy + 1;; p++) {
		char was = *p;

		if (was != '/' && was != '\0')
			continue;
		*p = '\0';
		if (mkdir(copy, 0700) && errno != EEXIST)
			return err_errno(e, ERR_CANNOT_WRITE, errno, write_cure(errno),
				_("cannot make the folder %s"), copy);
		if (was == '\0')
			break;
		*p = was;
	}
	if (!path_is_dir(dir))
		return err_set(
			e, ERR_CANNOT_WRITE, write_cure(ENOTDIR), _("%s is not a folder"), dir);
	return 0;
}

int path_mkdir_next(const char *dir, char **out, struct err *e)
{
	if (path_mkdirs(dir, e) != 0)
		return -1;
	for (int n = 1;; n++) {
		char *path = x_asprintf("%s/%d", dir, n);

		if (mkdir(path, 0700) == 0) {
			*out = path;
			return 0;
		}
		if (errno != EEXIST || n == INT_MAX) {
			err_errno(e, ERR_CANNOT_WRITE, errno, write_cure(errno),
				_("cannot make the folder %s"), path);
			free(path);
			return -1;
		}
		free(path);
	}
}

bool path_exists(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

bool path_is_dir(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

int path_read(const char *path, size_t max, struct buf *b, struct err *e)
{
	char chunk[16384];
	ssize_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return err_errno(e, ERR_BAD_FILE, errno, _("check the name and your rights on it"),
			_("cannot open %s"), path);
	b->max = max;
	do {
		n = read(fd, chunk, sizeof(chunk));
		if (n > 0)
			buf_add(b, chunk, (size_t)n);
	} while ((n > 0 && !b->cut) || (n < 0 && errno == EINTR));
	if (n < 0)
		err_errno(e, ERR_BAD_FILE, errno, _("check that it is a readable file"),
			_("cannot read %s"), path);
	else if (b->cut)
		err_set(e, ERR_BAD_FILE, _("check that it is the right file"),
			_("%s is larger than the %zu bytes expected"), path, max);
	close(fd);
	return n < 0 || b->cut ? -1 : 0;
}

static int write_all(int fd, const char *data, size_t n)
{
	while (n) {
		ssize_t done = write(fd, data, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -1;
		data += done;
		n -= (size_t)done;
	}
	return 0;
}

int path_append(const char *path, const void *data, size_t n, struct err *e)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
	int errnum = fd < 0 || write_all(fd, data, n) != 0 ? errno : 0;

	if (fd >= 0 && close(fd) != 0 && !errnum)
		errnum = errno;
	if (errnum)
		return err_errno(
			e, ERR_CANNOT_WRITE, errnum, path_cure(errnum), _("cannot write %s"), path);
	return 0;
}

/* The rename is on disk only when its folder is. */
static int sync_folder_of(const char *path)
{
	AUTO_FREE char *dir = x_strdup(path);
	char *slash = strrchr(dir, '/');
	int fd, rc;

	if (slash == dir)
		slash++;
	if (slash)
		*slash = '\0';
	fd = open(slash ? dir : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	rc = fsync(fd);
	close(fd);
	return rc;
}

static int cannot_write(const char *path, struct err *e)
{
	return err_errno(e, ERR_CANNOT_WRITE, errno, write_cure(errno), _("cannot write %s"), path);
}

int path_write(const char *path, const void *data, size_t n, struct err *e)
{
	AUTO_FREE char *tmp = x_asprintf("%s.%ld.tmp", path, (long)getpid());
	int fd = open(tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	int rc;

	if (fd < 0)
		return cannot_write(path, e);
	rc = write_all(fd, data, n) != 0 || fsync(fd) != 0 ? cannot_write(path, e) : 0;
	close(fd);
	if (!rc && (rename(tmp, path) || sync_folder_of(path)))
		rc = cannot_write(path, e);
	if (rc)
		unlink(tmp);
	return rc;
}

int path_remove_tree(const char *path, struct err *e)
{
	struct stat st;
	AUTO(strvec_fini) struct strvec names = {0};

	if (lstat(path, &st))
		return errno == ENOENT ? 0
				       : err_errno(e, ERR_CANNOT_WRITE, errno, write_cure(errno),
						 _("cannot remove %s"), path);
	if (S_ISDIR(st.st_mode)) {
		if (path_list(path, &names, e))
			return -1;
		for (size_t i = 0; i < names.n; i++) {
			AUTO_FREE char *child = path_join(path, names.items[i]);

			if (path_remove_tree(child, e))
				return -1;
		}
	}
	if (S_ISDIR(st.st_mode) ? rmdir(path) : unlink(path))
		return err_errno(
			e, ERR_CANNOT_WRITE, errno, write_cure(errno), _("cannot remove %s"), path);
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int path_list(const char *dir, struct strvec *names, struct err *e)
{
	DIR *d = opendir(dir);
	struct dirent *entry;

	if (!d)
		return errno == ENOENT ? 0
				       : err_errno(e, ERR_BAD_FILE, errno,
						 _("check the name and your rights on it"),
						 _("cannot read the folder %s"), dir);
	while ((entry = readdir(d)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			strvec_push(names, entry->d_name);
	closedir(d);
	if (names->n)
		qsort(names->items, names->n, sizeof(*names->items), by_name);
	return 0;
}

static bool runnable(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

char *path_find_program(const char *name, const char *path_env)
{
	AUTO(strvec_fini) struct strvec dirs = {0};

	if (strchr(name, '/'))
		return runnable(name) ? x_strdup(name) : NULL;
	strvec_split(&dirs, path_env ? path_env : "", ":");
	for (size_t i = 0; i < dirs.n; i++) {
		char *full = path_join(dirs.items[i], name);

		if (runnable(full))
			return full;
		free(full);
	}
	return NULL;
}
