/* SPDX-License-Identifier: Apache-2.0 */
#include "views/stage_ask.h"

#include "core/base/buf.h"
#include "core/base/path.h"
#include "core/base/recorded.h"
#include "core/base/text.h"
#include "core/run/cloud_shell.h"
#include "core/run/neighbour.h"
#include "core/run/person.h"
#include "core/run/undo.h"
#include "views/stage_words.h"

#include <stdlib.h>
#include <string.h>

#define RUNS_MAX 3 /* named in a question */

static const char *value_of(const struct state *s, const char *name)
{
	const struct state_value *v = state_value_find(s, name);
	return v && v->present ? v->value : "";
}

bool stage_ask_open(const struct stage_ask *q)
{
	return q->menu.open || q->dialog.open;
}

bool stage_ask_typing(const struct stage_ask *q)
{
	return q->dialog.open && (q->dialog.word || q->dialog.free);
}

void stage_ask_draw(struct stage_ask *q, struct surface *s)
{
	if (q->menu.open)
		menu_draw(&q->menu, s);
	if (q->dialog.open)
		dialog_draw(&q->dialog, s);
}

void stage_ask_close(struct stage_ask *q)
{
	menu_close(&q->menu);
	dialog_close(&q->dialog);
	free(q->body);
	q->body = NULL;
}

/* Takes over body. */
static void open_menu(
	struct stage_ask *q, enum ask_step step, const char *title, char *body, size_t n)
{
	free(q->body);
	q->body = body;
	q->step = step;
	menu_open(&q->menu, title, body, q->items, n);
}

static void refuse(struct view *v, const char *why)
{
	host_toast(v->host, ROLE_WARN, "%s", why);
}

/* With what is seen of it: nobody chooses what he has not read (core/run/intent.h). */
static void post_begin(struct view *v, const struct state *s, enum stage_id id)
{
	const struct state_stage *st = &s->stages[id];
	bool again = st->attempt > 0 || st->state != ST_TODO;
	view_post(v, again ? INTENT_RETRY : INTENT_START, id, NULL,
		*st->cause_id ? st->cause_id : INTENT_SAW_NOTHING);
}

/* --- on the real terminal */

static void logged_in(void *arg, int code)
{
	struct view *v = arg;
	const struct state *s = host_state(v->host);
	if (code != 0)
		refuse(v, _("the login was not finished; nothing was started"));
	else if (s->current != STAGE_NONE && *s->question)
		post_begin(v, s, s->current);
}

static void log_in(struct view *v, const struct state *s)
{
	const struct views_context *c = host_context(v->host);
	AUTO_FREE char *script = person_logins(view_recipe(v));
	AUTO_FREE char *folder = person_folder(c->run_dir);
	const char *argv[] = {"/bin/sh", "-c", script, NULL};
	struct strvec env = {0};
	person_environment(s, c->run_dir, &env);
	view_run(v, &(struct view_program){.title = _("Login of Google Cloud. What is there "
						      "already is left out. ^C gives up."),
			    .argv = argv,
			    .env = (const char *const *)env.items,
			    .cwd = folder,
			    .done = logged_in,
			    .arg = v});
	strvec_fini(&env);
}

static void open_shell(struct view *v, const struct state *s, enum stage_id id)
{
	const struct views_context *c = host_context(v->host);
	AUTO_FREE char *folder = person_folder(c->run_dir);
	AUTO_FREE char *title = x_asprintf(_("Stage %s: a shell where its commands run, with the "
					     "run's values and kubeconfig. exit goes back. Their "
					     "output is in %s/stages/%s"),
		stage_word(id), c->run_dir, stage_word(id));
	AUTO_FREE char *said = path_short(title);
	const char *argv[] = {person_shell(), NULL};
	struct strvec env = {0};
	person_environment(s, c->run_dir, &env);
	view_run(v, &(struct view_program){.title = said,
			    .argv = argv,
			    .env = (const char *const *)env.items,
			    .cwd = folder});
	strvec_fini(&env);
}

