/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files and folders of ours: 0700 folders, 0600 files, written by temporary file, fsync, rename and
 * fsync of the folder. Reads are bounded. Nothing here follows a name from outside into a shell.
 */
#ifndef RLPILOT_BASE_PATH_H
#define RLPILOT_BASE_PATH_H

#include <stdbool.h>
#include <stddef.h>

struct err;
struct buf;

/* dir + "/" + name, the caller's. */
char *path_join(const char *dir, const char *name);
/* $XDG_STATE_HOME/rlpilot, else ~/.local/state/rlpilot; the caller's. -1 if HOME is unset too. */
int path_state_root(char **out, struct err *e);
/* $XDG_CONFIG_HOME/rlpilot, else ~/.config/rlpilot. */
int path_config_root(char **out, struct err *e);
/* A text as people write its paths, with ~ where one below HOME begins; the caller's. */
char *path_short(const char *text);
/* mkdir -p with mode 0700. */
int path_mkdirs(const char *dir, struct err *e);
/* Makes dir/N, the first number that is free and nobody else takes; *out is the caller's. */
int path_mkdir_next(const char *dir, char **out, struct err *e);
bool path_exists(const char *path);
bool path_is_dir(const char *path);
/* Whole file into b, at most max bytes (more is an error). ERR_BAD_FILE when it cannot be read. */
int path_read(const char *path, size_t max, struct buf *b, struct err *e);
/* Atomic replacement, mode 0600, fsynced. ERR_CANNOT_WRITE with a cure (space, rights). */
int path_write(const char *path, const void *data, size_t n, struct err *e);
/* To the end of a file of the run folder, mode 0600, not fsynced; errors as path_write. */
int path_append(const char *path, const void *data, size_t n, struct err *e);
/* What to do when a write into a run that is at work failed with this errno. */
const char *path_cure(int errnum);
/* Removes a file or a whole tree; absent is fine. Never follows symbolic links. */
int path_remove_tree(const char *path, struct err *e);
/* Names in dir, sorted, without "." and ".."; absent dir = none. */
struct strvec;
int path_list(const char *dir, struct strvec *names, struct err *e);
/* Absolute path of an executable found on PATH (or given with a slash); NULL if none; caller's. */
char *path_find_program(const char *name, const char *path_env);

#endif
