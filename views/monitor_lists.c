/* SPDX-License-Identifier: Apache-2.0 */
/* Pods, events and alerts of the monitor: lists when they stand alone, summaries beside others. */
#include "views/monitor.h"

#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/base/recorded.h"
#include "core/base/text.h"
#include "core/fmt/time.h"
#include "tui/widget/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROLES_MAX 8

/* All values of a map as an array, the caller's. */
static void *map_items(const struct map *m, size_t *n)
{
	void **items = x_calloc(m->live + 1, sizeof(*items));
	const char *key;
	void *value;
	*n = 0;
	for (size_t i = 0; map_next(m, &i, &key, &value);)
		items[(*n)++] = value;
	return items;
}

static int by_pod(const void *a, const void *b)
{
	return pod_cmp(*(const struct pod *const *)a, *(const struct pod *const *)b);
}

static int by_event(const void *a, const void *b)
{
	return kevent_cmp_importance(
		*(const struct kevent *const *)a, *(const struct kevent *const *)b);
}

/* --- pods */

static const struct table_column pod_columns[] = {
	{N_("NAME"), .weight = 1, .min = 16},
	{N_("READY"), .fixed = 7, .right = true},
	{N_("STATUS"), .weight = 1, .min = 10},
	{N_("AGE"), .fixed = 7, .right = true, .drop = 1},
	{N_("RESTARTS"), .fixed = 10, .right = true, .drop = 2},
	{N_("NODE"), .weight = 2, .min = 12, .drop = 3},
};

static const char *pod_id(const void *arg, size_t i)
{
	return ((const struct pod *const *)arg)[i]->name;
}

/* "worker/3": the job's name and the random end say nothing. */
static const char *pod_short(const struct pod *p, char *out, size_t size)
{
	AUTO_FREE char *label = pod_label(p);
	snprintf(out, size, "%s", label);
	return out;
}

static const char *pod_cell(const void *arg, size_t i, size_t column, enum role *role)
{
	static char text[64];
	const struct pod *p = ((const struct pod *const *)arg)[i];
	char span[SPAN_SIZE];
	text[0] = '\0';
	switch (column) {
	case 0:
		return pod_short(p, text, sizeof(text));
	case 1:
		snprintf(text, sizeof(text), "%d/%d", p->ready, p->want);
		*role = p->ready == p->want ? ROLE_OK : ROLE_WARN;
		return text;
	case 2:
		*role = p->exit_code > 0 ? ROLE_BAD : ROLE_TEXT;
		return p->reason;
	case 3:
		*role = ROLE_DIM;
		snprintf(text, sizeof(text), "%s",
			span_text(p->created_ms == TIME_NONE ? -1 : clock_now() - p->created_ms,
				span));
		return text;
	case 4:
		snprintf(text, sizeof(text), "%d", p->restarts);
		*role = p->restarts ? ROLE_WARN : ROLE_DIM;
		return text;
	default:
		*role = ROLE_DIM;
		return p->node;
	}
}

static struct table_source pods_source(const void *items, size_t n)
{
	return (struct table_source){.arg = items,
		.n = n,
		.columns = pod_columns,
		.n_columns = COUNT(pod_columns),
		.id = pod_id,
		.cell = pod_cell};
}

/* One line a role: a mark for each pod, so that one look finds the one that is not ready. */
static int pods_role(const struct pod *const *pods, size_t n, struct surface *s, int y)
{
	size_t ready = 0;
	int restarts = 0, x = 15;
	const struct pod *first_bad = NULL;
	for (size_t i = 0; i < n; i++) {
		bool ok = pods[i]->is_ready || pods[i]->exit_code == 0;
		ready += ok;
		restarts += pods[i]->restarts;
		if (!ok && !first_bad)
			first_bad = pods[i];
		if (x < s->w - 14)
			surface_put(s, y, x++, ok ? ROLE_OK : ROLE_WARN,
				glyph(ok ? GLYPH_FULL : GLYPH_REST));
	}
	surface_cut(s, y, 0, 14, ROLE_TEXT, *pods[0]->role ? pods[0]->role : _("others"));
	AUTO(buf_fini) struct buf text = {0};
	buf_addf(&text, "%zu/%zu", ready, n);
	if (restarts)
		buf_addf(&text, _("  restarts %d"), restarts);
	surface_cut(s, y, x + 1, s->w - x - 1, ready == n ? ROLE_OK : ROLE_WARN, buf_str(&text));
	if (!first_bad || y + 1 >= s->h)
		return y + 1;
	char name[64];
	surface_textf(s, y + 1, 2, s->w - 2, ROLE_DIM, "%s  %s",
		pod_short(first_bad, name, sizeof(name)), first_bad->reason);
	return y + 2;
}

