/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/mem.h"
#include "core/fmt/json.h"
#include "sim/kube.h"
#include "sim/kube_call.h"

#include <string.h>

static json_t *details(const struct kube_call *c, const char *name)
{
	json_t *d = json_object();

	if (name)
		json_object_set_new(d, "name", json_string(name));
	if (*c->type->group)
		json_object_set_new(d, "group", json_string(c->type->group));
	json_object_set_new(d, "kind", json_string(c->type->plural));
	return d;
}

/* "pods", "jobsets.jobset.x-k8s.io": how messages name a resource; the caller's. */
static char *qualified(const struct kube_call *c)
{
	if (!*c->type->group)
		return x_strdup(c->type->plural);
	return x_asprintf("%s.%s", c->type->plural, c->type->group);
}

void kube_not_found(struct kube_call *c, const char *name)
{
	AUTO_FREE char *q = qualified(c);

	reply_kube_status(
		c->req, 404, "NotFound", details(c, name), "%s \"%s\" not found", q, name);
}

void kube_exists(struct kube_call *c, const char *name)
{
	AUTO_FREE char *q = qualified(c);

	reply_kube_status(c->req, 409, "AlreadyExists", details(c, name),
		"%s \"%s\" already exists", q, name);
}

void kube_conflict(struct kube_call *c, const char *name, const char *why)
{
	AUTO_FREE char *q = qualified(c);

	reply_kube_status(c->req, 409, "Conflict", details(c, name),
		"Operation cannot be fulfilled on %s \"%s\": %s", q, name, why);
}

void kube_invalid(struct kube_call *c, const char *name, const char *field, const char *why)
{
	json_t *d = json_pack("{s:s, s:s, s:s, s:[{s:s, s:s, s:s}]}", "name", name, "group",
		c->type->group, "kind", c->type->kind, "causes", "reason", "FieldValueInvalid",
		"message", why, "field", field);

	reply_kube_status(c->req, 422, "Invalid", d, "%s%s%s \"%s\" is invalid: %s: %s",
		c->type->kind, *c->type->group ? "." : "", c->type->group, name, field, why);
}

void kube_bad(struct kube_call *c, const char *why)
{
	reply_kube_status(c->req, 400, "BadRequest", NULL, "%s", why);
}

void kube_no_such_path(struct req *req)
{
	reply_kube_status(req, 404, "NotFound", json_object(),
		"the server could not find the requested resource");
}

void kube_not_allowed(struct req *req)
{
	reply_kube_status(req, 405, "MethodNotAllowed", json_object(),
		"the server does not allow this method on the requested resource");
}

bool kube_wants_table(const struct req *req)
{
	const char *accept = req_header(req, "Accept");

	return accept && strstr(accept, "as=Table") != NULL;
}

static void move_key(json_t *o, const char *from, const char *to)
{
	json_t *v = json_object_get(o, from);

	if (v) {
		json_object_set(o, to, v);
		json_object_del(o, from);
	}
}

/* core/v1 Event -> events.k8s.io/v1 Event */
static json_t *event_v1(const json_t *event)
{
	static const char *const moved[][2] = {{"involvedObject", "regarding"}, {"message", "note"},
		{"count", "deprecatedCount"}, {"firstTimestamp", "deprecatedFirstTimestamp"},
		{"lastTimestamp", "deprecatedLastTimestamp"}, {"source", "deprecatedSource"},
		{"reportingComponent", "reportingController"}};
	json_t *o = json_copy((json_t *)event);

	for (size_t i = 0; i < COUNT(moved); i++)
		move_key(o, moved[i][0], moved[i][1]);
	json_object_set_new(o, "apiVersion", json_string("events.k8s.io/v1"));
	return o;
}

