/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/fmt/json.h"
#include "sim/bin/cred.h"
#include "sim/bin/gcluster.h"
#include "sim/bin/tool.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct arg_flag create_flags[] = {
	{"vars", 0, true},
	{"overwrite-deployment", 'w', false},
	{"validation-level", 'l', true},
	{"out", 'o', true},
	{"deployment-file", 'd', true},
	{"skip-validators", 0, true},
	{"backend-config", 0, true},
	{"force", 0, false},
	{0},
};

static const struct arg_flag run_flags[] = {
	{"auto-approve", 0, false},
	{"download-dependencies", 0, false},
	{"no-color", 0, false},
	{"color", 0, false},
	{"json-output", 0, false},
	{"artifacts", 'a', true},
	{"robust", 0, false},
	{"only", 0, true},
	{"skip", 0, true},
	{0},
};

static int check_credentials(void)
{
	AUTO(cred_token_fini) struct cred_token token = {0};
	AUTO_FREE char *adc = cred_adc_file(true);
	if (!cred_file_token(adc, &token))
		return 0;
	return gcluster_fatal("google: could not find default credentials. See "
			      "https://cloud.google.com/docs/authentication/external/set-up-adc "
			      "for more information%s%s",
		token.missing ? "" : ": ", token.missing ? "" : token.why);
}

/* terraform 1.12.2 or newer on PATH, else the question, whose default is no. */
static int check_terraform(const struct args *a)
{
	AUTO(buf_fini) struct buf out = {0}, err = {0};
	char *argv[] = {"terraform", "version", "-json", NULL};
	int major = 0, minor = 0, patch = 0;
	int rc = tool_run(argv, &out, &err);
	json_t *j = rc == 0 ? json_parse(buf_str(&out), out.len, NULL) : NULL;
	sscanf(tool_str(j, "terraform_version"), "%d.%d.%d", &major, &minor, &patch);
	json_decref(j);
	if (major > 1 || (major == 1 && (minor > 12 || (minor == 12 && patch >= 2))))
		return 0;
	if (args_has(a, "download-dependencies")) {
		gcluster_info("Downloading terraform v1.12.2...");
		return 0;
	}
	fputs("terraform v1.12.2 is missing. Do you want to download it? [y/N]: ", stdout);
	fflush(stdout);
	AUTO_FREE char *answer = tool_read_line();
	if (answer && (*answer == 'y' || *answer == 'Y'))
		return 0;
	return gcluster_fatal("terraform v1.12.2 is required%s",
		answer ? "" : ": failed to read the answer: EOF");
}

/* Asks D/A/S/C as gcluster does without --auto-approve; true to go on. */
static bool approved(const struct args *a, const char *what)
{
	if (args_has(a, "auto-approve"))
		return true;
	fprintf(stdout,
		"Summary of proposed changes: %s\n(D)isplay full proposed changes,\n(A)pply "
		"proposed changes,\n"
		"(S)top and exit,\n(C)ontinue without applying\nPlease select an option "
		"[d,a,s,c]: ",
		what);
	fflush(stdout);
	AUTO_FREE char *answer = tool_read_line();
	return answer && (*answer == 'a' || *answer == 'A');
}

static json_t *deploy_body(const struct deployment *d, const char *root)
{
	AUTO_FREE char *folder = realpath(root, NULL);
	int64_t slices = 1;
	text_to_i64(gcluster_var(d, "num_slices"), 1, 1000, &slices);
	return json_pack("{s:s,s:s,s:s,s:s,s:s,s:s,s:I,s:s,s:s,s:b,s:b,s:s}", "deployment",
		gcluster_var(d, "deployment_name"), "project", gcluster_var(d, "project_id"),
		"region", gcluster_var(d, "region"), "zone", gcluster_var(d, "zone"), "reservation",
		gcluster_var(d, "reservation"), "topology", gcluster_var(d, "tpu_topology"),
		"slices", (json_int_t)slices, "authorized_cidr", gcluster_var(d, "authorized_cidr"),
		"system_machine_type", d->machine_type, "zone_pinned", d->zone_pinned,
		"storage_admin", d->storage_admin, "folder", folder ? folder : root);
}

/* What a later `deploy DIR` needs besides the variables. */
static int save_body(const char *root, const json_t *body)
{
	AUTO_FREE char *file = x_asprintf("%s/.ghpc/artifacts/primary_settings.json", root);
	AUTO_FREE char *text = json_dumps(body, JSON_INDENT(2));
	return tool_write(file, text, 0644) ? 1 : 0;
}

