/* SPDX-License-Identifier: Apache-2.0 */
/* The sources of the checks: each asks once and answers later. */
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/cloud/auth.h"
#include "core/cloud/cloud.h"
#include "core/cloud/compute.h"
#include "core/cloud/gcs.h"
#include "core/cloud/gke.h"
#include "core/cloud/hub.h"
#include "core/cloud/jobset.h"
#include "core/cloud/kube.h"
#include "core/cloud/project.h"
#include "core/cloud/services.h"
#include "core/run/checks_in.h"
#include "core/run/checks_rights.h"

static void on_reply(void *arg, json_t *reply, const struct err *e)
{
	checks_answer(arg, e ? NULL : json_incref(reply), e);
}

static struct cloud *cloud_of(const struct answer *a)
{
	return a->owner->place.cloud;
}

static const char *value(const struct answer *a, const char *name)
{
	return checks_value(a->owner, name);
}

static struct cloud_done done(struct answer *a)
{
	return (struct cloud_done){on_reply, a};
}

static void on_who(void *arg, const struct auth_who *who, const struct err *e)
{
	json_t *j = NULL;

	if (who)
		j = json_pack("{s:o, s:o, s:o, s:o}", "email", json_from_str(who->email), "project",
			json_from_str(who->project), "quota_project",
			json_from_str(who->quota_project), "file", json_from_str(who->file));
	checks_answer(arg, j, e);
}

static void ask_gcloud(struct answer *a)
{
	auth_probe(cloud_auth(cloud_of(a)), AUTH_GCLOUD, on_who, a);
}

static void ask_adc(struct answer *a)
{
	auth_probe(cloud_auth(cloud_of(a)), AUTH_ADC, on_who, a);
}

static void ask_project(struct answer *a)
{
	project_get(cloud_of(a), value(a, "PROJECT"), done(a));
}

/* GET api/PREFIX PROJECT SUFFIX */
static void ask_of_project(
	struct answer *a, enum cloud_api api, const char *prefix, const char *suffix)
{
	AUTO(buf_fini) struct buf path = {0};

	buf_adds(&path, prefix);
	http_escape(&path, value(a, "PROJECT"));
	buf_adds(&path, suffix);
	cloud_call(cloud_of(a), api, NULL, buf_str(&path), NULL, done(a));
}

static void ask_billing(struct answer *a)
{
	ask_of_project(a, CLOUD_BILLING, "v1/projects/", "/billingInfo");
}

static void ask_networks(struct answer *a)
{
	ask_of_project(a, CLOUD_COMPUTE, "projects/", "");
}

static void ask_account(struct answer *a)
{
	AUTO_FREE char *suffix =
		x_asprintf("/serviceAccounts/%s-gke-np-sa@%s.iam.gserviceaccount.com",
			value(a, "CLUSTER_NAME"), value(a, "PROJECT"));

	ask_of_project(a, CLOUD_IAM, "v1/projects/", suffix);
}

/* Every "api.NAME" of the recipe in one question. */
static void ask_services(struct answer *a)
{
	const struct recipe *r = a->owner->place.recipe;
	const char *names[30];
	size_t n = 0;

	for (size_t i = 0; i < r->checks.n && n < COUNT(names); i++)
		if (strncmp(r->checks.items[i].id, "api.", 4) == 0)
			names[n++] = r->checks.items[i].id + 4;
	services_get(cloud_of(a), value(a, "PROJECT"), names, n, done(a));
}

static void ask_rights(struct answer *a)
{
	const char *names[CHECKS_PERMISSIONS_MAX];
	size_t n = checks_permissions(names);

	project_test_permissions(cloud_of(a), value(a, "PROJECT"), names, n, done(a));
}

static void ask_zone(struct answer *a)
{
	compute_zone(cloud_of(a), value(a, "PROJECT"), value(a, "ZONE"), done(a));
}

static void ask_region(struct answer *a)
{
	compute_region(cloud_of(a), value(a, "PROJECT"), value(a, "REGION"), done(a));
}

/* The machine type is an argument of the recipe's check. */
static void ask_machine(struct answer *a, const char *id)
{
	const struct recipe *r = a->owner->place.recipe;

	for (size_t i = 0; i < r->checks.n; i++) {
		AUTO_FREE char *machine = NULL;

		if (strcmp(r->checks.items[i].id, id) != 0)
			continue;
		machine = checks_arg(a->owner, &r->checks.items[i], "machine");
		compute_machine_type(cloud_of(a), value(a, "PROJECT"), value(a, "ZONE"),
			machine ? machine : "", done(a));
	}
}

static void ask_ct6e(struct answer *a)
{
	ask_machine(a, "place.ct6e");
}

static void ask_e2(struct answer *a)
{
	ask_machine(a, "place.e2");
}

static void ask_n4(struct answer *a)
{
	ask_machine(a, "place.n4");
}

