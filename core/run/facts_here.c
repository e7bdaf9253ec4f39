/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about this machine and the logins. */
#include "core/run/facts_ask.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/cloud/auth.h"
#include "core/cloud/cloud.h"
#include "core/io/child.h"

static void ask_tool(struct facts *f)
{
	const char *name = fact_arg(f, "name");
	AUTO_FREE char *found = path_find_program(name, getenv("PATH"));
	AUTO_FREE char *said = found ? x_strdup(found) : x_asprintf(_("%s is not on PATH"), name);
	AUTO_FREE char *cure = found ? NULL : x_asprintf(_("install %s"), name);

	fact_end(f, found != NULL, said, cure);
}

static char *below(const struct facts *f, const char *path)
{
	return *path == '/' ? x_strdup(path) : path_join(f->place.toolkit, path);
}

static void ask_file(struct facts *f)
{
	AUTO_FREE char *path = below(f, fact_arg(f, "path"));
	bool there = path_exists(path);
	AUTO_FREE char *said = there ? x_strdup(path) : x_asprintf(_("%s is missing"), path);

	fact_end(f, there, said, NULL);
}

static void ask_folder_absent(struct facts *f)
{
	AUTO_FREE char *path = below(f, fact_arg(f, "path"));
	bool there = path_exists(path);
	AUTO_FREE char *said = there ? x_asprintf(_("%s is still there"), path) : NULL;

	fact_end(f, !there, said, NULL);
}

static void on_version_line(void *arg, const char *line, size_t n, bool cut)
{
	struct facts *f = arg;
	char *more = x_asprintf("%s%.*s\n", f->text ? f->text : "", (int)n, line);

	(void)cut;
	free(f->text);
	f->text = more;
}

/* v1.10.1 is not v1.10.12, nor 2.1.10.1. */
static bool holds_version(const char *text, const char *want)
{
	static const char part[] = "0123456789.";
	size_t n = strlen(want);

	for (const char *at = strstr(text, want); n && at; at = strstr(at + 1, want))
		if ((at == text || !strchr(part, at[-1])) && (!at[n] || !strchr(part, at[n])))
			return true;
	return false;
}

static void on_version_exit(void *arg, int code)
{
	struct facts *f = arg;
	const char *want = fact_arg(f, "version");
	const char *said = f->text ? f->text : "";
	bool same;

	f->child = NULL;
	if (*want == 'v')
		want++;
	same = code == 0 && holds_version(said, want);
	if (same) {
		fact_end(f, true, said, NULL);
	} else {
		AUTO_FREE char *line = text_trim(said, strlen(said));
		AUTO_FREE char *what =
			x_asprintf(_("gcluster is not version %s (exit %d): %s"), want, code, line);
		fact_end(f, false, what, _("download the bundle of that version again"));
	}
}

static void ask_version(struct facts *f)
{
	static const char *const places[] = {"cluster-toolkit", "."};
	const char *argv[] = {"./gcluster", "--version", NULL};
	struct child_spec spec = {.argv = argv,
		.on_out = on_version_line,
		.on_err = on_version_line,
		.on_exit = on_version_exit,
		.arg = f};
	struct err e = {0};
	AUTO_FREE char *cwd = NULL;

	for (size_t i = 0; i < COUNT(places) && !cwd; i++) {
		AUTO_FREE char *dir = path_join(f->place.toolkit, places[i]);
		AUTO_FREE char *program = path_join(dir, "gcluster");
		if (path_exists(program))
			cwd = x_strdup(dir);
	}
	if (!cwd) {
		fact_end(f, false, _("gcluster is not there yet"), NULL);
		return;
	}
	spec.cwd = cwd;
	f->child = child_start(cloud_loop(f->place.cloud), &spec, &e);
	if (!f->child)
		fact_end(f, false, e.what, e.hint);
}

/* A login that is not there is a person's; a token service that does not answer is nobody's. */
static void on_login(
	struct facts *f, const struct auth_who *who, const struct err *e, const char *cure)
{
	if (who)
		fact_end(f, true, who->email, NULL);
	else if (e->code == ERR_UNREACHABLE)
		fact_unknown(f, e);
	else
		fact_end(f, false, e->what, cure);
}

static void on_gcloud(void *arg, const struct auth_who *who, const struct err *e)
{
	on_login(arg, who, e, "gcloud auth login");
}

static void ask_gcloud(struct facts *f)
{
	auth_probe(cloud_auth(f->place.cloud), AUTH_GCLOUD, on_gcloud, f);
}

static void on_adc(void *arg, const struct auth_who *who, const struct err *e)
{
	on_login(arg, who, e, "gcloud auth application-default login --no-launch-browser");
}

static void ask_adc(struct facts *f)
{
	auth_probe(cloud_auth(f->place.cloud), AUTH_ADC, on_adc, f);
}

static void on_quota(void *arg, const struct auth_who *who, const struct err *e)
{
	struct facts *f = arg;
	const char *want = fact_arg(f, "project");
	AUTO_FREE char *cure =
		x_asprintf("gcloud auth application-default set-quota-project %s", want);

	if (!who)
		on_login(f, NULL, e, cure);
	else if (who->quota_project && strcmp(who->quota_project, want) == 0)
		fact_end(f, true, want, NULL);
	else
		fact_end(f, false, _("the application default login bills another project"), cure);
}

static void ask_quota(struct facts *f)
{
	auth_probe(cloud_auth(f->place.cloud), AUTH_ADC, on_quota, f);
}

static char *docker_config(void)
{
	const char *dir = getenv("DOCKER_CONFIG");
	const char *home = getenv("HOME");

	return dir && *dir ? path_join(dir, "config.json")
			   : x_asprintf("%s/.docker/config.json", home ? home : "");
}

static void ask_docker(struct facts *f)
{
	const char *host = fact_arg(f, "host");
	AUTO_FREE char *file = docker_config();
	AUTO(json_auto)
	json_t *j = path_exists(file) ? json_read_file(file, (size_t)4 << 20, NULL) : NULL;
	const char *helper = json_string_value(json_object_get(json_path(j, "credHelpers"), host));
	bool good = (helper && strcmp(helper, "gcloud") == 0) ||
		    strcmp(json_path_str_or(j, "credsStore", ""), "gcloud") == 0;
	AUTO_FREE char *said =
		good ? NULL : x_asprintf(_("%s has no gcloud helper for %s"), file, host);
	AUTO_FREE char *cure =
		good ? NULL : x_asprintf("gcloud auth configure-docker %s --quiet", host);

	fact_end(f, good, said, cure);
}

const struct fact_asker fact_askers_here[] = {
	{"tool", ask_tool},
	{"file", ask_file},
	{"folder-absent", ask_folder_absent},
	{"gcluster-version", ask_version},
	{"gcloud-account", ask_gcloud},
	{"adc-token", ask_adc},
	{"quota-project", ask_quota},
	{"docker-helper", ask_docker},
	{NULL, NULL},
};
