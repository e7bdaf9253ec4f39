/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The seam between the cluster as Google sees it and its inside (API server, controllers,
 * workloads). deploy_parts.c calls these while resources come and go, worlds_start.c for what a
 * world begins with. The routes are served on the TLS listener.
 */
#ifndef RLPILOT_SIM_KUBE_H
#define RLPILOT_SIM_KUBE_H

#include "sim/route.h"

struct sim;
struct node_pool;

/* Sets sim->kube; the cluster is not up yet. */
void kube_open(struct sim *sim);
void kube_close(struct sim *sim);

/* The API server answers: namespaces, default service account, built-in groups. */
void kube_cluster_up(struct sim *sim);
/* pool->nodes nodes join (Ready soon after); also called when a pool was resized. */
void kube_nodes_add(struct sim *sim, const struct node_pool *pool);
void kube_nodes_remove(struct sim *sim, const struct node_pool *pool);
/* what: "kueue", "kueue-config", "jobset", "cert-manager": the group is served from now on; with
 * kueue-config its queues and flavours exist. */
void kube_crds_up(struct sim *sim, const char *what);
/* Everything inside is gone; the API server answers no more. */
void kube_cluster_down(struct sim *sim);

extern const struct route kube_routes[]; /* guard ROUTE_KUBE (ROUTE_OPEN for /readyz, /version) */

#endif
