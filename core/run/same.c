/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/same.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/redact.h"
#include "core/base/text.h"

#define COMMAND  "--command="
#define PROGRAM  "python3 -m "
#define MASKED   "***" /* a secret, with whatever stood before it */
#define TOLD_MAX 2     /* differences in one text */

char *same_command(const struct recipe *r, const struct values *v, struct deviations d,
	const struct recipe_stage *stage)
{
	struct render how = {.recipe = r, .values = v, .deviations = d};
	struct command_list list = {0};
	struct err e = {0};
	char *found = NULL;

	if (command_render(&how, stage, &list, &e) != 0)
		return NULL;
	for (size_t i = 0; i < list.n && !found; i++)
		for (size_t k = 0; k < list.items[i].argv.n && !found; k++)
			if (text_starts(list.items[i].argv.items[k], COMMAND))
				found = redact_dup(list.items[i].argv.items[k] + strlen(COMMAND));
	command_list_fini(&list);
	return found;
}

/* One word of a shell line, without its quotes; false at the end of the command. */
static bool next_word(const char **at, struct buf *word)
{
	const char *p = *at + strspn(*at, " \t");
	char quote = 0;

	buf_clear(word);
	if (!*p || strchr(";&|)\n", *p))
		return false;
	for (; *p && (quote || !strchr(" \t;&|)\n", *p)); p++) {
		if (quote ? *p == quote : *p == '\'' || *p == '"')
			quote = quote ? 0 : *p;
		else
			buf_addc(word, *p);
	}
	*at = p;
	return true;
}

/* The values of a command: "key" -> value ("" for a bare option). */
static bool read_values(const char *line, struct strvec *keys, struct strvec *texts)
{
	const char *at = strstr(line, PROGRAM);
	AUTO(buf_fini) struct buf word = {0};

	if (!at)
		return false;
	at += strlen(PROGRAM);
	while (next_word(&at, &word)) {
		const char *w = buf_str(&word), *eq = strchr(w, '=');
		AUTO_FREE char *key = NULL;
		if (!keys->n)
			key = x_strdup("module");
		else
			key = eq ? x_strndup(w, (size_t)(eq - w)) : x_strdup(w);
		strvec_push(texts, !keys->n ? w : eq ? eq + 1 : "");
		strvec_push(keys, key);
	}
	return keys->n > 0;
}

static void put_difference(struct same *s, const char *key, const char *there, const char *here)
{
	AUTO_FREE char *text = NULL;

	if (!there)
		text = x_asprintf(_("%s: missing there"), key);
	else if (!here)
		text = x_asprintf(_("%s: only there"), key);
	else
		text = x_asprintf(_("%s: %s there, %s here"), key, there, here);
	strvec_push(&s->differs, text);
}

static const char *value_of(const struct strvec *keys, const struct strvec *texts, const char *key)
{
	long at = strvec_find(keys, key);

	return at < 0 ? NULL : texts->items[at];
}

char *same_value(const char *command, const char *key)
{
	AUTO(strvec_fini) struct strvec keys = {0}, texts = {0};
	const char *found = NULL;

	if (read_values(command, &keys, &texts))
		found = value_of(&keys, &texts, key);
	return found ? x_strdup(found) : NULL;
}

void same_words(const char *there, const char *here, struct same *s)
{
	AUTO(strvec_fini) struct strvec key_there = {0}, text_there = {0};
	AUTO(strvec_fini) struct strvec key_here = {0}, text_here = {0};

	if (!read_values(there, &key_there, &text_there) ||
		!read_values(here, &key_here, &text_here))
		return;
	s->known = true;
	for (size_t i = 0; i < key_here.n; i++) {
		const char *key = key_here.items[i], *mine = text_here.items[i];
		const char *other = value_of(&key_there, &text_there, key);
		if (strstr(key, MASKED))
			continue;
		if (other && strcmp(other, mine) == 0)
			s->equal++;
		else
			put_difference(s, key, other, mine);
	}
	for (size_t i = 0; i < key_there.n; i++)
		if (!strstr(key_there.items[i], MASKED) &&
			!value_of(&key_here, &text_here, key_there.items[i]))
			put_difference(s, key_there.items[i], text_there.items[i], NULL);
}

void same_job(const char *args, const char *image, const char *here, const struct values *v,
	struct same *s)
{
	const char *mine = values_get(v, "CLOUD_IMAGE_NAME");

	if (!here)
		return;
	same_words(args, here, s);
	if (!s->known || !mine || !*image)
		return;
	if (strcmp(image, mine) == 0)
		s->equal++;
	else
		put_difference(s, _("image"), image, mine);
}

void same_fini(struct same *s)
{
	strvec_fini(&s->differs);
	*s = (struct same){0};
}

char *same_text(const struct strvec *differs)
{
	struct buf out = {0};

	for (size_t i = 0; i < differs->n && i < TOLD_MAX; i++)
		buf_addf(&out, "%s%s", i ? "; " : "", differs->items[i]);
	if (differs->n > TOLD_MAX) {
		buf_adds(&out, "; ");
		buf_addf(&out, _("and %zu more of them"), differs->n - TOLD_MAX);
	}
	return buf_take(&out);
}
