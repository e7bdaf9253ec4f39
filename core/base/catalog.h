/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A message catalogue (.mo, as msgfmt makes it): original text -> translation, in UTF-8. Read by
 * own code since the C library's gettext refuses every catalogue in the locales C and C.UTF-8
 * (glibc 2.39 and later), and a container often has no other. Invariants: a damaged file is no
 * catalogue at all; strings live as long as it.
 */
#ifndef RLPILOT_BASE_CATALOG_H
#define RLPILOT_BASE_CATALOG_H

#include <stddef.h>

struct catalog;

/* NULL when there is no such file, or it is no catalogue. */
struct catalog *catalog_open(const char *path);
void catalog_free(struct catalog *c);
/* The translation, borrowed; NULL when there is none. */
const char *catalog_find(const struct catalog *c, const char *original);
/* All pairs, in order of the originals; c NULL has none. */
size_t catalog_count(const struct catalog *c);
const char *catalog_pair(const struct catalog *c, size_t i, const char **translation);

#endif
