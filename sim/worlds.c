/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/worlds.h"

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "sim/world.h"
#include <string.h>

#define MAX 26

#define DEAD "http://127.0.0.1:1/"
#define ALL_DEAD(v)                                                                                \
	{"env.CLOUDSDK_API_ENDPOINT_OVERRIDES_COMPUTE", v},                                        \
		{"env.CLOUDSDK_API_ENDPOINT_OVERRIDES_CONTAINER", v},                              \
		{"env.CLOUDSDK_API_ENDPOINT_OVERRIDES_STORAGE", v},                                \
		{"env.CLOUDSDK_API_ENDPOINT_OVERRIDES_SERVICEUSAGE", v},                           \
		{"env.CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDRESOURCEMANAGER", v},                   \
		{"env.CLOUDSDK_API_ENDPOINT_OVERRIDES_IAM", v},                                    \
		{"env.CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDBILLING", v},                           \
		{"env.CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDQUOTAS", v}, {"env.HF_ENDPOINT", v},    \
	{                                                                                          \
		"env.RLPILOT_RELEASES", v                                                          \
	}
#define NO_OVERRIDE                                                                                \
	{                                                                                          \
		"env.CLOUDSDK_AUTH_CREDENTIAL_FILE_OVERRIDE", "-"                                  \
	}
#define ADC_ALONE                                                                                  \
	"{\"client_id\": \"764086051850-rehearsal.apps.googleusercontent.com\", "                  \
	"\"client_secret\": \"d-rehearsal-client-secret\", \"refresh_token\": \"%R\", "            \
	"\"type\": \"authorized_user\"}\n"
#define NO_HELPERS                                                                                 \
	{                                                                                          \
		"file..docker/config.json", "-"                                                    \
	}

