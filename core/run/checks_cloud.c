/* SPDX-License-Identifier: Apache-2.0 */
/* Judges of logins, the project, its APIs and rights, the bucket, Hugging Face and names in use. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/cloud/services.h"
#include "core/recipe/rule.h"
#include "core/run/checks_in.h"
#include "core/run/checks_rights.h"

static const char *said(const struct checks *c, enum check_source s, const char *path)
{
	return json_path_str_or(checks_reply(c, s), path, "");
}

static void judge_gcloud(const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	const struct err *e = checks_error(c, FROM_GCLOUD);

	(void)q;
	if (!e) {
		finding_ok(f);
		return;
	}
	finding_set(f, CHECK_BLOCKING, "you", "gcloud auth login", "%s", e->what);
	finding_argv(f, "gcloud", "auth", "login", NULL);
}

static void judge_adc(const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	const struct err *e = checks_error(c, FROM_ADC);

	(void)q;
	if (!e) {
		finding_ok(f);
		return;
	}
	finding_set(
		f, CHECK_BLOCKING, "you", "gcloud auth application-default login", "%s", e->what);
	finding_argv(f, "gcloud", "auth", "application-default", "login", NULL);
}

static void judge_quota_project(
	const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	const char *env = getenv("GOOGLE_CLOUD_QUOTA_PROJECT");
	const char *have = env && *env ? env : said(c, FROM_ADC, "quota_project");
	const char *want = checks_value(c, "PROJECT");

	(void)q;
	if (!env && finding_failed(f, c, FROM_ADC))
		return;
	if (strcmp(have, want) == 0) {
		finding_ok(f);
		return;
	}
	finding_set(f, CHECK_WARNING, "you", _("the stage login sets it"),
		_("the quota project is '%s', not %s"), have, want);
	finding_argv(f, "gcloud", "auth", "application-default", "set-quota-project", want, NULL);
}

static void judge_identity(const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	const char *a = said(c, FROM_GCLOUD, "email");
	const char *b = said(c, FROM_ADC, "email");

	(void)q;
	if (finding_failed(f, c, FROM_GCLOUD) || finding_failed(f, c, FROM_ADC))
		return;
	if (!*a || !*b)
		finding_set(f, CHECK_UNKNOWN, "you", NULL, _("one of the logins does not name its account"));
	else if (strcmp(a, b) == 0)
		finding_ok(f);
	else
		finding_set(f, CHECK_WARNING, "you", _("log in with the same account both times"),
			_("gcloud is %s, the application default credentials are %s"), a, b);
}

static void judge_project(const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	const struct err *e = checks_error(c, FROM_PROJECT);
	const char *state = said(c, FROM_PROJECT, "state");

	(void)q;
	if (e && (e->http == 403 || e->http == 404))
		finding_set(f, CHECK_BLOCKING, "you", _("correct PROJECT, or ask for access to it"),
			_("project %s is not there or you may not see it"),
			checks_value(c, "PROJECT"));
	else if (finding_failed(f, c, FROM_PROJECT))
		return;
	else if (*state && strcmp(state, "ACTIVE") != 0)
		finding_set(f, CHECK_BLOCKING, "administrator",
			_("choose another project, or restore it"), _("the project is %s"), state);
	else
		finding_ok(f);
}

static void judge_billing(const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	(void)q;
	if (finding_failed(f, c, FROM_BILLING))
		return;
	if (json_path_bool(checks_reply(c, FROM_BILLING), "billingEnabled", false)) {
		finding_ok(f);
		return;
	}
	finding_set(f, CHECK_BLOCKING, "administrator", _("link a billing account to the project"),
		_("the project has no billing account"));
}

static void judge_api(const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	const char *name = q->id + strlen("api.");
	const char *state;

	if (finding_failed(f, c, FROM_SERVICES))
		return;
	state = services_state(checks_reply(c, FROM_SERVICES), name);
	if (strcmp(state, "ENABLED") == 0) {
		finding_ok(f);
		return;
	}
	finding_set(f, CHECK_BLOCKING, "administrator", _("enable it; it takes a minute or two"),
		_("%s is not enabled"), name);
	finding_argv(f, "gcloud", "services", "enable", name, "--project",
		checks_value(c, "PROJECT"), NULL);
}

static bool granted(const struct checks *c, const char *permission)
{
	const json_t *list = json_path(checks_reply(c, FROM_RIGHTS), "permissions");
	const json_t *one;
	size_t i;

	json_array_foreach(list, i, one)
	{
		if (strcmp(json_string_value(one), permission) == 0)
			return true;
	}
	return false;
}

/* The TPU API is not called on this way, and owners get object rights by each bucket. */
static bool only_a_warning(const struct checks *c, const char *role)
{
	return strcmp(role, "tpu.admin") == 0 ||
	       (strcmp(role, "storage.admin") == 0 && granted(c, "storage.buckets.create"));
}

