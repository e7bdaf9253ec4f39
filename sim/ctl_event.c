/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/mem.h"
#include "core/fmt/json.h"
#include "sim/ctl.h"
#include "sim/kube_types.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS_MAX 1500 /* the real server forgets them after an hour */

static void forget_oldest(struct kube *k)
{
	struct strvec *order = &k->ctl->order;
	char *slash;

	if (order->n < EVENTS_MAX)
		return;
	slash = strchr(order->items[0], '/');
	*slash = '\0';
	kstore_delete(k->store, KUBE_EVENTS, order->items[0], slash + 1);
	free(order->items[0]);
	memmove(order->items, order->items + 1, order->n * sizeof(*order->items));
	order->n--;
}

/* The same event again: true when its object could be counted up. */
static bool count_up(struct kube *k, const char *ns, const char *name)
{
	json_t *e = name ? kstore_edit(k->store, KUBE_EVENTS, ns, name) : NULL;

	if (!e)
		return false;
	json_object_set_new(e, "count", json_integer(json_path_i64(e, "count", 1) + 1));
	json_object_set_new(e, "lastTimestamp", kube_time(kube_now(k)));
	kube_put(k, KUBE_EVENTS, e);
	return true;
}

static json_t *about_ref(const json_t *o)
{
	json_t *ref = json_pack("{s:O?, s:s, s:s, s:O?, s:O?}", "kind", json_object_get(o, "kind"),
		"name", kstore_name(o), "uid", kstore_uid(o), "apiVersion",
		json_object_get(o, "apiVersion"), "resourceVersion",
		json_path(o, "metadata.resourceVersion"));

	if (*kstore_ns(o))
		json_object_set_new(ref, "namespace", json_string(kstore_ns(o)));
	return ref;
}

static json_t *source_of(const json_t *about, const char *component)
{
	json_t *source = json_pack("{s:s}", "component", component);
	json_t *node = json_path(about, "spec.nodeName");

	if (!strcmp(component, "kubelet") && node)
		json_object_set(source, "host", node);
	return source;
}

void ctl_event(struct kube *k, const json_t *about, const char *type, const char *component,
	const char *reason, const char *fmt, ...)
{
	const char *ns = *kstore_ns(about) ? kstore_ns(about) : "default";
	AUTO_FREE char *text = NULL;
	AUTO_FREE char *key = NULL;
	AUTO_FREE char *name = NULL;
	json_t *now = kube_time(kube_now(k));
	va_list ap;

	va_start(ap, fmt);
	text = x_vasprintf(fmt, ap);
	va_end(ap);
	key = x_asprintf("%s/%s/%s", kstore_uid(about), reason, text);
	if (count_up(k, ns, map_get(&k->ctl->events, key))) {
		json_decref(now);
		return;
	}
	forget_oldest(k);
	name = x_asprintf("%s.%016" PRIx64, kstore_name(about), ctl_random(k) >> 4);
	map_set(&k->ctl->events, key, x_strdup(name));
	strvec_pushf(&k->ctl->order, "%s/%s", ns, name);
	kube_add(k, KUBE_EVENTS,
		json_pack("{s:s, s:s, s:{s:s, s:s}, s:o, s:s, s:s, s:s, s:i, s:O, s:O, "
			  "s:n, s:o, s:s, s:s}",
			"apiVersion", "v1", "kind", "Event", "metadata", "name", name, "namespace",
			ns, "involvedObject", about_ref(about), "type", type, "reason", reason,
			"message", text, "count", 1, "firstTimestamp", now, "lastTimestamp", now,
			"eventTime", "source", source_of(about, component), "reportingComponent",
			component, "reportingInstance", ""));
	json_decref(now);
}