/* --- questions */

/* Where the machine ends by itself, that is said; the caller's. */
static char *with_warning(const char *body, enum stage_id from, enum stage_id to)
{
	AUTO_FREE char *ends = cloud_shell_warning(from, to);
	return ends ? x_asprintf("%s\n%s", body, ends) : x_strdup(body);
}

/* Asked once before the long stages, and whenever the person wants. */
static void ask_mode(struct stage_ask *q, const struct state *s)
{
	bool first = strcmp(s->question, "go-on") == 0;
	bool each = !first && !s->go_on_alone; /* what is so now stands first */
	q->items[each] = (struct menu_item){
		"alone", _("Go on alone to the end of export"), _("never to clean-up")};
	q->items[!each] = (struct menu_item){
		"each", _("Stop after each stage"), _("the chips cost while it waits")};
	open_menu(q, ASK_MODE,
		first ? _("The cluster is up. How shall it go on?") : _("How shall it go on?"),
		first ? stage_long_text(s)
		      : with_warning(s->go_on_alone
					     ? _("Now: it goes on alone to the end of export.")
					     : _("Now: it stops after each stage. Going on alone "
						 "begins the next one "
						 "at once; from the cluster on that costs money."),
				s->current, STAGE_EXPORT),
		2);
}

static void ask_cleanup(struct stage_ask *q, const struct state *s)
{
	const char *cluster = value_of(s, "CLUSTER_NAME");
	AUTO_FREE char *what = x_asprintf(
		_("This destroys the cluster %s with its node pools, networks and service "
		  "accounts. "
		  "Logs of finished pods are gone then. The bucket is asked about next."),
		cluster);
	AUTO_FREE char *body = with_warning(what, STAGE_CLEANUP, STAGE_CLEANUP);
	q->step = ASK_CLEANUP;
	dialog_open(&q->dialog, _("Clean up?"), body, cluster);
}

/* Whose it is besides: of a time before this run, of other runs. */
static void add_owners(struct buf *out, const struct view *v, const struct state *s)
{
	const struct views_context *c = host_context(v->host);
	AUTO(strvec_fini) struct strvec runs = {0};

	if (s->stages[STAGE_BUCKET].state == ST_SKIPPED)
		buf_addf(out, "\n%s", _("It was there before this run."));
	if (c->run_dir)
		neighbour_bucket(c->run_dir, value_of(s, "GCS_BUCKET"), &runs);
	for (size_t i = 0; i < runs.n && i < RUNS_MAX; i++)
		buf_addf(out, "%s%s %s", i ? "," : "\n", i ? "" : _("Other runs use it too:"),
			runs.items[i]);
	if (runs.n > RUNS_MAX)
		buf_addf(out, _(" and %zu more"), runs.n - RUNS_MAX);
}

static void ask_bucket(struct stage_ask *q, const struct view *v, const struct state *s)
{
	struct buf body = {0};

	buf_addf(&body,
		_("It holds the exported model, the checkpoints and the curves. "
		  "Copy what you need first:\n"
		  "$ gcloud storage cp -r gs://%s/%s/hf-trained ."),
		value_of(s, "GCS_BUCKET"), value_of(s, "MODEL_NAME"));
	add_owners(&body, v, s);
	q->items[0] = (struct menu_item){"keep", _("Keep the bucket"), _("it costs only storage")};
	q->items[1] =
		(struct menu_item){"delete", _("Delete the bucket and everything in it"), NULL};
	open_menu(q, ASK_BUCKET, _("The bucket"), buf_take(&body), 2);
}

static void ask_bucket_name(struct stage_ask *q, const struct state *s)
{
	q->step = ASK_BUCKET_NAME;
	dialog_open(&q->dialog, _("Delete the bucket?"),
		_("Every object in it is lost, the exported model too. There is no way back. It "
		  "is kept all the same when it holds what this run has not made."),
		value_of(s, "GCS_BUCKET"));
}