static void judge_role(const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	const struct checks_role *r = checks_role(q->id + strlen("role."));
	AUTO(buf_fini) struct buf lacks = {0};
	AUTO_FREE char *role = NULL;
	AUTO_FREE char *member = NULL;

	if (finding_failed(f, c, FROM_RIGHTS))
		return;
	for (size_t i = 0; r && r->permissions[i]; i++)
		if (!granted(c, r->permissions[i]))
			buf_addf(&lacks, "%s%s", lacks.len ? ", " : "", r->permissions[i]);
	if (r && !lacks.len) {
		finding_ok(f);
		return;
	}
	if (!r)
		return;
	finding_set(f, only_a_warning(c, r->id) ? CHECK_WARNING : CHECK_BLOCKING, "administrator",
		_("ask an administrator for the role"), _("missing: %s"), buf_str(&lacks));
	role = x_asprintf("--role=roles/%s", r->id);
	member = x_asprintf("--member=user:%s", said(c, FROM_GCLOUD, "email"));
	finding_argv(f, "gcloud", "projects", "add-iam-policy-binding", checks_value(c, "PROJECT"),
		member, role, NULL);
}

static bool bucket_is_free(const struct checks *c)
{
	const struct err *e = checks_error(c, FROM_BUCKET);

	return e && e->http == 404;
}

static void judge_bucket_name(
	const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	const struct recipe_variable *v = recipe_variable(c->place.recipe, "GCS_BUCKET");
	const struct err *e = checks_error(c, FROM_BUCKET);
	AUTO(buf_fini) struct buf why = {0};

	(void)q;
	if (v && !rule_variable(
			 c->place.recipe, v, checks_value(c, "GCS_BUCKET"), c->place.values, &why))
		finding_set(f, CHECK_BLOCKING, "you", _("choose another GCS_BUCKET"), "%s",
			buf_str(&why));
	else if (e && e->http == 403)
		finding_set(f, CHECK_BLOCKING, "you",
			_("bucket names are shared by all of Google Cloud: choose another one"),
			_("the bucket belongs to somebody else, or you may not look at it"));
	else if (bucket_is_free(c) || !finding_failed(f, c, FROM_BUCKET))
		finding_ok(f);
}

static void judge_bucket_owner(
	const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	const char *name = said(c, FROM_PROJECT, "name");
	AUTO_FREE char *owner = NULL;

	(void)q;
	if (bucket_is_free(c)) {
		finding_ok(f);
		return;
	}
	if (finding_failed(f, c, FROM_BUCKET) || finding_failed(f, c, FROM_PROJECT))
		return;
	owner = x_asprintf("projects/%s", said(c, FROM_BUCKET, "projectNumber"));
	if (strcmp(owner, name) == 0)
		finding_ok(f);
	else
		finding_set(f, CHECK_BLOCKING, "you", _("choose another GCS_BUCKET"),
			_("the bucket belongs to another project"));
}

static void judge_bucket_place(
	const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	const char *place = said(c, FROM_BUCKET, "location");

	(void)q;
	if (bucket_is_free(c))
		finding_ok(f);
	else if (finding_failed(f, c, FROM_BUCKET))
		return;
	else if (strcasecmp(place, checks_value(c, "REGION")) == 0)
		finding_ok(f);
	else
		finding_set(f, CHECK_WARNING, "you",
			_("choose a bucket in the region of the cluster"),
			_("the bucket is in %s: slower, and traffic costs"), place);
}

static void judge_bucket_write(
	const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	size_t n = json_array_size(json_path(checks_reply(c, FROM_BUCKET_RIGHTS), "permissions"));
	const struct err *e = checks_error(c, FROM_BUCKET_RIGHTS);

	(void)q;
	if (e && e->http == 404) {
		if (finding_failed(f, c, FROM_RIGHTS))
			return;
		if (granted(c, "storage.buckets.create"))
			finding_ok(f);
		else
			finding_set(f, CHECK_BLOCKING, "administrator",
				_("ask for roles/storage.admin"), _("you may not create a bucket"));
	} else if (!finding_failed(f, c, FROM_BUCKET_RIGHTS)) {
		if (n == 3)
			finding_ok(f);
		else
			finding_set(f, CHECK_BLOCKING, "administrator",
				_("ask for roles/storage.admin"),
				_("you may not write, delete and list in the bucket"));
	}
}

static void judge_token(const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	const struct err *e = checks_error(c, FROM_WHOAMI);

	(void)q;
	if (e && (e->http == 401 || e->http == 403))
		finding_set(f, CHECK_BLOCKING, "you", _("make a new read token and set HF_TOKEN"),
			_("Hugging Face refuses the token: wrong, expired or revoked"));
	else if (!finding_failed(f, c, FROM_WHOAMI))
		finding_ok(f);
}

static void judge_token_kind(
	const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	const char *role = said(c, FROM_WHOAMI, "auth.accessToken.role");

	(void)q;
	if (finding_failed(f, c, FROM_WHOAMI))
		return;
	if (strcmp(role, "fineGrained") == 0 &&
		!json_path_bool(checks_reply(c, FROM_WHOAMI),
			"auth.accessToken.fineGrained.canReadGatedRepos", false))
		finding_set(f, CHECK_BLOCKING, "you",
			_("give the token read access to public gated repositories, or use a read "
			  "token"),
			_("the token may not read gated repositories"));
	else
		finding_ok(f);
}

