/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/mem.h"
#include "sim/kube_call.h"

#include <string.h>

static bool served(const struct kube *k, const struct kube_type *t)
{
	return !t->needs || map_get(&k->groups, t->needs);
}

static json_t *words(const char *text)
{
	AUTO(strvec_fini) struct strvec v = {0};
	json_t *list = json_array();

	strvec_split(&v, text, " ");
	for (size_t i = 0; i < v.n; i++)
		json_array_append_new(list, json_string(v.items[i]));
	return list;
}

static json_t *resource(const struct kube_type *t)
{
	json_t *r = json_pack("{s:s, s:s, s:b, s:s, s:o}", "name", t->plural, "singularName",
		t->singular, "namespaced", t->namespaced, "kind", t->kind, "verbs",
		words(t->review ? "create"
				: "create delete deletecollection get list patch update "
				  "watch"));

	if (t->shorts)
		json_object_set_new(r, "shortNames", words(t->shorts));
	if (t->all)
		json_object_set_new(r, "categories", words(t->all));
	return r;
}

static json_t *subresource(
	const struct kube_type *t, const char *sub, const char *kind, const char *verbs)
{
	return json_pack("{s:o, s:s, s:b, s:s, s:o}", "name", json_sprintf("%s/%s", t->plural, sub),
		"singularName", "", "namespaced", t->namespaced, "kind", kind, "verbs",
		words(verbs));
}

/* APIResourceList of one version; NULL when the group is not served. */
static json_t *resources(const struct kube *k, const char *group, const char *version)
{
	json_t *list = json_array();

	for (size_t i = 0; i < kube_types_n; i++) {
		const struct kube_type *t = &kube_types[i];

		if (strcmp(t->group, group) != 0 || strcmp(t->version, version) != 0 ||
			!served(k, t))
			continue;
		json_array_append_new(list, resource(t));
		if (t->review)
			continue;
		json_array_append_new(list, subresource(t, "status", t->kind, "get patch update"));
		if (!strcmp(t->key, KUBE_PODS)) {
			json_array_append_new(list, subresource(t, "log", "Pod", "get"));
			json_array_append_new(
				list, subresource(t, "eviction", "Eviction", "create"));
		}
	}
	if (!json_array_size(list)) {
		json_decref(list);
		return NULL;
	}
	return json_pack("{s:s, s:s, s:o, s:o}", "kind", "APIResourceList", "apiVersion", "v1",
		"groupVersion",
		*group ? json_sprintf("%s/%s", group, version) : json_string(version), "resources",
		list);
}

/* APIGroup without kind; NULL when it is not served. Versions in order of the table: the first is
 * preferred. */
static json_t *group_of(const struct kube *k, const char *name)
{
	json_t *versions = json_array();
	const char *last = "";

	for (size_t i = 0; i < kube_types_n; i++) {
		const struct kube_type *t = &kube_types[i];

		if (strcmp(t->group, name) != 0 || !served(k, t) || !strcmp(t->version, last))
			continue;
		last = t->version;
		json_array_append_new(
			versions, json_pack("{s:o, s:s}", "groupVersion",
					  json_sprintf("%s/%s", name, last), "version", last));
	}
	if (!json_array_size(versions)) {
		json_decref(versions);
		return NULL;
	}
	return json_pack("{s:s, s:o, s:O}", "name", name, "versions", versions, "preferredVersion",
		json_array_get(versions, 0));
}

static json_t *groups(const struct kube *k)
{
	json_t *list = json_array();

	for (size_t i = 0; i < kube_types_n; i++) {
		const char *name = kube_types[i].group;
		json_t *g;

		if (!*name || (i > 0 && !strcmp(name, kube_types[i - 1].group)))
			continue;
		g = group_of(k, name);
		if (g)
			json_array_append_new(list, g);
	}
	return json_pack(
		"{s:s, s:s, s:o}", "kind", "APIGroupList", "apiVersion", "v1", "groups", list);
}

static json_t *params(void)
{
	static const char *const names[] = {"dryRun", "fieldManager", "fieldValidation", "force"};
	json_t *list = json_array();

	for (size_t i = 0; i < COUNT(names); i++)
		json_array_append_new(
			list, json_pack("{s:s, s:s, s:b, s:{s:s}}", "name", names[i], "in", "query",
				      "uniqueItems", 1, "schema", "type", "string"));
	return list;
}

/* One path of the OpenAPI v3 document of a version: that PATCH knows field validation and dry run
 * is what kubectl apply looks for. */
static json_t *patch_path(const struct kube_type *t)
{
	return json_pack("{s:{s:s, s:{s:s, s:s, s:s}, s:o, s:{s:{s:s}}}}", "patch",
		"x-kubernetes-action", "patch", "x-kubernetes-group-version-kind", "group",
		t->group, "version", t->version, "kind", t->kind, "parameters", params(),
		"responses", "200", "description", "OK");
}

