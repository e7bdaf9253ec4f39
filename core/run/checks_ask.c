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

/* The accounts that could be linked; the caller may not be allowed to see any. */
static void on_billing_accounts(void *arg, json_t *reply, const struct err *e)
{
	struct answer *a = arg;
	json_t *all = json_pack("{s:b}", "billingEnabled", 0);

	if (!e)
		json_object_set(all, "billingAccounts", json_object_get(reply, "billingAccounts"));
	checks_answer(a, all, NULL);
}

static void on_billing(void *arg, json_t *reply, const struct err *e)
{
	struct answer *a = arg;

	if (!e && json_is_false(json_path(reply, "billingEnabled")))
		cloud_call(cloud_of(a), CLOUD_BILLING, NULL, "v1/billingAccounts", NULL,
			(struct cloud_done){on_billing_accounts, a});
	else
		on_reply(a, reply, e);
}

static void ask_billing(struct answer *a)
{
	AUTO(buf_fini) struct buf path = {0};

	buf_adds(&path, "v1/projects/");
	http_escape(&path, value(a, "PROJECT"));
	buf_adds(&path, "/billingInfo");
	cloud_call(cloud_of(a), CLOUD_BILLING, NULL, buf_str(&path), NULL,
		(struct cloud_done){on_billing, a});
}

static void ask_networks(struct answer *a)
{
	AUTO(buf_fini) struct buf path = {0};

	buf_adds(&path, "projects/");
	http_escape(&path, value(a, "PROJECT"));
	cloud_call(cloud_of(a), CLOUD_COMPUTE, NULL, buf_str(&path), NULL, done(a));
}

static void ask_families(struct answer *a)
{
	compute_family_quotas(cloud_of(a), value(a, "PROJECT"), done(a));
}

/* One account of the deployment; what each part says is gathered in a->reply until all have come.
 */
static void on_account(void *arg, json_t *reply, const struct err *e)
{
	struct answer *a = arg;
	const char *email = json_path_str(reply, "email");
	json_t *left = a->reply;

	a->open--;
	if (e && e->http != 404)
		a->e = *e;
	else if (email)
		json_array_append_new(json_object_get(left, "left"), json_from_str(email));
	if (a->open)
		return;
	a->reply = NULL;
	if (a->e.code) {
		struct err first = a->e;

		json_decref(left);
		checks_answer(a, NULL, &first);
	} else {
		checks_answer(a, left, NULL);
	}
}

