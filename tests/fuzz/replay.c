/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a fuzz target without a fuzzer: over the files and folders named, or its own kept corpus,
 * $srcdir/tests/fuzz/corpus/NAME. Each file is tried whole and cut short at up to 200 places, in
 * memory of exactly that size.
 */
#include "tests/fuzz/fuzz.h"

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/path.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define CUTS 200

static size_t files;

static void run_bytes(const char *data, size_t n)
{
	uint8_t *copy = x_malloc(n + !n);
	memcpy(copy, data, n);
	LLVMFuzzerTestOneInput(copy, n);
	free(copy);
}

static int run_file(const char *path)
{
	struct err e = {0};
	AUTO(buf_fini) struct buf b = {0};
	if (path_read(path, BUF_MAX_DEFAULT, &b, &e) < 0) {
		err_print(&e);
		return -1;
	}
	for (size_t i = 0; i < CUTS && i < b.len; i++)
		run_bytes(b.data, b.len < CUTS ? i : b.len / CUTS * i);
	run_bytes(buf_str(&b), b.len);
	files++;
	return 0;
}

static int run_folder(const char *path)
{
	struct dirent **names;
	int rc = 0, n = scandir(path, &names, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		AUTO_FREE char *file = x_asprintf("%s/%s", path, names[i]->d_name);
		if (*names[i]->d_name != '.' && run_file(file) < 0)
			rc = -1;
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	return n < 0 ? -1 : rc;
}

static int run(const char *path)
{
	struct stat st;
	if (stat(path, &st) < 0)
		return -1;
	return S_ISDIR(st.st_mode) ? run_folder(path) : run_file(path);
}

int main(int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/');
	const char *top = getenv("srcdir");
	AUTO_FREE char *kept =
		x_asprintf("%s/tests/fuzz/corpus/%s", top ? top : ".", slash ? slash + 1 : argv[0]);
	int rc = argc > 1 ? 0 : run(kept);
	for (int i = 1; i < argc; i++)
		if (run(argv[i]) < 0)
			rc = -1;
	printf("%zu files\n", files);
	return rc < 0 || files == 0;
}
