/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cloud/kube.h"

#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/redact.h"
#include "core/base/text.h"
#include "core/cloud/auth.h"
#include "core/cloud/gke.h"
#include "core/cloud/kube_private.h"
#include "core/cloud/pages.h"
#include "core/fmt/digest.h"
#include "core/fmt/json.h"
#include "core/fmt/kubeconfig.h"

#include <stdlib.h>
#include <string.h>

#define PEM_MAX ((size_t)1 << 20)

struct opening {
	struct cloud *cloud;
	char *name;
	void (*fn)(void *arg, struct kube *k, const struct err *e);
	void *arg;
};

struct kube *kube_new(struct cloud *c, const char *server, const char *ca_pem, const char *token)
{
	struct kube *k = X_NEW(struct kube);

	k->cloud = c;
	k->server = x_strdup(server);
	while (text_ends(k->server, "/"))
		k->server[strlen(k->server) - 1] = '\0';
	k->ns = x_strdup("default");
	k->ca_pem = x_strdup(ca_pem);
	k->token = x_strdup(token);
	return k;
}

void kube_free(struct kube *k)
{
	if (!k)
		return;
	free(k->server);
	free(k->ns);
	free(k->ca_pem);
	free(k->cert_pem);
	x_wipe_free(k->key_pem);
	x_wipe_free(k->token);
	free(k->token_file);
	free(k->tls_name);
	free(k);
}

const char *kube_server(const struct kube *k)
{
	return k->server;
}

const char *kube_namespace(const struct kube *k)
{
	return k->ns;
}

struct cloud *kube_cloud(const struct kube *k)
{
	return k->cloud;
}

/* *out is kept when there is no file. */
static int read_pem(const char *file, char **out, struct err *e)
{
	struct buf b = {0};

	if (!file)
		return 0;
	if (path_read(file, PEM_MAX, &b, e) != 0)
		return -1;
	free(*out);
	*out = buf_take(&b);
	return 0;
}

static int check_config(const struct kubeconfig *f, struct err *e)
{
	if (f->insecure)
		return err_set(e, ERR_FAILED,
			_("remove insecure-skip-tls-verify from the kubeconfig"),
			_("context %s turns certificate checks off"), f->context);
	if (f->proxy_url)
		return err_set(e, ERR_FAILED, _("set HTTPS_PROXY instead"),
			_("context %s names a proxy of its own, which is not supported"),
			f->context);
	if (f->auth == KUBECONFIG_AUTH_EXEC)
		return err_set(e, ERR_FAILED,
			_("use a context made by gcloud, or one with a token"),
			_("context %s gets its token from %s, which is not supported yet"),
			f->context, f->exec_command ? f->exec_command : "?");
	return 0;
}

static struct kube *from_config(struct cloud *c, struct kubeconfig *f, struct err *e)
{
	struct kube *k;

	if (check_config(f, e) != 0)
		return NULL;
	k = kube_new(c, f->server, f->ca_pem, NULL);
	free(k->ns);
	k->ns = x_strdup(f->ns);
	k->tls_name = x_strdup(f->tls_server_name);
	k->cert_pem = x_strdup(f->cert_pem);
	k->key_pem = x_strdup(f->key_pem);
	k->token_file = x_strdup(f->token_file);
	if (f->auth != KUBECONFIG_AUTH_GKE)
		k->token = x_strdup(f->token ? f->token : "");
	if (f->token)
		redact_add(f->token, "[cluster token]");
	if ((!f->ca_pem && read_pem(f->ca_file, &k->ca_pem, e) != 0) ||
		(!f->cert_pem && read_pem(f->cert_file, &k->cert_pem, e) != 0) ||
		(!f->key_pem && read_pem(f->key_file, &k->key_pem, e) != 0)) {
		kube_free(k);
		return NULL;
	}
	return k;
}

struct kube *kube_open_config(
	struct cloud *c, const char *paths, const char *context, struct err *e)
{
	const char *home = getenv("HOME");
	AUTO_FREE char *standard = x_asprintf("%s/.kube/config", home ? home : "");
	struct kubeconfig f = {0};
	struct kube *k = NULL;

