/* SPDX-License-Identifier: Apache-2.0 */
/* A recipe file of any bytes is a recipe or an error with its place. */
#include "tests/fuzz/fuzz.h"

#include "core/base/err.h"
#include "core/base/text.h"
#include "core/recipe/recipe.h"
#include "core/recipe/values.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct recipe *r = NULL;
	struct err e = {0};
	char path[40];
	int fd = memfd_create("recipe", MFD_CLOEXEC);
	MUST(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (recipe_load(path, &r, &e) == 0) {
		struct values v = {0};
		values_start(&v, r, NULL);
		values_check(&v, r, &e);
		values_fini(&v);
		recipe_free(r);
	} else {
		MUST(e.code == ERR_BAD_FILE && text_starts(e.place, path));
	}
	close(fd);
	return 0;
}
