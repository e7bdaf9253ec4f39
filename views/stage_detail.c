/* SPDX-License-Identifier: Apache-2.0 */
#include "views/stage_detail.h"

#include "core/base/clock.h"
#include "core/base/path.h"
#include "core/base/recorded.h"
#include "core/base/text.h"
#include "core/fmt/tferr.h"
#include "core/run/attempt.h"
#include "core/run/last_words.h"
#include "tui/widget/gauge.h"
#include "views/stage_deploy.h"
#include "views/stage_proof.h"
#include "views/stage_words.h"

#include <string.h>

#define COMMAND_ROWS 3

static int about_part(struct surface *s, int y, const char *title, const struct recipe_text *text)
{
	const char *t = recipe_text(text);
	if (!*t || y + 2 > s->h)
		return y;
	surface_cut(s, y, 0, s->w, ROLE_TITLE, title);
	return y + 2 + surface_wrap(s, y + 1, 0, s->h - y - 1, s->w, ROLE_TEXT, t);
}

void stage_about_draw(const struct view *v, enum stage_id id, struct surface *s)
{
	const struct recipe *r = view_recipe(v);
	const struct recipe_stage *stage = r ? recipe_stage(r, stage_word(id)) : NULL;
	surface_rule(s, 0, _("about this stage"), NULL);
	if (!stage)
		return;
	struct surface in = surface_sub(s, 1, 1, s->h - 1, s->w - 2);
	int y = about_part(&in, 0, _("what it does"), &stage->does);
	y = about_part(&in, y, _("afterwards"), &stage->after);
	y = about_part(&in, y, _("if it fails"), &stage->trouble);
	about_part(&in, y, _("undo"), &stage->undo_text);
}

static int detail_command(
	const struct stage_detail *p, const struct state_stage *st, struct surface *s, int y)
{
	const struct strvec *commands = stage_being_undone(st) ? &st->undo_commands : &st->commands;
	int limit = p->whole ? s->h - y : s->h >= 14 ? COMMAND_ROWS : 1, used = 0;
	for (size_t i = 0; i < commands->n && used < limit; i++) {
		const char *text = commands->items[i];
		size_t first = strcspn(text, "\n");
		AUTO_FREE char *line =
			x_asprintf("$ %.*s%s", p->whole ? (int)strlen(text) : (int)first, text,
				!p->whole && text[first] ? glyph_str(GLYPH_MORE) : "");
		if (p->whole)
			used += surface_wrap(s, y + used, 0, limit - used, s->w, ROLE_CODE, line);
		else
			surface_cut(s, y + used++, 0, s->w, ROLE_CODE, line);
	}
	if (!p->whole && commands->n > (size_t)limit && used > 0) {
		AUTO_FREE char *more = x_asprintf(" %s %zu ", glyph_str(GLYPH_MORE), commands->n);
		surface_right(s, y + used - 1, s->w, 12, ROLE_DIM, more);
	}
	return used;
}

/* Units of progress; another one is shown as it came. */
static const char *unit_text(const char *unit)
{
	static const char *const units[] = {N_("resource"), N_("tensor"), N_("pod"), N_("step"),
		N_("file"), N_("object"), N_("byte")};
	for (size_t i = 0; i < COUNT(units); i++)
		if (strcmp(units[i], unit) == 0)
			return _(units[i]);
	return unit;
}

static int detail_progress(const struct state_stage *st, struct surface *s, int y)
{
	const struct state_progress *g = &st->progress;
	int w = s->w / 2;
	if (st->state == ST_TODO || (!*g->unit && g->total <= 0))
		return 0;
	gauge_draw(s, y, 0, w, g->done, g->total);
	AUTO_FREE char *text = x_asprintf("%s %s", unit_text(g->unit), g->n_busy ? "" : g->text);
	surface_cut(s, y, w + 2, s->w - w - 2, ROLE_DIM, text);
	return 1;
}

/* Of a stage that submitted a job: how its JobSet is. */
static int detail_job(const struct state *s, enum stage_id id, struct surface *out, int y)
{
	const struct state_stage *st = &s->stages[id];
	const char *name;
	void *value;
	size_t ready = 0;
	bool job = id == STAGE_CONVERT || id == STAGE_TRAIN || id == STAGE_EXPORT;
	if (!job || s->current != id || st->state == ST_TODO || !s->jobset_there)
		return 0;
	for (size_t i = 0; map_next(&s->pods, &i, &name, &value);)
		ready += ((const struct pod *)value)->is_ready ||
			 ((const struct pod *)value)->exit_code == 0;
	AUTO_FREE char *text = x_asprintf(_("JobSet %s  pods %zu/%zu  %s"),
		jobset_phase_text(s->phase), ready, s->pods.live, s->jobset_name);
	surface_cut(out, y, 0, out->w, s->phase == JOBSET_FAILED ? ROLE_BAD : ROLE_TEXT, text);
	return 1;
}