static const struct {
	const char *name;
	struct world_change changes[MAX];
} worlds[] = {
	{"ready", {{0}}},
	/* projects */
	{"fresh", {{"api.artifactregistry.googleapis.com", "off"},
			  {"api.cloudbilling.googleapis.com", "off"},
			  {"api.cloudquotas.googleapis.com", "off"},
			  {"api.cloudresourcemanager.googleapis.com", "off"},
			  {"api.compute.googleapis.com", "off"},
			  {"api.container.googleapis.com", "off"},
			  {"api.hypercomputecluster.googleapis.com", "off"},
			  {"api.iam.googleapis.com", "off"},
			  {"api.iamcredentials.googleapis.com", "off"},
			  {"api.tpu.googleapis.com", "off"}, NO_HELPERS}},
	{"apis-off",
		{{"api.serviceusage.googleapis.com", "off"}, {"api.storage.googleapis.com", "off"},
			{"api.logging.googleapis.com", "off"},
			{"api.monitoring.googleapis.com", "off"}}},
	{"few-apis", {{"api.storage.googleapis.com", "off"}, {"api.logging.googleapis.com", "off"},
			     {"api.monitoring.googleapis.com", "off"}}},
	{"no-project", {{"project", "hidden"}}},
	{"deleted-project", {{"project", "DELETE_REQUESTED"}}},
	{"no-billing", {{"billing", "off"}}},
	{"half-roles", {{"role.container.admin", "off"}, {"role.iam.serviceAccountAdmin", "off"},
			       {"role.storage.admin", "off"}, {"role.tpu.admin", "off"},
			       {"role.editor", "on"}}},
	{"no-roles", {{"role.tpu.admin", "off"}, {"role.container.admin", "off"},
			     {"role.compute.admin", "off"}, {"role.storage.admin", "off"},
			     {"role.iam.serviceAccountUser", "off"},
			     {"role.iam.serviceAccountAdmin", "off"},
			     {"role.resourcemanager.projectIamAdmin", "off"},
			     {"role.serviceusage.serviceUsageAdmin", "off"}}},
	/* logins */
	{"no-login", {{"login", "none"},
			     {"file..config/gcloud/application_default_credentials.json", "-"},
			     {"file..config/gcloud/legacy_credentials/%a/adc.json", "-"},
			     {"file..config/gcloud/configurations/config_default",
				     "[core]\nproject = %p\n"},
			     NO_OVERRIDE}},
	{"expired", {{"login", "expired"}, NO_OVERRIDE}},
	{"two-accounts", {{"login", "two"}, NO_OVERRIDE}},
	{"no-quota-project",
		{{"file..config/gcloud/application_default_credentials.json", ADC_ALONE}}},
	{"clock-off", {{"clock", "600"}}},
	{"clock-slow", {{"clock", "-120"}}},
	/* places */
	{"wrong-zone", {{"env.ZONE", "us-east5-c"}}},
	{"no-zone", {{"env.ZONE", "us-east5-x"}}},
	{"zone-down", {{"zone.us-east5-b", "DOWN"}}},
	{"wrong-region", {{"env.REGION", "us-central1"}}},
	{"no-machines", {{"machine.e2-standard-8", "gone"}, {"machine.n4-standard-64", "gone"}}},
	{"quota-short", {{"quota.CPUS", "72"}, {"quota.E2_CPUS", "8"}, {"quota.N4", "32"},
				{"quota.IN_USE_ADDRESSES", "8"}, {"quota.SSD_TOTAL_GB", "500"},
				{"quota.NETWORKS", "3"}}},
	{"quota-untold", {{"quota.CPUS", "-"}, {"quota.E2_CPUS", "-"}, {"quota.N4", "-"},
				 {"quota.IN_USE_ADDRESSES", "-"}, {"quota.SSD_TOTAL_GB", "-"},
				 {"quota.NETWORKS", "-"}}},
	/* reservations */
	{"small-reservation", {{"reservation.used", "4"}}},
	{"no-reservation", {{"reservation", "none"}}},
	{"odd-reservation",
		{{"reservation.machine", "ct6e-standard-8t"}, {"reservation.specific", "no"},
			{"reservation.status", "CREATING"}}},
	{"shared-reservation",
		{{"reservation", "hidden"},
			{"env.RESERVATION", "projects/owner-lab/reservations/v6e-shared"}}},
	{"many-reservations", {{"reservation.more", "yes"}}},
	{"partial-reservations", {{"reservation.silent", "us-central1-b"}}},
	{"chip-reservation", {{"reservation", "aggregate"}}},
	/* bucket */
	{"foreign-bucket", {{"bucket", "foreign"}}},
	{"other-bucket", {{"bucket", "other"}, {"bucket.location", "US"}}},
	{"locked-bucket", {{"bucket", "ours"}, {"bucket.rights", "storage.objects.list"}}},
	/* Hugging Face */
	{"bad-token", {{"hf", "revoked"}}},
	{"gated", {{"hf.licence", "no"}}},
	{"fine-token", {{"hf.role", "fineGrained"}}},
	{"write-token", {{"hf.role", "write"}, {"hf.dataset", "gone"}}},
	/* names */
	{"busy-names", {{"cluster", "running"}, {"jobset", "gemma4-training"},
			       {"account.gke-np-sa", "left"}, {"account.gke-wl-sa", "left"},
			       {"folder", "cluster-toolkit/gemma-rl"}, {"bucket", "ours"}}},
	{"left-accounts", {{"account.gke-np-sa", "left"}, {"account.gke-wl-sa", "left"}}},
	{"bad-names", {{"env.CLUSTER_NAME", "Gemma_RL"}, {"env.GCS_BUCKET", "My_google_Bucket"}}},
	{"own-cidr", {{"env.AUTHORIZED_CIDR", "203.0.113.7/32"}}},
	{"home-cidr", {{"env.AUTHORIZED_CIDR", "192.168.1.7/32"}}},
	/* this machine */
	{"no-tools", {{"tools", "terraform sh cat"}}},
	{"old-tools", {{"tool.terraform", "echo '{\"terraform_version\": \"1.5.7\"}'"},
			      {"tool.getconf", "echo 'glibc 2.31'"},
			      {"env.CLUSTER_TOOLKIT_VERSION", "v9.99.0"}}},
	{"full-disk", {{"env.XDG_STATE_HOME", "/proc/none"}}},
	/* the network */
	{"garbage", {{"fault./compute/", "html"}, {"fault./storage/", "empty"},
			    {"fault./v1/projects", "cut"}, {"fault./v3/", "proxy"},
			    {"fault./api/whoami", "types"}, {"fault./api/models/", "html"},
			    {"fault./api/datasets/", "html"}, {"fault./releases/", "proxy"}}},
	{"dead-endpoint", {ALL_DEAD(DEAD)}},
	{"no-network", {ALL_DEAD(DEAD), {"env.CLOUDSDK_AUTH_TOKEN_HOST", DEAD "token"}}},
	{"slow", {{"delay", "700"}}},
	{"never",
		{{"fault./compute/", "never"}, {"fault./v3/", "never"}, {"fault./api/", "never"}}},
};

const struct world_change *worlds_find(const char *name)
{
	for (size_t i = 0; i < COUNT(worlds); i++)
		if (strcmp(worlds[i].name, name) == 0)
			return worlds[i].changes;
	return NULL;
}

void worlds_names(struct buf *out)
{
	for (size_t i = 0; i < COUNT(worlds); i++)
		buf_addf(out, "%s%s", i ? ", " : "", worlds[i].name);
}

const char *world_setting(const struct world *w, const char *key)
{
	return map_get(&w->settings, key);
}

const char *world_setting2(const struct world *w, const char *key1, const char *key2)
{
	AUTO_FREE char *key = x_asprintf("%s.%s", key1, key2);
	return world_setting(w, key);
}

bool world_is(const struct world *w, const char *key, const char *value)
{
	const char *v = world_setting(w, key);
	return v && strcmp(v, value) == 0;
}

void world_set(struct world *w, const char *key, const char *value)
{
	if (value)
		map_set(&w->settings, key, x_strdup(value));
	else
		map_del(&w->settings, key);
}

bool world_settings_next(
	const struct world *w, const char *prefix, size_t *i, const char **rest, const char **value)
{
	const char *key;
	void *v;
	while (map_next(&w->settings, i, &key, &v)) {
		if (!text_starts(key, prefix))
			continue;
		*rest = key + strlen(prefix);
		*value = v;
		return true;
	}
	return false;
}
