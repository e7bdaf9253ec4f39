/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stand-in kubectl: get, delete, wait, logs and version as the tutorial and gcluster use them.
 * It prints its own tables (the real one prints the server's) and never calls a kubectl further
 * down PATH.
 */
#ifndef RLPILOT_SIM_BIN_KUBECTL_H
#define RLPILOT_SIM_BIN_KUBECTL_H

#include "sim/bin/args.h"
#include "sim/bin/kapi.h"

struct kubectl_kind {
	const char *plural, *singular, *brief;
	const char *root; /* "/api/v1" */
	const char *full; /* with its group */
	bool namespaced;
};

const struct kubectl_kind *kubectl_kind(const char *word); /* NULL after a message */
char *kubectl_label(const struct kubectl_kind *k);         /* "pod", "job.batch"; the caller's */
/* Path with a '?' at its end, so that "&a=b" may follow; ns "" = all; the caller's. */
char *kubectl_path(
	const struct kubectl_kind *k, const char *ns, const char *name, const char *selector);
/* "Error from server (…): …"; returns 1. */
int kubectl_failed(const struct kapi *k, const json_t *j, long status);
/* Rows of a list or of one object; names_only: "pod/x" lines; titled: names with their kind. */
void kubectl_table(const struct kubectl_kind *kind, const json_t *j, const char *ns,
	bool names_only, bool titled);
int kubectl_logs(struct kapi *k, const struct args *a);

#endif
