/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stand-in gcloud: a table of the commands that the tutorial, its checks and gcluster use, each
 * with its options. Texts, streams and exit codes are those of Google Cloud CLI 528; what it does
 * not know ends with "Invalid choice" and exit code 2, as there.
 */
#ifndef RLPILOT_SIM_BIN_GCLOUD_H
#define RLPILOT_SIM_BIN_GCLOUD_H

#include "sim/bin/args.h"
#include "sim/bin/web.h"
#include <jansson.h>

struct gcloud_command {
	const char *path; /* "storage buckets create" */
	int (*run)(const struct gcloud_command *c, const struct args *a);
	struct arg_flag flags[8];
};

extern const struct gcloud_command gcloud_auth_commands[];
extern const struct gcloud_command gcloud_storage_commands[];
extern const struct gcloud_command gcloud_other_commands[];
extern const struct gcloud_command gcloud_admin_commands[];

/* "ERROR: (gcloud.auth.login) text" on stderr; returns exit code 1. */
int gcloud_error(const struct gcloud_command *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* The n-th word after the command's own; NULL with the usual message when it is missing. */
const char *gcloud_word(
	const struct gcloud_command *c, const struct args *a, size_t n, const char *name);
/* --project or the configured one; NULL with a message; the caller's. */
char *gcloud_project(const struct gcloud_command *c, const struct args *a);
/* A call with the account's token to an API; 0 with the reply's JSON in *out (may be NULL), else
 * an exit code after its message. ok_missing: a 404 is left to the caller (reply status in
 * *status). */
int gcloud_call(const struct gcloud_command *c, const char *method, const char *url,
	const json_t *body, long *status, json_t **out);
/* Prints j as --format says (json, value(a,b), yaml, default yaml). */
void gcloud_print(const struct args *a, const json_t *j);
/* True when --format is given and is no table: the list was printed by gcloud_print. --filter is
 * applied to the array first (KEY:VALUE, KEY=VALUE, joined by AND). */
bool gcloud_print_list(const struct args *a, json_t *list);

#endif
