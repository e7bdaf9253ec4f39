/* SPDX-License-Identifier: Apache-2.0 */
/* Judges of what this machine and the recipe know themselves. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/machine.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/cloud/cloud.h"
#include "core/fmt/body.h"
#include "core/fmt/quantity.h"
#include "core/recipe/command.h"
#include "core/recipe/rule.h"
#include "core/run/checks_in.h"

struct tool {
	const char *id, *program, *package, *formula; /* of Debian, of Homebrew */
};

static const struct tool tools[] = {
	{"tool.gcloud", "gcloud", "google-cloud-cli", "google-cloud-sdk"},
	{"tool.kubectl", "kubectl", "kubectl", "kubernetes-cli"},
	{"tool.gke-plugin", "gke-gcloud-auth-plugin", "google-cloud-cli-gke-gcloud-auth-plugin",
		"google-cloud-sdk"},
	{"tool.tar", "tar", "tar", "gnu-tar"},
	{"tool.curl", "curl", "curl", "curl"},
};

/* The plugin may lie beside gcloud in an SDK whose folder is not on PATH under its own name. */
static bool on_path(const struct tool *t)
{
	const char *path = getenv("PATH");
	AUTO_FREE char *found = path_find_program(t->program, path ? path : "");
	AUTO_FREE char *gcloud = path_find_program("gcloud", path ? path : "");
	AUTO_FREE char *real = gcloud ? realpath(gcloud, NULL) : NULL;
	char *slash = real ? strrchr(real, '/') : NULL;

	if (found || !slash)
		return found != NULL;
	*slash = '\0';
	{
		AUTO_FREE char *beside = path_find_program(t->program, real);

		return beside != NULL;
	}
}

/* Cloud Shell has all of them: one that is missing there has been removed, or PATH was changed. */
static char *how_to_install(const struct tool *t)
{
	struct utsname u;

	if (machine_is_cloud_shell())
		return x_strdup(_("Cloud Shell brings it: correct PATH, or restart Cloud Shell"));
	if (uname(&u) == 0 && strcmp(u.sysname, "Darwin") == 0)
		return x_asprintf(_("install it: brew install %s"), t->formula);
	return x_asprintf(_("install it: apt-get install %s"), t->package);
}

static void judge_tool(const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	(void)c;
	for (size_t i = 0; i < COUNT(tools); i++) {
		AUTO_FREE char *cure = NULL;

		if (strcmp(tools[i].id, q->id) != 0)
			continue;
		if (on_path(&tools[i])) {
			finding_ok(f);
			return;
		}
		cure = how_to_install(&tools[i]);
		finding_set(
			f, CHECK_BLOCKING, "you", cure, _("%s is not on PATH"), tools[i].program);
		return;
	}
}

/* "2.36.1" as 2036001; 0 when it is no version. */
static long version_number(const char *s)
{
	char *end;
	long all = 0;
	int parts = 0;

	for (; parts < 3 && *s >= '0' && *s <= '9'; parts++) {
		all = all * 1000 + strtol(s, &end, 10);
		s = *end == '.' ? end + 1 : end;
	}
	if (parts < 2)
		return 0;
	return parts == 2 ? all * 1000 : all;
}

static const char *program_said(const struct checks *c, enum check_source s)
{
	const json_t *reply = checks_reply(c, s);

	return json_path_i64(reply, "code", 1) == 0 ? json_path_str_or(reply, "out", "") : "";
}

/* One that is missing or old is fetched by gcluster itself. */
static void judge_terraform(const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	AUTO_FREE char *want = checks_arg(c, q, "version");
	const char *said = program_said(c, FROM_TERRAFORM);
	AUTO(json_auto) json_t *j = body_tool_json(said, strlen(said), NULL, NULL);
	const char *have = json_path_str_or(j, "terraform_version", "");

	if (checks_error(c, FROM_TERRAFORM))
		finding_set(f, CHECK_WARNING, "you", _("gcluster downloads it by itself"),
			_("%s is not on PATH"), "terraform");
	else if (version_number(have) < version_number(want ? want : "0.0"))
		finding_set(f, CHECK_WARNING, "you", _("gcluster downloads a newer one by itself"),
			_("terraform is %s, gcluster wants %s"), *have ? have : "?", want);
	else
		finding_ok(f);
}

static void judge_glibc(const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	AUTO_FREE char *want = checks_arg(c, q, "version");
	const char *said = program_said(c, FROM_LIBC);
	const char *space = text_starts(said, "glibc ") ? strchr(said, ' ') + 1 : NULL;
	AUTO_FREE char *have = space ? x_strndup(space, strcspn(space, "\n ")) : x_strdup("");

	if (!version_number(have))
		finding_set(f, CHECK_UNKNOWN, "you", NULL,
			_("the version of the C library could not be found"));
	else if (want && version_number(have) < version_number(want))
		finding_set(f, CHECK_BLOCKING, "you",
			_("use a newer system, for example Debian 12"),
			_("the C library is %s, gcluster needs %s"), have, want);
	else
		finding_ok(f);
}

