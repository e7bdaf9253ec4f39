/* SPDX-License-Identifier: Apache-2.0 */
#include "views/common.h"

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/machine.h"
#include "core/base/recorded.h"
#include "core/base/text.h"
#include "core/fmt/time.h"
#include "core/run/folder.h"
#include "tui/term.h"
#include "views/cloud_shell.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const struct {
	const char *text;
	enum role role;
	enum glyph glyph;
} states[ST_COUNT] = {
	[ST_TODO] = {N_("to do"), ROLE_DIM, GLYPH_TODO},
	[ST_BLOCKED] = {N_("blocked"), ROLE_WARN, GLYPH_FAILED},
	[ST_RUNNING] = {N_("running"), ROLE_BUSY, GLYPH_RUNNING},
	[ST_VERIFYING] = {N_("verifying"), ROLE_BUSY, GLYPH_RUNNING},
	[ST_DONE] = {N_("done"), ROLE_OK, GLYPH_DONE},
	[ST_SKIPPED] = {N_("skipped"), ROLE_DIM, GLYPH_SKIPPED},
	[ST_FAILED] = {N_("failed"), ROLE_BAD, GLYPH_FAILED},
	[ST_CANCELLED] = {N_("cancelled"), ROLE_WARN, GLYPH_SKIPPED},
	[ST_UNKNOWN] = {N_("unknown"), ROLE_UNKNOWN, GLYPH_UNKNOWN},
};

static const struct views_context *context_of(const struct view *v)
{
	return host_context(v->host);
}

const struct recipe *view_recipe(const struct view *v)
{
	const struct views_context *c = context_of(v);
	return c ? c->recipe : NULL;
}

bool view_may_act(const struct view *v)
{
	const struct views_context *c = context_of(v);
	return c && c->run_dir && !c->read_only;
}

static bool view_posted(struct view *v, int rc, const struct err *e)
{
	const struct views_context *c = context_of(v);
	if (rc != 0)
		host_toast(v->host, ROLE_BAD, "%s: %s", e->what, e->hint);
	else if (c->posted)
		c->posted(c->arg);
	return rc == 0;
}

static bool view_may_post(struct view *v)
{
	if (view_may_act(v))
		return true;
	host_toast(v->host, ROLE_WARN, "%s", _("this screen is read-only"));
	return false;
}

bool view_post(struct view *v, enum intent_kind kind, enum stage_id stage, const char *name,
	const char *text)
{
	const struct views_context *c = context_of(v);
	struct err e = {0};
	return view_may_post(v) &&
	       view_posted(v, intent_post(c->run_dir, kind, stage, name, text, &e), &e);
}

bool view_post_for(
	struct view *v, enum intent_kind kind, enum stage_id stage, int attempt, const char *text)
{
	const struct views_context *c = context_of(v);
	struct err e = {0};
	return view_may_post(v) &&
	       view_posted(v, intent_post_for(c->run_dir, kind, stage, attempt, text, &e), &e);
}

bool view_run(struct view *v, const struct view_program *p)
{
	const struct views_context *c = host_context(v->host);
	struct err e = {0};

	if (!c || !c->run || c->read_only) {
		host_toast(v->host, ROLE_WARN, "%s", _("this screen runs no programs"));
		return false;
	}
	if (c->run(c->terminal, p, &e) == 0)
		return true;
	host_toast(v->host, ROLE_BAD, "%s: %s", e.what, e.hint);
	return false;
}

const char *jobset_phase_text(enum jobset_phase p)
{
	static const char *const texts[JOBSET_PHASE_COUNT] = {
		[JOBSET_ABSENT] = N_("absent"),
		[JOBSET_QUEUED] = N_("queued"),
		[JOBSET_HEAD_STARTING] = N_("head-starting"),
		[JOBSET_WORKERS_STARTING] = N_("workers-starting"),
		[JOBSET_RUNNING] = N_("running"),
		[JOBSET_DONE] = N_("done"),
		[JOBSET_FAILED] = N_("failed"),
	};
	return _(texts[p]);
}

const char *checkpoint_state_text(enum checkpoint_state s)
{
	static const char *const texts[CHECKPOINT_STATE_COUNT] = {
		[CHECKPOINT_ABSENT] = N_("absent"),
		[CHECKPOINT_WRITING] = N_("writing"),
		[CHECKPOINT_COMPLETE] = N_("complete"),
		[CHECKPOINT_ABANDONED] = N_("abandoned"),
	};
	return _(texts[s]);
}

const char *training_phase_text(enum training_phase p)
{
	static const char *const texts[] = {
		[TRAINING_NO_PHASE] = "",
		[TRAINING_ROLLOUT] = N_("rollout"),
		[TRAINING_TRAIN] = N_("train"),
		[TRAINING_SYNC] = N_("sync"),
		[TRAINING_EVAL] = N_("eval"),
		[TRAINING_COMPILE] = N_("compile"),
		[TRAINING_SAVE] = N_("save"),
	};
	return _(texts[p]);
}