static void pods_summary(
	const struct monitor *m, const struct pod *const *pods, size_t n, struct surface *s)
{
	const struct state *st = m->state;
	char span[SPAN_SIZE];
	int y = 0;
	for (size_t i = 0; i < n && y < s->h;) {
		size_t end = i + 1;
		while (end < n && strcmp(pods[end]->role, pods[i]->role) == 0)
			end++;
		y = pods_role(pods + i, end - i, s, y);
		i = end;
	}
	if (st->tpu_nodes > 0 && y < s->h) {
		surface_cut(s, y, 0, 14, ROLE_TEXT, _("TPU nodes"));
		surface_textf(s, y++, 15, -1,
			st->tpu_nodes_ready == st->tpu_nodes ? ROLE_OK : ROLE_WARN,
			_("%d/%d ready"), st->tpu_nodes_ready, st->tpu_nodes);
	}
	if (y < s->h && st->jobset_there) {
		surface_cut(s, y, 0, 14, ROLE_TEXT, _("JobSet"));
		surface_textf(s, y++, 15, -1, st->phase == JOBSET_FAILED ? ROLE_BAD : ROLE_TEXT,
			"%s %s", jobset_phase_text(st->phase),
			span_text(st->phase_since > 0 ? clock_now() - st->phase_since : -1, span));
	}
	const char *queued = jobset_queue_reason(st->jobset_there ? &st->jobset : NULL, &st->queue);
	if (st->phase == JOBSET_QUEUED && queued && y < s->h)
		surface_wrap(s, y, 0, s->h - y, s->w, ROLE_WARN, _(queued));
}

/* A pod that is not well is told in full when the pane stands alone. */
static void pods_table(struct monitor *m, const struct table_source *src, struct surface *s)
{
	struct surface rows = *s, card;
	size_t i = m->zoom ? table_selected(&m->pods, src) : src->n;
	const struct pod *p = i < src->n ? ((const struct pod *const *)src->arg)[i] : NULL;
	bool well = !p || p->is_ready || strcmp(p->phase, "Succeeded") == 0;

	if (!well && (*p->message || *p->reason)) {
		card = card_split(&rows);
		card_words(&card, m->state, p->message, p->reason, p->name);
	}
	table_draw(&m->pods, src, &rows, m->zoom != 0);
}

/* Finished JobSets are removed after their time to live: no error. */
static void pods_none(const struct state *st, struct surface *s)
{
	AUTO_FREE char *past = jobset_past_text(st);

	surface_wrap(s, 0, 0, s->h, s->w, ROLE_DIM,
		past               ? past
		: st->jobset_asked ? _("no job runs")
				   : _("the cluster has not answered yet"));
}

void monitor_pods(struct monitor *m, struct surface *s)
{
	size_t n;
	AUTO_FREE void *items = map_items(&m->state->pods, &n);
	if (n == 0 && !m->state->jobset_there) {
		pods_none(m->state, s);
		return;
	}
	qsort(items, n, sizeof(void *), by_pod);
	if (n > 0 && (m->zoom || s->h > 14)) {
		struct table_source src = pods_source(items, n);
		pods_table(m, &src, s);
	} else {
		pods_summary(m, items, n, s);
	}
}

/* --- events */

static const char *event_id(const void *arg, size_t i)
{
	return ((const struct kevent *const *)arg)[i]->uid;
}

static void event_row(const void *arg, size_t i, struct surface *row, bool selected)
{
	const struct kevent *e = ((const struct kevent *const *)arg)[i];
	char time[SPAN_SIZE];
	bool bad = e->warning && !e->benign;
	(void)selected;
	surface_cut(row, 0, 0, 5, ROLE_DIM, time_text(e->last_ms, time));
	surface_put(row, 0, 6, ROLE_WARN, bad ? (uint32_t)'!' : (uint32_t)' ');
	int x = 8 + surface_cut(row, 0, 8, 22, bad ? ROLE_WARN : ROLE_TEXT, e->reason) + 1;
	if (e->count > 1) {
		char times[24];
		snprintf(times, sizeof(times), "x%d", e->count);
		x += surface_cut(row, 0, x, 6, ROLE_DIM, times) + 1;
	}
	x += surface_cut(row, 0, x, 28, ROLE_DIM, e->object) + 1;
	surface_cut(row, 0, x, row->w - x, ROLE_TEXT, e->message);
}

static struct list_source events_source(const void *items, size_t n)
{
	return (struct list_source){.arg = items, .n = n, .id = event_id, .draw = event_row};
}

