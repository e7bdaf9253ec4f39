/* SPDX-License-Identifier: Apache-2.0 */
/* Judges of logins, the project, its APIs and what the account may do. */
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/cloud/cloud.h"
#include "core/cloud/services.h"
#include "core/run/checks_in.h"
#include "core/run/checks_rights.h"

static const char *said(const struct checks *c, enum check_source s, const char *path)
{
	return json_path_str_or(checks_reply(c, s), path, "");
}

/* A login that does not work, told apart from one that could not be tried. */
static bool login_failed(struct finding *f, const struct checks *c, enum check_source s)
{
	const struct err *e = checks_error(c, s);

	if (!e)
		return false;
	finding_failed(f, c, s);
	if (e->code != ERR_UNREACHABLE)
		f->state = CHECK_BLOCKING;
	return true;
}

/* A new login helps where one is missing or over, and only for the file that it writes. */
static bool new_login_helps(const struct checks *c, enum check_source s)
{
	static const char *const causes[] = {
		"no-login", "login", "login-reauth", "login-expired", "credentials-damaged"};
	const struct err *e = checks_error(c, s);
	const char *file = getenv("GOOGLE_APPLICATION_CREDENTIALS");

	if (e->code == ERR_UNREACHABLE || (s == FROM_ADC && file && *file))
		return false;
	for (size_t i = 0; e->cause && i < COUNT(causes); i++)
		if (strcmp(e->cause, causes[i]) == 0)
			return true;
	return !e->cause && s == FROM_GCLOUD;
}

static void judge_gcloud(const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	(void)q;
	if (!login_failed(f, c, FROM_GCLOUD))
		finding_ok(f);
	else if (new_login_helps(c, FROM_GCLOUD))
		finding_argv(f, "gcloud", "auth", "login", NULL);
}

static void judge_adc(const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	(void)q;
	if (!login_failed(f, c, FROM_ADC))
		finding_ok(f);
	else if (new_login_helps(c, FROM_ADC))
		finding_argv(f, "gcloud", "auth", "application-default", "login", NULL);
}

static bool granted(const struct checks *c, const char *permission)
{
	const json_t *one;
	size_t i;

	json_array_foreach(json_path(checks_reply(c, FROM_RIGHTS), "permissions"), i, one)
	{
		const char *name = json_string_value(one);

		if (name && strcmp(name, permission) == 0)
			return true;
	}
	return false;
}

static void judge_quota_project(
	const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	const char *env = getenv("GOOGLE_CLOUD_QUOTA_PROJECT");
	bool from_env = env && *env;
	const char *have = from_env ? env : said(c, FROM_ADC, "quota_project");
	const char *want = checks_value(c, "PROJECT");

	(void)q;
	if (!from_env && finding_failed(f, c, FROM_ADC))
		return;
	if (strcmp(have, want) == 0) {
		finding_ok(f);
		return;
	}
	if (from_env) {
		finding_set(f, CHECK_WARNING, "you", _("unset GOOGLE_CLOUD_QUOTA_PROJECT"),
			_("GOOGLE_CLOUD_QUOTA_PROJECT is '%s', not %s"), have, want);
		return;
	}
	if (*have)
		finding_set(f, CHECK_WARNING, "you", _("the stage login sets it"),
			_("the quota project is '%s', not %s"), have, want);
	else
		finding_set(f, CHECK_WARNING, "you", _("the stage login sets it"),
			_("the application default credentials name no quota project"));
	finding_argv(f, "gcloud", "auth", "application-default", "set-quota-project", want, NULL);
}

static void judge_identity(const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	const char *a = said(c, FROM_GCLOUD, "email");
	const char *b = said(c, FROM_ADC, "email");

	(void)q;
	if (finding_failed(f, c, FROM_GCLOUD) || finding_failed(f, c, FROM_ADC))
		return;
	if (!*a || !*b) {
		finding_set(f, CHECK_UNKNOWN, "you", NULL,
			_("one of the logins does not name its account"));
	} else if (strcmp(a, b) == 0) {
		finding_ok(f);
	} else {
		finding_set(f, CHECK_WARNING, "you", _("log in with the same account both times"),
			_("gcloud is %s, the application default credentials are %s"), a, b);
		finding_argv(f, "gcloud", "auth", "application-default", "login", NULL);
	}
}

