/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/mem.h"
#include "core/fmt/json.h"
#include "sim/bin/cred.h"
#include "sim/bin/tool.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int plugin_main(int argc, char **argv)
{
	AUTO(cred_token_fini) struct cred_token t = {0};
	if (argc > 1 && !strcmp(argv[1], "--version")) {
		say("Kubernetes v1.30.0+5f4b1d3c0a\n\nCommit: 5f4b1d3c0a");
		return 0;
	}
	bool adc = argc > 1 && !strcmp(argv[1], "--use_application_default_credentials");
	AUTO_FREE char *file = adc ? cred_adc_file(true) : NULL;
	if (adc ? cred_file_token(file, &t) : cred_gcloud_token(&t)) {
		warn("F0101 00:00:00.000000       1 cred.go:145] print credential failed with "
		     "error: Failed to retrieve "
		     "access token:: failure while executing gcloud, with args [config "
		     "config-helper --format=json]: "
		     "exit status 1 (err: ERROR: (gcloud.config.config-helper) %s)",
			t.missing ? "You do not currently have an active account selected."
				  : t.why);
		return 1;
	}
	AUTO_FREE char *expiry = tool_stamp_at(t.expires);
	json_t *j = json_pack("{s:s,s:s,s:{s:b},s:{s:s,s:s}}", "kind", "ExecCredential",
		"apiVersion", "client.authentication.k8s.io/v1beta1", "spec", "interactive", 0,
		"status", "expirationTimestamp", expiry, "token", t.access);
	char *text = json_dumps(j, JSON_INDENT(4));
	puts(text);
	x_wipe_free(text);
	json_decref(j);
	return 0;
}

int docker_helper_main(int argc, char **argv)
{
	AUTO(cred_token_fini) struct cred_token t = {0};
	if (argc < 2 || strcmp(argv[1], "get") != 0) {
		warn("ERROR: (gcloud.auth.docker-helper) argument METHOD: Must be specified.");
		return 2;
	}
	AUTO_FREE char *host = tool_read_line();
	if (!host || cred_gcloud_token(&t)) {
		warn("ERROR: (gcloud.auth.docker-helper) You do not currently have an active "
		     "account selected.");
		return 1;
	}
	say("{\n  \"Secret\": \"%s\",\n  \"Username\": \"_dcgcloud_token\"\n}", t.access);
	return 0;
}
