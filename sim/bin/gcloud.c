/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/bin/gcloud.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/json.h"
#include "sim/bin/cred.h"
#include "sim/bin/tool.h"
#include "sim/bin/yml.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct arg_flag common[] = {
	{"project", 0, true},
	{"format", 0, true},
	{"quiet", 'q', false},
	{"account", 0, true},
	{"filter", 0, true},
	{"limit", 0, true},
	{"verbosity", 0, true},
	{"configuration", 0, true},
	{"billing-project", 0, true},
	{"page-size", 0, true},
	{"sort-by", 0, true},
	{"no-user-output-enabled", 0, false},
	{"version", 'v', false},
	{"location", 0, true},
	{0},
};

static const struct gcloud_command *const tables[] = {gcloud_auth_commands, gcloud_storage_commands,
	gcloud_other_commands, gcloud_admin_commands};

/* "storage buckets create" -> "storage.buckets.create" */
static char *dotted(const char *path)
{
	char *s = x_strdup(path);
	for (char *p = s; *p; p++)
		if (*p == ' ')
			*p = '.';
	return s;
}

__attribute__((format(printf, 2, 0))) static void write_message(
	const char *prefix, const char *fmt, va_list ap)
{
	AUTO_FREE char *text = x_vasprintf(fmt, ap);
	warn("%s%s", prefix, text);
}

int gcloud_error(const struct gcloud_command *c, const char *fmt, ...)
{
	va_list ap;
	AUTO_FREE char *name = dotted(c->path);
	AUTO_FREE char *prefix = x_asprintf("ERROR: (gcloud.%s) ", name);
	va_start(ap, fmt);
	write_message(prefix, fmt, ap);
	va_end(ap);
	return 1;
}

const char *gcloud_word(
	const struct gcloud_command *c, const struct args *a, size_t n, const char *name)
{
	size_t own = 1;
	for (const char *p = c->path; *p; p++)
		own += *p == ' ';
	if (own + n < a->words.n)
		return a->words.items[own + n];
	if (name)
		gcloud_error(c, "argument %s: Must be specified.", name);
	return NULL;
}

char *gcloud_project(const struct gcloud_command *c, const struct args *a)
{
	const char *given = args_get(a, "project");
	char *project = given ? x_strdup(given) : cred_property("core", "project");
	if (!project)
		gcloud_error(c,
			"The required property [project] is not currently set.\n"
			"It can be set on a per-command basis by re-running your command with the "
			"[--project] flag.\n\nYou may set it for your current workspace by "
			"running:\n\n"
			"  $ gcloud config set project VALUE\n\nor it can be set temporarily by "
			"the "
			"environment variable [CLOUDSDK_CORE_PROJECT]");
	return project;
}

static int no_token(const struct gcloud_command *c, const struct cred_token *t)
{
	if (t->missing)
		return gcloud_error(c,
			"You do not currently have an active account selected.\nPlease run:\n\n"
			"  $ gcloud auth login\n\nto obtain new credentials.\n\nIf you have "
			"already "
			"logged in with a different account, run:\n\n  $ gcloud config set account "
			"ACCOUNT\n\nto select an already authenticated account to use.");
	return gcloud_error(c,
		"There was a problem refreshing your current auth tokens: ('%s')\nPlease run:\n\n"
		"  $ gcloud auth login\n\nto obtain new credentials.",
		t->why);
}

int gcloud_call(const struct gcloud_command *c, const char *method, const char *url,
	const json_t *body, long *status, json_t **out)
{
	AUTO(cred_token_fini) struct cred_token token = {0};
	AUTO(web_reply_fini) struct web_reply reply = {0};
	AUTO_FREE char *text = body ? json_dumps(body, JSON_COMPACT) : NULL;
	*out = NULL;
	if (cred_gcloud_token(&token))
		return no_token(c, &token);
	struct web_call call = {.method = method,
		.url = url,
		.bearer = token.access,
		.body = text,
		.content_type = text ? "application/json" : NULL};
	if (web_do(&call, &reply))
		return gcloud_error(
			c, "There was a problem connecting to [%s]: %s", url, reply.why);
	*out = web_json(&reply);
	if (status)
		*status = reply.status;
	if (reply.status < 300 || (status && reply.status != 401))
		return 0;
	gcloud_error(c, "%s: %s", tool_str(*out, "error.status"), tool_str(*out, "error.message"));
	json_decref(*out);
	*out = NULL;
	return 1;
}

/* A member by a dotted name, letters compared without case as in gcloud's projections. */
static json_t *member(const json_t *j, const char *path)
{
	while (j && *path) {
		size_t n = strcspn(path, ".");
		const char *key;
		json_t *v, *found = NULL;
		json_object_foreach((json_t *)j, key, v)
		{
			if (strlen(key) == n && !strncasecmp(key, path, n))
				found = v;
		}
		j = found;
		path += n + (path[n] == '.');
	}
	return (json_t *)j;
}

static void print_value(const json_t *j)
{
	if (json_is_string(j)) {
		fputs(json_string_value(j), stdout);
	} else if (j && !json_is_null(j)) {
		char *text = json_dumps(j, JSON_ENCODE_ANY | JSON_COMPACT);
		fputs(json_is_boolean(j) ? (json_is_true(j) ? "True" : "False") : text, stdout);
		free(text);
	}
}

static void print_values(const json_t *j, const char *keys)
{
	struct strvec names = {0};
	AUTO_FREE char *copy = x_strdup(keys);
	copy[strcspn(copy, ")")] = '\0';
	strvec_split(&names, copy, ", ");
	for (size_t i = 0; i < names.n; i++) {
		AUTO_FREE char *name = x_strdup(names.items[i]);
		char *transform = strstr(name, ".basename(");
		if (transform)
			*transform = '\0';
		if (i)
			putchar('\t');
		print_value(member(j, name));
	}
	putchar('\n');
	strvec_fini(&names);
}

