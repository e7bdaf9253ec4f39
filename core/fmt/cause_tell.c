/* SPDX-License-Identifier: Apache-2.0 */
/* Words of a hit and the texts filled with them. */
#include "core/fmt/cause.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/base/redact.h"
#include "core/base/text.h"
#include "core/fmt/cause_rows.h"

/* The longest prefix that fits decides; first fit, special before general. */
static const struct {
	const char *prefix, *role;
} roles[] = {
	{"iam.serviceAccounts.actAs", "roles/iam.serviceAccountUser"},
	{"iam.serviceAccounts.getAccessToken", "roles/iam.serviceAccountTokenCreator"},
	{"iam.serviceAccounts.", "roles/iam.serviceAccountAdmin"},
	{"iam.roles.", "roles/iam.roleAdmin"},
	{"resourcemanager.projects.", "roles/resourcemanager.projectIamAdmin"},
	{"serviceusage.services.use", "roles/serviceusage.serviceUsageConsumer"},
	{"serviceusage.", "roles/serviceusage.serviceUsageAdmin"},
	{"cloudquotas.", "roles/serviceusage.serviceUsageAdmin"},
	{"container.", "roles/container.admin"},
	{"compute.", "roles/compute.admin"},
	{"storage.", "roles/storage.admin"},
	{"tpu.", "roles/tpu.admin"},
	{"artifactregistry.", "roles/artifactregistry.reader"},
	{"logging.", "roles/logging.viewer"},
	{"monitoring.", "roles/monitoring.viewer"},
};

const char *cause_role(const char *permission)
{
	for (size_t i = 0; i < COUNT(roles); i++)
		if (text_starts(permission, roles[i].prefix))
			return roles[i].role;
	return NULL;
}

const char *cause_word(const struct cause_hit *hit, const char *name)
{
	for (size_t i = 0; i < hit->n; i++)
		if (!strcmp(hit->words[i].name, name))
			return hit->words[i].value;
	return NULL;
}

static void store(struct cause_hit *hit, const char *name, const char *value)
{
	AUTO(buf_fini) struct buf clean = {0};
	AUTO_FREE char *safe = NULL;
	size_t i = 0;

	while (i < hit->n && strcmp(hit->words[i].name, name))
		i++;
	if (i == CAUSE_WORDS_MAX)
		return;
	text_clean(&clean, value, strlen(value));
	safe = redact_dup(buf_str(&clean));
	snprintf(hit->words[i].name, sizeof(hit->words[i].name), "%s", name);
	snprintf(hit->words[i].value, sizeof(hit->words[i].value), "%.*s",
		(int)text_fit(safe, 150, NULL), safe);
	hit->n = i == hit->n ? i + 1 : hit->n;
}

void cause_put(struct cause_hit *hit, const char *name, const char *value)
{
	const char *role;

	if (!value || !*value)
		return;
	store(hit, name, value);
	if (!strcmp(name, "permission") && (role = cause_role(value)) != NULL)
		store(hit, "role", role);
	if (!strcmp(name, "consumer") && text_starts(value, "projects/"))
		store(hit, "project", value + strlen("projects/"));
}

/* {name} at p: its value, or NULL; *end behind the brace, NULL = no placeholder here. */
static const char *placeholder(
	const struct cause_hit *hit, const char *p, const char **end, char name[24])
{
	size_t n = strspn(p + 1, "abcdefghijklmnopqrstuvwxyz_");

	*end = NULL;
	if (*p != '{' || !n || n >= 24 || p[n + 1] != '}')
		return NULL;
	snprintf(name, 24, "%.*s", (int)n, p + 1);
	*end = p + n + 2;
	return cause_word(hit, name);
}

/* False when a word between p and to is not known; then out holds its name in capitals. */
static bool fill(struct buf *out, const struct cause_hit *hit, const char *p, const char *to)
{
	bool whole = true;

	while (p < to) {
		char name[24];
		const char *end, *value = placeholder(hit, p, &end, name);

		if (!end) {
			buf_addc(out, *p++);
			continue;
		}
		if (value)
			buf_adds(out, value);
		for (const char *c = name; !value && *c; c++)
			buf_addc(out, (char)toupper((unsigned char)*c));
		whole &= value != NULL;
		p = end;
	}
	return whole;
}

/* Parts in brackets stand only when all their words are known; brackets without a {word} are text.
 */
static char *filled(const struct cause_hit *hit, const char *text)
{
	struct buf out = {0};
	const char *p = text;

	while (*p) {
		const char *open = strchr(p, '['), *close = open ? strchr(open, ']') : NULL;
		AUTO(buf_fini) struct buf part = {0};

		if (!close) {
			fill(&out, hit, p, p + strlen(p));
			break;
		}
		fill(&out, hit, p, open);
		if (!memchr(open, '{', (size_t)(close - open)))
			buf_add(&out, open, (size_t)(close - open) + 1);
		else if (fill(&part, hit, open + 1, close))
			buf_add(&out, buf_str(&part), part.len);
		p = close + 1;
	}
	return buf_take(&out);
}

char *cause_meaning(const struct cause_hit *hit)
{
	return filled(hit, hit->cause ? cause_text(hit->cause, false) : "");
}

char *cause_command(const struct cause_hit *hit)
{
	struct buf out = {0};

	if (!hit->cause || !hit->cause->command)
		return NULL;
	fill(&out, hit, hit->cause->command, hit->cause->command + strlen(hit->cause->command));
	return buf_take(&out);
}

char *cause_cure(const struct cause_hit *hit)
{
	AUTO_FREE char *what = filled(hit, hit->cause ? cause_text(hit->cause, true) : "");
	AUTO_FREE char *command = cause_command(hit);

	return x_asprintf("%s%s%s", what, *what && command ? ": " : "", command ? command : "");
}

char *cause_cure_of(const struct cause *c)
{
	struct cause_hit hit = {.cause = c};

	return cause_cure(&hit);
}

char *cause_meaning_of(const struct cause *c)
{
	struct cause_hit hit = {.cause = c};

	return cause_meaning(&hit);
}