static void ask_cancel(struct stage_ask *q, const struct state *s, enum stage_id id)
{
	bool typed = id == STAGE_CLUSTER || id == STAGE_CLEANUP;
	AUTO_FREE char *loss = stage_loss_text(s, id);
	AUTO_FREE char *body =
		x_asprintf(_("%s For a few seconds it can be taken back with x."), loss);
	q->step = ASK_ACTION;
	q->attempt = s->stages[id].attempt;
	dialog_open(&q->dialog, typed ? _("Stop it half-way?") : _("Stop this stage?"), body,
		typed ? value_of(s, "CLUSTER_NAME") : NULL);
}

/* The key that stops also takes the stop back. */
static void stop_or_keep(
	struct stage_ask *q, struct view *v, const struct state *s, enum stage_id id)
{
	const struct state_stage *st = &s->stages[id];
	if (st->stop == STOP_ASKED)
		view_post_for(v, INTENT_KEEP, id, st->attempt, NULL);
	else if (st->stop == STOP_SENT)
		refuse(v, _("it has been told already and finishes what it has begun"));
	else if (stage_state_works(st->state))
		ask_cancel(q, s, id);
	else
		refuse(v, _("nothing runs in this stage"));
}

static void ask_undo(struct stage_ask *q, struct view *v, const struct state *s, enum stage_id id)
{
	const struct recipe *r = view_recipe(v);
	const char *why = "";
	if (!r || !undo_possible(r, s, id, &why)) {
		refuse(v, why);
		return;
	}
	AUTO_FREE char *title = x_asprintf(_("Undo the stage %s?"), stage_word(id));
	AUTO_FREE char *body = stage_undo_text(r, s, id);
	q->step = ASK_ACTION;
	q->action = ACT_UNDO;
	q->stage = id;
	dialog_open(&q->dialog, title, body, undo_word(r, s, id));
}

static void ask_skip(struct stage_ask *q)
{
	q->step = ASK_ACTION;
	q->action = ACT_SKIP;
	dialog_ask(&q->dialog, _("Skip this stage?"),
		_("The next ones believe that its result is there. Say why; it goes into the "
		  "journal."));
}

static void ask_today(struct stage_ask *q, struct view *v, const struct state *s)
{
	if (!view_recipe(v) || s->cost.chips <= 0) {
		refuse(v, _("no chips are up: leaving costs nothing"));
		return;
	}
	bool works = stage_at_work(s);
	q->items[0] = (struct menu_item){"keep", _("Leave it up"),
		works ? _("it ends, and nothing after it begins") : _("nothing begins by itself")};
	q->items[1] =
		(struct menu_item){"destroy", _("Destroy the cluster"), _("asks for its name")};
	open_menu(q, ASK_TODAY, _("Stop for today"), stage_today_text(view_recipe(v), s),
		works ? 1 : 2);
}

/* --- what now? */

static size_t add(
	struct stage_ask *q, size_t n, const char *id, const char *text, const char *detail)
{
	if (n < STAGE_ASK_ITEMS)
		q->items[n++] = (struct menu_item){id, text, detail};
	return n;
}

/* What is most likely wanted; the situation decides. */
static size_t add_first(struct stage_ask *q, size_t n, const struct state *s, enum stage_id id)
{
	const struct state_stage *st = &s->stages[id];
	if (undo_failed(s, id)) {
		n = add(q, n, "undo", _("Undo it again"), _("what is gone is passed over"));
		return add(
			q, n, "retry", _("Begin the stage anew"), _("it makes again what is gone"));
	}
	if (strcmp(st->cause_id, "recognised") == 0)
		return add(q, n, "use", _("Use it"), _("the stage is skipped"));
	if (strcmp(st->cause_id, "other-step") == 0)
		return add(
			q, n, "retry", _("Go on from that step"), _("as MaxText does by itself"));
	if (strcmp(st->cause_id, "other-result") == 0)
		return add(q, n, "retry", _("Look again"), _("once it is moved or deleted"));
	if (stage_state_over(st->state))
		return n;
	return add(q, n, "retry", _("Try again"), _("what the last try left is removed first"));
}

