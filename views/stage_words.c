/* SPDX-License-Identifier: Apache-2.0 */
#include "views/stage_words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/base/recorded.h"
#include "core/base/text.h"
#include "core/fmt/cause.h"
#include "core/run/cloud_shell.h"
#include "views/common.h"

#define HOUR_S       3600
#define NIGHT_H      12  /* until tomorrow morning */
#define COMMANDS_MAX 900 /* bytes of commands shown: a question must fit the screen */

static char *training_loss(const struct state *s)
{
	const struct training *t = state_training(s);
	long long safe = (long long)state_safe_step(s);

	if (safe >= 0)
		return x_asprintf(_("The job and its pods are deleted; a copy of their logs stays "
				    "here. Step %lld is "
				    "safe: what came after it (now step %lld) is lost. The next "
				    "try goes on from it. "
				    "The chips stay up and cost."),
			safe, (long long)t->step);
	if (t->step <= 0)
		return x_strdup(_("The job and its pods are deleted; a copy of their logs stays "
				  "here. No step has been trained yet: only the start-up is lost. "
				  "The chips stay up and cost."));
	return x_asprintf(_("The job and its pods are deleted; a copy of their logs stays here. No "
			    "checkpoint is safe "
			    "yet: all %lld steps are lost. The chips stay up and cost."),
		(long long)t->step);
}

char *stage_loss_text(const struct state *s, enum stage_id id)
{
	static const char *const texts[STAGE_COUNT] = {
		[STAGE_TOOLKIT] = N_("The download is begun anew the next time."),
		[STAGE_LOGIN] = N_("A login that is half done is begun anew the next time."),
		[STAGE_BUCKET] = N_("The bucket may be there already; the next try recognises it."),
		[STAGE_CLUSTER] = N_("terraform is told to stop, once, and finishes what it has "
				     "begun: that may take "
				     "minutes. Resources may be left half made; they cost until "
				     "they are destroyed. "
				     "Never end it by force: its state would be lost."),
		[STAGE_CONVERT] = N_("The job and its pods are deleted; a copy of their logs stays "
				     "here. What it has "
				     "written is incomplete and removed before the next try, which "
				     "begins at zero. "
				     "The chips stay up and cost."),
		[STAGE_EXPORT] = N_(
			"The job and its pods are deleted; a copy of their logs stays here. The "
			"shards "
			"written so far are removed before the next try. The checkpoints stay. The "
			"chips stay up and cost."),
		[STAGE_CLEANUP] =
			N_("terraform is told to stop, once, and finishes what it has begun. What "
			   "is left "
			   "then goes on costing until it is destroyed. Never end it by force."),
	};

	const struct state_stage *st = &s->stages[id];

	if (st->state == ST_VERIFYING)
		return x_strdup(_("Its work is done and only its result is being verified: "
				  "nothing of it is lost. The next stage does not begin by "
				  "itself."));
	if (st->state == ST_RUNNING && st->undo > 0)
		return x_strdup(id == STAGE_CLUSTER
					? _(texts[STAGE_CLEANUP])
					: _("What the undo has removed is gone, the rest stays. It "
					    "can be undone again."));
	if (id == STAGE_TRAIN)
		return training_loss(s);
	return x_strdup(id < STAGE_COUNT && texts[id]
				? _(texts[id])
				: _("What it has done so far stays. It can be started again."));
}

char *stage_stop_text(const struct state_stage *st)
{
	AUTO_FREE char *why = recorded_text(st->stop_why);

	if (*why && st->stop == STOP_REFUSED)
		return x_asprintf(_("not stopped: %s (x asks again)"), why);
	return *why && st->stop == STOP_SENT ? x_asprintf(_("not told yet: %s"), why) : NULL;
}

char *stage_undo_text(const struct recipe *r, const struct state *s, enum stage_id id)
{
	const struct recipe_stage *stage = recipe_stage(r, stage_word(id));
	const struct strvec *commands = &s->stages[id].undo_commands;
	struct buf out = {0};

	buf_adds(&out, stage ? recipe_text(&stage->undo_text) : "");
	for (size_t i = 0; i < commands->n && out.len < COMMANDS_MAX; i++) {
		const char *c = commands->items[i];
		buf_adds(&out, "\n$ ");
		/* A command over several lines reads as one here. */
		for (; *c; c++)
			if (*c == '\\' && c[1] == '\n')
				c += 1 + strspn(c + 2, " ");
			else
				buf_addc(&out, *c);
	}
	return buf_take(&out);
}

