/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/gcloud_config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/recipe/recipe.h"
#include "core/recipe/rule.h"

#define FILE_MAX ((size_t)64 << 10)

/* What the recipe can discover is what gcloud may know. */
static const struct {
	const char *kind, *section, *key;
	const char *variables[4]; /* before the file */
	const char *after[3];     /* behind it: Cloud Shell's */
} known[] = {
	{"project", "core", "project", {"CLOUDSDK_CORE_PROJECT"},
		{"GOOGLE_CLOUD_PROJECT", "DEVSHELL_PROJECT_ID"}},
	{"zone", "compute", "zone", {"CLOUDSDK_COMPUTE_ZONE"}, {NULL}},
};

static const char *first_of(const char *const *names, size_t n)
{
	for (size_t i = 0; i < n && names[i]; i++) {
		const char *s = getenv(names[i]);

		if (s && *s)
			return s;
	}
	return NULL;
}

static char *folder(void)
{
	const char *given = getenv("CLOUDSDK_CONFIG"), *home = getenv("HOME");

	if (given && *given)
		return x_strdup(given);
	return home && *home ? path_join(home, ".config/gcloud") : NULL;
}

/* Name of the active configuration; "default" when nothing says otherwise. */
static char *active(const char *dir)
{
	const char *given = getenv("CLOUDSDK_ACTIVE_CONFIG_NAME");
	AUTO_FREE char *file = path_join(dir, "active_config");
	AUTO(buf_fini) struct buf b = {0};
	char *name;

	if (given && *given)
		return x_strdup(given);
	if (path_read(file, FILE_MAX, &b, NULL) != 0)
		return x_strdup("default");
	name = text_trim(buf_str(&b), b.len);
	if (*name && !strchr(name, '/'))
		return name;
	free(name);
	return x_strdup("default");
}

/* [section] key = value; the caller's, NULL = not there. */
static char *property(const char *ini, const char *section, const char *key)
{
	AUTO(strvec_fini) struct strvec lines = {0};
	bool inside = false;

	strvec_split(&lines, ini, "\n");
	for (size_t i = 0; i < lines.n; i++) {
		AUTO_FREE char *line = text_trim(lines.items[i], strlen(lines.items[i]));
		size_t n = strlen(section);
		char *equals = strchr(line, '=');

		if (*line == '[') {
			inside = strncmp(line + 1, section, n) == 0 && line[n + 1] == ']';
		} else if (inside && equals) {
			AUTO_FREE char *name = x_strndup(line, (size_t)(equals - line));
			AUTO_FREE char *clean = text_trim(name, strlen(name));

			if (strcmp(clean, key) == 0)
				return text_trim(equals + 1, strlen(equals + 1));
		}
	}
	return NULL;
}

/* A zone of another region than the one that was given is no help. */
static bool agrees(const struct values *v, const struct recipe *r, const char *zone)
{
	char region[64];

	for (size_t i = 0; i < r->variables.n; i++) {
		const struct recipe_variable *var = &r->variables.items[i];
		const char *now = values_get(v, var->name);

		if (var->derive == DERIVE_REGION && now &&
			rule_region_of(zone, region, sizeof(region)) && strcmp(region, now) != 0)
			return false;
	}
	return true;
}

void gcloud_config_values(struct values *v, const struct recipe *r)
{
	AUTO_FREE char *dir = folder();
	AUTO_FREE char *name = dir ? active(dir) : NULL;
	AUTO_FREE char *file = dir ? x_asprintf("%s/configurations/config_%s", dir, name) : NULL;
	AUTO(buf_fini) struct buf ini = {0};

	if (file && path_read(file, FILE_MAX, &ini, NULL) != 0)
		buf_clear(&ini);
	for (size_t k = 0; k < COUNT(known); k++) {
		const char *env = first_of(known[k].variables, COUNT(known[k].variables));
		char *own = env ? x_strdup(env)
				: property(buf_str(&ini), known[k].section, known[k].key);
		const char *shell = first_of(known[k].after, COUNT(known[k].after));

		if (!own && shell)
			own = x_strdup(shell);
		for (size_t i = 0; own && i < r->variables.n; i++) {
			const struct recipe_variable *var = &r->variables.items[i];

			if (var->discover && strcmp(var->discover, known[k].kind) == 0 &&
				rule_variable(r, var, own, v, NULL) && agrees(v, r, own))
				values_put(v, var->name, own, VALUE_GCLOUD, var->secret);
		}
		free(own);
	}
	values_derive(v, r);
}