static int apply(const struct args *a, const char *root, const json_t *body)
{
	AUTO_FREE char *flat = x_strdup(root);
	for (char *p = flat; *p; p++)
		*p = *p == '/' ? '.' : *p;
	AUTO_FREE char *json_file = args_has(a, "json-output")
					    ? x_asprintf("gcluster_output-%s.primary.json", flat)
					    : NULL;
	AUTO_FREE char *outputs = x_asprintf("%s/.ghpc/artifacts/primary_outputs.tfvars", root);
	gcluster_info("Initializing deployment group %s/primary", root);
	gcluster_info("Testing if deployment group %s/primary requires adding or changing cloud "
		      "infrastructure",
		root);
	if (!approved(a, "the deployment group will be created"))
		return gcluster_fatal("user chose to stop execution at group %s/primary", root);
	gcluster_info("Running terraform apply on deployment group %s/primary", root);
	if (gcluster_terraform("deploy", body, root, json_file))
		return gcluster_fatal("terraform apply of %s/primary failed; manually resolve "
				      "errors below (detailed error "
				      "below)\nexit status 1",
			root);
	gcluster_info("Collecting terraform outputs from %s/primary", root);
	if (tool_write(outputs, "instructions_gke-tpu-v6e-cluster = \"\"\n", 0644))
		return 1;
	gcluster_info("\n###############################\nFind instructions for cleanly destroying "
		      "infrastructure and "
		      "advanced manual\ndeployment instructions at:\n\n%s/instructions.txt",
		root);
	return 0;
}

static int deploy_folder(const struct args *a, const char *root)
{
	AUTO_FREE char *file = x_asprintf("%s/.ghpc/artifacts/primary_settings.json", root);
	for (const struct arg_flag *f = create_flags; f->name; f++)
		if (args_get(a, f->name))
			return gcluster_fatal(
				"cannot specify flag \"%s\" with DEPLOYMENT_DIRECTORY provided",
				f->name);
	json_t *body = tool_read_json(file);
	if (!body)
		return gcluster_fatal("%s is not a deployment directory", root);
	int rc = check_credentials() || check_terraform(a) ? 1 : apply(a, root, body);
	json_decref(body);
	return rc;
}

/* Reads and judges the blueprint and writes the folder: *root and *body for what comes next. */
static int create_folder(const struct args *a, const char *file, char **root, json_t **body)
{
	struct deployment d = {0};
	AUTO(buf_fini) struct buf vars = {0};
	const char *v, *out = args_get(a, "out");
	for (size_t i = 0; (v = args_next(a, "vars", &i));)
		buf_addf(&vars, "%s%s", vars.len ? "," : "", v);
	int rc = gcluster_blueprint(&d, file, buf_str(&vars)) || gcluster_validate(&d, a);
	const char *name = gcluster_var(&d, "deployment_name");
	*root = out ? path_join(out, name) : x_strdup(name);
	*body = NULL;
	if (!rc && path_is_dir(*root) && !args_has(a, "overwrite-deployment"))
		rc = gcluster_fatal(
			"deployment folder \"%s\" already exists, use -w to overwrite", *root);
	/* It cannot be told whether the new one may replace what an earlier run began. */
	AUTO_FREE char *expanded = path_join(*root, ".ghpc/artifacts/expanded_blueprint.yaml");
	if (!rc && path_is_dir(*root) && !path_exists(expanded) && !args_has(a, "force"))
		rc = gcluster_fatal("expanded_blueprint.yaml missing in deployment folder \"%s\": "
				    "use --force to overwrite",
			*root);
	if (!rc) {
		gcluster_info("Creating deployment folder \"%s\" ...", *root);
		rc = gcluster_write_folder(&d, *root);
	}
	if (!rc) {
		*body = deploy_body(&d, *root);
		rc = save_body(*root, *body);
	}
	gcluster_blueprint_fini(&d);
	return rc;
}

static int deploy_blueprint(const struct args *a, const char *file)
{
	AUTO_FREE char *root = NULL;
	json_t *body;
	int rc = create_folder(a, file, &root, &body);
	if (!rc)
		rc = check_credentials() || check_terraform(a) ? 1 : apply(a, root, body);
	json_decref(body);
	return rc;
}

int gcluster_create(int argc, char **argv)
{
	static const struct arg_flag none[] = {{0}};
	struct args a = {0};
	AUTO_FREE char *root = NULL;
	json_t *body = NULL;
	int rc = gcluster_args(&a, create_flags, none, argc, argv);
	if (!rc && a.words.n != 1)
		rc = gcluster_usage("accepts 1 arg(s), received %zu", a.words.n);
	else if (!rc && !path_exists(a.words.items[0]))
		rc = gcluster_usage("path must exist: %s", a.words.items[0]);
	else if (!rc)
		rc = create_folder(&a, a.words.items[0], &root, &body);
	if (!rc)
		gcluster_info(
			"To deploy your infrastructure please run:\n\n./gcluster deploy %s", root);
	json_decref(body);
	args_fini(&a);
	return rc;
}

