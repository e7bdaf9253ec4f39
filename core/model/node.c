/* SPDX-License-Identifier: Apache-2.0 */
#include "core/model/node.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/quantity.h"
#include "core/fmt/time.h"

static char *text(const json_t *j, const char *path)
{
	const char *s = json_path_str(j, path);

	return text_clean_dup(s ? s : "");
}

/* Ready is good when True, the pressures and NetworkUnavailable when they are not. */
static void read_conditions(struct node *n, const json_t *object)
{
	const json_t *c;
	size_t i;

	json_array_foreach(json_path(object, "status.conditions"), i, c)
	{
		const char *type = json_path_str_or(c, "type", "");
		bool yes = !strcmp(json_path_str_or(c, "status", ""), "True");
		bool is_ready = !strcmp(type, "Ready");

		if (is_ready)
			n->ready = yes;
		if (yes == is_ready || n->reason[0])
			continue;
		free(n->reason);
		n->reason = text(c, is_ready ? "reason" : "type");
	}
}

/* More chips than any host has: no number of them. */
#define TPU_MAX 1024

bool node_decode(struct node *n, const json_t *object)
{
	AUTO_FREE char *name = text(object, "metadata.name");
	double tpu = 0;

	*n = (struct node){0};
	if (!*name)
		return false;
	n->name = x_strdup(name);
	n->uid = text(object, "metadata.uid");
	n->resource_version = text(object, "metadata.resourceVersion");
	n->pool = text(object, "metadata.labels.'cloud.google.com/gke-nodepool'");
	n->accelerator = text(object, "metadata.labels.'cloud.google.com/gke-tpu-accelerator'");
	n->topology = text(object, "metadata.labels.'cloud.google.com/gke-tpu-topology'");
	n->reason = x_strdup("");
	n->unschedulable = json_path_bool(object, "spec.unschedulable", false);
	n->maintenance =
		!strcmp(json_path_str_or(object,
				"metadata.labels.'cloud.google.com/active-node-maintenance'", ""),
			"ONGOING");
	n->created_ms = time_parse_ms(json_path_str(object, "metadata.creationTimestamp"));
	if (quantity_parse(json_path_str(object, "status.allocatable.'google.com/tpu'"), &tpu) ||
		quantity_parse(json_path_str(object, "status.capacity.'google.com/tpu'"), &tpu))
		n->tpu = tpu > 0 && tpu <= TPU_MAX ? (int)tpu : 0;
	read_conditions(n, object);
	return true;
}

void node_fini(struct node *n)
{
	char *all[] = {n->name, n->uid, n->resource_version, n->pool, n->accelerator, n->topology,
		n->reason};

	for (size_t i = 0; i < COUNT(all); i++)
		free(all[i]);
	*n = (struct node){0};
}

bool node_is_tpu(const struct node *n)
{
	return n->accelerator[0] || n->tpu > 0;
}
