/* SPDX-License-Identifier: Apache-2.0 */
/* Worlds in which a person must decide: a result of something else, an undo that left something. */
#include "core/run/event.h"
#include "tests/view/world.h"

void world_other(struct state *s, int64_t at)
{
	struct event ev = event_stage(STAGE_TRAIN, MOVE_BLOCKED, 0);

	ev.at = at;
	ev.u.stage.cause_id = "other-result";
	ev.u.stage.cause = "the result of something else is there: step: 100 there, 50 here; "
			   "num_batches: 100 there, 50 here; and 1 more of them; "
			   "gs://rehearsal-lab-gemma/gemma4-26b/trained/rl/checkpoints/actor/";
	ev.u.stage.cure =
		"gcloud storage rm -r "
		"gs://rehearsal-lab-gemma/gemma4-26b/trained/rl/checkpoints/actor/ deletes "
		"it; or choose another bucket; or skip the stage to use it all the same";
	run_apply(s, &ev);
}

void world_undo(struct state *s, int64_t at)
{
	struct event ev = event_stage(STAGE_CONVERT, MOVE_UNDO, 0);

	ev.at = at;
	ev.u.stage.undo = 1;
	run_apply(s, &ev);
	ev = event_stage(STAGE_CONVERT, MOVE_FAILED, 1);
	ev.at = at;
	ev.u.stage.cause_id = "undo-left";
	ev.u.stage.cause =
		"not all of it is gone: 12 objects are still there, the first is "
		"gs://rehearsal-lab-gemma/gemma4-26b/max-text-format/0/_CHECKPOINT_METADATA";
	ev.u.stage.cure = "undo the stage again; what is gone already is passed over";
	run_apply(s, &ev);
}
