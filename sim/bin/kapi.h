/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Kubernetes API as kubectl and gcluster reach it: kubeconfig file, exec plugin, TLS by the
 * cluster's own authority. Also writes the kubeconfig entry that gcloud makes for a GKE cluster.
 */
#ifndef RLPILOT_SIM_BIN_KAPI_H
#define RLPILOT_SIM_BIN_KAPI_H

#include "sim/bin/web.h"
#include <jansson.h>

struct kapi {
	char *server, *ca_pem, *token, *namespace;
	char why[512]; /* why it cannot be opened or called */
};

/* The kubeconfig that is read and written: first of $KUBECONFIG, else ~/.kube/config; the caller's.
 */
char *kapi_config_file(void);
/* Enters a cluster (GKE API object) and makes it the current context; 0 or 1. */
int kapi_save_cluster(const char *project, const json_t *cluster);
/* context NULL: the current one. 0 or -1 with why. */
int kapi_open(struct kapi *k, const char *context);
void kapi_fini(struct kapi *k);
/* path with its leading slash. The reply's JSON (the caller's), NULL when there was none (why). */
json_t *kapi_call(
	struct kapi *k, const char *method, const char *path, const json_t *body, long *status);
/* Lines of a watch or a followed log; 0 when it ended or was ended by on_line, -1 with why. */
int kapi_stream(struct kapi *k, const char *path, bool (*on_line)(void *arg, const char *line),
	void *arg, long *status);

#endif
