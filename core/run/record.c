/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/record.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/redact.h"
#include "core/base/text.h"
#include "core/fmt/time.h"
#include "core/run/jsonl.h"

static int append(const char *run_dir, const char *name, const struct buf *b, struct err *e)
{
	AUTO_FREE char *file = path_join(run_dir, name);

	return path_append(file, b->data, b->len, e);
}

/* Each source of a series is counted for itself: an event may come after the log's point. */
static char *count_key(const char *name, enum series_source source)
{
	return x_asprintf("%s %s", series_source_name(source), name);
}

static int64_t counted(const struct record_series *r, const char *name, enum series_source source)
{
	AUTO_FREE char *key = count_key(name, source);
	const int64_t *step = map_get(&r->counted, key);

	return step ? *step : INT64_MIN;
}

static void count(struct record_series *r, const char *name, const struct series_point *p)
{
	AUTO_FREE char *key = count_key(name, p->source);
	int64_t *slot = X_NEW(int64_t);

	*slot = p->step;
	map_set(&r->counted, key, slot);
}

void record_series_init(struct record_series *r, const struct state *s)
{
	size_t n;
	const char **names = series_names(&s->series, &n);

	memset(r, 0, sizeof(*r));
	r->counted.free_value = free;
	for (size_t i = 0; i < n; i++) {
		const struct series *sr = series_find(&s->series, names[i]);
		for (size_t k = 0; k < sr->n; k++)
			count(r, names[i], &sr->items[k]);
	}
	free(names);
}

void record_series_fini(struct record_series *r)
{
	map_fini(&r->counted);
}

static void point_line(struct buf *b, const char *name, const struct series_point *p)
{
	json_t *j = json_object();
	char *line;

	json_object_set_new(j, "series", json_from_str(name));
	json_object_set_new(j, "step", json_integer(p->step));
	json_object_set_new(j, "wall_ms", json_integer(p->wall_ms));
	if (isfinite(p->value))
		json_object_set_new(j, "value", json_from_num(p->value));
	else
		json_object_set_new(j, "value",
			json_string(isnan(p->value) ? "nan"
				    : p->value > 0  ? "inf"
						    : "-inf"));
	json_object_set_new(j, "source", json_string(series_source_name(p->source)));
	line = json_line(j);
	buf_adds(b, line);
	buf_addc(b, '\n');
	free(line);
	json_decref(j);
}

int record_series_write(
	struct record_series *r, const char *run_dir, const struct state *s, struct err *e)
{
	AUTO(buf_fini) struct buf b = {0};
	size_t n;
	const char **names = series_names(&s->series, &n);

	for (size_t i = 0; i < n; i++) {
		const struct series *sr = series_find(&s->series, names[i]);
		int64_t from[2] = {
			counted(r, names[i], SERIES_LOG), counted(r, names[i], SERIES_EVENT)};
		for (size_t k = 0; k < sr->n; k++) {
			const struct series_point *p = &sr->items[k];
			if (p->step <= from[p->source == SERIES_EVENT])
				continue;
			point_line(&b, names[i], p);
			count(r, names[i], p);
		}
	}
	free(names);
	return b.len ? append(run_dir, "series.jsonl", &b, e) : 0;
}

static double read_number(const json_t *j)
{
	const char *word = json_path_str(j, "value");

	if (!word)
		return json_path_num(j, "value", (double)NAN);
	if (strcmp(word, "inf") == 0)
		return (double)INFINITY;
	if (strcmp(word, "-inf") == 0)
		return -(double)INFINITY;
	return (double)NAN;
}

static bool point_event(const json_t *j, struct event *ev)
{
	const char *source = json_path_str_or(j, "source", "log");

	memset(ev, 0, sizeof(*ev));
	ev->kind = EV_POINT;
	ev->u.point.series = json_path_str(j, "series");
	ev->u.point.at.step = json_path_i64(j, "step", -1);
	ev->u.point.at.wall_ms = json_path_i64(j, "wall_ms", 0);
	ev->u.point.at.value = read_number(j);
	ev->u.point.at.source = strcmp(source, "event") == 0 ? SERIES_EVENT : SERIES_LOG;
	ev->at = ev->u.point.at.wall_ms;
	return ev->u.point.series && ev->u.point.at.step >= 0;
}

struct points {
	void (*fn)(void *arg, const struct event *ev);
	void *arg;
};

static void read_point(void *arg, const char *line, size_t n)
{
	struct points *p = arg;
	AUTO(json_auto) json_t *j = json_parse(line, n, NULL);
	struct event ev;

	if (j && point_event(j, &ev))
		p->fn(p->arg, &ev);
}

int record_series_read(const char *run_dir, int64_t *offset,
	void (*fn)(void *arg, const struct event *ev), void *arg, struct err *e)
{
	AUTO_FREE char *file = path_join(run_dir, "series.jsonl");
	struct points p = {fn, arg};

	return jsonl_read(file, offset, read_point, &p, e);
}

static json_t *str_or_null(const char *s)
{
	return s && *s ? json_from_str(s) : json_null();
}

