/* SPDX-License-Identifier: Apache-2.0 */
/* Which API a request belongs to, and whether the project that pays has it enabled and paid for. */
#include "core/base/mem.h"
#include "core/base/text.h"
#include "sim/google.h"
#include "sim/sim.h"
#include "sim/world.h"
#include "sim/worlds.h"
#include <string.h>

/* First hit wins: special before general. resource: the project of the path must have it enabled;
 * else the one that pays, which a caller names by x-goog-user-project (gcloud names none: its own
 * project pays, where all is on). */
static const struct family {
	const char *prefix, *part, *service;
	bool resource;
} families[] = {
	{"/compute/", "", "compute.googleapis.com", true},
	{"/v1/projects/", "/quotaInfos", "cloudquotas.googleapis.com", false},
	{"/v1/projects/", "/locations/", "container.googleapis.com", true},
	{"/v1/projects/", ":generateAccessToken", "iamcredentials.googleapis.com", false},
	{"/v1/projects/", "/serviceAccounts", "iam.googleapis.com", false},
	{"/v1/projects/", "/services", "serviceusage.googleapis.com", false},
	{"/v1/projects/", "/billingInfo", "cloudbilling.googleapis.com", false},
	{"/v1/billingAccounts", "", "cloudbilling.googleapis.com", false},
	{"/v1/projects", "", "cloudresourcemanager.googleapis.com", false},
	{"/v3/projects", "", "cloudresourcemanager.googleapis.com", false},
};

static const struct family *family_of(const char *path)
{
	for (size_t i = 0; i < COUNT(families); i++)
		if (text_starts(path, families[i].prefix) && strstr(path, families[i].part))
			return &families[i];
	return NULL;
}

bool google_service_on(struct req *req)
{
	const struct world *w = req->sim->world;
	const struct family *f = family_of(req->path);
	AUTO_FREE char *consumer = x_asprintf("projects/%s", w->project_number);
	if (!f || (!f->resource && !req_header(req, "x-goog-user-project")))
		return true;
	if (!map_get(&w->services, f->service)) {
		reply_google_info(req, 403, "PERMISSION_DENIED", "SERVICE_DISABLED",
			json_pack("{s:s, s:s}", "service", f->service, "consumer", consumer),
			"API %s has not been used in project %s before or it is disabled. Enable "
			"it "
			"by visiting https://console.developers.google.com/apis/api/%s/overview?"
			"project=%s then retry. If you enabled this API recently, wait a few "
			"minutes "
			"for the action to propagate to our systems and retry.",
			f->service, w->project, f->service, w->project);
		return false;
	}
	if (f->resource && world_is(w, "billing", "off")) {
		reply_google_info(req, 403, "PERMISSION_DENIED", "BILLING_DISABLED",
			json_pack("{s:s, s:s}", "service", f->service, "consumer", consumer),
			"This API method requires billing to be enabled. Please enable billing on "
			"project #%s.",
			w->project);
		return false;
	}
	return true;
}
