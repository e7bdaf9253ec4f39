/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/checks_rights.h"

#include <string.h>

const struct checks_role checks_roles[] = {
	{"tpu.admin", {"tpu.nodes.create", "tpu.nodes.delete", "tpu.locations.list",
			      "tpu.acceleratortypes.list"}},
	{"container.admin",
		{"container.clusters.create", "container.clusters.delete", "container.clusters.get",
			"container.clusters.update", "container.clusters.getCredentials",
			"container.operations.get", "container.operations.list",
			"container.clusterRoleBindings.create", "container.clusterRoles.create",
			"container.customResourceDefinitions.create",
			"container.thirdPartyObjects.create", "container.thirdPartyObjects.list",
			"container.pods.getLogs", "container.nodes.list", "container.events.list"}},
	{"compute.admin", {"compute.networks.create", "compute.networks.delete",
				  "compute.subnetworks.create", "compute.firewalls.create",
				  "compute.routers.create", "compute.resourcePolicies.create",
				  "compute.instances.create", "compute.instanceGroupManagers.get",
				  "compute.reservations.get", "compute.reservations.list",
				  "compute.regions.get", "compute.machineTypes.list"}},
	{"storage.admin",
		{"storage.buckets.create", "storage.buckets.delete", "storage.buckets.get",
			"storage.buckets.setIamPolicy", "storage.objects.create",
			"storage.objects.delete", "storage.objects.get", "storage.objects.list"}},
	{"iam.serviceAccountUser", {"iam.serviceAccounts.actAs"}},
	{"iam.serviceAccountAdmin",
		{"iam.serviceAccounts.create", "iam.serviceAccounts.delete",
			"iam.serviceAccounts.get", "iam.serviceAccounts.setIamPolicy"}},
	{"resourcemanager.projectIamAdmin",
		{"resourcemanager.projects.getIamPolicy", "resourcemanager.projects.setIamPolicy"}},
	{"serviceusage.serviceUsageAdmin",
		{"serviceusage.services.enable", "serviceusage.services.disable",
			"serviceusage.services.use", "serviceusage.services.get",
			"serviceusage.services.list"}},
	{NULL, {NULL}},
};

const struct checks_role *checks_role(const char *id)
{
	for (const struct checks_role *r = checks_roles; r->id; r++)
		if (strcmp(r->id, id) == 0)
			return r;
	return NULL;
}

size_t checks_permissions(const char *names[CHECKS_PERMISSIONS_MAX])
{
	size_t n = 0;

	for (const struct checks_role *r = checks_roles; r->id; r++)
		for (size_t i = 0; r->permissions[i] && n < CHECKS_PERMISSIONS_MAX; i++)
			names[n++] = r->permissions[i];
	return n;
}