static void ask_accounts(struct answer *a)
{
	static const char *const suffixes[] = {"gke-np-sa", "gke-wl-sa"};

	a->reply = json_pack("{s:[]}", "left");
	a->open = COUNT(suffixes);
	for (size_t i = 0; i < COUNT(suffixes); i++) {
		AUTO(buf_fini) struct buf path = {0};

		buf_adds(&path, "v1/projects/");
		http_escape(&path, value(a, "PROJECT"));
		buf_addf(&path, "/serviceAccounts/%s-%s@", value(a, "CLUSTER_NAME"), suffixes[i]);
		http_escape(&path, value(a, "PROJECT"));
		buf_adds(&path, ".iam.gserviceaccount.com");
		cloud_call(cloud_of(a), CLOUD_IAM, NULL, buf_str(&path), NULL,
			(struct cloud_done){on_account, a});
	}
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

/* Not in the zone: is there one of that name in another? The first answer stands if not. */
static void on_reservations(void *arg, json_t *reply, const struct err *e)
{
	struct answer *a = arg;
	const json_t *list = json_path(reply, "reservations");
	struct err nowhere = a->e;

	for (size_t i = 0; i < json_array_size(list); i++) {
		json_t *one = json_array_get(list, i);

		if (strcmp(json_path_str_or(one, "name", ""), value(a, "RESERVATION")) == 0) {
			checks_answer(a, json_incref(one), NULL);
			return;
		}
	}
	checks_answer(a, NULL, e ? e : &nowhere);
}

static void on_reservation(void *arg, json_t *reply, const struct err *e)
{
	struct answer *a = arg;

	if (e && e->http == 404 && !strchr(value(a, "RESERVATION"), '/')) {
		a->e = *e;
		compute_reservations(
			cloud_of(a), value(a, "PROJECT"), (struct cloud_done){on_reservations, a});
	} else {
		on_reply(a, reply, e);
	}
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
		slash ? slash + 1 : full, (struct cloud_done){on_reservation, a});
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

static void on_jobsets(void *arg, json_t *reply, const struct err *e)
{
	/* No JobSet API yet: there can be none of that name. */
	if (e && e->http == 404)
		checks_answer(arg, json_pack("{s:[]}", "items"), NULL);
	else
		on_reply(arg, reply, e);
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

/* What the cluster's answer means for the jobs in it: they are asked for only when it is there. */
static void on_cluster(void *arg, json_t *reply, const struct err *e)
{
	struct answer *a = arg;
	struct answer *jobs = &a->owner->answers[FROM_JOBSETS];
	bool none = e && (e->http == 404 || (e->cause && strcmp(e->cause, "api-off") == 0));

	if (jobs->needed && none)
		checks_settle(jobs, json_pack("{s:[]}", "items"), NULL);
	else if (jobs->needed && e)
		checks_settle(jobs, NULL, e);
	else if (jobs->needed)
		kube_open_gke(cloud_of(jobs), value(jobs, "PROJECT"), value(jobs, "REGION"),
			value(jobs, "CLUSTER_NAME"), on_kube, jobs);
	on_reply(a, reply, e);
}

static void ask_cluster(struct answer *a)
{
	gke_cluster(cloud_of(a), value(a, "PROJECT"), value(a, "REGION"), value(a, "CLUSTER_NAME"),
		(struct cloud_done){on_cluster, a});
}

const struct check_asker check_askers[FROM_COUNT] = {
	{FROM_HERE, "this machine", NULL, NULL},
	{FROM_LIBC, "this machine", NULL, checks_ask_libc},
	{FROM_TERRAFORM, "this machine", NULL, checks_ask_terraform},
	{FROM_RELEASE, "the release address", NULL, checks_ask_release},
	{FROM_GCLOUD, "gcloud", NULL, ask_gcloud},
	{FROM_ADC, "application default credentials", NULL, ask_adc},
	{FROM_PROJECT, "cloudresourcemanager.googleapis.com", "projectId", ask_project},
	{FROM_BILLING, "cloudbilling.googleapis.com", "billingEnabled", ask_billing},
	{FROM_SERVICES, "serviceusage.googleapis.com", "services[0]", ask_services},
	{FROM_RIGHTS, "cloudresourcemanager.googleapis.com", NULL, ask_rights},
	{FROM_ZONE, "compute.googleapis.com", "name", ask_zone},
	{FROM_REGION, "compute.googleapis.com", "name", ask_region},
	{FROM_NETWORKS, "compute.googleapis.com", "name", ask_networks},
	{FROM_FAMILIES, "cloudquotas.googleapis.com", "quotaId", ask_families},
	{FROM_CT6E, "compute.googleapis.com", "name", ask_ct6e},
	{FROM_E2, "compute.googleapis.com", "name", ask_e2},
	{FROM_N4, "compute.googleapis.com", "name", ask_n4},
	{FROM_RESERVATION, "compute.googleapis.com", "name", ask_reservation},
	{FROM_BUCKET, "storage.googleapis.com", "name", ask_bucket},
	{FROM_BUCKET_RIGHTS, "storage.googleapis.com", "kind", ask_bucket_rights},
	{FROM_WHOAMI, "huggingface.co", "auth.accessToken.role", ask_whoami},
	{FROM_LICENCE, "huggingface.co", NULL, ask_licence},
	{FROM_DATASET, "huggingface.co", NULL, ask_dataset},
	{FROM_CLUSTER, "container.googleapis.com", "name", ask_cluster},
	{FROM_JOBSETS, "kubernetes", NULL, NULL},
	{FROM_ACCOUNTS, "iam.googleapis.com", "left", ask_accounts},
};
