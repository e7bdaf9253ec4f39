/* SPDX-License-Identifier: Apache-2.0 */
/* Judges of what this machine and the recipe know themselves. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/cloud/cloud.h"
#include "core/fmt/quantity.h"
#include "core/recipe/rule.h"
#include "core/run/checks_in.h"

struct tool {
	const char *id, *program, *package;
	enum check_state missing;
};

static const struct tool tools[] = {
	{"tool.gcloud", "gcloud", "google-cloud-cli", CHECK_BLOCKING},
	{"tool.kubectl", "kubectl", "kubectl", CHECK_BLOCKING},
	{"tool.gke-plugin", "gke-gcloud-auth-plugin", "google-cloud-cli-gke-gcloud-auth-plugin",
		CHECK_BLOCKING},
	{"tool.terraform", "terraform", "terraform", CHECK_WARNING},
	{"tool.tar", "tar", "tar", CHECK_BLOCKING},
	{"tool.curl", "curl", "curl", CHECK_BLOCKING},
};

static void judge_tool(const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	(void)c;
	for (size_t i = 0; i < COUNT(tools); i++) {
		const char *path = getenv("PATH");
		AUTO_FREE char *found = NULL;
		AUTO_FREE char *cure = NULL;

		if (strcmp(tools[i].id, q->id) != 0)
			continue;
		found = path_find_program(tools[i].program, path ? path : "");
		if (found) {
			finding_ok(f);
			return;
		}
		cure = tools[i].missing == CHECK_WARNING
			       ? x_strdup(_("gcluster downloads it by itself"))
			       : x_asprintf(_("install the package %s"), tools[i].package);
		finding_set(
			f, tools[i].missing, "you", cure, _("%s is not on PATH"), tools[i].program);
		return;
	}
}

/* "2.36" as 2036; 0 when it is no version. */
static long version_number(const char *s)
{
	char *end;
	long major = strtol(s, &end, 10);

	return *end == '.' ? major * 1000 + strtol(end + 1, NULL, 10) : 0;
}

static void judge_glibc(const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	AUTO_FREE char *want = checks_arg(c, q, "version");
	char have[64] = "";
	const char *space;

#ifdef _CS_GNU_LIBC_VERSION
	if (confstr(_CS_GNU_LIBC_VERSION, have, sizeof(have)) == 0)
		have[0] = '\0';
#endif
	space = strchr(have, ' ');
	if (!space)
		finding_set(f, CHECK_UNKNOWN, "you", NULL,
			_("the version of the C library could not be found"));
	else if (want && version_number(space + 1) < version_number(want))
		finding_set(f, CHECK_BLOCKING, "you",
			_("use a newer system, for example Debian 12"),
			_("the C library is %s, gcluster needs %s"), space + 1, want);
	else
		finding_ok(f);
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
	const char *here =
		c->place.toolkit && path_is_dir(c->place.toolkit) ? c->place.toolkit : ".";

	if (room(here, bytes, f) && room(getenv("HOME"), bytes, f))
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
	const char *hosts[] = {"gcr.io", regional};

	(void)q;
	for (size_t i = 0; i < COUNT(hosts); i++)
		if (!helper_for(config, hosts[i])) {
			finding_set(f, CHECK_WARNING, "you", _("the stage login sets it"),
				_("docker's configuration has no helper for %s"), hosts[i]);
			finding_argv(
				f, "gcloud", "auth", "configure-docker", hosts[i], "--quiet", NULL);
			return;
		}
	finding_ok(f);
}

static bool in_toolkit(const struct checks *c, const char *name)
{
	AUTO_FREE char *path = NULL;

	if (!c->place.toolkit)
		return false;
	path = x_asprintf("%s/cluster-toolkit/%s", c->place.toolkit, name);
	return path_exists(path);
}

static void judge_gcluster(const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	(void)q;
	if (in_toolkit(c, "gcluster"))
		finding_ok(f);
	else
		finding_set(f, CHECK_WARNING, "you", _("the stage toolkit downloads it"),
			_("gcluster is not there yet"));
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

	rule_training(c->place.recipe, c->place.values, &all);
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

static void judge_cidr(const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	const char *cidr = checks_value(c, "AUTHORIZED_CIDR");

	(void)q;
	if (!*cidr || strcmp(cidr, "0.0.0.0/0") == 0)
		finding_ok(f);
	else
		finding_set(f, CHECK_WARNING, "you",
			_("make sure that this machine keeps an address in it"),
			_("only %s may reach the control plane"), cidr);
}

/* The pretend clock runs faster than the network: a second of travel is allowed. */
static void judge_clock(const struct checks *c, const struct recipe_check *q, struct finding *f)
{
	int64_t skew = cloud_clock_skew(c->place.cloud);
	int64_t travel = (int64_t)(1000 * clock_factor());
	int64_t off = skew < 0 ? -skew : skew;

	(void)q;
	if (finding_failed(f, c, FROM_PROJECT) && !checks_error(c, FROM_PROJECT)->http)
		return;
	free(f->cause);
	free(f->cure);
	f->cause = f->cure = NULL;
	if (off <= 30000 + travel)
		finding_ok(f);
	else
		finding_set(f, off > 300000 + travel ? CHECK_BLOCKING : CHECK_WARNING, "you",
			_("set the clock, for example: timedatectl set-ntp true"),
			_("this machine's clock is %lld s off"), (long long)(off / 1000));
}

const struct check_row checks_here[] = {
	{"tool.gcluster", FROM_HERE, FROM_HERE, judge_gcluster},
	{"tool.glibc", FROM_HERE, FROM_HERE, judge_glibc},
	{"tool.disk", FROM_HERE, FROM_HERE, judge_disk},
	{"tool.docker-helpers", FROM_HERE, FROM_HERE, judge_docker},
	{"tool.", FROM_HERE, FROM_HERE, judge_tool},
	{"login.clock", FROM_PROJECT, FROM_HERE, judge_clock},
	{"name.cluster", FROM_HERE, FROM_HERE, judge_cluster_name},
	{"name.job", FROM_HERE, FROM_HERE, judge_job_names},
	{"collision.folder", FROM_HERE, FROM_HERE, judge_folder},
	{"train.", FROM_HERE, FROM_HERE, judge_training},
	{"net.authorized-cidr", FROM_HERE, FROM_HERE, judge_cidr},
	{.id = NULL},
};
