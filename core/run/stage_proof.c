/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clean-up's proof: everything that the run has made, and whether it is gone. The deployment
 * folder holds the only key to what is left: it goes when nothing is.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/fmt/shell.h"
#include "core/run/engine_in.h"
#include "core/run/secure.h"
#include "core/run/tfstate.h"

#define TOLD_MAX 3 /* in a sentence; the list has them all */

void prove_tell(struct engine *en, const char *state, const char *what)
{
	AUTO_FREE char *line = x_asprintf("%s%s%s", state, *state ? " " : "", what);
	struct event ev = event_text(EV_CLEANUP, line);

	/* Told by an earlier life: proved again, but not written again. */
	if (strvec_find(&en->state.cleanup, line) < 0)
		engine_emit(en, &ev);
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
		prove_tell(en, path_exists(files.items[i]) ? "there" : "gone", file);
	}
	strvec_fini(&files);
}

/* --- what is left */

/* The first of them, and how many more; the caller's. */
static char *some(const struct strvec *list, const char *between)
{
	struct buf out = {0};
	size_t told = 0, n = 0;

	for (size_t i = 0; i < list->n; i++) {
		if (!*list->items[i])
			continue;
		if (n++ < TOLD_MAX && ++told)
			buf_addf(&out, "%s%s", out.len ? between : "", list->items[i]);
	}
	if (n > told)
		buf_addf(&out, _(" and %zu more, see the list"), n - told);
	return buf_take(&out);
}

/* A destroy whose end nobody saw is made again at once, whatever its state says by now: what is on
 * its way out is waited for. */
static bool destroys_again(struct engine *en, const struct proof_result *r)
{
	AUTO_FREE char *folder = engine_deployment(en);

	if (!en->lost || !act_has_script(en) || !path_is_dir(folder))
		return false;
	stage_lost(en, r->left.items[0]);
	return true;
}

/* --- their commands: one stands in the sentence, several in a file beside the journal */

static char *commands_file(const struct engine *en)
{
	return path_join(en->run->dir, "left-behind.sh");
}

static char *write_commands(const struct engine *en, const struct proof_result *r)
{
	AUTO(buf_fini) struct buf text = {0};
	AUTO_FREE char *file = commands_file(en);
	struct err e = {0};
	size_t n = 0, only = 0;

	buf_adds(&text, "#!/bin/sh\n# What this run has made and the cloud still has. gcloud asks "
			"before it deletes.\nset -x\n");
	for (size_t i = 0; i < r->commands.n; i++) {
		buf_addf(&text, "%s%s\n", *r->commands.items[i] ? "" : "# by hand: ",
			*r->commands.items[i] ? r->commands.items[i] : r->left.items[i]);
		n += *r->commands.items[i] != '\0';
		only = *r->commands.items[i] ? i : only;
	}
	if (path_write(file, buf_str(&text), text.len, &e) != 0)
		log_line("run", "%s", e.what);
	else if (n > 1) {
		AUTO(buf_fini) struct buf words = {0};
		buf_adds(&words, "sh ");
		shell_quote(&words, file);
		return x_strdup(buf_str(&words));
	}
	return x_strdup(n ? r->commands.items[only] : "");
}

static void something_left(struct engine *en, const struct proof_result *r)
{
	AUTO_FREE char *folder = engine_deployment(en);
	AUTO_FREE char *names = some(&r->left, ", ");
	AUTO_FREE char *command = write_commands(en, r);
	int64_t held = tfstate_held(folder);
	AUTO_FREE char *cause = x_asprintf(held > 0 ? _("not all is destroyed: still there: %s")
						    : _("terraform holds all for gone, but the "
							"cloud still has: %s"),
		names);
	AUTO_FREE char *cure =
		held > 0 ? x_strdup(_("start the clean-up again: it destroys the rest; the "
				      "deployment folder is kept for that"))
			 : x_asprintf(_("delete it, then start the clean-up again; the deployment "
					"folder is kept until then: %s"),
				   command);

	en->cause_id = held > 0 ? "destroy-unfinished" : "left-behind";
	stage_failed(en, cause, cure);
}

static void something_unknown(struct engine *en, const struct proof_result *r)
{
	AUTO_FREE char *names = some(&r->unknown, "; ");
	AUTO_FREE char *cause = x_asprintf(_("not known whether it is gone: %s"), names);

	en->cause_id = "proof-unknown";
	stage_failed(en, cause,
		_("see to it that this login may look at it, then start the clean-up again; the "
		  "deployment folder is kept until then"));
}

/* --- nothing is */

static void folder_goes(struct engine *en)
{
	AUTO_FREE char *commands = commands_file(en);
	AUTO_FREE char *folder = engine_deployment(en);
	struct err e = {0};

	prove_manifests(en);
	(void)path_remove_tree(commands, NULL);
	en->proven = true;
	if (act_builtins(en, &e) != 0) {
		stage_failed(en, e.what, e.hint);
		return;
	}
	prove_tell(en, path_exists(folder) ? "there" : "gone", "deployment folder");
	if (!en->ending)
		bucket_last(en);
}

static void on_proof(void *arg, const struct proof_result *r)
{
	struct engine *en = arg;

	en->proof = NULL;
	if (r->left.n && destroys_again(en, r))
		return;
	for (size_t i = 0; i < r->lines.n; i++)
		prove_tell(en, "", r->lines.items[i]);
	if (en->ending)
		return;
	if (r->left.n)
		something_left(en, r);
	else if (r->unknown.n)
		something_unknown(en, r);
	else
		folder_goes(en);
}

struct proof *prove_ask(struct engine *en, void (*fn)(void *arg, const struct proof_result *result))
{
	struct proof_place at = {engine_value(en, "PROJECT"), engine_value(en, "REGION"),
		engine_value(en, "CLUSTER_NAME")};

	return proof_ask(en->cloud, en->run->dir, &at, fn, en);
}

void prove_begin(struct engine *en, bool cluster_gone)
{
	struct event gone = {.kind = EV_CLUSTER_GONE};

	if (cluster_gone) {
		engine_emit(en, &gone);
		cluster_close(&en->cluster);
	}
	if (!en->ending)
		en->proof = prove_ask(en, on_proof);
}