static void judge_readable(
	const struct checks *c, enum check_source s, const char *what, struct finding *f)
{
	const struct err *e = checks_error(c, s);

	if (e && e->http == 403)
		finding_set(f, CHECK_BLOCKING, "you",
			_("open its page, accept the licence with the token's account"),
			_("the licence of %s is not accepted"), what);
	else if (e && (e->http == 401 || e->http == 404))
		finding_set(f, CHECK_BLOCKING, "you", _("check the name and the token"),
			_("%s is not there, or the token may not see it"), what);
	else if (!finding_failed(f, c, s))
		finding_ok(f);
}

static void judge_licence(const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	AUTO_FREE char *model = checks_arg(c, q, "model");

	judge_readable(c, FROM_LICENCE, model ? model : "", f);
}

static void judge_dataset(const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	AUTO_FREE char *set = checks_arg(c, q, "dataset");

	judge_readable(c, FROM_DATASET, set ? set : "", f);
}

static bool absent(const struct checks *c, enum check_source s)
{
	const struct err *e = checks_error(c, s);

	return e && e->http == 404;
}

static void judge_no_cluster(
	const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	(void)q;
	if (absent(c, FROM_CLUSTER))
		finding_ok(f);
	else if (!finding_failed(f, c, FROM_CLUSTER))
		finding_set(f, CHECK_WARNING, "you", _("the stage cluster offers to use it"),
			_("there is a cluster %s, %s"), checks_value(c, "CLUSTER_NAME"),
			said(c, FROM_CLUSTER, "status"));
}

static const char *job_in_use(const struct checks *c)
{
	const json_t *items = json_path(checks_reply(c, FROM_JOBSETS), "items");
	const json_t *one;
	size_t i;

	json_array_foreach(items, i, one)
	{
		const char *name = json_path_str_or(one, "metadata.name", "");

		for (size_t k = 0; k < c->place.recipe->stages.n; k++) {
			const char *job = c->place.recipe->stages.items[k].jobset;

			if (job && strcmp(job, name) == 0)
				return job;
		}
	}
	return NULL;
}

static void judge_no_jobset(const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	const char *name;

	(void)q;
	if (finding_failed(f, c, FROM_JOBSETS))
		return;
	name = job_in_use(c);
	if (!name) {
		finding_ok(f);
		return;
	}
	finding_set(f, CHECK_WARNING, "you", _("the stage recognises it, or cancel it first"),
		_("there is already a job %s"), name);
	finding_argv(f, "./gcluster", "job", "cancel", name, NULL);
}

static void judge_no_account(
	const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	(void)q;
	if (absent(c, FROM_ACCOUNT) || checks_reply(c, FROM_CLUSTER))
		finding_ok(f);
	else if (!finding_failed(f, c, FROM_ACCOUNT))
		finding_set(f, CHECK_WARNING, "you",
			_("delete it, or choose another CLUSTER_NAME: terraform cannot create it "
			  "again"),
			_("the service account %s-gke-np-sa is left from an earlier deployment"),
			checks_value(c, "CLUSTER_NAME"));
}

const struct check_row checks_cloud[] = {
	{"login.gcloud", FROM_GCLOUD, FROM_HERE, judge_gcloud},
	{"login.adc", FROM_ADC, FROM_HERE, judge_adc},
	{"login.quota-project", FROM_ADC, FROM_HERE, judge_quota_project},
	{"login.same-identity", FROM_GCLOUD, FROM_ADC, judge_identity},
	{"project.exists", FROM_PROJECT, FROM_HERE, judge_project},
	{"project.billing", FROM_BILLING, FROM_HERE, judge_billing},
	{"api.", FROM_SERVICES, FROM_HERE, judge_api},
	{"role.", FROM_RIGHTS, FROM_GCLOUD, judge_role},
	{"bucket.name", FROM_BUCKET, FROM_HERE, judge_bucket_name},
	{"bucket.owner", FROM_BUCKET, FROM_PROJECT, judge_bucket_owner},
	{"bucket.location", FROM_BUCKET, FROM_HERE, judge_bucket_place},
	{"bucket.write", FROM_BUCKET_RIGHTS, FROM_RIGHTS, judge_bucket_write},
	{"hf.token", FROM_WHOAMI, FROM_HERE, judge_token},
	{"hf.kind", FROM_WHOAMI, FROM_HERE, judge_token_kind},
	{"hf.licence", FROM_LICENCE, FROM_HERE, judge_licence},
	{"hf.dataset", FROM_DATASET, FROM_HERE, judge_dataset},
	{"collision.cluster", FROM_CLUSTER, FROM_HERE, judge_no_cluster},
	{"collision.jobset", FROM_JOBSETS, FROM_HERE, judge_no_jobset},
	{"collision.service-accounts", FROM_ACCOUNT, FROM_CLUSTER, judge_no_account},
	{.id = NULL},
};