/* After a failure, or for a stage that is over: all that may be done with it, the safe first. */
static void ask_now(struct stage_ask *q, struct view *v, const struct state *s, enum stage_id id)
{
	const struct state_stage *st = &s->stages[id];
	const struct recipe *r = view_recipe(v);
	bool over = stage_state_over(st->state);
	size_t n = 0;
	if (!over && strcmp(s->question, "login") == 0 && s->current == id)
		n = add(q, n, "login", _("Log in"), _("on this terminal, then it goes on"));
	n = add_first(q, n, s, id);
	n = add(q, n, "shell", _("Open a shell"), _("where its commands run"));
	if (!over)
		n = add(q, n, "skip",
			strcmp(st->cause_id, "other-result") == 0 ? _("Use it all the same")
								  : _("Skip it"),
			_("asks why"));
	if (r && !undo_failed(s, id) && undo_possible(r, s, id, NULL))
		n = add(q, n, "undo", _("Undo it"), _("shows the commands first"));
	if (s->token_files.n)
		n = add(q, n, "forget", _("Delete files with the token"), _("that gcluster left"));
	open_menu(q, ASK_NOW, over ? _("What about this stage?") : _("What now?"),
		over        ? NULL
		: *st->cure ? recorded_text(st->cure)
			    : recorded_text(st->cause),
		n);
}

static void ask_begin(struct stage_ask *q, const char *body)
{
	q->step = ASK_BEGIN;
	dialog_open(&q->dialog, _("Begin it here?"), body, NULL);
}

static void begin_stage(
	struct stage_ask *q, struct view *v, const struct state *s, enum stage_id id)
{
	enum stage_state st = s->stages[id].state;
	AUTO_FREE char *ends = cloud_shell_warning(id, id);
	if (strcmp(s->question, "go-on") == 0 && id != STAGE_CLEANUP)
		ask_mode(q, s);
	else if (id == STAGE_CLEANUP && !stage_state_over(st) &&
		 (st == ST_TODO || q->action == ACT_RUN))
		ask_cleanup(q, s);
	else if (strcmp(s->question, "confirm-cleanup") == 0 && id == s->current)
		ask_cleanup(q, s);
	else if (stage_state_over(st) || st == ST_FAILED || st == ST_BLOCKED || st == ST_CANCELLED)
		ask_now(q, v, s, id);
	else if (s->current == id && id == STAGE_CLUSTER && ends)
		ask_begin(q, ends);
	else if (s->current == id)
		post_begin(v, s, id);
	else
		host_toast(v->host, ROLE_WARN, _("the next one is %s"),
			s->current == STAGE_NONE ? _("none: all are over")
						 : stage_word(s->current));
}

static void retry(struct stage_ask *q, struct view *v, const struct state *s, enum stage_id id)
{
	enum stage_state st = s->stages[id].state;
	if (undo_failed(s, id))
		ask_now(q, v, s, id); /* which of the two? */
	else if (id == STAGE_CLEANUP)
		ask_cleanup(q, s); /* never without its name */
	else if (st == ST_FAILED || st == ST_BLOCKED || st == ST_CANCELLED || st == ST_UNKNOWN)
		post_begin(v, s, id);
	else
		begin_stage(q, v, s, id);
}

void stage_ask_begin(
	struct stage_ask *q, struct view *v, const struct state *s, enum stage_id id, enum action a)
{
	enum stage_state st = s->stages[id].state;
	bool running = stage_state_works(st);
	q->action = a;
	q->stage = id;
	if (!view_may_act(v))
		refuse(v, _("this screen is read-only"));
	else if (a == ACT_CANCEL)
		stop_or_keep(q, v, s, id);
	else if (a == ACT_MODE)
		ask_mode(q, s);
	else if (a == ACT_TODAY)
		ask_today(q, v, s);
	else if (a == ACT_SHELL)
		open_shell(v, s, id);
	else if (running)
		refuse(v, _("it runs already"));
	else if (a == ACT_UNDO)
		ask_undo(q, v, s, id);
	else if (a == ACT_SKIP)
		ask_skip(q);
	else if (a == ACT_RETRY)
		retry(q, v, s, id);
	else
		begin_stage(q, v, s, id);
}

