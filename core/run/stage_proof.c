/* SPDX-License-Identifier: Apache-2.0 */
/* The clean-up's proof: everything that the run has made, and whether it is gone. */
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/run/engine_in.h"
#include "core/run/secure.h"

static void tell_line(struct engine *en, const char *line)
{
	struct event ev = event_text(EV_CLEANUP, line);

	/* Told by an earlier life: proved again, but not written again. */
	if (strvec_find(&en->state.cleanup, line) < 0)
		engine_emit(en, &ev);
}

static void tell(struct engine *en, const char *state, const char *what)
{
	AUTO_FREE char *line = x_asprintf("%s %s", state, what);

	tell_line(en, line);
}

static void prove_manifests(struct engine *en)
{
	struct strvec files = {0};

	secure_tell(en->run->recipe, &en->state, engine_emit, en);
	for (size_t i = 0; i < en->state.token_files.n; i++)
		strvec_push(&files, en->state.token_files.items[i]);
	act_forget_token(en);
	for (size_t i = 0; i < files.n; i++) {
		AUTO_FREE char *file = x_asprintf("manifest %s", files.items[i]);
		tell(en, path_exists(files.items[i]) ? "there" : "gone", file);
	}
	strvec_fini(&files);
}

static void prove_rest(struct engine *en)
{
	const char *cluster = values_get(&en->run->values, "CLUSTER_NAME");
	const char *bucket = values_get(&en->run->values, "GCS_BUCKET");
	AUTO_FREE char *the_cluster = x_asprintf("cluster %s", cluster ? cluster : "");
	AUTO_FREE char *the_bucket = x_asprintf("bucket gs://%s", bucket ? bucket : "");

	prove_manifests(en);
	/* Both have been verified. */
	tell(en, "gone", the_cluster);
	tell(en, "gone", "deployment folder");
	tell(en,
		!en->bucket_there             ? "gone"
		: engine_confirmed_bucket(en) ? "there"
					      : "kept",
		the_bucket);
}

static void on_proof(void *arg, const struct strvec *lines, bool gone)
{
	struct engine *en = arg;
	struct event ev = {.kind = EV_CLUSTER_GONE};

	en->proof = NULL;
	for (size_t i = 0; i < lines->n; i++)
		tell_line(en, lines->items[i]);
	prove_rest(en);
	engine_emit(en, &ev);
	cluster_close(&en->cluster);
	if (en->ending)
		return;
	if (!gone)
		stage_failed(en, _("something that the run has made is still there: see the list"),
			_("delete it by hand, then skip this stage"));
	else if (en->bucket_there && engine_confirmed_bucket(en))
		stage_failed(en, _("the bucket is still there"), NULL);
	else
		stage_done(en, NULL);
}

static void on_bucket_absent(void *arg, struct fact_list *answers)
{
	struct engine *en = arg;

	en->facts = NULL;
	en->bucket_there = facts_failed(answers) != NULL;
	en->proof = proof_ask(en->cloud, en->run->dir, on_proof, en);
}

void act_prove_cleanup(struct engine *en)
{
	static struct recipe_pair name = {"name", "${GCS_BUCKET}"};
	static struct recipe_fact absent = {
		.id = "bucket-absent", .args = {.items = &name, .n = 1}};
	static const struct recipe_facts wanted = {.items = &absent, .n = 1};

	en->facts = facts_ask(&en->place, &wanted, false, on_bucket_absent, en);
}
