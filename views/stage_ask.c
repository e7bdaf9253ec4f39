/* SPDX-License-Identifier: Apache-2.0 */
#include "views/stage_ask.h"

#include "core/base/text.h"

#include <string.h>

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
}

static void ask_mode(struct stage_ask *q)
{
	q->items[0] = (struct menu_item){
		"alone", _("Go on alone to the end of export"), _("clean-up never starts by itself")};
	q->items[1] = (struct menu_item){"each", _("Stop after each stage"),
			_("the node pool costs money while it waits")};
	q->step = ASK_MODE;
	menu_open(&q->menu, _("The cluster is up. How shall it go on?"),
		_("The long stages begin now: conversion, training, export. They run detached: this "
		  "screen may be closed at any time."),
		q->items, COUNT(q->items));
}

static void ask_cleanup(struct stage_ask *q, const struct state *s)
{
	const char *cluster = value_of(s, "CLUSTER_NAME");
	AUTO_FREE char *body = x_asprintf(
		_("This destroys the cluster %s with its node pools, networks and service accounts. "
		  "Logs of finished pods are gone then. The bucket is asked about next."),
		cluster);
	q->step = ASK_CLEANUP;
	dialog_open(&q->dialog, _("Clean up?"), body, cluster);
}

static void ask_bucket(struct stage_ask *q)
{
	q->items[0] = (struct menu_item){"keep", _("Keep the bucket"), _("it costs only storage")};
	q->items[1] = (struct menu_item){"delete", _("Delete the bucket and everything in it"), NULL};
	q->step = ASK_BUCKET;
	menu_open(&q->menu, _("The bucket"),
		_("It holds the exported model, the checkpoints and the curves. Copy what you need "
		  "first."),
		q->items, COUNT(q->items));
}

static void ask_bucket_name(struct stage_ask *q, const struct state *s)
{
	q->step = ASK_BUCKET_NAME;
	dialog_open(&q->dialog, _("Delete the bucket?"),
		_("Every object in it is lost, the exported model too. There is no way back."),
		value_of(s, "GCS_BUCKET"));
}

static void ask_cancel(struct stage_ask *q, const struct state *s, enum stage_id id)
{
	bool typed = id == STAGE_CLUSTER || id == STAGE_CLEANUP;
	q->step = ASK_ACTION;
	if (typed)
		dialog_open(&q->dialog, _("Stop it half-way?"),
			_("terraform is told to stop and finishes what it has begun. Resources may be "
			  "left half made; they cost until they are destroyed. Never close it by force."),
			value_of(s, "CLUSTER_NAME"));
	else
		dialog_open(&q->dialog, _("Stop this stage?"),
			_("What it has done so far stays. It can be started again."), NULL);
}

/* A stage that may simply begin, after the question that goes with it. */
static void begin_stage(struct stage_ask *q, struct view *v, const struct state *s, enum stage_id id)
{
	if (strcmp(s->question, "go-on") == 0)
		ask_mode(q);
	else if (id == STAGE_CLEANUP || strcmp(s->question, "confirm-cleanup") == 0)
		ask_cleanup(q, s);
	else if (s->stages[id].attempt > 0 && !stage_state_over(s->stages[id].state))
		view_post(v, INTENT_RETRY, id, NULL, NULL);
	else if (s->current == id)
		view_post(v, INTENT_START, id, NULL, NULL);
	else
		host_toast(v->host, ROLE_WARN, _("the next one is %s"),
			s->current == STAGE_NONE ? _("none: all are over") : stage_word(s->current));
}

void stage_ask_begin(struct stage_ask *q, struct view *v, const struct state *s, enum stage_id id,
	enum action a)
{
	enum stage_state st = s->stages[id].state;
	bool running = st == ST_RUNNING || st == ST_VERIFYING;
	q->action = a;
	q->stage = id;
	if (!view_may_act(v)) {
		host_toast(v->host, ROLE_WARN, "%s", _("this screen is read-only"));
		return;
	}
	if (a == ACT_CANCEL && running)
		ask_cancel(q, s, id);
	else if (a == ACT_CANCEL || running)
		host_toast(v->host, ROLE_WARN, "%s",
			running ? _("it runs already") : _("nothing runs in this stage"));
	else if (a == ACT_SKIP) {
		q->step = ASK_ACTION;
		dialog_ask(&q->dialog, _("Skip this stage?"),
			_("The next ones believe that its result is there. Say why; it goes into the "
			  "journal."));
	} else
		begin_stage(q, v, s, id);
}

static void asked_menu(struct stage_ask *q, struct view *v, const struct state *s, const char *id)
{
	if (!id)
		return;
	if (q->step == ASK_MODE)
		view_post(v, strcmp(id, "alone") == 0 ? INTENT_GO_ON : INTENT_STOP_AFTER, STAGE_NONE,
			NULL, NULL);
	else if (strcmp(id, "delete") == 0)
		ask_bucket_name(q, s);
	else if (view_post(v, INTENT_KEEP_BUCKET, STAGE_NONE, NULL, NULL))
		view_post(v, INTENT_CONFIRM_CLEANUP, STAGE_NONE, NULL, value_of(s, "CLUSTER_NAME"));
}

static void asked_dialog(struct stage_ask *q, struct view *v, const struct state *s)
{
	AUTO_FREE char *typed = x_strdup(field_text(&q->dialog.field));
	dialog_close(&q->dialog);
	if (q->step == ASK_CLEANUP)
		ask_bucket(q);
	else if (q->step == ASK_BUCKET_NAME) {
		if (view_post(v, INTENT_CONFIRM_BUCKET, STAGE_NONE, NULL, typed))
			view_post(v, INTENT_CONFIRM_CLEANUP, STAGE_NONE, NULL,
				value_of(s, "CLUSTER_NAME"));
	} else
		view_post(v, q->action == ACT_SKIP ? INTENT_SKIP : INTENT_CANCEL, q->stage, NULL, typed);
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
