/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/fmt/json.h"
#include "sim/bin/cred.h"
#include "sim/bin/gcluster.h"
#include "sim/bin/tool.h"
#include <stdlib.h>
#include <string.h>

static const char *const needed[] = {"project_id", "deployment_name", "region", "zone",
	"num_slices", "tpu_topology", "authorized_cidr", "reservation"};

const char *gcluster_var(const struct deployment *d, const char *name)
{
	return tool_str(d->vars, name);
}

void gcluster_blueprint_fini(struct deployment *d)
{
	json_decref(d->vars);
	free(d->machine_type);
	free(d->file);
}

/* "a=b,c=d": split at commas, no quoting, as the real tool does. */
static int read_vars(struct deployment *d, const char *text)
{
	struct strvec parts = {0};
	int rc = 0;
	strvec_split(&parts, text, ",");
	for (size_t i = 0; i < parts.n && !rc; i++) {
		char *eq = strchr(parts.items[i], '=');
		if (!eq) {
			rc = gcluster_fatal(
				"invalid format: \"%s\" should follow the 'name=value' format",
				parts.items[i]);
			break;
		}
		*eq = '\0';
		json_object_set_new(
			d->vars, parts.items[i], eq[1] ? json_string(eq + 1) : json_null());
	}
	strvec_fini(&parts);
	return rc;
}

static size_t line_of(const struct strvec *lines, const char *prefix)
{
	for (size_t i = 0; i < lines->n; i++)
		if (text_starts(lines->items[i] + strspn(lines->items[i], " "), prefix))
			return i + 1;
	return 0;
}

static size_t blanks(const char *line)
{
	return strspn(line, " ");
}

/* "key: value" with a value that ends on its line. */
static bool is_scalar(const char *line)
{
	const char *colon = strstr(line, ": ");
	const char *value = colon ? colon + 2 + blanks(colon + 2) : "";
	return *value && !strchr("#|>&[{", *value);
}

/* A key below a key that has its value already is no YAML. */
static int check_indents(const struct deployment *d, const struct strvec *lines)
{
	const char *before = "";
	for (size_t i = 0; i < lines->n; i++) {
		const char *l = lines->items[i], *text = l + blanks(l);
		if (!*text || *text == '#')
			continue;
		if (is_scalar(before) && before[blanks(before)] != '-' &&
			blanks(l) > blanks(before) && strchr(text, ':'))
			return gcluster_fatal("%s: yaml: line %zu: mapping values are not allowed "
					      "in this context",
				d->file, i + 1);
		before = l;
	}
	return 0;
}

/* What the tutorial's edits changed: read line by line, comments left out. */
static int read_modules(struct deployment *d, const struct strvec *lines)
{
	bool node_account = false;
	size_t pinned = 0;
	for (size_t i = 0; i < lines->n; i++) {
		const char *l = lines->items[i] + strspn(lines->items[i], " ");
		if (text_starts(l, "- id:"))
			node_account = strstr(l, "node_pool_service_account") != NULL;
		if (node_account && text_starts(l, "- storage.admin"))
			d->storage_admin = true;
		if (text_starts(l, "system_node_pool_zones:"))
			pinned++;
		if (text_starts(l, "system_node_pool_machine_type:")) {
			const char *v = strchr(l, ':') + 1;
			v += strspn(v, " \"");
			free(d->machine_type);
			d->machine_type = x_strndup(v, strcspn(v, "\" #"));
		}
	}
	d->zone_pinned = pinned > 0;
	if (pinned > 1)
		return gcluster_fatal("%s: yaml: unmarshal errors:\n  line %zu: mapping key "
				      "\"system_node_pool_zones\" already "
				      "defined",
			d->file, line_of(lines, "system_node_pool_zones:") + 1);
	if (!d->machine_type)
		return gcluster_fatal(
			"%s: no module with setting \"system_node_pool_machine_type\"", d->file);
	return 0;
}

/* Lines with empty ones kept, so that numbers are right. */
static void split_lines(struct strvec *lines, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");
		strvec_take(lines, x_strndup(text, n));
		text += n + (text[n] == '\n');
	}
}

int gcluster_blueprint(struct deployment *d, const char *file, const char *vars)
{
	AUTO_FREE char *text = tool_read(file);
	struct strvec lines = {0};
	int rc = 0;
	d->file = x_strdup(file);
	d->vars = json_object();
	if (!text)
		return gcluster_fatal("failed to read the input yaml, filename=%s: open %s: no "
				      "such file or directory",
			file, file);
	split_lines(&lines, text);
	if (!line_of(&lines, "blueprint_name:") || !line_of(&lines, "deployment_groups:"))
		rc = gcluster_fatal("%s:1:1: this is no blueprint: blueprint_name and "
				    "deployment_groups are required",
			file);
	if (!rc)
		rc = read_vars(d, vars);
	if (!rc)
		rc = check_indents(d, &lines);
	if (!rc)
		rc = read_modules(d, &lines);
	for (size_t i = 0; i < COUNT(needed) && !rc; i++) {
		AUTO_FREE char *key = x_asprintf("%s:", needed[i]);
		if (!*gcluster_var(d, needed[i]))
			rc = gcluster_fatal("%s:%zu:3: deployment variable \"%s\" was not set",
				file, line_of(&lines, key), needed[i]);
	}
	strvec_fini(&lines);
	return rc;
}