static double hours(uint32_t seconds)
{
	return (double)seconds / HOUR_S;
}

bool stage_at_work(const struct state *s)
{
	return s->current < STAGE_COUNT && stage_state_works(s->stages[s->current].state);
}

char *stage_today_text(const struct recipe *r, const struct state *s)
{
	const struct recipe_stage *deploy = recipe_stage(r, stage_word(STAGE_CLUSTER));
	const struct recipe_stage *destroy = recipe_stage(r, stage_word(STAGE_CLEANUP));
	uint32_t min = (deploy ? deploy->usual_min_s : 0) + (destroy ? destroy->usual_min_s : 0);
	uint32_t max = (deploy ? deploy->usual_max_s : 0) + (destroy ? destroy->usual_max_s : 0);
	double chips = (double)s->cost.chips;
	struct buf out = {0};

	buf_addf(&out,
		_("%" PRId64
		  " chips are up and have cost %.1f chip-h so far, %.0f chip-h each hour, with or "
		  "without a job."),
		s->cost.chips, cost_chip_hours(&s->cost, clock_now()), chips);
	buf_addf(&out, "\n");
	buf_addf(&out,
		_("Left up: %.0f chip-h until tomorrow (%d h), and nothing has to be made again."),
		chips * NIGHT_H, NIGHT_H);
	buf_addf(&out, "\n");
	buf_addf(&out,
		_("Destroyed and deployed again: %u to %u minutes, at most %.0f chip-h of it with "
		  "chips; "
		  "they must be free again then. Bucket, checkpoints and this run stay; jobs and "
		  "the logs "
		  "of their pods go."),
		min / 60, max / 60, chips * hours(max));
	if (stage_at_work(s)) {
		buf_addf(&out, "\n");
		buf_addf(&out,
			_("The stage %s is at work and goes on to its end: to destroy the cluster "
			  "now, stop it first (x)."),
			stage_word(s->current));
	}
	buf_addf(&out, "\n");
	buf_addf(&out, _("Prices: %s"), r->chips.price_link);
	return buf_take(&out);
}

char *stage_long_text(const struct state *s)
{
	AUTO(buf_fini) struct buf there = {0};
	AUTO_FREE char *ends = cloud_shell_warning(STAGE_CONVERT, STAGE_EXPORT);
	const char *begins = ends ? ends
				  : _("The long stages begin now: conversion, training, export. "
				      "They run detached: this screen may be closed at any time.");
	bool trained = false;

	for (size_t i = 0; i < s->checkpoints.n; i++) {
		const struct checkpoint *c = &s->checkpoints.items[i];
		if (c->state != CHECKPOINT_COMPLETE)
			continue;
		trained |= c->tree == CHECKPOINT_TRAINED;
		buf_addf(&there, "%s%s", there.len ? ", " : "", checkpoint_tree_name(c->tree));
		if (c->step > 0)
			buf_addf(&there, "/%" PRId64, c->step);
	}
	if (!there.len)
		return x_strdup(begins);
	AUTO_FREE char *used = x_asprintf(
		_("%s\nIn the bucket already, and used as it is: %s. To have one made anew, stop "
		  "after each stage."),
		begins, buf_str(&there));
	return x_asprintf("%s%s", used,
		trained ? _(" A step that is not the training's last is asked about before it "
			    "goes on from there.")
			: "");
}

const char *stage_token_file(const struct recipe *r, const struct state *s, enum stage_id id)
{
	const struct recipe_stage *stage =
		r && id < STAGE_COUNT ? recipe_stage(r, stage_word(id)) : NULL;
	AUTO_FREE char *name = x_asprintf("/%s.yaml", stage && stage->jobset ? stage->jobset : "");

	for (size_t i = 0; i < s->token_files.n; i++)
		if (text_ends(s->token_files.items[i], name))
			return s->token_files.items[i];
	return NULL;
}
