/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/intent.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/fmt/json.h"

#define INTENT_MAX ((size_t)64 << 10)

static const char *const words[INTENT_COUNT] = {
#define X(name, word) [name] = (word),
	INTENTS(X)
#undef X
};

void intent_fini(struct intent *i)
{
	x_wipe_free(i->name);
	x_wipe_free(i->text);
	free(i->file);
	i->name = i->text = i->file = NULL;
}

const char *intent_word(enum intent_kind k)
{
	return k < INTENT_COUNT ? words[k] : "";
}

char *intent_to_json(const struct intent *i)
{
	AUTO(json_auto) json_t *j = json_object();

	json_object_set_new(j, "v", json_integer(1));
	json_object_set_new(j, "intent", json_string(intent_word(i->kind)));
	if (i->stage != STAGE_NONE)
		json_object_set_new(j, "stage", json_string(stage_word(i->stage)));
	if (i->attempt > 0)
		json_object_set_new(j, "attempt", json_integer(i->attempt));
	if (i->name && *i->name)
		json_object_set_new(j, "name", json_from_str(i->name));
	if (i->text && *i->text)
		json_object_set_new(j, "text", json_from_str(i->text));
	return json_line(j);
}

int intent_from_json(const char *data, size_t n, struct intent *out, struct err *e)
{
	AUTO(json_auto) json_t *j = json_parse(data, n, e);
	const char *word, *stage;
	unsigned k;

	memset(out, 0, sizeof(*out));
	out->stage = STAGE_NONE;
	if (!j)
		return -1;
	if (json_path_i64(j, "v", 0) != 1)
		return err_set(e, ERR_BAD_FILE, _("use the same version of rlpilot everywhere"),
			_("this request to the engine has an unknown format"));
	word = json_path_str_or(j, "intent", "");
	for (k = 0; k < INTENT_COUNT && strcmp(words[k], word) != 0; k++)
		;
	if (k == INTENT_COUNT)
		return err_set(e, ERR_BAD_FILE, "",
			_("the request \"%s\" to the engine is unknown"), word);
	stage = json_path_str(j, "stage");
	if (stage && stage_from_word(stage) == STAGE_NONE)
		return err_set(e, ERR_BAD_FILE, "",
			_("a request to the engine names the unknown stage \"%s\""), stage);
	out->attempt = (int)json_path_i64(j, "attempt", 0);
	out->kind = (enum intent_kind)k;
	out->stage = stage_from_word(stage);
	out->name = x_strdup(json_path_str_or(j, "name", ""));
	out->text = x_strdup(json_path_str_or(j, "text", ""));
	return 0;
}

static int post(const char *run_dir, const struct intent *i, struct err *e)
{
	static unsigned count;
	AUTO_FREE char *dir = path_join(run_dir, "inbox");
	AUTO_FREE char *file = NULL;
	char *json;
	int rc;

	if (!path_is_dir(run_dir))
		return err_set(e, ERR_CANNOT_WRITE,
			_("put it back, or open it where it is now: rlpilot --run FOLDER"),
			_("the run folder %s is gone"), run_dir);
	if (path_mkdirs(dir, e) != 0)
		return -1;
	file = x_asprintf(
		"%s/%015lld-%ld-%03u.json", dir, (long long)clock_now(), (long)getpid(), count++);
	json = intent_to_json(i);
	rc = path_write(file, json, strlen(json), e);
	x_wipe_free(json);
	return rc;
}

int intent_post(const char *run_dir, enum intent_kind kind, enum stage_id stage, const char *name,
	const char *text, struct err *e)
{
	struct intent i = {
		.kind = kind, .stage = stage, .name = (char *)name, .text = (char *)text};

	return post(run_dir, &i, e);
}

int intent_post_for(const char *run_dir, enum intent_kind kind, enum stage_id stage, int attempt,
	const char *text, struct err *e)
{
	struct intent i = {.kind = kind, .stage = stage, .text = (char *)text, .attempt = attempt};

	return post(run_dir, &i, e);
}

static bool take_file(const char *file, struct intent *out)
{
	struct buf b = {0};
	struct err e = {0};
	bool good = path_read(file, INTENT_MAX, &b, &e) == 0 &&
		    intent_from_json(b.data ? b.data : "", b.len, out, &e) == 0;

	if (good && out->kind == INTENT_CANCEL)
		out->file = x_strdup(file);
	else if (unlink(file) != 0)
		good = false;
	if (!good)
		log_line("run", "intent dropped: %s", e.what);
	buf_fini(&b);
	return good;
}

bool intent_settle(const struct intent *i)
{
	if (!i->file || unlink(i->file) == 0)
		return true;
	log_line("run", "the intent %s stays in the inbox", i->file);
	return false;
}

int intent_take(const char *run_dir, struct intent *out)
{
	AUTO_FREE char *dir = path_join(run_dir, "inbox");
	struct strvec names = {0};
	int got = 0;

	if (path_list(dir, &names, NULL) != 0)
		return 0;
	for (size_t i = 0; i < names.n && !got; i++) {
		AUTO_FREE char *file = NULL;
		if (!text_ends(names.items[i], ".json"))
			continue;
		file = path_join(dir, names.items[i]);
		got = take_file(file, out);
	}
	strvec_fini(&names);
	return got;
}
