/* SPDX-License-Identifier: Apache-2.0 */
#include "core/fmt/kubeconfig.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/fmt/digest.h"
#include "core/fmt/yaml.h"

#define GKE_PLUGIN "gke-gcloud-auth-plugin"

/* The files of a KUBECONFIG list, in its order. */
struct files {
	struct yaml_doc **items;
	size_t n, cap;
};

/* An entry of a named list and the file it stands in. */
struct entry {
	const json_t *body;
	const struct yaml_doc *doc;
};

/* clusters[], users[] and contexts[] are lists of {name, cluster|user|context}: first file wins. */
static struct entry find(
	const struct files *f, const char *list, const char *kind, const char *name)
{
	for (size_t i = 0; i < f->n; i++) {
		const json_t *items = json_path(yaml_root(f->items[i]), list);
		const json_t *item;
		size_t at;

		json_array_foreach(items, at, item)
		{
			const char *its = json_path_str(item, "name");

			if (its && !strcmp(its, name))
				return (struct entry){json_path(item, kind), f->items[i]};
		}
	}
	return (struct entry){0};
}

static const char *current_context(const struct files *f)
{
	for (size_t i = 0; i < f->n; i++) {
		const char *s = json_path_str(yaml_root(f->items[i]), "current-context");

		if (s && *s)
			return s;
	}
	return NULL;
}

static char *copy(const json_t *j, const char *path)
{
	const char *s = json_path_str(j, path);

	return s && *s ? x_strdup(s) : NULL;
}

/* Relative paths are relative to the file that holds them. */
static char *copy_path(const struct entry *e, const char *path)
{
	const char *s = json_path_str(e->body, path);
	const char *file = yaml_name(e->doc);
	const char *slash;

	if (!s || !*s)
		return NULL;
	slash = strrchr(file, '/');
	if (*s == '/' || !slash)
		return x_strdup(s);
	return x_asprintf("%.*s/%s", (int)(slash - file), file, s);
}

/* *-data of an entry, decoded. -1 when it is not base64. */
static int copy_data(const struct entry *e, const char *path, char **out, struct err *err)
{
	const char *s = json_path_str(e->body, path);
	size_t n;

	if (!s || !*s)
		return 0;
	*out = digest_base64_decode(s, &n);
	if (*out && strlen(*out) == n)
		return 0;
	free(*out);
	*out = NULL;
	err_set(err, ERR_BAD_FILE,
		_("get the credentials again: gcloud container clusters "
		  "get-credentials"),
		_("%s in the kubeconfig is not base64-encoded PEM"), path);
	return err_at(err, yaml_name(e->doc), 0, 0);
}

static int read_cluster(struct kubeconfig *k, const struct files *f, struct err *err)
{
	struct entry e = find(f, "clusters", "cluster", k->cluster);

	k->server = copy(e.body, "server");
	if (!k->server) {
		err_set(err, ERR_BAD_FILE, _("get the credentials again or choose another context"),
			_("the kubeconfig has no server for cluster '%s'"), k->cluster);
		return err_at(err, yaml_name(f->items[0]), 0, 0);
	}
	k->tls_server_name = copy(e.body, "tls-server-name");
	k->proxy_url = copy(e.body, "proxy-url");
	k->insecure = json_path_bool(e.body, "insecure-skip-tls-verify", false);
	if (copy_data(&e, "certificate-authority-data", &k->ca_pem, err))
		return -1;
	if (!k->ca_pem)
		k->ca_file = copy_path(&e, "certificate-authority");
	return 0;
}

static enum kubeconfig_auth auth_of(const struct kubeconfig *k)
{
	const char *base;

	if (k->token_file)
		return KUBECONFIG_AUTH_TOKEN_FILE;
	if (k->token)
		return KUBECONFIG_AUTH_TOKEN;
	if ((k->cert_pem || k->cert_file) && (k->key_pem || k->key_file))
		return KUBECONFIG_AUTH_CERT;
	if (!k->exec_command)
		return KUBECONFIG_AUTH_NONE;
	base = strrchr(k->exec_command, '/');
	base = base ? base + 1 : k->exec_command;
	return strcmp(base, GKE_PLUGIN) ? KUBECONFIG_AUTH_EXEC : KUBECONFIG_AUTH_GKE;
}