/* Any answer tells the time: with no login that of Hugging Face. The pretend clock runs faster than
 * the network: a second of travel is allowed. */
static void judge_clock(const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	int64_t skew = cloud_clock_skew(c->place.cloud);
	int64_t travel = (int64_t)(1000 * clock_factor());
	int64_t off = skew < 0 ? -skew : skew;
	const struct err *e = checks_error(c, FROM_PROJECT);

	(void)q;
	if (skew == 0 && e && !e->http)
		finding_failed(f, c, FROM_PROJECT);
	else if (off <= 30000 + travel)
		finding_ok(f);
	else
		finding_set(f, off > 300000 + travel ? CHECK_BLOCKING : CHECK_WARNING, "you",
			_("set the clock, for example: timedatectl set-ntp true"),
			_("this machine's clock is %lld s off"), (long long)(off / 1000));
}

/* Any API that answers for the project proves that it is there. */
static void judge_project(const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	const struct err *e = checks_error(c, FROM_PROJECT);
	const char *state = said(c, FROM_PROJECT, "state");

	(void)q;
	if (checks_caused(c, FROM_PROJECT, "api-off") && !checks_error(c, FROM_SERVICES))
		finding_ok(f);
	else if (e && (e->http == 403 || e->http == 404) &&
		 !checks_caused(c, FROM_PROJECT, "api-off"))
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

/* The first account that is open, as `gcloud billing projects link` takes it; "" = none seen. */
static const char *open_account(const struct checks *c)
{
	const json_t *one;
	size_t i;

	json_array_foreach(json_path(checks_reply(c, FROM_BILLING), "billingAccounts"), i, one)
	{
		const char *name = json_path_str_or(one, "name", "");
		const char *slash = strrchr(name, '/');

		if (json_path_bool(one, "open", false))
			return slash ? slash + 1 : name;
	}
	return "";
}

static void no_billing(const struct checks *c, struct finding *f)
{
	const char *account = open_account(c);
	AUTO_FREE char *flag = x_asprintf("--billing-account=%s", account);

	finding_set(f, CHECK_BLOCKING, "administrator", _("link a billing account to the project"),
		_("the project has no billing account"));
	if (*account)
		finding_argv(f, "gcloud", "billing", "projects", "link", checks_value(c, "PROJECT"),
			flag, NULL);
}

/* Reading it needs an API and a right of its own; that Compute answers proves it, too. */
static void judge_billing(const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	const json_t *enabled = json_path(checks_reply(c, FROM_BILLING), "billingEnabled");

	(void)q;
	if (json_is_false(enabled) || checks_caused(c, FROM_NETWORKS, "billing"))
		no_billing(c, f);
	else if (json_is_true(enabled) || json_path_str(checks_reply(c, FROM_NETWORKS), "name"))
		finding_ok(f);
	else if (!finding_failed(f, c, FROM_BILLING))
		finding_set(f, CHECK_UNKNOWN, "you", NULL, _("the billing API does not report it"));
}

/* Every API of the recipe that is off, in one command. */
static void enable_argv(const struct checks *c, struct finding *f)
{
	const struct recipe *r = c->place.recipe;

	finding_argv(f, "gcloud", "services", "enable", NULL);
	for (size_t i = 0; i < r->checks.n; i++) {
		const char *name = r->checks.items[i].id + strlen("api.");

		if (text_starts(r->checks.items[i].id, "api.") &&
			strcmp(services_state(checks_reply(c, FROM_SERVICES), name), "DISABLED") ==
				0)
			strvec_push(&f->argv, name);
	}
	finding_argv(f, "--project", checks_value(c, "PROJECT"), NULL);
}

static void judge_api(const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	const char *name = q->id + strlen("api.");
	AUTO_FREE char *level = checks_arg(c, q, "level");
	const char *state;
	bool serves_itself = strcmp(name, checks_service(FROM_SERVICES)) == 0;

	if (serves_itself && checks_caused(c, FROM_SERVICES, "api-off")) {
		finding_failed(f, c, FROM_SERVICES);
		f->state = CHECK_BLOCKING;
		return;
	}
	if (finding_failed(f, c, FROM_SERVICES))
		return;
	state = services_state(checks_reply(c, FROM_SERVICES), name);
	if (strcmp(state, "ENABLED") == 0) {
		finding_ok(f);
	} else if (strcmp(state, "DISABLED") == 0) {
		finding_set(f,
			level && strcmp(level, "recommended") == 0 ? CHECK_WARNING : CHECK_BLOCKING,
			"administrator", _("enable it; it takes a minute or two until it works"),
			_("%s is not enabled"), name);
		enable_argv(c, f);
	} else {
		finding_set(f, CHECK_UNKNOWN, "you", NULL, _("the answer does not tell %s"), name);
	}
}

/* The TPU API is not called on this way, and owners get object rights by each bucket. */
static bool only_a_warning(const struct checks *c, const char *role)
{
	return strcmp(role, "tpu.admin") == 0 ||
	       (strcmp(role, "storage.admin") == 0 && granted(c, "storage.buckets.create"));
}

static void role_argv(const struct checks *c, const struct checks_role *r, struct finding *f)
{
	const char *email = said(c, FROM_GCLOUD, "email");
	const char *kind = text_ends(email, ".gserviceaccount.com") ? "serviceAccount" : "user";
	AUTO_FREE char *role = x_asprintf("--role=roles/%s", r->id);
	AUTO_FREE char *member = x_asprintf("--member=%s:%s", kind, email);

	if (*email)
		finding_argv(f, "gcloud", "projects", "add-iam-policy-binding",
			checks_value(c, "PROJECT"), member, role, "--condition=None", NULL);
}

static void judge_role(const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	const struct checks_role *r = checks_role(q->id + strlen("role."));
	AUTO(buf_fini) struct buf lacks = {0};

	if (!r) {
		finding_set(f, CHECK_UNKNOWN, "you", NULL, _("rlpilot does not know this role"));
		return;
	}
	if (finding_failed(f, c, FROM_RIGHTS))
		return;
	for (size_t i = 0; r->permissions[i]; i++)
		if (!granted(c, r->permissions[i]))
			buf_addf(&lacks, "%s%s", lacks.len ? ", " : "", r->permissions[i]);
	if (!lacks.len) {
		finding_ok(f);
		return;
	}
	finding_set(f, only_a_warning(c, r->id) ? CHECK_WARNING : CHECK_BLOCKING, "administrator",
		_("ask an administrator for the role"), _("missing: %s"), buf_str(&lacks));
	role_argv(c, r, f);
}

const struct check_row checks_login[] = {
	{"login.gcloud", ASKED_BLOCKS, FROM_GCLOUD, FROM_HERE, judge_gcloud},
	{"login.adc", ASKED_BLOCKS, FROM_ADC, FROM_HERE, judge_adc},
	{"login.quota-project", ASKED_WARNS, FROM_ADC, FROM_HERE, judge_quota_project},
	{"login.same-identity", ASKED_WARNS, FROM_GCLOUD, FROM_ADC, judge_identity},
	{"login.clock", ASKED_BLOCKS | MAY_WARN, FROM_PROJECT, FROM_DATASET, judge_clock},
	{"project.exists", ASKED_BLOCKS, FROM_PROJECT, FROM_SERVICES, judge_project},
	{"project.billing", ASKED_BLOCKS, FROM_BILLING, FROM_NETWORKS, judge_billing},
	{"api.logging.googleapis.com", ASKED_WARNS, FROM_SERVICES, FROM_HERE, judge_api},
	{"api.monitoring.googleapis.com", ASKED_WARNS, FROM_SERVICES, FROM_HERE, judge_api},
	{"api.", ASKED_BLOCKS, FROM_SERVICES, FROM_HERE, judge_api},
	{"role.tpu.admin", ASKED_WARNS, FROM_RIGHTS, FROM_GCLOUD, judge_role},
	{"role.storage.admin", ASKED_BLOCKS | MAY_WARN, FROM_RIGHTS, FROM_GCLOUD, judge_role},
	{"role.", ASKED_BLOCKS, FROM_RIGHTS, FROM_GCLOUD, judge_role},
	{.id = NULL},
};