/* "NAME" or "projects/OWNER/reservations/NAME" */
static void ask_reservation(struct answer *a)
{
	const char *full = value(a, "RESERVATION");
	const char *slash = strrchr(full, '/');
	AUTO_FREE char *owner = NULL;

	if (strncmp(full, "projects/", 9) == 0)
		owner = x_strndup(full + 9, strcspn(full + 9, "/"));
	compute_reservation(cloud_of(a), owner ? owner : value(a, "PROJECT"), value(a, "ZONE"),
		slash ? slash + 1 : full, done(a));
}

static void ask_bucket(struct answer *a)
{
	gcs_bucket(cloud_of(a), value(a, "GCS_BUCKET"), done(a));
}

static void ask_bucket_rights(struct answer *a)
{
	AUTO(buf_fini) struct buf path = {0};

	buf_adds(&path, "b/");
	http_escape(&path, value(a, "GCS_BUCKET"));
	buf_adds(&path, "/iam/testPermissions?permissions=storage.objects.create"
			"&permissions=storage.objects.delete&permissions=storage.objects.list");
	cloud_call(cloud_of(a), CLOUD_STORAGE, NULL, buf_str(&path), NULL, done(a));
}

static void ask_whoami(struct answer *a)
{
	hub_whoami(cloud_of(a), value(a, "HF_TOKEN"), done(a));
}

static void ask_hub(struct answer *a, const char *id, const char *arg, const char *kind)
{
	const struct recipe *r = a->owner->place.recipe;

	for (size_t i = 0; i < r->checks.n; i++) {
		AUTO_FREE char *repo = NULL;

		if (strcmp(r->checks.items[i].id, id) != 0)
			continue;
		repo = checks_arg(a->owner, &r->checks.items[i], arg);
		hub_auth_check(cloud_of(a), value(a, "HF_TOKEN"), kind, repo ? repo : "", done(a));
	}
}

static void ask_licence(struct answer *a)
{
	ask_hub(a, "hf.licence", "model", "models");
}

static void ask_dataset(struct answer *a)
{
	ask_hub(a, "hf.dataset", "dataset", "datasets");
}

static void ask_cluster(struct answer *a)
{
	gke_cluster(cloud_of(a), value(a, "PROJECT"), value(a, "REGION"), value(a, "CLUSTER_NAME"),
		done(a));
}

/* No cluster or no JobSet API yet: there can be none of that name. */
static void on_jobsets(void *arg, json_t *reply, const struct err *e)
{
	if (e && e->http == 404)
		checks_answer(arg, json_pack("{s:[]}", "items"), NULL);
	else
		checks_answer(arg, e ? NULL : json_incref(reply), e);
}

static void on_kube(void *arg, struct kube *k, const struct err *e)
{
	struct answer *a = arg;
	AUTO_FREE char *path = jobset_path("default", NULL);

	if (!k) {
		on_jobsets(a, NULL, e);
		return;
	}
	a->kube = k;
	kube_list(k, path, NULL, (struct cloud_done){on_jobsets, a});
}

static void ask_jobsets(struct answer *a)
{
	kube_open_gke(cloud_of(a), value(a, "PROJECT"), value(a, "REGION"),
		value(a, "CLUSTER_NAME"), on_kube, a);
}

const struct check_asker check_askers[FROM_COUNT] = {
	{FROM_HERE, "this machine", NULL},
	{FROM_GCLOUD, "gcloud", ask_gcloud},
	{FROM_ADC, "application default credentials", ask_adc},
	{FROM_PROJECT, "cloudresourcemanager.googleapis.com", ask_project},
	{FROM_BILLING, "cloudbilling.googleapis.com", ask_billing},
	{FROM_SERVICES, "serviceusage.googleapis.com", ask_services},
	{FROM_RIGHTS, "cloudresourcemanager.googleapis.com", ask_rights},
	{FROM_ZONE, "compute.googleapis.com", ask_zone},
	{FROM_REGION, "compute.googleapis.com", ask_region},
	{FROM_NETWORKS, "compute.googleapis.com", ask_networks},
	{FROM_CT6E, "compute.googleapis.com", ask_ct6e},
	{FROM_E2, "compute.googleapis.com", ask_e2},
	{FROM_N4, "compute.googleapis.com", ask_n4},
	{FROM_RESERVATION, "compute.googleapis.com", ask_reservation},
	{FROM_BUCKET, "storage.googleapis.com", ask_bucket},
	{FROM_BUCKET_RIGHTS, "storage.googleapis.com", ask_bucket_rights},
	{FROM_WHOAMI, "huggingface.co", ask_whoami},
	{FROM_LICENCE, "huggingface.co", ask_licence},
	{FROM_DATASET, "huggingface.co", ask_dataset},
	{FROM_CLUSTER, "container.googleapis.com", ask_cluster},
	{FROM_JOBSETS, "kubernetes", ask_jobsets},
	{FROM_ACCOUNT, "iam.googleapis.com", ask_account},
};