json_t *kube_view(const struct kube_type *type, json_t *object)
{
	json_t *o;

	if (!strcmp(type->group, "events.k8s.io"))
		return event_v1(object);
	if (strcmp(type->version, "v1beta1") != 0)
		return json_incref(object);
	o = json_copy(object);
	json_object_set_new(o, "apiVersion", json_sprintf("%s/%s", type->group, type->version));
	return o;
}

/* Fills type, ns, name, sub from the segments after /api/v1 or /apis/G/V. */
static bool take_apart(struct kube_call *c, const struct strvec *p, size_t at, const char *group,
	const char *version)
{
	if (p->n > at + 2 && !strcmp(p->items[at], "namespaces") &&
		kube_type_find(group, version, p->items[at + 2])) {
		c->ns = p->items[at + 1];
		at += 2;
	}
	if (p->n <= at)
		return false;
	c->type = kube_type_find(group, version, p->items[at]);
	c->name = p->n > at + 1 ? p->items[at + 1] : NULL;
	c->sub = p->n > at + 2 ? p->items[at + 2] : NULL;
	if (!c->type || (c->type->needs && !map_get(&c->k->groups, c->type->needs)))
		return false;
	if (!c->type->namespaced)
		c->ns = NULL;
	return p->n <= at + 3 && !(c->type->namespaced && c->name && !c->ns);
}

/* Clients that speak protobuf fall back to JSON on this answer. */
static bool refuse_protobuf(struct req *req)
{
	const char *type = req_header(req, "Content-Type");

	if (!req->body_len || !type || !strstr(type, "protobuf"))
		return false;
	reply_kube_status(req, 415, "UnsupportedMediaType", json_object(),
		"the body of the request was in an unknown format - accepted media types include: "
		"application/json");
	return true;
}

static void dispatch(struct req *req)
{
	static const struct {
		const char *method;
		void (*run)(struct kube_call *);
	} verbs[] = {{"GET", kube_read}, {"HEAD", kube_read}, {"POST", kube_create},
		{"PUT", kube_update}, {"PATCH", kube_patch}, {"DELETE", kube_delete}};
	struct kube_call c = {.req = req, .k = req->sim->kube};
	AUTO(strvec_fini) struct strvec p = {0};
	bool core;

	strvec_split(&p, req_capture(req, "path"), "/");
	if (refuse_protobuf(req))
		return;
	if (!strcmp(req->method, "GET") && kube_discovery(c.k, req, &p))
		return;
	core = p.n >= 2 && !strcmp(p.items[0], "api");
	if (!core && (p.n < 4 || strcmp(p.items[0], "apis") != 0)) {
		kube_no_such_path(req);
		return;
	}
	if (!take_apart(&c, &p, core ? 2 : 3, core ? "" : p.items[1], p.items[core ? 1 : 2])) {
		kube_no_such_path(req);
		return;
	}
	for (size_t i = 0; i < COUNT(verbs); i++) {
		if (!strcmp(verbs[i].method, req->method)) {
			verbs[i].run(&c);
			return;
		}
	}
	kube_not_allowed(req);
}

static void ready(struct req *req)
{
	reply_bytes(req, 200, "text/plain; charset=utf-8", "ok", 2);
}

static void version(struct req *req)
{
	reply_json(req, 200,
		json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "major", "1", "minor",
			"35", "gitVersion", "v1.35.2-gke.1842000", "gitCommit",
			"0000000000000000000000000000000000000000", "gitTreeState", "clean",
			"buildDate", "2026-06-01T00:00:00Z", "goVersion", "go1.25.7", "compiler",
			"gc", "platform", "linux/amd64"));
}

const struct route kube_routes[] = {
	{"GET", "/readyz", ready, ROUTE_OPEN},
	{"GET", "/livez", ready, ROUTE_OPEN},
	{"GET", "/healthz", ready, ROUTE_OPEN},
	{"GET", "/version", version, ROUTE_OPEN},
	{"*", "/{path*}", dispatch, ROUTE_KUBE},
	{NULL, NULL, NULL, ROUTE_OPEN},
};
