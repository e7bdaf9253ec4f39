/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/fault_plan.h"

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/fmt/time.h"
#include "sim/clock.h"
#include "sim/ledger.h"
#include "sim/sim.h"
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX ((size_t)1 << 20)
#define FIELDS   4

static const char *const stages[] = {
	"login", "bucket", "cluster", "convert", "train", "export", "cleanup"};

/* A command line that holds all the words begins the stage. */
static const struct {
	const char *stage, *words[3];
} signs[] = {
	{"cluster", {"gcluster", "deploy", ""}},
	{"cleanup", {"gcluster", "destroy", ""}},
	{"convert", {"submit", "to_maxtext", ""}},
	{"train", {"submit", "train_rl", ""}},
	{"export", {"submit", "to_huggingface", ""}},
	{"bucket", {"storage", "buckets", "create"}},
	{"login", {"gcloud", "auth", ""}},
};

static const struct {
	const char *word;
	enum fault_place place;
} kinds[] = {
	{"GET", AT_WIRE},
	{"POST", AT_WIRE},
	{"PUT", AT_WIRE},
	{"PATCH", AT_WIRE},
	{"DELETE", AT_WIRE},
	{"ANY", AT_WIRE},
	{"WATCH", AT_WIRE},
	{"LOG", AT_WIRE},
	{"deploy", AT_DEPLOY},
	{"destroy", AT_DESTROY},
	{"queue", AT_QUEUE},
	{"sched", AT_SCHED},
	{"scale", AT_SCALE},
	{"pull", AT_PULL},
	{"load", AT_LOAD},
};

static const struct {
	const char *word;
	enum fault_place place;
	bool value;
} whats[] = {
#define X(name, at, text, takes) [name] = {text, at, takes},
	FAULTS(X)
#undef X
};

struct line {
	char *text; /* as it was written, for the ledger */
	struct fault fault;
	char *value;
	size_t kind; /* of kinds */
	char *glob;
	int stage; /* of stages, -1 = none */
	int64_t after, nth;
	int64_t left, span; /* left -1: without end; span > 0: this long from the first on */
	int64_t seen, first;
};

struct fault_plan {
	struct line *items;
	size_t n, cap;
	int64_t begun[COUNT(stages)]; /* 0 = not yet */
};

/* One field: its text and where it began. */
struct field {
	const char *at;
	size_t n, column;
};

static int bad(struct err *e, const char *file, size_t line, size_t column, const char *hint,
	const char *what)
{
	err_set(e, ERR_BAD_FILE, hint, "%s:%zu:%zu: %s", file, line, column, what);
	return err_at(e, file, line, column);
}

static size_t split(const char *s, struct field f[FIELDS + 1])
{
	size_t n = 0;
	for (const char *p = s; *p && *p != '#' && n <= FIELDS;) {
		size_t len = strcspn(p, " \t\r");
		if (len > 0)
			f[n++] = (struct field){p, len, (size_t)(p - s) + 1};
		p += len ? len : 1;
	}
	return n;
}

static int index_of(const char *const *words, size_t n, const char *s, size_t len)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(words[i]) == len && memcmp(words[i], s, len) == 0)
			return (int)i;
	return -1;
}

/* [any|STAGE][+TIME][#N] */
static bool parse_when(struct line *l, const char *s)
{
	size_t n = strcspn(s, "+#");
	l->stage = -1;
	l->nth = 1;
	if (n > 0 && !(n == 3 && memcmp(s, "any", 3) == 0) &&
		(l->stage = index_of(stages, COUNT(stages), s, n)) < 0)
		return false;
	s += n;
	if (*s == '+') {
		n = strcspn(s + 1, "#");
		AUTO_FREE char *span = x_strndup(s + 1, n);
		if (!time_parse_duration(span, &l->after) || l->after < 0)
			return false;
		s += n + 1;
	}
	return !*s || text_to_i64(s + 1, 1, 1000000, &l->nth) == 0;
}

static bool parse_where(struct line *l, const char *s)
{
	size_t n = strcspn(s, ":");
	for (l->kind = 0; l->kind < COUNT(kinds); l->kind++)
		if (strlen(kinds[l->kind].word) == n && memcmp(kinds[l->kind].word, s, n) == 0)
			break;
	if (l->kind == COUNT(kinds) || !s[n] || !s[n + 1])
		return false;
	l->glob = x_strdup(s + n + 1);
	return true;
}

static const char *parse_what(struct line *l, const char *s)
{
	size_t n = strcspn(s, "="), i = 0;
	while (i < COUNT(whats) &&
		!(strlen(whats[i].word) == n && memcmp(whats[i].word, s, n) == 0))
		i++;
	if (i == COUNT(whats))
		return "there is no such fault";
	if (whats[i].place != kinds[l->kind].place)
		return "this fault does not happen at such a place";
	if (whats[i].value != (s[n] == '=' && s[n + 1]))
		return whats[i].value ? "this fault needs =VALUE" : "this fault takes no value";
	l->value = x_strdup(whats[i].value ? s + n + 1 : "");
	l->fault = (struct fault){(enum fault_what)i, l->value, 0};
	if ((i == FAULT_HANG && !time_parse_duration(l->value, &l->fault.number)) ||
		((i == FAULT_DELAY || i == FAULT_DRIP) &&
			text_to_i64(l->value, 1, 60000, &l->fault.number) != 0) ||
		(i == FAULT_EXIT && text_to_i64(l->value, 1, 255, &l->fault.number) != 0))
		return "the value is not understood";
	if (i != FAULT_STATUS)
		return NULL;
	AUTO_FREE char *code = x_strndup(l->value, strcspn(l->value, ","));
	return text_to_i64(code, 400, 599, &l->fault.number) == 0 ? NULL
								  : "status=CODE or CODE,SECONDS";
}