void gcloud_print(const struct args *a, const json_t *j)
{
	const char *format = args_get(a, "format");
	if (format && text_starts(format, "json")) {
		char *text = json_dumps(j, JSON_INDENT(2) | JSON_SORT_KEYS | JSON_ENCODE_ANY);
		puts(text);
		free(text);
	} else if (format && text_starts(format, "value(")) {
		print_values(j, format + 6);
	} else {
		AUTO(buf_fini) struct buf b = {0};
		yml_write(&b, j);
		fputs(buf_str(&b), stdout);
	}
}

/* One `KEY:VALUE` or `KEY=VALUE`: ':' finds a part, '=' the whole. */
static bool passes(const json_t *item, const char *term)
{
	size_t n = strcspn(term, ":=");
	if (!term[n])
		return true;
	AUTO_FREE char *key = x_strndup(term, n);
	const json_t *v = member(item, key);
	const char *text = json_is_string(v) ? json_string_value(v) : "";
	const char *want = term + n + 1 + strspn(term + n + 1, "\"");
	AUTO_FREE char *bare = x_strndup(want, strcspn(want, "\""));
	return term[n] == ':' ? strcasestr(text, bare) != NULL : !strcasecmp(text, bare);
}

static void apply_filter(const struct args *a, json_t *list)
{
	const char *filter = args_get(a, "filter");
	struct strvec terms = {0};
	strvec_split(&terms, filter ? filter : "", " ");
	for (size_t i = json_array_size(list); i-- > 0;) {
		bool keep = true;
		for (size_t t = 0; t < terms.n; t++)
			keep = keep && (!strcmp(terms.items[t], "AND") ||
					       passes(json_array_get(list, i), terms.items[t]));
		if (!keep)
			json_array_remove(list, i);
	}
	strvec_fini(&terms);
}

bool gcloud_print_list(const struct args *a, json_t *list)
{
	const char *format = args_get(a, "format");
	size_t i;
	json_t *item;
	apply_filter(a, list);
	if (!format || text_starts(format, "table"))
		return false;
	if (text_starts(format, "json")) {
		gcloud_print(a, list);
		return true;
	}
	json_array_foreach(list, i, item)
	{
		if (!text_starts(format, "value("))
			puts("---");
		gcloud_print(a, item);
	}
	return true;
}

/* How many words of the call the path of a command covers; 0 when they are others. */
static size_t covers(const char *path, const struct strvec *words, size_t *matched)
{
	size_t n = 0;
	*matched = 0;
	while (*path) {
		size_t len = strcspn(path, " ");
		if (n >= words->n || strlen(words->items[n]) != len ||
			strncmp(words->items[n], path, len))
			return 0;
		*matched = ++n;
		path += len + (path[len] == ' ');
	}
	return n;
}

static int invalid_choice(const struct strvec *words, size_t known)
{
	AUTO(buf_fini) struct buf group = {0};
	for (size_t i = 0; i < known; i++)
		buf_addf(&group, ".%s", words->items[i]);
	if (known >= words->n)
		warn("ERROR: (gcloud%s) Command name argument expected.\n", buf_str(&group));
	else
		warn("ERROR: (gcloud%s) Invalid choice: '%s'.\n\nTo search the help text of gcloud "
		     "commands, "
		     "run:\n  gcloud help -- SEARCH_TERMS",
			buf_str(&group), words->items[known]);
	return 2;
}

static const struct gcloud_command *find(const struct strvec *words, size_t *known)
{
	const struct gcloud_command *best = NULL;
	size_t best_n = 0;
	*known = 0;
	for (size_t t = 0; t < COUNT(tables); t++) {
		for (const struct gcloud_command *c = tables[t]; c->path; c++) {
			size_t matched, n = covers(c->path, words, &matched);
			if (matched > *known)
				*known = matched;
			if (n > best_n) {
				best = c;
				best_n = n;
			}
		}
	}
	return best;
}

/* The words before the first option are the command; options of all commands may follow. */
static void command_words(int argc, char **argv, struct strvec *words)
{
	for (int i = 1; i < argc; i++) {
		if (argv[i][0] == '-') {
			bool joined = strchr(argv[i], '=') || argv[i][1] != '-';
			const char *name = argv[i] + 2;
			for (const struct arg_flag *f = common; !joined && f->name; f++)
				i += f->value && !strcmp(f->name, name);
			continue;
		}
		strvec_push(words, argv[i]);
	}
}

int gcloud_main(int argc, char **argv)
{
	struct strvec words = {0};
	struct args a = {0};
	static char version[] = "version";
	size_t known;
	int rc;
	if (argc > 1 && (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-v")))
		argv[1] = version;
	command_words(argc, argv, &words);
	const struct gcloud_command *c = find(&words, &known);
	if (!c) {
		rc = invalid_choice(&words, known);
	} else if (args_parse(&a, c->flags, common, argc - 1, argv + 1)) {
		AUTO_FREE char *name = dotted(c->path);
		if (a.bad_value)
			warn("ERROR: (gcloud.%s) argument %s: expected one argument", name, a.bad);
		else
			warn("ERROR: (gcloud.%s) unrecognized arguments:\n  %s\n\nTo search the "
			     "help text of gcloud "
			     "commands, run:\n  gcloud help -- SEARCH_TERMS",
				name, a.bad);
		rc = 2;
	} else {
		rc = c->run(c, &a);
	}
	strvec_fini(&words);
	args_fini(&a);
	return rc;
}