void head_draw(struct surface *s, const struct state *st, const char *name, const char *what,
	const char *right)
{
	int end = s->w;
	surface_fill(s, 0, 0, 1, s->w, ROLE_HEAD);
	if (*st->label) {
		AUTO_FREE char *label = x_asprintf(" %s ", st->label);
		end -= surface_right(s, 0, end, 20, ROLE_LABEL, label) + 1;
	}
	int x = 1 + surface_text(s, 0, 1, -1, ROLE_HEAD_NAME, "rlpilot");
	x += 2 + surface_cut(s, 0, x + 2, end - x - 2, ROLE_HEAD_NAME, name);
	if (right && *right && end - x > text_width(right) + (what ? text_width(what) : 0) + 5)
		end -= surface_right(s, 0, end, end - x, ROLE_HEAD, right) + 1;
	if (what && end - x > 4)
		surface_cut(s, 0, x + 2, end - x - 3, ROLE_HEAD, what);
}

/* What a person is asked for, as a line. */
static const char *question_text(const struct state *s)
{
	static const char *const texts[][2] = {
		{"login", N_("A login is needed: s, Enter logs in on this terminal")},
		{"go-on", N_("The cluster is up. How shall it go on? s, Enter answers")},
		{"held", N_("The last stage ended before it was stopped: Enter goes on with this "
			    "one.")},
		{"confirm-cleanup", N_("All is exported. Clean-up: s, Enter")},
	};
	if (strcmp(s->question, "confirm-cleanup") == 0 && s->cost.chips > 0)
		return _("All is exported, the chips still cost. Clean-up: s, Enter");
	for (size_t i = 0; i < COUNT(texts); i++)
		if (strcmp(texts[i][0], s->question) == 0)
			return _(texts[i][1]);
	return s->question;
}

/* What a window list shows: where the run is. */
static void head_title(const struct state *st)
{
	const struct training *t = state_training(st);
	AUTO(buf_fini) struct buf title = {0};
	if (st->current == STAGE_NONE)
		buf_addf(&title, "%s", _("all stages are over"));
	else if (st->current == STAGE_TRAIN && t->steps > 0)
		buf_addf(&title, "%s %" PRId64 "/%" PRId64, stage_word(st->current), t->step,
			t->steps);
	else
		buf_addf(&title, "%s %s", stage_word(st->current),
			stage_state_text(st->stages[st->current].state));
	buf_addf(&title, "  rlpilot%s%s", *st->label ? " " : "", st->label);
	term_title(buf_str(&title));
}

/* Whoever shows it again and again shows its age. */
static char *lost_text(struct view *v, const struct state *st)
{
	bool gone = state_alert_raised(st, ALERT_ENGINE_GONE);
	bool silent = state_alert_raised(st, ALERT_ENGINE_SILENT);
	bool stopped = state_alert_raised(st, ALERT_ENGINE_STOPPED);
	int64_t age = clock_now() - st->engine_beat;
	bool elsewhere = silent && !machine_is(st->host) && age >= RUN_ELSEWHERE_MS;
	char span[SPAN_SIZE], key[16];
	const char *ago = span_text(age, span);
	AUTO_FREE char *cure = NULL;

	if (!gone && !silent && !stopped)
		return NULL;
	view_wake(v, 1000);
	if ((gone || stopped || elsewhere) && view_may_act(v))
		cure = x_asprintf(elsewhere ? _(": %s goes on here") : _(": %s starts it again"),
			action_key(ACT_ENGINE, key, sizeof(key)));
	if (gone)
		return x_asprintf(_("the engine is gone (last sign %s ago), its work goes on%s"),
			ago, cure ? cure : "");
	if (stopped && st->exit_code == err_exit_code(ERR_CANNOT_WRITE))
		return x_asprintf(_("cannot write (disk full?): engine ended%s"), cure ? cure : "");
	if (stopped)
		return x_asprintf(_("the engine has ended, its work goes on%s"), cure ? cure : "");
	return x_asprintf(
		_("the engine on %s has given no sign for %s%s"), st->host, ago, cure ? cure : "");
}

/* What went wrong with the run itself stands before what it asks and what it warns of. */
static char *first_text(struct view *v, const struct state *st)
{
	char *lost;

	for (size_t i = 0; i < st->alerts.n; i++)
		if (strcmp(st->alerts.items[i].id, ALERT_FOLDER_GONE) == 0 &&
			state_alert_raised(st, ALERT_FOLDER_GONE))
			return recorded_text(st->alerts.items[i].text);
	lost = lost_text(v, st);
	return lost || !*st->question ? lost : x_strdup(question_text(st));
}

