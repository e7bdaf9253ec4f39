/* SPDX-License-Identifier: Apache-2.0 */
/* What a deployment has made, as the APIs and the provider's ids name it. */
#include "core/base/mem.h"
#include "core/base/text.h"
#include "sim/deploy.h"
#include "sim/sim.h"
#include <stdlib.h>
#include <string.h>

static char *email_of(const struct sim *sim, const char *account, size_t n)
{
	return x_asprintf("%.*s@%s.iam.gserviceaccount.com", (int)n, account, sim->world->project);
}

/* "iam/ACCOUNT/ROLE": a role of the project, or the right to act as the account. */
static char *iam_id(const struct sim *sim, const char *what)
{
	const char *account = what + strlen("iam/"), *project = sim->world->project;
	size_t n = strcspn(account, "/");
	AUTO_FREE char *email = email_of(sim, account, n);
	const char *role = account + n + 1;
	if (strcmp(role, "workloadIdentityUser") == 0)
		return x_asprintf("projects/%s/serviceAccounts/%s/roles/iam.workloadIdentityUser/"
				  "serviceAccount:%s.svc.id.goog[default/workload-identity-k8s-sa]",
			project, email, project);
	return x_asprintf("%s/roles/%s/serviceAccount:%s", project, role, email);
}

bool deploy_role(const struct sim *sim, const char *what, char **email, const char **role)
{
	const char *account = what + strlen("iam/");
	if (!text_starts(what, "iam/") || text_ends(what, "/workloadIdentityUser"))
		return false;
	*email = email_of(sim, account, strcspn(account, "/"));
	*role = account + strcspn(account, "/") + 1;
	return true;
}

/* As the provider makes them: the way to the thing in its API. */
char *deploy_id(const struct sim *sim, const char *region, const char *deployment, const char *what)
{
	static const struct {
		const char *begins, *place;
		enum { AT_PROJECT, AT_REGION, AT_ACCOUNT } how;
	} ids[] = {
		{"network/", "global/networks/", AT_PROJECT},
		{"firewall/", "global/firewalls/", AT_PROJECT},
		{"subnetwork/", "subnetworks/", AT_REGION},
		{"router/", "routers/", AT_REGION},
		{"address/", "addresses/", AT_REGION},
		{"resourcepolicy/", "resourcePolicies/", AT_REGION},
		{"serviceaccount/", "serviceAccounts/", AT_ACCOUNT},
	};
	const char *project = sim->world->project;
	const char *slash = strchr(what, '/'), *name = slash ? slash + 1 : what;
	if (text_starts(what, "iam/"))
		return iam_id(sim, what);
	for (size_t i = 0; i < COUNT(ids); i++) {
		if (!text_starts(what, ids[i].begins))
			continue;
		if (ids[i].how == AT_REGION)
			return x_asprintf(
				"projects/%s/regions/%s/%s%s", project, region, ids[i].place, name);
		return x_asprintf("projects/%s/%s%s%s%s%s", project, ids[i].place, name,
			ids[i].how == AT_ACCOUNT ? "@" : "",
			ids[i].how == AT_ACCOUNT ? project : "",
			ids[i].how == AT_ACCOUNT ? ".iam.gserviceaccount.com" : "");
	}
	if (text_starts(what, "nat/"))
		return x_asprintf("%s/%s/%s-net-0-router/%s", project, region, deployment, name);
	if (text_starts(what, "bucket/"))
		return x_strdup(name);
	if (text_starts(what, "cluster/"))
		return x_asprintf("projects/%s/locations/%s/clusters/%s", project, region, name);
	if (text_starts(what, "nodepool/"))
		return x_asprintf("projects/%s/locations/%s/clusters/%.*s/nodePools/%s", project,
			region, (int)strcspn(name, "/"), name, name + strcspn(name, "/") + 1);
	return x_asprintf("projects/%s/%s", project, what);
}
