/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A connection to one Kubernetes API server: address, trusted roots, how to prove who we are. From
 * a kubeconfig (GKE contexts use the own Google token, no plugin is run) or from the GKE API. Owns
 * no stream; watches and logs hold the connection, so free them first. Reads only, but for
 * kube_call.
 */
#ifndef RLPILOT_CLOUD_KUBE_H
#define RLPILOT_CLOUD_KUBE_H

#include "core/cloud/cloud.h"

struct kube;

/* Reads a kubeconfig (paths NULL: KUBECONFIG, else ~/.kube/config; context NULL: the current one).
 * NULL with a message: no such context, an exec plugin that is not GKE's, TLS verification off. */
struct kube *kube_open_config(
	struct cloud *c, const char *paths, const char *context, struct err *e);
/* From the GKE API: endpoint, CA, own token. k is the receiver's. */
void kube_open_gke(struct cloud *c, const char *project, const char *location, const char *cluster,
	void (*fn)(void *arg, struct kube *k, const struct err *e), void *arg);
/* From parts; ca_pem NULL = system roots; token NULL = own Google token. */
struct kube *kube_new(struct cloud *c, const char *server, const char *ca_pem, const char *token);
void kube_free(struct kube *k);

const char *kube_server(const struct kube *k);
const char *kube_namespace(const struct kube *k); /* of the context; "default" */
struct cloud *kube_cloud(const struct kube *k);

/* path with query: "/api/v1/nodes". A Status answer becomes the error. */
struct cloud_call *kube_get(struct kube *k, const char *path, struct cloud_done done);
struct cloud_call *kube_call(struct kube *k, const char *method, const char *path,
	const json_t *body, struct cloud_done done);
/* All pages of a list as {"items":[…],"metadata":{…}}; selector NULL = all. */
void kube_list(
	struct kube *k, const char *path, const char *label_selector, struct cloud_done done);

/* A streaming GET with the token renewed after a 401. */
struct kube_stream;
struct kube_stream_spec {
	const char *path; /* with query */
	int idle_ms;      /* wall; 0 = none */
	void (*on_head)(void *arg);
	void (*on_data)(void *arg, const char *data, size_t n);
	/* Once. e NULL: a clean end. retry_after_s -1 = not told. The handle is dead afterwards. */
	void (*on_end)(void *arg, int64_t retry_after_s, const struct err *e);
	void *arg;
};
struct kube_stream *kube_stream_open(struct kube *k, const struct kube_stream_spec *spec);
void kube_stream_close(struct kube_stream **s);

#endif
