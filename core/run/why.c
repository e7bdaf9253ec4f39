/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/why.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/fmt/cause.h"
#include "core/fmt/tferr.h"
#include "core/recipe/values.h"
#include "core/run/state.h"

#define LAST_LINES 40

static const struct {
	const char *word, *value;
} names[] = {
	{"project", "PROJECT"},
	{"mine", "PROJECT"},
	{"region", "REGION"},
	{"zone", "ZONE"},
	{"cluster", "CLUSTER_NAME"},
	{"bucket", "GCS_BUCKET"},
	{"reservation", "RESERVATION"},
};

static void put_missing(struct cause_hit *hit, const char *word, const char *value)
{
	if (!cause_word(hit, word))
		cause_put(hit, word, value);
}

void why_words(struct cause_hit *hit, const struct values *v, const char *jobset)
{
	for (size_t i = 0; i < COUNT(names); i++)
		put_missing(hit, names[i].word, values_get(v, names[i].value));
	put_missing(hit, "job", jobset);
}

void why_words_known(struct cause_hit *hit, const struct state *s)
{
	for (size_t i = 0; i < COUNT(names); i++) {
		const struct state_value *v = state_value_find(s, names[i].value);

		put_missing(hit, names[i].word, v ? v->value : NULL);
	}
	put_missing(hit, "job", s->jobset_name);
}

void why_fini(struct why *w)
{
	free(w->cause);
	free(w->cure);
	*w = (struct why){0};
}

static void set_cure(
	struct why *w, struct cause_hit *hit, const struct values *v, const char *jobset)
{
	if (!hit->cause)
		return;
	w->id = hit->cause->id;
	why_words(hit, v, jobset);
	w->cure = cause_cure(hit);
}

/* The last lines together, since causes stand in order of what they tell; *last becomes the last
 * one that says something. */
static bool find_lines(struct cause_hit *hit, const struct strvec *out, const char **last)
{
	AUTO(buf_fini) struct buf text = {0};

	*last = "";
	for (size_t i = out->n > LAST_LINES ? out->n - LAST_LINES : 0; i < out->n; i++) {
		buf_addf(&text, "%s\n", out->items[i]);
		if (*out->items[i])
			*last = out->items[i];
	}
	return cause_find(hit, buf_str(&text), text.len);
}

struct why why_command(const struct tferr *error, const struct strvec *output, int code,
	const struct values *v, const char *jobset)
{
	struct why w = {0};
	struct cause_hit hit = error ? error->hit : (struct cause_hit){0};
	const char *last = "";
	bool line = !hit.cause && find_lines(&hit, output, &last);
	AUTO_FREE char *said = NULL;

	if (!hit.cause && !error)
		hit.cause = cause_of_exit(code);
	said = error && !line ? tferr_told(error)
	       : hit.cause    ? cause_meaning(&hit)
			      : x_strdup(last);
	if (hit.cause && *said)
		w.cause = x_strdup(said);
	else if (*said)
		w.cause = x_asprintf(_("the command ended with code %d: %s"), code, said);
	else
		w.cause = x_asprintf(_("the command ended with code %d"), code);
	set_cure(&w, &hit, v, jobset);
	return w;
}

struct why why_job(const char *message, const char *error, const char *known,
	const struct values *v, const char *jobset)
{
	struct why w = {0};
	struct cause_hit hit;
	AUTO_FREE char *meaning = NULL;

	if (!cause_find(&hit, error, strlen(error)) && !known)
		(void)cause_find(&hit, message, strlen(message));
	if (known && (!hit.cause || strcmp(hit.cause->id, known) != 0))
		hit = (struct cause_hit){.cause = cause_by_id(known)};
	if (!hit.cause)
		hit.cause = cause_by_id("job-failed");
	meaning = cause_meaning(&hit);
	w.cause = x_asprintf("%s%s%s%s%s", meaning, *meaning && *message ? ": " : "", message,
		*error ? ": " : "", error);
	set_cure(&w, &hit, v, jobset);
	return w;
}
