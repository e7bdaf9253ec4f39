/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bucket, last: kept unless its name was typed, or when others have something in it.
 */
#include <stdlib.h>

#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/cloud/gcs.h"
#include "core/run/engine_in.h"

#define DAY_S 86400

struct bucket_look {
	bool tried;        /* its command has run */
	int64_t soft_days; /* what is deleted is kept and paid so long */
};

static const char *bucket(const struct engine *en)
{
	return engine_value(en, "GCS_BUCKET");
}

static void tell(struct engine *en, const char *state)
{
	AUTO_FREE char *what = x_asprintf("bucket gs://%s", bucket(en));

	prove_tell(en, state, what);
}

/* --- whose is it? */

static void on_ours(void *arg, struct fact_list *answers)
{
	struct engine *en = arg;
	const struct fact *failed = facts_failed(answers);
	AUTO_FREE char *cause = NULL;

	en->facts = NULL;
	if (!failed) {
		en->bucket->tried = true;
		stage_again(en, _("all else is gone: now the bucket"));
		return;
	}
	if (failed->known)
		tell(en, "kept");
	stage_fact_failed(en, failed, &cause);
	if (!en->ending)
		stage_failed(en, cause, failed->cure);
}

static void ask_ours(struct engine *en)
{
	static struct recipe_fact ours = {.id = "bucket-ours"};
	static const struct recipe_facts wanted = {.items = &ours, .n = 1};

	en->facts = facts_ask(&en->place, &wanted, false, on_ours, en);
}

/* --- is it there? */

static void is_gone(struct engine *en)
{
	int64_t days = en->bucket->soft_days;
	AUTO_FREE char *note =
		en->bucket->tried && days > 0
			? x_asprintf(_("Cloud Storage keeps what was in the bucket for %lld more "
				       "days and bills it: soft delete"),
				  (long long)days)
			: NULL;

	tell(en, "gone");
	if (!en->ending)
		stage_done(en, note);
}

static void is_there(struct engine *en)
{
	if (!engine_confirmed_bucket(en)) {
		tell(en, "kept");
		if (!en->ending)
			stage_done(en, NULL);
	} else if (!en->bucket->tried) {
		ask_ours(en);
	} else if (en->lost) {
		stage_lost(en, _("the bucket is still there"));
	} else {
		tell(en, "there");
		if (!en->ending)
			stage_failed(en, _("the bucket is still there"), NULL);
	}
}

static void on_bucket(void *arg, json_t *reply, const struct err *e)
{
	struct engine *en = arg;

	if (e && e->http == 404) {
		is_gone(en);
	} else if (e && engine_confirmed_bucket(en)) {
		stage_failed(en, e->what, e->hint);
	} else {
		if (reply)
			en->bucket->soft_days =
				json_path_i64(
					reply, "softDeletePolicy.retentionDurationSeconds", 0) /
				DAY_S;
		is_there(en);
	}
}

void bucket_last(struct engine *en)
{
	if (!en->bucket)
		en->bucket = X_NEW(struct bucket_look);
	gcs_bucket(en->cloud, bucket(en), (struct cloud_done){on_bucket, en});
}

void bucket_leave(struct engine *en)
{
	if (!en->bucket)
		return;
	cloud_cancel_all(en->cloud, en);
	free(en->bucket);
	en->bucket = NULL;
}
