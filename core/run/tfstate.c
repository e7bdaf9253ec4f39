/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/tfstate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/fmt/json.h"
#include "core/fmt/shell.h"

#define STATE_MAX ((size_t)64 << 20)
#define STATE     "terraform.tfstate"
#define ERRORED   "errored.tfstate" /* written by terraform instead when it cannot save the other */

static int copy_file(const char *from, const char *to, struct err *e)
{
	AUTO(buf_fini) struct buf b = {.max = STATE_MAX};

	if (!path_exists(from))
		return 0;
	if (path_read(from, STATE_MAX, &b, e) != 0)
		return -1;
	return path_write(to, buf_str(&b), b.len, e);
}

static char *copy_dir(const char *run_dir, int n)
{
	return x_asprintf("%s/tfstate/%d", run_dir, n);
}

/* Number of copies there are. */
static int copies(const char *run_dir)
{
	for (int n = 1;; n++) {
		AUTO_FREE char *dir = copy_dir(run_dir, n);
		if (!path_exists(dir))
			return n - 1;
	}
}

static bool same_bytes(const char *one, const char *other)
{
	AUTO(buf_fini) struct buf a = {.max = STATE_MAX};
	AUTO(buf_fini) struct buf b = {.max = STATE_MAX};

	if (!path_exists(one) || !path_exists(other))
		return path_exists(one) == path_exists(other);
	return path_read(one, STATE_MAX, &a, NULL) == 0 &&
	       path_read(other, STATE_MAX, &b, NULL) == 0 && a.len == b.len &&
	       memcmp(buf_str(&a), buf_str(&b), a.len) == 0;
}

/* Has the newest copy these very bytes? */
static bool kept(const char *run_dir, const char *file)
{
	AUTO_FREE char *dir = copy_dir(run_dir, copies(run_dir));
	AUTO_FREE char *copy = path_join(dir, strrchr(file, '/') + 1);

	return same_bytes(copy, file);
}

/* The state of a copy: what terraform could not save is newer than what it had saved. */
static char *state_of(const char *run_dir, int n)
{
	AUTO_FREE char *dir = copy_dir(run_dir, n);
	char *file = path_join(dir, ERRORED);

	if (path_exists(file))
		return file;
	free(file);
	return path_join(dir, STATE);
}

char *tfstate_deployment(const char *toolkit, const char *cluster)
{
	return x_asprintf("%s/cluster-toolkit/%s", toolkit, *cluster ? cluster : "?");
}

int tfstate_keep(const char *run_dir, const char *deployment, struct err *e)
{
	static const char *const files[] = {"primary/" STATE, "primary/" ERRORED,
		"primary/" STATE ".backup", ".ghpc/artifacts/expanded_blueprint.yaml"};
	AUTO_FREE char *dir = copy_dir(run_dir, copies(run_dir) + 1);
	AUTO_FREE char *part = x_asprintf("%s.part", dir); /* half a copy is none */
	AUTO_FREE char *now = path_join(deployment, files[0]);
	AUTO_FREE char *errored = path_join(deployment, files[1]);
	int rc;

	if (!path_exists(now) && !path_exists(errored))
		return 0;
	if (kept(run_dir, now) && kept(run_dir, errored))
		return 0;
	(void)path_remove_tree(part, NULL);
	rc = path_mkdirs(part, e);
	for (size_t i = 0; rc == 0 && i < COUNT(files); i++) {
		AUTO_FREE char *from = path_join(deployment, files[i]);
		AUTO_FREE char *to = path_join(part, strrchr(files[i], '/') + 1);
		rc = copy_file(from, to, e);
	}
	if (rc == 0 && rename(part, dir) != 0)
		rc = err_errno(e, ERR_CANNOT_WRITE, errno, "", _("cannot rename %s"), part);
	if (rc != 0)
		(void)path_remove_tree(part, NULL);
	return rc;
}

void tfstate_each(const char *run_dir, void (*fn)(void *arg, const json_t *tfstate), void *arg)
{
	for (int n = copies(run_dir); n > 0; n--) {
		AUTO_FREE char *file = state_of(run_dir, n);
		AUTO(json_auto)
		json_t *j = path_exists(file) ? json_read_file(file, STATE_MAX, NULL) : NULL;

		if (j)
			fn(arg, j);
	}
}

static int64_t instances(const json_t *tfstate)
{
	int64_t n = 0;
	size_t i;
	json_t *r;

	json_array_foreach(json_path(tfstate, "resources"), i, r)
	{
		if (strcmp(json_path_str_or(r, "mode", "managed"), "managed") == 0)
			n += (int64_t)json_array_size(json_path(r, "instances"));
	}
	return n;
}