/* A sentence of its own line. */
static void remark_add(struct buf *text, const char *mark, const char *sentence)
{
	if (*sentence)
		buf_addf(text, "%s%s%s", text->len ? "\n" : "", mark, sentence);
}

#define CAUSE_ROWS     4 /* of a cause that would push the log's last lines off the page */
#define CAUSE_ROWS_MIN 2 /* of one that would push what to do off it */

/* Where there is no room for all: cells of a row, and rows that the cause may take; 0 = there is.
 */
struct tight {
	int cells, cause;
};

/* Each line of a note in a row of its own: lines of a log. */
static void remark_log(const char *note, struct tight tight, struct buf *text)
{
	for (size_t n; *note; note += n + (note[n] == '\n')) {
		n = strcspn(note, "\n");
		AUTO_FREE char *line = x_strndup(note, n);
		AUTO_FREE char *cut =
			tight.cells && *line == ' ' ? text_cut(line, tight.cells) : x_strdup(line);
		remark_add(text, "", cut);
	}
}

/* What happened and why, behind an arrow what to do, then what the log said last. */
static void remark_trouble(
	const struct state_stage *st, const char *note, struct tight tight, struct buf *text)
{
	AUTO_FREE char *cause = recorded_text(st->cause);
	last_words_once(cause, note);
	AUTO_FREE char *cut = text_cut(cause, tight.cells * tight.cause);
	AUTO_FREE char *cure = recorded_text(st->cure);
	AUTO_FREE char *mark = x_asprintf("%s ", glyph_str(GLYPH_ARROW));

	remark_add(text, "", tight.cells ? cut : cause);
	remark_add(text, *cause ? mark : "", cure);
	remark_log(note, tight, text);
}

/* What is told beside what the stage itself says; NULL = nothing. */
struct beside {
	const char *token;  /* file that holds it */
	const char *result; /* address in the bucket */
	const char *next;   /* in the person's language */
};

/* Where its result is, and what comes next. */
static void remark_done(const struct beside *more, struct buf *text)
{
	AUTO_FREE char *mark = x_asprintf("%s ", glyph_str(GLYPH_ARROW));

	remark_add(text, _("result: "), more->result ? more->result : "");
	remark_add(text, mark, more->next ? more->next : "");
}

/* Why it waits, failed, or is quiet. */
static void remark_text(const struct state_stage *st, const struct beside *more, struct tight tight,
	struct buf *text)
{
	char span[SPAN_SIZE];
	AUTO_FREE char *recorded = recorded_text(st->note);
	AUTO_FREE char *note = path_short(recorded);
	AUTO_FREE char *stop = stage_stop_text(st);
	AUTO_FREE char *waiting = recorded_text(st->waiting);

	if (st->undo_refused)
		remark_add(text, "", _("not undone, nothing was removed:"));
	if (*st->cause || *st->cure) {
		remark_trouble(st, st->state == ST_FAILED ? note : "", tight, text);
	} else if (st->state == ST_RUNNING && st->quiet_until > clock_now()) {
		buf_addf(
			text, _("quiet is normal here until %s"), time_text(st->quiet_until, span));
	} else if (stage_state_over(st->state)) {
		remark_add(text, "", note);
		remark_done(more, text);
	}
	if (stop)
		remark_add(text, "", stop);
	if (!stage_state_over(st->state) && *waiting)
		remark_add(text, _("waiting: "), waiting);
	if (more->token) {
		AUTO_FREE char *path = path_short(more->token);
		AUTO_FREE char *told =
			x_asprintf(_("the token is in a file that only you can read: %s"), path);
		remark_add(text, "", told);
	}
}

/* What the cause may take of the rows, so that what to do is whole below it. */
static int cause_rows(const struct state_stage *st, int cells, int rows)
{
	bool log = *st->note && st->state == ST_FAILED;
	int n = log && rows > CAUSE_ROWS ? CAUSE_ROWS : rows, used = rows + 1;

	for (; used > rows && n > CAUSE_ROWS_MIN; n -= used > rows) {
		AUTO(buf_fini) struct buf text = {0};
		remark_trouble(st, "", (struct tight){cells, n}, &text);
		used = wrap_rows(buf_str(&text), cells);
	}
	return n;
}