/* --- answers */

static void chosen_now(struct stage_ask *q, struct view *v, const struct state *s, const char *id)
{
	if (strcmp(id, "login") == 0)
		log_in(v, s);
	else if (strcmp(id, "retry") == 0 && q->stage == STAGE_CLEANUP)
		ask_cleanup(q, s);
	else if (strcmp(id, "retry") == 0)
		post_begin(v, s, q->stage);
	else if (strcmp(id, "shell") == 0)
		open_shell(v, s, q->stage);
	else if (strcmp(id, "skip") == 0)
		ask_skip(q);
	else if (strcmp(id, "use") == 0)
		view_post(v, INTENT_SKIP, q->stage, NULL, s->stages[q->stage].cause);
	else if (strcmp(id, "forget") == 0)
		view_post(v, INTENT_FORGET_TOKEN, STAGE_NONE, NULL, NULL);
	else
		ask_undo(q, v, s, q->stage);
}

static void chosen_today(struct stage_ask *q, struct view *v, const struct state *s, const char *id)
{
	if (strcmp(id, "destroy") == 0)
		ask_undo(q, v, s, STAGE_CLUSTER);
	else if (view_post(v, INTENT_STOP_AFTER, STAGE_NONE, NULL, NULL))
		host_toast(
			v->host, ROLE_TOAST, "%s", _("it stays up; q leaves, the meter runs on"));
}

static void asked_menu(struct stage_ask *q, struct view *v, const struct state *s, const char *id)
{
	if (!id)
		return;
	if (q->step == ASK_NOW)
		chosen_now(q, v, s, id);
	else if (q->step == ASK_TODAY)
		chosen_today(q, v, s, id);
	else if (q->step == ASK_MODE)
		view_post(v, strcmp(id, "alone") == 0 ? INTENT_GO_ON : INTENT_STOP_AFTER,
			STAGE_NONE, NULL, NULL);
	else if (strcmp(id, "delete") == 0)
		ask_bucket_name(q, s);
	else if (view_post(v, INTENT_KEEP_BUCKET, STAGE_NONE, NULL, NULL))
		view_post(v, INTENT_CONFIRM_CLEANUP, STAGE_NONE, NULL, value_of(s, "CLUSTER_NAME"));
}

static void asked_dialog(struct stage_ask *q, struct view *v, const struct state *s)
{
	AUTO_FREE char *typed = x_strdup(field_text(&q->dialog.field));
	enum intent_kind kind = q->action == ACT_SKIP ? INTENT_SKIP : INTENT_UNDO;
	dialog_close(&q->dialog);
	if (q->step == ASK_BEGIN)
		post_begin(v, s, q->stage);
	else if (q->step == ASK_CLEANUP)
		ask_bucket(q, v, s);
	else if (q->step == ASK_BUCKET_NAME) {
		if (view_post(v, INTENT_CONFIRM_BUCKET, STAGE_NONE, NULL, typed))
			view_post(v, INTENT_CONFIRM_CLEANUP, STAGE_NONE, NULL,
				value_of(s, "CLUSTER_NAME"));
	} else if (q->action == ACT_CANCEL)
		view_post_for(v, INTENT_CANCEL, q->stage, q->attempt, typed);
	else
		view_post(v, kind, q->stage, NULL, typed);
}

bool stage_ask_act(struct stage_ask *q, struct view *v, const struct state *s, enum action a,
	const struct key *k)
{
	const char *chosen;
	bool yes;
	if (menu_act(&q->menu, a, k, &chosen)) {
		asked_menu(q, v, s, chosen);
		return true;
	}
	if (dialog_act(&q->dialog, a, k, &yes)) {
		if (yes)
			asked_dialog(q, v, s);
		return true;
	}
	return false;
}
