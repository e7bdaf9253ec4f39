/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/bundle.h"

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "sim/google.h"
#include "sim/sim.h"
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define RELEASE   "v1.103.0"
#define FILE_MAX  ((size_t)64 << 20)
#define BLUEPRINT "gke-tpu-v6e-advanced.yaml"

struct bundle {
	struct buf tgz;
};

static const char readme[] = "# Cluster Toolkit bundle (rehearsal)\n\n"
			     "This bundle was packed by rlpilot-sim. Its gcluster talks to the "
			     "pretend cloud on loopback and\n"
			     "to nothing else; the blueprint is rlpilot's own and stands in for "
			     "the example of that name.\n";
static const char license[] = "Licensed under the Apache License, Version 2.0; see "
			      "https://www.apache.org/licenses/LICENSE-2.0\n";

/* A folder of ours: beside the program in a build tree, else where it was installed. */
static char *own_folder(const char *built, const char *installed)
{
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	if (n > 0) {
		exe[n] = '\0';
		AUTO_FREE char *beside = path_join(dirname(exe), built);
		if (path_is_dir(beside))
			return x_strdup(beside);
	}
	return path_is_dir(installed) ? x_strdup(installed) : NULL;
}

char *bundle_tools_folder(void)
{
	return own_folder("sim/bin", PKGLIBEXECDIR "/sim-bin");
}

static int put(const char *folder, const char *name, const void *data, size_t n, mode_t mode,
	struct err *e)
{
	AUTO_FREE char *path = path_join(folder, name);
	if (path_write(path, data, n, e) < 0)
		return -1;
	return chmod(path, mode) == 0 ? 0
				      : err_errno(e, ERR_CANNOT_WRITE, errno, "",
						"cannot change the mode of %s", path);
}

static int copy(const char *from, const char *name, const char *to, const char *as, mode_t mode,
	struct err *e)
{
	AUTO_FREE char *path = path_join(from, name);
	AUTO(buf_fini) struct buf b = {0};
	if (path_read(path, FILE_MAX, &b, e) < 0)
		return -1;
	return put(to, as, b.data, b.len, mode, e);
}

static int run_tar(const char *folder, const char *tgz, struct err *e)
{
	char *argv[] = {"tar", "-czf", (char *)(uintptr_t)tgz, "-C", (char *)(uintptr_t)folder,
		"--owner=0", "--group=0", "--mode=go+rX", "gcluster", "examples", "README.md",
		"LICENSE", NULL};
	int status = 0;
	pid_t pid = fork();
	if (pid == 0) {
		execvp(argv[0], argv);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	return err_set(
		e, ERR_FAILED, "install tar and gzip", "tar does not pack the bundle %s", tgz);
}

static int pack(struct bundle *b, const char *from, const char *folder, struct err *e)
{
	AUTO_FREE char *examples = path_join(folder, "examples/gke-tpu-v6e");
	AUTO_FREE char *tgz = x_asprintf("%s.tgz", folder);
	if (path_mkdirs(examples, e) < 0 ||
		copy(from, "gcluster", folder, "gcluster", 0755, e) < 0 ||
		copy(from, BLUEPRINT, examples, BLUEPRINT, 0644, e) < 0 ||
		put(folder, "README.md", readme, sizeof(readme) - 1, 0644, e) < 0 ||
		put(folder, "LICENSE", license, sizeof(license) - 1, 0644, e) < 0 ||
		run_tar(folder, tgz, e) < 0 || path_read(tgz, FILE_MAX, &b->tgz, e) < 0)
		return -1;
	return path_remove_tree(tgz, e);
}

int bundle_open(struct sim *sim, struct err *e)
{
	sim->bundle = X_NEW(struct bundle);
	AUTO_FREE char *from = own_folder("sim/bundle", PKGLIBEXECDIR "/sim-bundle");
	if (!from)
		return err_set(e, ERR_BAD_FILE, "run make, or make install, again",
			"the files of the pretend release are missing (sim-bundle)");
	AUTO_FREE char *folder = path_join(sim->folder, "bundle");
	int rc = pack(sim->bundle, from, folder, e);
	return path_remove_tree(folder, rc < 0 ? NULL : e) < 0 ? -1 : rc;
}

void bundle_close(struct sim *sim)
{
	if (!sim->bundle)
		return;
	buf_fini(&sim->bundle->tgz);
	free(sim->bundle);
	sim->bundle = NULL;
}

static void download(struct req *req)
{
	static const char *const names[] = {
		"gcluster_bundle_linux_amd64.tgz", "gcluster_bundle_linux_arm64.tgz"};
	const struct buf *tgz = &req->sim->bundle->tgz;
	for (size_t i = 0; i < COUNT(names); i++) {
		if (strcmp(req_capture(req, "file"), names[i]) != 0 ||
			strcmp(req_capture(req, "version"), RELEASE) != 0)
			continue;
		reply_bytes(req, 200, "application/octet-stream", tgz->data, tgz->len);
		return;
	}
	reply_bytes(req, 404, "text/plain; charset=utf-8", "Not Found", strlen("Not Found"));
}

const struct route bundle_routes[] = {
	{"GET", "/releases/download/{version}/{file}", download, ROUTE_OPEN},
	{0},
};