/* Where runs are kept: bundle and providers are unpacked there. */
static char *state_folder(void)
{
	const char *xdg = getenv("XDG_STATE_HOME");
	const char *home = getenv("HOME");
	AUTO_FREE char *path =
		xdg && *xdg ? x_strdup(xdg) : x_asprintf("%s/.local/state", home ? home : "");

	while (!path_is_dir(path)) {
		char *slash = strrchr(path, '/');

		if (!slash || slash == path)
			return x_strdup(slash ? "/" : ".");
		*slash = '\0';
	}
	return x_strdup(path);
}

static bool room(const char *dir, int64_t want, struct finding *f)
{
	struct statvfs v;
	char size[QUANTITY_SIZE];
	int64_t have;

	if (!dir || statvfs(dir, &v) != 0)
		return true;
	have = (int64_t)(v.f_bavail * v.f_frsize);
	if (have >= want)
		return true;
	finding_set(f, CHECK_BLOCKING, "you", _("delete what is not needed, or use another folder"),
		_("only %s are free in %s"), quantity_human(have, size), dir);
	return false;
}

static void judge_disk(const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	AUTO_FREE char *want = checks_arg(c, q, "bytes");
	int64_t bytes = quantity_bytes(want);
	AUTO_FREE char *runs = state_folder();

	(void)c;
	if (room(runs, bytes, f) && room(getenv("HOME"), bytes, f))
		finding_ok(f);
}

static char *docker_file(void)
{
	const char *dir = getenv("DOCKER_CONFIG");
	const char *home = getenv("HOME");

	return dir && *dir ? path_join(dir, "config.json")
			   : x_asprintf("%s/.docker/config.json", home ? home : "");
}

static bool helper_for(const json_t *config, const char *host)
{
	const char *s =
		json_string_value(json_object_get(json_object_get(config, "credHelpers"), host));

	return (s && strcmp(s, "gcloud") == 0) ||
	       strcmp(json_path_str_or(config, "credsStore", ""), "gcloud") == 0;
}

static void judge_docker(const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	AUTO_FREE char *file = docker_file();
	AUTO_FREE char *regional = x_asprintf("%s-docker.pkg.dev", checks_value(c, "REGION"));
	AUTO(json_auto)
	json_t *config = path_exists(file) ? json_read_file(file, 1 << 20, NULL) : NULL;
	AUTO_FREE char *both = x_asprintf("gcr.io,%s", regional);
	const char *hosts[] = {"gcr.io", regional};

	(void)q;
	finding_ok(f);
	for (size_t i = 0; i < COUNT(hosts) && f->state == CHECK_OK; i++)
		if (!helper_for(config, hosts[i])) {
			finding_set(f, CHECK_WARNING, "you", _("the stage login sets it"),
				_("docker's configuration has no helper for %s"), hosts[i]);
			finding_argv(
				f, "gcloud", "auth", "configure-docker", both, "--quiet", NULL);
		}
}

/* Without a run: where the tutorial's own commands put it, in the folder one stands in. */
static bool in_toolkit(const struct checks *c, const char *name)
{
	AUTO_FREE char *path = x_asprintf(
		"%s/cluster-toolkit/%s", c->place.toolkit ? c->place.toolkit : ".", name);

	return path_exists(path);
}

/* Unpacked already, or to be had: the stage toolkit looks at its version. */
static void judge_gcluster(const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	const struct err *e = checks_error(c, FROM_RELEASE);

	(void)q;
	if (c->place.toolkit && in_toolkit(c, "gcluster"))
		finding_ok(f);
	else if (e && e->http == 404)
		finding_set(f, CHECK_BLOCKING, "you",
			_("correct CLUSTER_TOOLKIT_VERSION; this recipe is made for v1.103.0"),
			_("there is no release %s of Cluster Toolkit for this platform"),
			checks_value(c, "CLUSTER_TOOLKIT_VERSION"));
	else if (!finding_failed(f, c, FROM_RELEASE))
		finding_ok(f);
}

static void judge_rule(
	const struct checks *c, const char *name, const char *cure, struct finding *f)
{
	const struct recipe_variable *v = recipe_variable(c->place.recipe, name);
	AUTO(buf_fini) struct buf why = {0};

	if (!v || rule_variable(c->place.recipe, v, checks_value(c, name), c->place.values, &why))
		finding_ok(f);
	else
		finding_set(f, CHECK_BLOCKING, "you", cure, "%s: %s", name, buf_str(&why));
}

static void judge_cluster_name(
	const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	(void)q;
	judge_rule(c, "CLUSTER_NAME", _("choose another CLUSTER_NAME"), f);
}

