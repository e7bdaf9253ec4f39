/* SPDX-License-Identifier: Apache-2.0 */
/* What the plan of faults does to a deployment, in the words of terraform's providers. */
#include "sim/deploy_fault.h"

#include "core/base/mem.h"
#include "core/base/text.h"
#include "sim/clock.h"
#include "sim/sim.h"
#include <string.h>

#define REGION_TAIL " project has a quota of '24.0' with '24.0' available."

static char *stockout(const struct sim *sim, const struct deploy_values *v, const char *pool)
{
	const struct node_pool *p = world_pool(sim->world, pool);
	return x_asprintf(
		"Error waiting for creating GKE NodePool: \n\t(1) Google Compute Engine: Not all "
		"instances running in IGM after 14.691006793s. Expected %d, running 0, "
		"transitioning "
		"%d. Current errors: [GCE_STOCKOUT]: Instance 'gke-%s-%s-34b6625e-k7xw' creation "
		"failed: The zone 'projects/%s/zones/%s' does not have enough resources available "
		"to "
		"fulfill the request.  Try a different zone, or try again later.",
		p ? p->nodes : 1, p ? p->nodes : 1, v->name, pool, sim->world->project, v->zone);
}

static char *stolen(struct sim *sim, const struct deploy_values *v, const char *pool)
{
	sim->world->reservation.in_use = 4; /* somebody else's from now on */
	return x_asprintf(
		"error creating NodePool: googleapi: Error 429: Reservation does not have enough "
		"resources for the request: specific reservation \"%s\" is insufficient for node "
		"pool \"%s\" at zone \"%s\": required 8 and short of 4 VM count.",
		v->reservation, pool, v->zone);
}

static char *quota(void)
{
	return x_strdup(
		"error creating NodePool: googleapi: Error 403: \n"
		"\t(1) insufficient regional quota to satisfy request: resource \"CPUS\": request "
		"requires '72.0' and is short '48.0'." REGION_TAIL
		"\n\t(2) insufficient regional quota to satisfy request: resource "
		"\"IN_USE_ADDRESSES\": request requires '9.0' and is short '1.0'. project has a "
		"quota of '8.0' with '8.0' available., forbidden");
}

static char *webhook(void)
{
	return x_strdup("1 error occurred:\n\t* Internal error occurred: failed calling webhook "
			"\"vclusterqueue.kb.io\": failed to call webhook: Post "
			"\"https://kueue-webhook-service.kueue-system.svc:443/"
			"validate-kueue-x-k8s-io-v1beta2-clusterqueue?timeout=10s\": dial tcp "
			"10.52.1.14:443: connect: connection refused\n");
}

char *deploy_fault_text(struct sim *sim, const struct fault *f, const struct deploy_resource *r,
	const struct deploy_values *v)
{
	const char *pool = r->arg ? r->arg : "";
	switch (f->what) {
	case FAULT_STOCKOUT:
		return stockout(sim, v, pool);
	case FAULT_STOLEN:
		return stolen(sim, v, pool);
	case FAULT_QUOTA:
		return quota();
	case FAULT_DENIED:
		return x_asprintf(
			"Error creating service account: googleapi: Error 403: Permission "
			"'%s' denied on resource (or it may not exist)., forbidden",
			f->value);
	case FAULT_API_OFF:
		return x_asprintf(
			"Error creating Network: googleapi: Error 403: %s API has not been used in "
			"project %s before or it is disabled. Enable it by visiting "
			"https://console.developers.google.com/apis/api/%s/overview?project=%s "
			"then "
			"retry., accessNotConfigured",
			f->value, sim->world->project_number, f->value, sim->world->project_number);
	case FAULT_HOOK_DOWN:
		return webhook();
	case FAULT_OUTSIDE:
		return x_asprintf("Error waiting to create %s: Error waiting for Creating: "
				  "timeout while waiting for state to become 'DONE'",
			r->address);
	default:
		return x_strdup("googleapi: Error 503: The service is currently unavailable., "
				"backendError");
	}
}

char *deploy_taken_text(const struct sim *sim, const char *what)
{
	const char *name = strchr(what, '/') + 1, *p = sim->world->project;
	if (text_starts(what, "serviceaccount/"))
		return x_asprintf("Error creating service account: googleapi: Error 409: Service "
				  "account %s already exists within project projects/%s.\n"
				  "Details:\n[\n  {\n    \"@type\": "
				  "\"type.googleapis.com/google.rpc.ResourceInfo\",\n    "
				  "\"resourceName\": \"projects/%s/serviceAccounts/%s@%s."
				  "iam.gserviceaccount.com\"\n  }\n]\n, alreadyExists",
			name, p, p, name, p);
	return x_asprintf("Error creating Network: googleapi: Error 409: The resource "
			  "'projects/%s/global/networks/%s' already exists, alreadyExists",
		p, name);
}

char *deploy_lock_text(const struct sim *sim)
{
	AUTO_FREE char *since = sim_time_s(sim_now(sim) - 7 * SIM_MIN);
	return x_asprintf("Error message: resource temporarily unavailable\nLock Info:\n"
			  "  ID:        545e1e3c-a3c5-bcfd-abd5-a4a81a5fd51d\n"
			  "  Path:      terraform.tfstate\n  Operation: OperationTypeApply\n"
			  "  Who:       you@workstation\n  Version:   1.12.2\n  Created:   %s\n"
			  "  Info:      ",
		since);
}

char *deploy_busy_text(const struct sim *sim, const struct deploy_values *v)
{
	const char *p = sim->world->project;
	return x_asprintf("Error waiting for Deleting Network: The network resource "
			  "'projects/%s/global/networks/%s-net-0' is already being used by "
			  "'projects/%s/global/firewalls/%s-net-0-iyvrmjzsszuzmmbd5kdofnu3-4'",
		p, v->name, p, v->name);
}