static void events_alone(struct monitor *m, const struct list_source *src, struct surface *s)
{
	struct surface rows = *s, card = card_split(&rows);
	const struct kevent *e;
	size_t i;

	list_draw(&m->events, src, &rows, true);
	i = list_selected(&m->events, src);
	if (i >= src->n)
		return;
	e = ((const struct kevent *const *)src->arg)[i];
	card_words(&card, m->state, e->message, e->warning ? e->reason : "", e->object);
}

void monitor_events(struct monitor *m, struct surface *s)
{
	size_t n;
	AUTO_FREE void *items = map_items(&m->state->kevents, &n);
	if (n == 0) {
		surface_cut(s, 0, 0, s->w, ROLE_DIM, _("none yet"));
		return;
	}
	qsort(items, n, sizeof(void *), by_event);
	struct list_source src = events_source(items, n);
	if (m->zoom)
		events_alone(m, &src, s);
	else
		list_draw(&m->events, &src, s, false);
}

/* --- alerts */

static const char *alert_id(const void *arg, size_t i)
{
	return ((const struct state *)arg)->alerts.items[i].id;
}

static void alert_row(const void *arg, size_t i, struct surface *row, bool selected)
{
	const struct state_alert *a = &((const struct state *)arg)->alerts.items[i];
	AUTO_FREE char *text = recorded_text(a->text);
	char time[SPAN_SIZE];
	bool raised = strcmp(a->state, "raised") == 0;
	(void)selected;
	surface_cut(row, 0, 0, 5, ROLE_DIM, time_text(a->since, time));
	surface_put(row, 0, 6, raised ? ROLE_WARN : ROLE_OK,
		raised ? (uint32_t)'!' : glyph(GLYPH_DONE));
	surface_cut(row, 0, 8, row->w - 8, raised ? ROLE_TEXT : ROLE_DIM, text);
}

static struct list_source alerts_source(const struct state *s)
{
	return (struct list_source){.arg = s, .n = s->alerts.n, .id = alert_id, .draw = alert_row};
}

static void alerts_whole(const struct monitor *m, struct surface *s)
{
	int y = 0;
	for (size_t i = m->state->alerts.n; i > 0 && y < s->h; i--) {
		struct surface row = surface_sub(s, y, 0, 1, s->w);
		const struct state_alert *a = &m->state->alerts.items[i - 1];
		AUTO_FREE char *text = recorded_text(a->text);
		bool raised = strcmp(a->state, "raised") == 0;
		alert_row(m->state, i - 1, &row, false);
		surface_fill(&row, 0, 8, 1, row.w - 8, ROLE_TEXT);
		y += surface_wrap(s, y, 8, s->h - y, s->w - 8, raised ? ROLE_TEXT : ROLE_DIM, text);
		y += strcmp(a->state, "cleared") != 0 ? card_cure(s, y, a->cure) : 0;
	}
}

static void alerts_alone(struct monitor *m, const struct list_source *src, struct surface *s)
{
	struct surface rows = *s, card = card_split(&rows);
	size_t i;

	list_draw(&m->alerts, src, &rows, true);
	i = list_selected(&m->alerts, src);
	if (i < m->state->alerts.n)
		card_alert(&card, m->state, &m->state->alerts.items[i]);
}

void monitor_alerts(struct monitor *m, struct surface *s)
{
	struct list_source src = alerts_source(m->state);
	if (src.n == 0) {
		surface_put(s, 0, 0, ROLE_OK, glyph(GLYPH_DONE));
		surface_cut(s, 0, 2, s->w - 2, ROLE_DIM, _("nothing to report"));
		return;
	}
	if (m->zoom)
		alerts_alone(m, &src, s);
	else
		alerts_whole(m, s);
}

bool monitor_lists_act(struct monitor *m, enum action a, const struct key *k)
{
	size_t n;
	bool used = false;
	if (m->zoom == 1) {
		AUTO_FREE void *items = map_items(&m->state->pods, &n);
		qsort(items, n, sizeof(void *), by_pod);
		struct table_source src = pods_source(items, n);
		used = table_act(&m->pods, &src, a, k);
	} else if (m->zoom == 4) {
		AUTO_FREE void *items = map_items(&m->state->kevents, &n);
		qsort(items, n, sizeof(void *), by_event);
		struct list_source src = events_source(items, n);
		used = list_act(&m->events, &src, a, k);
	} else if (m->zoom == 6) {
		struct list_source src = alerts_source(m->state);
		used = list_act(&m->alerts, &src, a, k);
	}
	return used;
}