/* The lines with a bar at the bottom. */
static int detail_remark(const struct stage_detail *p, const struct state_stage *st,
	const struct beside *more, struct surface *s)
{
	AUTO(buf_fini) struct buf text = {0};
	bool trouble = *st->cause || *st->cure || *st->stop_why;
	enum role role =
		trouble || stage_state_over(st->state) ? stage_state_role(st->state) : ROLE_BUSY;
	/* A cause with its cure is worth more than the output above it, until that is asked for. */
	int limit = trouble && !p->on_output ? s->h : s->h / 3, rows;

	remark_text(st, more, (struct tight){0}, &text);
	if (!text.len)
		return 0;
	rows = wrap_rows(buf_str(&text), s->w - 2);
	limit = limit > 1 ? limit : 1;
	if (rows > limit && trouble) {
		struct tight tight = {s->w - 2, cause_rows(st, s->w - 2, limit)};
		buf_clear(&text);
		remark_text(st, more, tight, &text);
		rows = wrap_rows(buf_str(&text), s->w - 2);
	}
	if (rows > limit)
		rows = limit;
	for (int y = 0; y < rows; y++)
		surface_put(s, s->h - rows + y, 0, role, glyph(GLYPH_BAR));
	surface_wrap(s, s->h - rows, 2, rows, s->w - 2, ROLE_TEXT, buf_str(&text));
	return rows;
}

static const char *output_line(const void *arg, size_t i, enum role *role)
{
	const struct state_stage *st = arg;
	const char *line = st->output.items[i];
	if (tferr_bad_line(line))
		*role = ROLE_BAD;
	return line;
}

struct textview_source stage_output_source(const struct state_stage *st)
{
	return (struct textview_source){.arg = st,
		.n = st->output.n,
		.first = st->output_seen - st->output.n,
		.line = output_line};
}

/* Of a stage that was over before this screen came: where its output lies; the caller's, NULL = of
 * another stage. */
static char *kept_text(const struct view *v, const struct state_stage *st)
{
	const struct views_context *c = host_context(v->host);

	if (!c || !c->run_dir || st->attempt <= 0 || !stage_state_over(st->state))
		return NULL;
	AUTO_FREE char *dir = attempt_dir(c->run_dir, st->id, st->attempt);
	AUTO_FREE char *path = path_short(dir);
	return x_asprintf(_("it is kept in %s/log"), path);
}

static void detail_output(struct stage_detail *p, const struct view *v,
	const struct state_stage *st, struct surface *s)
{
	AUTO_FREE char *kept = kept_text(v, st);

	struct textview_source src = stage_output_source(st);
	const char *hint = p->output.still           ? _("F follow")
			   : st->state == ST_RUNNING ? _("following")
						     : NULL;
	surface_rule(s, 0, _("output"), s->w > 30 ? hint : NULL);
	struct surface body = surface_sub(s, 1, 0, s->h - 1, s->w);
	if (st->output.n == 0 && kept)
		surface_wrap(&body, 0, 0, body.h, body.w, ROLE_DIM, kept);
	else if (st->output.n == 0)
		surface_cut(&body, 0, 0, body.w, ROLE_DIM, _("nothing yet"));
	else
		textview_draw(&p->output, &src, &body);
}

/* Address of the newest whole result of its tree; NULL = none is known. Borrowed. */
static const char *result_of(const struct state *s, const struct recipe_stage *stage)
{
	const struct checkpoint *newest = NULL;

	for (size_t i = 0; stage->tree && i < s->checkpoints.n; i++) {
		const struct checkpoint *c = &s->checkpoints.items[i];
		if (c->state == CHECKPOINT_COMPLETE &&
			strcmp(checkpoint_tree_name(c->tree), stage->tree) == 0 &&
			(!newest || c->step > newest->step))
			newest = c;
	}
	return newest ? newest->uri : NULL;
}

void stage_detail_draw(struct stage_detail *p, const struct view *v, const struct state *all,
	enum stage_id id, struct surface *s)
{
	const struct state_stage *st = &all->stages[id];
	AUTO_FREE char *title = x_asprintf("%d %s", (int)id + 1, stage_title(v, id));
	surface_rule(s, 0, title, stage_moment_text(st));
	struct surface in = surface_sub(s, 1, 1, s->h - 1, s->w - 1);
	int y = detail_command(p, st, &in, 0);
	y += detail_progress(st, &in, y);
	y += stage_deploy_draw(st, &in, y);
	y += detail_job(all, id, &in, y);
	struct surface rest = surface_sub(&in, y, 0, in.h - y, in.w);
	const struct recipe *r = view_recipe(v);
	const struct recipe_stage *stage = r ? recipe_stage(r, stage_word(id)) : NULL;
	const struct beside more = {
		.token = stage_token_file(r, all, id),
		.result = stage ? result_of(all, stage) : NULL,
		.next = stage && !p->about_beside ? recipe_text(&stage->after) : NULL,
	};
	int remark = detail_remark(p, st, &more, &rest);
	struct surface below = surface_sub(s, 1 + y, 1, rest.h - remark, s->w - 1);
	if (below.h < 2)
		return;
	if (id == STAGE_CLEANUP && all->cleanup.n > 0 && !p->on_output)
		stage_proof_draw(all, &below);
	else if (!st->started && st->output.n == 0)
		stage_about_draw(v, id, &below);
	else
		detail_output(p, v, st, &below);
}