void head_alert(struct view *v, const struct state *st)
{
	char span[SPAN_SIZE];
	const struct state_alert *newest = NULL;
	AUTO_FREE char *text = first_text(v, st);

	head_title(st);
	for (size_t i = 0; i < st->alerts.n && !text; i++) {
		const struct state_alert *a = &st->alerts.items[i];
		if (strcmp(a->state, "raised") == 0 && (!newest || a->since >= newest->since))
			newest = a;
	}
	if (newest) {
		AUTO_FREE char *said = recorded_text(newest->text);
		text = x_asprintf("%s  %s", time_text(newest->since, span), said);
	}
	host_alert(v->host, text ? ROLE_ALERT : ROLE_TEXT, text);
	cloud_shell_clock(v);
}

void head_tiny(struct surface *s, const struct state *st)
{
	const struct training *t = state_training(st);
	const char *stage = st->current == STAGE_NONE ? _("all done") : stage_word(st->current);
	enum stage_state state =
		st->current == STAGE_NONE ? ST_DONE : st->stages[st->current].state;
	int x = surface_textf(
		s, 0, 0, -1, stage_state_role(state), "%s %s", stage, stage_state_text(state));
	if (st->current == STAGE_TRAIN && t->steps > 0)
		surface_textf(
			s, 0, x + 1, -1, ROLE_TEXT, "%" PRId64 "/%" PRId64, t->step, t->steps);
}

const char *stage_state_text(enum stage_state st)
{
	return _(states[st].text);
}

bool stage_being_undone(const struct state_stage *st)
{
	return st->undo > 0 && stage_state_works(st->state);
}

const char *stage_moment_text(const struct state_stage *st)
{
	return stage_being_undone(st) ? _("being undone") : stage_state_text(st->state);
}

enum role stage_state_role(enum stage_state st)
{
	return states[st].role;
}

enum glyph stage_state_glyph(enum stage_state st)
{
	return states[st].glyph;
}

const char *stage_title(const struct view *v, enum stage_id id)
{
	const struct recipe *r = view_recipe(v);
	const struct recipe_stage *s = r ? recipe_stage(r, stage_word(id)) : NULL;
	const char *title = s ? recipe_text(&s->title) : "";
	return *title ? title : stage_word(id);
}

const char *span_clock(int64_t ms, char out[SPAN_SIZE])
{
	int64_t s = ms / 1000;
	if (ms < 0)
		snprintf(out, SPAN_SIZE, "%s", glyph_str(GLYPH_DASH));
	else if (s < 3600)
		snprintf(out, SPAN_SIZE, "%" PRId64 ":%02" PRId64, s / 60, s % 60);
	else
		snprintf(out, SPAN_SIZE, "%" PRId64 ":%02" PRId64 ":%02" PRId64, s / 3600,
			s / 60 % 60, s % 60);
	return out;
}

const char *span_text(int64_t ms, char out[SPAN_SIZE])
{
	int64_t s = ms / 1000;
	if (ms < 0)
		snprintf(out, SPAN_SIZE, "%s", glyph_str(GLYPH_DASH));
	else if (s < 120)
		snprintf(out, SPAN_SIZE, "%" PRId64 "s", s);
	else if (s < 5400)
		snprintf(out, SPAN_SIZE, "%" PRId64 "m", s / 60);
	else if (s < 172800)
		snprintf(out, SPAN_SIZE, "%" PRId64 "h%02" PRId64 "m", s / 3600, s / 60 % 60);
	else
		snprintf(out, SPAN_SIZE, "%" PRId64 "d", s / 86400);
	return out;
}

const char *time_text(int64_t at, char out[SPAN_SIZE])
{
	time_t t = (time_t)(at / 1000);
	struct tm tm;
	if (at <= 0 || !localtime_r(&t, &tm))
		snprintf(out, SPAN_SIZE, "%s", glyph_str(GLYPH_DASH));
	else
		strftime(out, SPAN_SIZE, "%H:%M", &tm);
	return out;
}

char *jobset_past_text(const struct state *st)
{
	const char *how = st->past.terminal;
	char at[SPAN_SIZE];

	if (!how)
		return NULL;
	if (!*how)
		return x_asprintf(_("the JobSet %s was deleted before its end"), st->jobset_name);
	time_text(st->past.ended, at);
	if (strcmp(how, "Completed") == 0)
		return x_asprintf(st->past.by_ttl
					  ? _("the JobSet %s finished at %s and was removed after "
					      "its time to live")
					  : _("the JobSet %s finished at %s and was deleted"),
			st->jobset_name, at);
	return x_asprintf(
		st->past.by_ttl
			? _("the JobSet %s failed at %s and was removed after its time to live")
			: _("the JobSet %s failed at %s and was deleted"),
		st->jobset_name, at);
}

int64_t stage_took(const struct state_stage *s)
{
	if (!s->started)
		return -1;
	return (s->ended ? s->ended : clock_now()) - s->started;
}
