/* SPDX-License-Identifier: Apache-2.0 */
/* Judges of the bucket, Hugging Face, and names that are in use already. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/recipe/rule.h"
#include "core/run/checks_in.h"

static const char *said(const struct checks *c, enum check_source s, const char *path)
{
	return json_path_str_or(checks_reply(c, s), path, "");
}

static bool says(const struct checks *c, enum check_source s, int http)
{
	const struct err *e = checks_error(c, s);

	return e && e->http == http && !checks_caused(c, s, "api-off") &&
	       !checks_caused(c, s, "billing");
}

static bool bucket_is_free(const struct checks *c)
{
	return says(c, FROM_BUCKET, 404);
}

/* 403 hides whose it is; that it is not ours to read is enough. */
static bool bucket_is_foreign(const struct checks *c)
{
	return says(c, FROM_BUCKET, 403);
}

static void not_ours(struct finding *f)
{
	finding_set(f, CHECK_BLOCKING, "you",
		_("bucket names are shared by all of Google Cloud: choose another one"),
		_("the bucket belongs to somebody else, or you may not look at it"));
}

static void judge_bucket_name(
	const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	const struct recipe_variable *v = recipe_variable(c->place.recipe, "GCS_BUCKET");
	AUTO(buf_fini) struct buf why = {0};

	(void)q;
	if (v && !rule_variable(
			 c->place.recipe, v, checks_value(c, "GCS_BUCKET"), c->place.values, &why))
		finding_set(f, CHECK_BLOCKING, "you", _("choose another GCS_BUCKET"), "%s",
			buf_str(&why));
	else if (bucket_is_foreign(c))
		not_ours(f);
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
	if (bucket_is_foreign(c)) {
		not_ours(f);
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

static bool may_create(const struct checks *c)
{
	const json_t *one;
	size_t i;

	json_array_foreach(json_path(checks_reply(c, FROM_RIGHTS), "permissions"), i, one)
	{
		const char *name = json_string_value(one);

		if (name && strcmp(name, "storage.buckets.create") == 0)
			return true;
	}
	return false;
}

static void judge_bucket_write(
	const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	size_t n = json_array_size(json_path(checks_reply(c, FROM_BUCKET_RIGHTS), "permissions"));

	(void)q;
	if (says(c, FROM_BUCKET_RIGHTS, 404)) {
		if (finding_failed(f, c, FROM_RIGHTS))
			return;
		if (may_create(c))
			finding_ok(f);
		else
			finding_set(f, CHECK_BLOCKING, "administrator",
				_("ask for roles/storage.admin"), _("you may not create a bucket"));
		return;
	}
	if (!says(c, FROM_BUCKET_RIGHTS, 403) && finding_failed(f, c, FROM_BUCKET_RIGHTS))
		return;
	if (n == 3)
		finding_ok(f);
	else
		finding_set(f, CHECK_BLOCKING, "administrator", _("ask for roles/storage.admin"),
			_("you may not write, delete and list in the bucket"));
}

static void judge_token(const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	(void)q;
	if (says(c, FROM_WHOAMI, 401) || says(c, FROM_WHOAMI, 403))
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
	else if (strcmp(role, "write") == 0)
		finding_set(f, CHECK_WARNING, "you", _("make a read token and set HF_TOKEN"),
			_("the token may write as well: pods and command lines will show it"));
	else
		finding_ok(f);
}

/* A bad token is the fault of hf.token, not of what could not be asked with it. */
static void judge_readable(
	const struct checks *c, enum check_source s, const char *what, struct finding *f)
{
	if (says(c, s, 403))
		finding_set(f, CHECK_BLOCKING, "you",
			_("open its page, accept the licence with the token's account"),
			_("the licence of %s is not accepted"), what);
	else if (says(c, s, 404))
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

/* Without the API there is no cluster. */
static void judge_no_cluster(
	const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	(void)q;
	if (says(c, FROM_CLUSTER, 404) || checks_caused(c, FROM_CLUSTER, "api-off"))
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
	finding_set(f, CHECK_WARNING, "you",
		_("its stage recognises it; or cancel it first with: ./gcluster job cancel"),
		_("there is already a job %s"), name);
}

static void judge_no_account(
	const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	const char *email = json_string_value(json_path(checks_reply(c, FROM_ACCOUNTS), "left[0]"));

	(void)q;
	if (finding_failed(f, c, FROM_ACCOUNTS))
		return;
	if (!email || checks_reply(c, FROM_CLUSTER)) {
		finding_ok(f);
		return;
	}
	finding_set(f, CHECK_WARNING, "you",
		_("delete it, or choose another CLUSTER_NAME: terraform cannot create it again"),
		_("the service account %s is left from an earlier deployment"), email);
	finding_argv(f, "gcloud", "iam", "service-accounts", "delete", email, "--project",
		checks_value(c, "PROJECT"), "--quiet", NULL);
}

const struct check_row checks_store[] = {
	{"bucket.name", ASKED_BLOCKS, FROM_BUCKET, FROM_HERE, judge_bucket_name},
	{"bucket.owner", ASKED_BLOCKS, FROM_BUCKET, FROM_PROJECT, judge_bucket_owner},
	{"bucket.location", ASKED_WARNS, FROM_BUCKET, FROM_HERE, judge_bucket_place},
	{"bucket.write", ASKED_BLOCKS, FROM_BUCKET_RIGHTS, FROM_RIGHTS, judge_bucket_write},
	{"hf.token", ASKED_BLOCKS | LACK_BLOCKS, FROM_WHOAMI, FROM_HERE, judge_token},
	{"hf.kind", ASKED_BLOCKS | MAY_WARN, FROM_WHOAMI, FROM_HERE, judge_token_kind},
	{"hf.licence", ASKED_BLOCKS, FROM_LICENCE, FROM_HERE, judge_licence},
	{"hf.dataset", ASKED_BLOCKS, FROM_DATASET, FROM_HERE, judge_dataset},
	{"collision.cluster", ASKED_WARNS, FROM_CLUSTER, FROM_HERE, judge_no_cluster},
	{"collision.jobset", ASKED_WARNS, FROM_JOBSETS, FROM_CLUSTER, judge_no_jobset},
	{"collision.service-accounts", ASKED_WARNS, FROM_ACCOUNTS, FROM_CLUSTER, judge_no_account},
	{.id = NULL},
};