static int read_user(struct kubeconfig *k, const struct files *f, struct err *err)
{
	struct entry e = find(f, "users", "user", k->user);
	const char *provider;

	if (!e.body)
		return 0;
	k->token = copy(e.body, "token");
	k->token_file = copy_path(&e, "tokenFile");
	k->exec_command = copy(e.body, "exec.command");
	if (copy_data(&e, "client-certificate-data", &k->cert_pem, err) ||
		copy_data(&e, "client-key-data", &k->key_pem, err))
		return -1;
	if (!k->cert_pem)
		k->cert_file = copy_path(&e, "client-certificate");
	if (!k->key_pem)
		k->key_file = copy_path(&e, "client-key");
	provider = json_path_str(e.body, "auth-provider.name");
	k->auth = auth_of(k);
	if (k->auth == KUBECONFIG_AUTH_NONE && provider && !strcmp(provider, "gcp"))
		k->auth = KUBECONFIG_AUTH_GKE;
	return 0;
}

static int resolve(
	struct kubeconfig *k, const struct files *f, const char *context, struct err *err)
{
	struct entry e;

	if (!context)
		context = current_context(f);
	if (!context) {
		err_set(err, ERR_BAD_FILE,
			_("give --context, or set one: kubectl config use-context"),
			_("the kubeconfig names no current context"));
		return f->n ? err_at(err, yaml_name(f->items[0]), 0, 0) : -1;
	}
	e = find(f, "contexts", "context", context);
	k->context = x_strdup(context);
	k->cluster = copy(e.body, "cluster");
	k->user = copy(e.body, "user");
	k->ns = copy(e.body, "namespace");
	if (!k->ns)
		k->ns = x_strdup("default");
	if (!k->cluster) {
		err_set(err, ERR_BAD_FILE, _("list them: kubectl config get-contexts"),
			_("the kubeconfig has no context '%s'"), context);
		return f->n ? err_at(err, yaml_name(f->items[0]), 0, 0) : -1;
	}
	if (read_cluster(k, f, err))
		return -1;
	return k->user ? read_user(k, f, err) : 0;
}

static void files_fini(struct files *f)
{
	for (size_t i = 0; i < f->n; i++)
		yaml_close(f->items[i]);
	free(f->items);
}

static int finish(struct kubeconfig *k, const struct files *f, const char *context, struct err *e)
{
	int rc = resolve(k, f, context, e);

	if (rc)
		kubeconfig_fini(k);
	return rc;
}

int kubeconfig_parse(struct kubeconfig *k, const char *path, const char *text, size_t n,
	const char *context, struct err *e)
{
	AUTO(files_fini) struct files f = {0};
	struct yaml_doc *doc = yaml_parse(path, text, n, e);

	*k = (struct kubeconfig){0};
	if (!doc)
		return -1;
	*VEC_PUSH(&f) = doc;
	return finish(k, &f, context, e);
}

int kubeconfig_load(struct kubeconfig *k, const char *paths, const char *context, struct err *e)
{
	AUTO(files_fini) struct files f = {0};
	AUTO(strvec_fini) struct strvec list = {0};

	*k = (struct kubeconfig){0};
	strvec_split(&list, paths, ":");
	for (size_t i = 0; i < list.n; i++) {
		struct yaml_doc *doc;

		if (!path_exists(list.items[i]))
			continue;
		doc = yaml_read(list.items[i], e);
		if (!doc)
			return -1;
		*VEC_PUSH(&f) = doc;
	}
	if (f.n == 0)
		return err_set(e, ERR_BAD_FILE,
			_("make one: gcloud container clusters get-credentials CLUSTER"),
			_("there is no kubeconfig at %s"), paths);
	return finish(k, &f, context, e);
}

void kubeconfig_fini(struct kubeconfig *k)
{
	char *plain[] = {k->context, k->cluster, k->user, k->ns, k->server, k->ca_pem, k->ca_file,
		k->tls_server_name, k->proxy_url, k->token_file, k->cert_file, k->key_file,
		k->cert_pem, k->exec_command};

	x_wipe_free(k->token);
	x_wipe_free(k->key_pem);
	for (size_t i = 0; i < COUNT(plain); i++)
		free(plain[i]);
	*k = (struct kubeconfig){0};
}

bool kubeconfig_gke_name(const char *context, char **project, char **location, char **cluster)
{
	const char *p, *l, *c;

	if (strncmp(context, "gke_", 4))
		return false;
	p = context + 4;
	l = strchr(p, '_');
	c = l ? strchr(l + 1, '_') : NULL;
	if (!c || l == p || c == l + 1 || !c[1])
		return false;
	*project = x_strndup(p, (size_t)(l - p));
	*location = x_strndup(l + 1, (size_t)(c - l - 1));
	*cluster = x_strdup(c + 1);
	return true;
}