/* gcluster takes 28 bytes, the JobSet webhook wants DNS-1035 labels. */
static bool good_job_name(const char *s)
{
	size_t n = strlen(s);

	return n >= 1 && n <= 28 && s[0] >= 'a' && s[0] <= 'z' && s[n - 1] != '-' &&
	       strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == n;
}

static void judge_job_names(const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	const struct recipe *r = c->place.recipe;

	(void)q;
	for (size_t i = 0; i < r->stages.n; i++) {
		const char *name = r->stages.items[i].jobset;

		if (name && !good_job_name(name)) {
			finding_set(f, CHECK_BLOCKING, "you",
				_("use a lower-case name of at most 28 letters"),
				_("'%s' cannot name a job"), name);
			return;
		}
	}
	finding_ok(f);
}

static void judge_folder(const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	const char *name = checks_value(c, "CLUSTER_NAME");

	(void)q;
	if (!in_toolkit(c, name))
		finding_ok(f);
	else
		finding_set(f, CHECK_WARNING, "you", _("the stage cluster goes on with it"),
			_("there is already a deployment folder %s"), name);
}

static void judge_training(const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	struct rule_findings all = {0};

	rule_training(c->place.recipe, c->place.values, c->place.deviations, &all);
	finding_ok(f);
	for (size_t i = 0; i < all.n; i++) {
		const struct rule_finding *one = &all.items[i];

		if (strcmp(one->check, q->id) != 0 &&
			strcmp(one->check, q->id + strlen("train.")) != 0)
			continue;
		if (f->state == CHECK_OK || (one->blocking && f->state == CHECK_WARNING))
			finding_set(f, one->blocking ? CHECK_BLOCKING : CHECK_WARNING, "you",
				_("change the training parameters"), "%s", one->text);
	}
	rule_findings_fini(&all);
}

/* Addresses that no control plane on the internet ever sees. */
static bool private_range(const char *cidr)
{
	static const char *const prefixes[] = {"10.", "127.", "192.168.", "169.254."};
	long second = text_starts(cidr, "172.") ? strtol(cidr + strlen("172."), NULL, 10) : 0;

	for (size_t i = 0; i < COUNT(prefixes); i++)
		if (text_starts(cidr, prefixes[i]))
			return true;
	return second >= 16 && second <= 31;
}

static void judge_cidr(const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	const char *cidr = checks_value(c, "AUTHORIZED_CIDR");
	const struct deviations *d = c->place.deviations;
	bool unused = d && !deviation_on(c->place.recipe, *d, "cidr-own");
	AUTO(buf_fini) struct buf why = {0};

	(void)q;
	if (!*cidr || unused || text_ends(cidr, "/0"))
		finding_set(f, CHECK_WARNING, "you",
			_("switch the deviation cidr-own on and set AUTHORIZED_CIDR to your own "
			  "address followed by /32; it must not change while the run lasts"),
			_("every address may reach the control plane (IAM still guards it)"));
	else if (!rule_named("cidr", cidr, &why))
		finding_set(f, CHECK_BLOCKING, "you", _("correct AUTHORIZED_CIDR"), "%s",
			buf_str(&why));
	else if (private_range(cidr))
		finding_set(f, CHECK_BLOCKING, "you",
			_("use the address that the internet sees, followed by /32"),
			_("%s is a private address: this machine would not reach the control "
			  "plane"),
			cidr);
	else
		finding_ok(f);
}

#define LOCAL (MAY_OK | MAY_BLOCK)

const struct check_row checks_here[] = {
	{"tool.gcluster", LOCAL | MAY_UNKNOWN, FROM_RELEASE, FROM_HERE, judge_gcluster},
	{"tool.glibc", LOCAL | MAY_UNKNOWN, FROM_LIBC, FROM_HERE, judge_glibc},
	{"tool.disk", LOCAL, FROM_HERE, FROM_HERE, judge_disk},
	{"tool.docker-helpers", MAY_OK | MAY_WARN, FROM_HERE, FROM_HERE, judge_docker},
	{"tool.terraform", MAY_OK | MAY_WARN, FROM_TERRAFORM, FROM_HERE, judge_terraform},
	{"tool.", LOCAL, FROM_HERE, FROM_HERE, judge_tool},
	{"name.cluster", LOCAL, FROM_HERE, FROM_HERE, judge_cluster_name},
	{"name.job", LOCAL, FROM_HERE, FROM_HERE, judge_job_names},
	{"collision.folder", MAY_OK | MAY_WARN, FROM_HERE, FROM_HERE, judge_folder},
	{"train.lengths", LOCAL | MAY_WARN, FROM_HERE, FROM_HERE, judge_training},
	{"train.", LOCAL, FROM_HERE, FROM_HERE, judge_training},
	{"net.authorized-cidr", LOCAL | MAY_WARN, FROM_HERE, FROM_HERE, judge_cidr},
	{.id = NULL},
};