static json_t *openapi_paths(
	const struct kube *k, const char *group, const char *version, json_t *schemas)
{
	json_t *paths = json_object();

	for (size_t i = 0; i < kube_types_n; i++) {
		const struct kube_type *t = &kube_types[i];
		AUTO_FREE char *path = NULL;
		AUTO_FREE char *schema = NULL;

		if (strcmp(t->group, group) != 0 || strcmp(t->version, version) != 0 || t->review ||
			!served(k, t))
			continue;
		path = x_asprintf("%s%s/%s/%s%s/{name}", *group ? "/apis/" : "/api", group, version,
			t->namespaced ? "namespaces/{namespace}/" : "", t->plural);
		schema = x_asprintf(
			"io.rehearsal.%s.%s.%s", *group ? group : "core", version, t->kind);
		json_object_set_new(paths, path, patch_path(t));
		json_object_set_new(schemas, schema,
			json_pack("{s:s, s:b, s:[{s:s, s:s, s:s}]}", "type", "object",
				"x-kubernetes-preserve-unknown-fields", 1,
				"x-kubernetes-group-version-kind", "group", t->group, "version",
				t->version, "kind", t->kind));
	}
	return paths;
}

static json_t *openapi_v3(const struct kube *k, const char *group, const char *version)
{
	json_t *schemas = json_object();
	json_t *paths = openapi_paths(k, group, version, schemas);

	return json_pack("{s:s, s:{s:s, s:s}, s:o, s:{s:o}}", "openapi", "3.0.0", "info", "title",
		"Kubernetes", "version", "v1.35.2-gke.1842000", "paths", paths, "components",
		"schemas", schemas);
}

static json_t *openapi_index(const struct kube *k)
{
	json_t *paths = json_object();

	for (size_t i = 0; i < kube_types_n; i++) {
		const struct kube_type *t = &kube_types[i];
		AUTO_FREE char *gv = *t->group ? x_asprintf("apis/%s/%s", t->group, t->version)
					       : x_asprintf("api/%s", t->version);

		if (served(k, t))
			json_object_set_new(paths, gv,
				json_pack("{s:o}", "serverRelativeURL",
					json_sprintf("/openapi/v3/%s?hash=1", gv)));
	}
	return json_pack("{s:o}", "paths", paths);
}

static json_t *api_versions(void)
{
	return json_pack("{s:s, s:[s], s:[{s:s, s:s}]}", "kind", "APIVersions", "versions", "v1",
		"serverAddressByClientCIDRs", "clientCIDR", "0.0.0.0/0", "serverAddress",
		"127.0.0.1");
}

static json_t *api_group(const struct kube *k, const char *name)
{
	json_t *g = group_of(k, name);

	if (g) {
		json_object_set_new(g, "kind", json_string("APIGroup"));
		json_object_set_new(g, "apiVersion", json_string("v1"));
	}
	return g;
}

static json_t *open_api(const struct kube *k, const struct strvec *p)
{
	if (p->n == 2 && !strcmp(p->items[1], "v2"))
		return json_pack("{s:s, s:{s:s, s:s}, s:{}}", "swagger", "2.0", "info", "title",
			"Kubernetes", "version", "v1.35.2-gke.1842000", "paths");
	if (p->n < 2 || strcmp(p->items[1], "v3") != 0)
		return NULL;
	if (p->n == 2)
		return openapi_index(k);
	if (p->n == 4 && !strcmp(p->items[2], "api"))
		return openapi_v3(k, "", p->items[3]);
	return p->n == 5 ? openapi_v3(k, p->items[3], p->items[4]) : NULL;
}

static json_t *document(const struct kube *k, const struct strvec *p)
{
	const char *root = p->n ? p->items[0] : "";

	if (!strcmp(root, "openapi"))
		return open_api(k, p);
	if (!strcmp(root, "api"))
		return p->n == 1   ? api_versions()
		       : p->n == 2 ? resources(k, "", p->items[1])
				   : NULL;
	if (strcmp(root, "apis") != 0)
		return NULL;
	if (p->n == 1)
		return groups(k);
	return p->n == 2   ? api_group(k, p->items[1])
	       : p->n == 3 ? resources(k, p->items[1], p->items[2])
			   : NULL;
}

/* kubectl before 1.28 asks for the v2 document as protobuf: an empty one makes it leave the
 * validation to the server. */
static bool openapi_v2_protobuf(struct req *req, const struct strvec *p)
{
	static const char type[] = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
	const char *accept = req_header(req, "Accept");

	if (p->n != 2 || strcmp(p->items[0], "openapi") != 0 || strcmp(p->items[1], "v2") != 0 ||
		!accept || !strstr(accept, "proto-openapi.spec.v2"))
		return false;
	reply_bytes(req, 200, type, "", 0);
	return true;
}

bool kube_discovery(struct kube *k, struct req *req, const struct strvec *parts)
{
	if (openapi_v2_protobuf(req, parts))
		return true;
	json_t *doc = document(k, parts);
	if (doc)
		reply_json(req, 200, doc);
	return doc != NULL;
}
