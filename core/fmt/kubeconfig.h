/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kubeconfig file as the few things a read-only client needs. KUBECONFIG may name several files:
 * for each name the first file wins (client-go's rule). Never runs an exec plugin: it only says
 * that there is one. Source: facts of client-go clientcmd/api/v1.
 */
#ifndef RLPILOT_FMT_KUBECONFIG_H
#define RLPILOT_FMT_KUBECONFIG_H

#include <stdbool.h>
#include <stddef.h>

struct err;

enum kubeconfig_auth {
	KUBECONFIG_AUTH_NONE,
	KUBECONFIG_AUTH_TOKEN,      /* token */
	KUBECONFIG_AUTH_TOKEN_FILE, /* token_file, to be read again each time */
	KUBECONFIG_AUTH_CERT,       /* client certificate and key */
	KUBECONFIG_AUTH_GKE,        /* gke-gcloud-auth-plugin: use the own Google token */
	KUBECONFIG_AUTH_EXEC,       /* another exec plugin */
};

struct kubeconfig {
	char *context; /* name of the context read */
	char *cluster, *user;
	char *ns;      /* namespace of the context, "default" if none */
	char *server;  /* https://… */
	char *ca_pem;  /* decoded PEM, or NULL: system roots */
	char *ca_file; /* absolute path, or NULL */
	char *tls_server_name;
	char *proxy_url;
	bool insecure; /* insecure-skip-tls-verify was asked for: we refuse it */
	enum kubeconfig_auth auth;
	char *token; /* wiped by kubeconfig_fini */
	char *token_file, *cert_file, *key_file;
	char *cert_pem, *key_pem;
	char *exec_command;
};

/* Reads text (n bytes) of the file named path. context NULL: current-context. ERR_BAD_FILE with
 * place and cure. k is overwritten. */
int kubeconfig_parse(struct kubeconfig *k, const char *path, const char *text, size_t n,
	const char *context, struct err *e);
/* Same, from a colon list of paths (missing ones are skipped). */
int kubeconfig_load(struct kubeconfig *k, const char *paths, const char *context, struct err *e);
void kubeconfig_fini(struct kubeconfig *k);
/* Splits "gke_PROJECT_LOCATION_CLUSTER"; the strings are the caller's. False for other names. */
bool kubeconfig_gke_name(const char *context, char **project, char **location, char **cluster);

#endif