static void count(void *arg, const json_t *tfstate)
{
	int64_t *n = arg;

	if (!*n)
		*n = instances(tfstate);
}

int64_t tfstate_resources(const char *run_dir)
{
	int64_t n = 0;

	tfstate_each(run_dir, count, &n);
	return n;
}

static void find_cluster(void *arg, const json_t *tfstate)
{
	char **found = arg;
	size_t i;
	json_t *r;

	json_array_foreach(json_path(tfstate, "resources"), i, r)
	{
		const char *id = json_path_str_or(r, "instances[0].attributes.id", "");
		const char *at = strstr(id, "projects/");
		if (!*found && at &&
			strcmp(json_path_str_or(r, "mode", "managed"), "managed") == 0 &&
			strcmp(json_path_str_or(r, "type", ""), "google_container_cluster") == 0)
			*found = x_strdup(at);
	}
}

char *tfstate_cluster(const char *run_dir)
{
	char *found = NULL;

	tfstate_each(run_dir, find_cluster, &found);
	return found;
}

/* A copy that was not finished, or of a state that was not, says nothing: the one before does. */
char *tfstate_newest(const char *run_dir)
{
	for (int n = copies(run_dir); n > 0; n--) {
		AUTO_FREE char *file = state_of(run_dir, n);
		AUTO(json_auto)
		json_t *j =
			file && path_exists(file) ? json_read_file(file, STATE_MAX, NULL) : NULL;

		if (j)
			return instances(j) > 0 ? x_strdup(file) : NULL;
	}
	return NULL;
}

bool tfstate_damaged(const char *run_dir)
{
	for (int n = copies(run_dir); n > 0; n--) {
		AUTO_FREE char *file = state_of(run_dir, n);
		AUTO(json_auto) json_t *j = NULL;

		if (!path_exists(file))
			continue;
		j = json_read_file(file, STATE_MAX, NULL);
		return !j;
	}
	return false;
}

int64_t tfstate_held(const char *deployment)
{
	AUTO_FREE char *file = path_join(deployment, "primary/" STATE);
	AUTO(json_auto)
	json_t *j = path_exists(file) ? json_read_file(file, STATE_MAX, NULL) : NULL;

	return instances(j);
}

static bool holds_state(const char *deployment)
{
	AUTO_FREE char *unsaved = path_join(deployment, "primary/" ERRORED);

	return tfstate_held(deployment) > 0 || path_exists(unsaved);
}

bool tfstate_within(const char *folder)
{
	AUTO(strvec_fini) struct strvec names = {0};
	bool found = holds_state(folder);

	if (!found && path_is_dir(folder) && path_list(folder, &names, NULL) != 0)
		return true; /* what cannot be looked into may hold one */
	for (size_t i = 0; i < names.n && !found; i++) {
		AUTO_FREE char *one = path_join(folder, names.items[i]);
		found = holds_state(one);
	}
	return found;
}

int tfstate_unlocked(const char *deployment, struct err *e)
{
	AUTO_FREE char *file = path_join(deployment, "primary/" STATE);
	AUTO_FREE char *info = path_join(deployment, "primary/.terraform.tfstate.lock.info");
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	int rc = fd < 0 ? -1 : fcntl(fd, F_GETLK, &lock);

	if (fd >= 0)
		close(fd);
	if (rc == 0 && lock.l_type != F_UNLCK) {
		AUTO(json_auto)
		json_t *j = path_exists(info) ? json_read_file(info, STATE_MAX, NULL) : NULL;
		err_set(e, ERR_BLOCKED, _("wait until it has ended, then retry"),
			_("another terraform works on this deployment: process %ld, %s, since %s"),
			(long)lock.l_pid, json_path_str_or(j, "Who", "?"),
			json_path_str_or(j, "Created", "?"));
		if (e)
			e->cause = "state-lock";
		return -1;
	}
	return 0;
}

int tfstate_saved(const char *deployment, struct err *e)
{
	AUTO_FREE char *folder = path_join(deployment, "primary");
	AUTO_FREE char *errored = path_join(folder, ERRORED);
	AUTO_FREE char *cure = NULL;
	AUTO(buf_fini) struct buf quoted = {0};

	if (!path_exists(errored))
		return 0;
	shell_quote(&quoted, folder);
	cure = x_asprintf(_("cd %s && terraform state push %s && rm %s; then try again"),
		buf_str(&quoted), ERRORED, ERRORED);
	err_set(e, ERR_BLOCKED, cure,
		_("terraform could not save its state and has left it in %s: going on without it "
		  "would forget what was made"),
		ERRORED);
	if (e)
		e->cause = "state-errored";
	return -1;
}