int record_alert(const char *run_dir, const struct state_alert *a, int64_t at, struct err *e)
{
	AUTO(buf_fini) struct buf b = {0};
	AUTO(json_auto) json_t *j = json_object();
	AUTO_FREE char *line = NULL;
	char when[TIME_SIZE];

	json_object_set_new(j, "t", json_string(time_format(at, when)));
	json_object_set_new(j, "id", json_from_str(a->id));
	json_object_set_new(j, "state", json_from_str(a->state));
	json_object_set_new(j, "text", json_from_str(a->text));
	json_object_set_new(j, "cause", str_or_null(a->cause));
	json_object_set_new(j, "cure", str_or_null(a->cure));
	line = json_line(j);
	buf_adds(&b, line);
	buf_addc(&b, '\n');
	return append(run_dir, "alerts.jsonl", &b, e);
}

json_t *record_checks_json(const struct state *s)
{
	json_t *all = json_array();

	for (size_t i = 0; i < s->checks.n; i++) {
		const struct state_check *c = &s->checks.items[i];
		json_t *j = json_object();
		json_t *argv = c->cure_argv.n ? json_array() : json_null();
		json_object_set_new(j, "id", json_from_str(c->id));
		json_object_set_new(j, "group", json_from_str(c->group));
		json_object_set_new(j, "state", json_from_str(c->state));
		json_object_set_new(j, "question", str_or_null(c->question));
		json_object_set_new(j, "cause", str_or_null(c->cause));
		json_object_set_new(j, "cure", str_or_null(c->cure));
		for (size_t k = 0; k < c->cure_argv.n; k++)
			json_array_append_new(argv, json_from_str(c->cure_argv.items[k]));
		json_object_set_new(j, "cure_argv", argv);
		json_object_set_new(j, "who", str_or_null(c->who));
		json_object_set_new(j, "source", str_or_null(c->source));
		json_array_append_new(all, j);
	}
	return all;
}

int record_checks(const char *run_dir, const struct state *s, struct err *e)
{
	AUTO(json_auto) json_t *all = record_checks_json(s);
	AUTO_FREE char *text = json_pretty(all);
	AUTO_FREE char *file = path_join(run_dir, "checks.json");

	return path_write(file, text, strlen(text), e);
}

static void check_event(const json_t *j, void (*fn)(void *arg, const struct event *ev), void *arg)
{
	struct state_check c = {
		.id = (char *)json_path_str_or(j, "id", ""),
		.group = (char *)json_path_str_or(j, "group", ""),
		.state = (char *)json_path_str_or(j, "state", "unknown"),
		.question = (char *)json_path_str_or(j, "question", ""),
		.cause = (char *)json_path_str_or(j, "cause", ""),
		.cure = (char *)json_path_str_or(j, "cure", ""),
		.who = (char *)json_path_str_or(j, "who", ""),
		.source = (char *)json_path_str_or(j, "source", ""),
	};
	struct event ev = {.kind = EV_CHECK};
	size_t i;
	json_t *word;

	json_array_foreach(json_path(j, "cure_argv"), i, word) if (json_is_string(word))
		strvec_push(&c.cure_argv, json_string_value(word));
	ev.u.check = &c;
	fn(arg, &ev);
	strvec_fini(&c.cure_argv);
}

int record_checks_read(const char *run_dir, void (*fn)(void *arg, const struct event *ev),
	void *arg, struct err *e)
{
	AUTO_FREE char *file = path_join(run_dir, "checks.json");
	AUTO(json_auto) json_t *all = NULL;
	size_t i;
	json_t *item;

	if (!path_exists(file))
		return 0;
	all = json_read_file(file, (size_t)1 << 20, e);
	if (!all)
		return -1;
	json_array_foreach(all, i, item) check_event(item, fn, arg);
	return 0;
}

char *record_spool_path(const char *run_dir, const char *pod, const char *container)
{
	return x_asprintf("%s/logs/%s/%s.log", run_dir, pod, container);
}

/* Names of pods come from outside: one plain folder name or nothing. */
static bool plain_name(const char *s)
{
	return *s && *s != '.' && !strchr(s, '/') && strlen(s) < 254;
}

FILE *record_spool_open(const char *run_dir, const char *pod, const char *container, struct err *e)
{
	AUTO_FREE char *dir = x_asprintf("%s/logs/%s", run_dir, pod);
	AUTO_FREE char *file = record_spool_path(run_dir, pod, container);
	int fd;

	if (!plain_name(pod) || !plain_name(container)) {
		err_set(e, ERR_FAILED, "", _("a pod has a name that cannot be a file name"));
		return NULL;
	}
	if (path_mkdirs(dir, e) != 0)
		return NULL;
	fd = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (fd < 0) {
		err_errno(e, ERR_CANNOT_WRITE, errno, "", _("cannot open %s"), file);
		return NULL;
	}
	return fdopen(fd, "a");
}

void record_spool_line(FILE *f, const char *stamp, const char *line, size_t n)
{
	AUTO(buf_fini) struct buf b = {0};

	redact(&b, line, n);
	fprintf(f, "%s ", stamp);
	fwrite(buf_str(&b), 1, b.len, f);
	fputc('\n', f);
}

bool record_spool_split(const char *line, size_t n, size_t *stamp_n, int64_t *time_ms)
{
	struct time_stamp t;

	if (!time_parse(line, n, &t, stamp_n) || *stamp_n >= n || line[*stamp_n] != ' ')
		return false;
	*time_ms = time_stamp_ms(&t);
	return true;
}