	if (!paths || !*paths)
		paths = getenv("KUBECONFIG");
	if (!paths || !*paths)
		paths = standard;
	if (kubeconfig_load(&f, paths, context, e) == 0)
		k = from_config(c, &f, e);
	kubeconfig_fini(&f);
	return k;
}

/* The normal way is the IP endpoint with the cluster's own CA; the DNS endpoint has public roots.
 */
static struct kube *from_cluster(struct cloud *c, const char *name, const json_t *j, struct err *e)
{
	const char *endpoint = json_path_str(j, "endpoint");
	const char *ca = json_path_str(j, "masterAuth.clusterCaCertificate");
	const json_t *dns = json_path(j, "controlPlaneEndpointsConfig.dnsEndpointConfig");
	AUTO_FREE char *server = NULL;
	AUTO_FREE char *pem = NULL;
	size_t n;

	if (endpoint && *endpoint && ca) {
		server = x_asprintf("https://%s", endpoint);
		pem = digest_base64_decode(ca, &n);
		if (pem)
			return kube_new(c, server, pem, NULL);
	} else if (json_path_bool(dns, "allowExternalTraffic", false) &&
		   json_path_str(dns, "endpoint")) {
		server = x_asprintf("https://%s", json_path_str(dns, "endpoint"));
		return kube_new(c, server, NULL, NULL);
	}
	err_set(e, ERR_FAILED, _("wait until it runs; see: gcloud container clusters list"),
		_("cluster %s has no address yet (%s)"), name, json_path_str_or(j, "status", "?"));
	return NULL;
}

static void cluster_came(void *arg, json_t *reply, const struct err *e)
{
	struct opening *o = arg;
	struct err why = {0};
	struct kube *k = e ? NULL : from_cluster(o->cloud, o->name, reply, &why);

	o->fn(o->arg, k, k ? NULL : e ? e : &why);
}

void kube_open_gke(struct cloud *c, const char *project, const char *location, const char *cluster,
	void (*fn)(void *arg, struct kube *k, const struct err *e), void *arg)
{
	size_t n = strlen(cluster) + 1;
	struct opening *o = x_calloc(1, sizeof(*o) + n);

	*o = (struct opening){c, (char *)(o + 1), fn, arg};
	memcpy(o->name, cluster, n);
	cloud_own(gke_cluster(c, project, location, cluster, (struct cloud_done){cluster_came, o}),
		arg, o);
}

/* Read again each time: such files are rotated. */
const char *kube_token(struct kube *k)
{
	if (k->token_file) {
		struct buf b = {0};

		if (path_read(k->token_file, PEM_MAX, &b, NULL) == 0) {
			x_wipe_free(k->token);
			k->token = buf_take(&b);
			k->token[strcspn(k->token, "\r\n \t")] = '\0';
			redact_add(k->token, "[cluster token]");
		}
		buf_fini(&b);
	}
	return k->token;
}

static struct cloud_request request(struct kube *k, const char *method, const char *path,
	const json_t *body, struct cloud_done done)
{
	return (struct cloud_request){.base = k->server,
		.method = method,
		.path = path,
		.body = body,
		.ca_pem = k->ca_pem,
		.cert_pem = k->cert_pem,
		.key_pem = k->key_pem,
		.tls_name = k->tls_name,
		.token = kube_token(k),
		.done = done};
}

struct cloud_call *kube_get(struct kube *k, const char *path, struct cloud_done done)
{
	struct cloud_request req = request(k, NULL, path, NULL, done);

	return cloud_send(k->cloud, &req);
}

struct cloud_call *kube_call(struct kube *k, const char *method, const char *path,
	const json_t *body, struct cloud_done done)
{
	struct cloud_request req = request(k, method, path, body, done);

	return cloud_send(k->cloud, &req);
}

void kube_list(struct kube *k, const char *path, const char *label_selector, struct cloud_done done)
{
	AUTO(buf_fini) struct buf full = {0};
	struct cloud_request req;

	buf_addf(&full, "%s?limit=500", path);
	if (label_selector) {
		buf_adds(&full, "&labelSelector=");
		http_escape(&full, label_selector);
	}
	req = request(k, NULL, buf_str(&full), NULL, done);
	pages_merge(k->cloud, &req, pages_kube, "items", done);
}