struct validator {
	const char *name, *api, *default_path, *path; /* path: {p} {r} {z} {x} are replaced */
	const char *message;                          /* with the same places */
};

static const struct validator validators[] = {
	{"test_project_exists", "CLOUDRESOURCEMANAGER", "", "v3/projects/{p}",
		"project ID \"{p}\" does not exist or your credentials do not have permission to "
		"access it"},
	{"test_region_exists", "COMPUTE", "compute/v1/", "projects/{p}/regions/{r}",
		"region \"{r}\" is not available in project ID \"{p}\" or your credentials do not "
		"have "
		"permission to access it"},
	{"test_zone_exists", "COMPUTE", "compute/v1/", "projects/{p}/zones/{z}",
		"zone \"{z}\" is not available in project ID \"{p}\" or your credentials do not "
		"have permission "
		"to access it"},
	{"test_machine_type_in_zone", "COMPUTE", "compute/v1/",
		"projects/{p}/zones/{z}/machineTypes/ct6e-standard-4t",
		"machine type \"ct6e-standard-4t\" is not available in zone \"{z}\""},
	{"test_machine_type_in_zone", "COMPUTE", "compute/v1/",
		"projects/{p}/zones/{z}/machineTypes/{m}",
		"machine type \"{m}\" is not available in zone \"{z}\""},
	{"test_reservation_exists", "COMPUTE", "compute/v1/",
		"projects/{p}/zones/{z}/reservations/{x}",
		"reservation \"{x}\" was not found in project \"{p}\" and zone \"{z}\""},
	{"test_gcsfuse_iam_role_exists", "IAM", "", "v1/projects/{p}/roles/gke.gcsfuse.profileUser",
		"the custom IAM role \"gke.gcsfuse.profileUser\" does not exist in project "
		"\"{p}\"; create it or "
		"skip this validator"},
};

static char *fill(const struct deployment *d, const char *text)
{
	AUTO(buf_fini) struct buf b = {0};
	const char *x = gcluster_var(d, "reservation");
	for (; *text; text++) {
		if (*text != '{') {
			buf_addc(&b, *text);
			continue;
		}
		char what = text[1];
		buf_adds(&b, what == 'p'   ? gcluster_var(d, "project_id")
			     : what == 'r' ? gcluster_var(d, "region")
			     : what == 'z' ? gcluster_var(d, "zone")
			     : what == 'm' ? d->machine_type
					   : tool_tail(x));
		text += 2;
	}
	return x_strdup(buf_str(&b));
}

static bool is_skipped(const struct args *a, const char *name)
{
	const char *v;
	for (size_t i = 0; (v = args_next(a, "skip-validators", &i));) {
		struct strvec names = {0};
		strvec_split(&names, v, ",");
		bool found = strvec_find(&names, name) >= 0;
		strvec_fini(&names);
		if (found)
			return true;
	}
	return false;
}

int gcluster_validate(const struct deployment *d, const struct args *a)
{
	AUTO(cred_token_fini) struct cred_token token = {0};
	AUTO_FREE char *adc = cred_adc_file(true);
	const char *level = args_get(a, "validation-level");
	int failures = 0;
	if (level && !strcmp(level, "IGNORE"))
		return 0;
	if (cred_file_token(adc, &token))
		return gcluster_fatal(
			"google: could not find default credentials. See "
			"https://cloud.google.com/docs/authentication/external/set-up-adc for more "
			"information");
	for (size_t i = 0; i < COUNT(validators); i++) {
		const struct validator *v = &validators[i];
		AUTO_FREE char *base = web_endpoint(v->api, v->default_path);
		AUTO_FREE char *path = fill(d, v->path);
		AUTO_FREE char *url = x_asprintf("%s%s", base, path);
		AUTO(web_reply_fini) struct web_reply reply = {0};
		struct web_call call = {.method = "GET", .url = url, .bearer = token.access};
		if (is_skipped(a, v->name) ||
			(strstr(v->path, "{x}") && strchr(gcluster_var(d, "reservation"), '/')))
			continue;
		if (!web_do(&call, &reply) && reply.status < 300)
			continue;
		AUTO_FREE char *message = fill(d, v->message);
		gcluster_fatal("validator %s failed:\n%s", v->name, message);
		failures++;
	}
	if (failures && !(level && !strcmp(level, "WARNING")))
		return gcluster_fatal(
			"One or more blueprint validators has failed. See messages above for "
			"suggested actions. "
			"General troubleshooting guidance and instructions for configuring "
			"validators are "
			"shown below.\n\n- https://goo.gle/hpc-toolkit-troubleshooting\n- "
			"https://goo.gle/hpc-toolkit-validation\n\nvalidation failed due to the "
			"issues "
			"listed above");
	return 0;
}