int gcluster_deploy(int argc, char **argv)
{
	struct args a = {0};
	int rc = gcluster_args(&a, create_flags, run_flags, argc, argv);
	if (!rc && a.words.n != 1)
		rc = gcluster_usage("accepts 1 arg(s), received %zu", a.words.n);
	else if (!rc && !path_exists(a.words.items[0]))
		rc = gcluster_usage("path must exist: %s", a.words.items[0]);
	else if (!rc)
		rc = path_is_dir(a.words.items[0]) ? deploy_folder(&a, a.words.items[0])
						   : deploy_blueprint(&a, a.words.items[0]);
	args_fini(&a);
	return rc;
}

/* --robust: firewall rules of networks whose name holds the deployment's. */
static void clean_firewalls(const json_t *vars)
{
	const char *project = tool_str(vars, "project_id"),
		   *name = tool_str(vars, "deployment_name");
	AUTO(cred_token_fini) struct cred_token token = {0};
	AUTO_FREE char *adc = cred_adc_file(true);
	AUTO_FREE char *base = web_endpoint("COMPUTE", "compute/v1/");
	AUTO_FREE char *filter = x_asprintf("name eq \".*%s.*\"", name);
	AUTO_FREE char *escaped = web_escape(filter);
	AUTO_FREE char *url =
		x_asprintf("%sprojects/%s/global/networks?filter=%s", base, project, escaped);
	AUTO(web_reply_fini) struct web_reply reply = {0};
	gcluster_info("Cleaning up firewall rules for project %s, deployment %s", project, name);
	gcluster_info("Using wildcard network filter: %s", filter);
	cred_file_token(adc, &token);
	struct web_call call = {.method = "GET", .url = url, .bearer = token.access};
	json_t *j = web_do(&call, &reply) ? NULL : web_json(&reply);
	if (json_array_size(json_path(j, "items")))
		gcluster_info("No firewall rules found to delete for the identified networks.");
	else
		gcluster_info("No matching networks found for project %s.", project);
	json_decref(j);
}

static int destroy_once(const struct args *a, const char *root, const json_t *vars)
{
	AUTO_FREE char *folder = realpath(root, NULL);
	json_t *body = json_pack("{s:s,s:s,s:b,s:s}", "deployment",
		tool_str(vars, "deployment_name"), "project", tool_str(vars, "project_id"),
		"robust", args_has(a, "robust"), "folder", folder ? folder : root);
	if (args_has(a, "robust"))
		clean_firewalls(vars);
	gcluster_info("Initializing deployment group %s/primary", root);
	gcluster_info("Testing if deployment group %s/primary requires adding or changing cloud "
		      "infrastructure",
		root);
	int rc = 1;
	if (approved(a, "the deployment group will be destroyed")) {
		gcluster_info("Running terraform destroy on deployment group %s/primary", root);
		rc = gcluster_terraform("destroy", body, root, NULL);
	}
	json_decref(body);
	if (rc)
		gcluster_fatal("failed to destroy group \"primary\":\nterraform destroy of "
			       "%s/primary failed",
			root);
	return rc;
}

int gcluster_destroy(int argc, char **argv)
{
	struct args a = {0};
	int rc = gcluster_args(&a, NULL, run_flags, argc, argv),
	    tries = args_has(&a, "robust") ? 3 : 1;
	const char *root = a.words.n ? a.words.items[0] : "";
	json_t *vars = NULL;
	if (!rc && a.words.n != 1)
		rc = gcluster_usage("accepts 1 arg(s), received %zu", a.words.n);
	else if (!rc && !path_is_dir(root))
		rc = gcluster_usage("path must be a directory: %s", root);
	else if (!rc && !(vars = gcluster_folder_vars(root)))
		rc = gcluster_fatal("artifacts path %s/.ghpc/artifacts is not a directory", root);
	if (!rc)
		rc = check_terraform(&a) || check_credentials();
	for (int i = 1; !rc && i <= tries; i++) {
		gcluster_info("Destroy attempt %d of %d", i, tries);
		if (!destroy_once(&a, root, vars)) {
			gcluster_info("Successfully destroyed all selected groups.");
			break;
		}
		if (i == tries)
			rc = gcluster_fatal(
				"Destruction of \"%s\" failed after %d attempts", root, tries);
		else
			gcluster_info("Retrying destroy...");
	}
	json_decref(vars);
	args_fini(&a);
	return rc;
}