static bool parse_count(struct line *l, const char *s)
{
	l->left = -1;
	if (strcmp(s, "*") == 0)
		return true;
	if (text_to_i64(s, 1, 1000000000, &l->left) == 0)
		return true;
	l->left = -1;
	return time_parse_duration(s, &l->span) && l->span > 0;
}

static int parse_line(
	struct fault_plan *p, const char *file, size_t no, const char *text, struct err *e)
{
	struct field f[FIELDS + 1];
	size_t n = split(text, f);
	char *word[FIELDS] = {0};
	const char *why = NULL, *hint = "";
	size_t at = 0;
	if (n == 0)
		return 0;
	if (n != FIELDS)
		return bad(e, file, no, n < FIELDS ? strlen(text) + 1 : f[FIELDS].column,
			"write WHEN WHERE WHAT COUNT", "a fault has four fields");
	struct line *l = VEC_PUSH(p);
	for (size_t i = 0; i < FIELDS; i++)
		word[i] = x_strndup(f[i].at, f[i].n);
	l->text = x_asprintf("%s %s %s %s", word[0], word[1], word[2], word[3]);
	if (!parse_when(l, word[0])) {
		why = "when is not understood";
		hint = "[any|STAGE][+TIME][#N] such as any, train+20m or convert#3";
	} else if (at = 1, !parse_where(l, word[1])) {
		why = "where is not understood";
		hint = "KIND:GLOB, such as GET:/storage/* or load:*-head-*";
	} else if (at = 2, (why = parse_what(l, word[2]))) {
		hint = "see sim/fault_plan.h for the words";
	} else if (at = 3, !parse_count(l, word[3])) {
		why = "count is not understood";
		hint = "a number, * or a time such as 5m";
	}
	for (size_t i = 0; i < FIELDS; i++)
		free(word[i]);
	return why ? bad(e, file, no, f[at].column, hint, why) : 0;
}

int fault_plan_open(struct sim *sim, const char *file, struct err *e)
{
	AUTO(buf_fini) struct buf text = {0};
	struct fault_plan *p = sim->faults = X_NEW(struct fault_plan);
	size_t no = 0;
	if (!file)
		return 0;
	if (path_read(file, FILE_MAX, &text, e) < 0)
		return -1;
	for (const char *s = buf_str(&text); *s;) {
		size_t n = strcspn(s, "\n");
		AUTO_FREE char *line = x_strndup(s, n);
		if (parse_line(p, file, ++no, line, e) < 0)
			return -1;
		s += n + (s[n] == '\n');
	}
	return 0;
}

void fault_plan_close(struct sim *sim)
{
	struct fault_plan *p = sim->faults;
	if (!p)
		return;
	for (size_t i = 0; i < p->n; i++) {
		free(p->items[i].text);
		free(p->items[i].value);
		free(p->items[i].glob);
	}
	free(p->items);
	free(p);
	sim->faults = NULL;
}

bool fault_plan_any(const struct sim *sim)
{
	return sim->faults && sim->faults->n > 0;
}

void fault_plan_argv(struct sim *sim, const json_t *argv)
{
	AUTO(buf_fini) struct buf line = {0};
	const json_t *word;
	size_t i;
	json_array_foreach(argv, i, word) buf_addf(&line, "%s ", json_string_value(word));
	for (i = 0; i < COUNT(signs); i++) {
		const char *s = buf_str(&line);
		if (!strstr(s, signs[i].words[0]) || !strstr(s, signs[i].words[1]) ||
			!strstr(s, signs[i].words[2]))
			continue;
		int stage = index_of(stages, COUNT(stages), signs[i].stage, strlen(signs[i].stage));
		if (sim->faults->begun[stage] == 0)
			sim->faults->begun[stage] = sim_now(sim);
		return;
	}
}

static bool due(const struct sim *sim, struct line *l)
{
	int64_t since = l->stage < 0 ? sim_epoch(sim) : sim->faults->begun[l->stage];
	int64_t now = sim_now(sim);
	if (l->left == 0 || !since || now < since + l->after)
		return false;
	if (l->span && l->first && now > l->first + l->span)
		return false;
	return ++l->seen >= l->nth;
}

/* what -1: any. */
static const struct fault *take(
	struct sim *sim, enum fault_place place, int what, const char *kind, const char *name)
{
	struct fault_plan *p = sim->faults;
	for (size_t i = 0; p && i < p->n; i++) {
		struct line *l = &p->items[i];
		const char *want = kinds[l->kind].word;
		if (kinds[l->kind].place != place || fnmatch(l->glob, name, 0) != 0 ||
			(what >= 0 && l->fault.what != (enum fault_what)what) ||
			(kind && strcmp(want, "ANY") != 0 && strcmp(want, kind) != 0) ||
			!due(sim, l))
			continue;
		if (!l->first)
			l->first = sim_now(sim);
		if (l->left > 0)
			l->left--;
		ledger_fault(sim, l->text, name);
		return &l->fault;
	}
	return NULL;
}

const struct fault *fault_take(
	struct sim *sim, enum fault_place place, const char *kind, const char *name)
{
	return take(sim, place, -1, kind, name);
}

bool fault_take_one(struct sim *sim, enum fault_what what, const char *name)
{
	return take(sim, whats[what].place, (int)what, NULL, name) != NULL;
}
