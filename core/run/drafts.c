/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/drafts.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/redact.h"

#define FILE_MAX ((size_t)1 << 20)

static char *file_of(const char *run_dir)
{
	return path_join(run_dir, "drafts.json");
}

json_t *drafts_read(const char *run_dir)
{
	AUTO_FREE char *file = file_of(run_dir);
	AUTO(json_auto)
	json_t *all = path_exists(file) ? json_read_file(file, FILE_MAX, NULL) : NULL;
	json_t *drafts = json_path(all, "drafts");

	return json_is_object(drafts) ? json_incref(drafts) : json_object();
}

static int save(const char *run_dir, json_t *drafts, struct err *e)
{
	AUTO(json_auto) json_t *all = json_object();
	AUTO_FREE char *file = file_of(run_dir);
	AUTO_FREE char *text = NULL;

	json_object_set_new(all, "v", json_integer(1));
	json_object_set(all, "drafts", drafts);
	text = json_pretty(all);
	return path_write(file, text, strlen(text), e);
}

static bool looks_secret(const char *text)
{
	AUTO_FREE char *shown = redact_dup(text);

	return strcmp(shown, text) != 0;
}

int drafts_put(const char *run_dir, const char *name, const char *text, struct err *e)
{
	AUTO(json_auto) json_t *drafts = drafts_read(run_dir);
	AUTO_FREE char *cut = text ? x_strndup(text, DRAFT_MAX) : NULL;
	const char *was = json_path_str(json_object_get(drafts, name), "");

	if (cut && looks_secret(cut))
		return 1;
	if (cut ? was && strcmp(was, cut) == 0 : !was)
		return 0;
	if (cut)
		json_object_set_new(drafts, name, json_from_str(cut));
	else
		json_object_del(drafts, name);
	return save(run_dir, drafts, e);
}

void drafts_tell(const char *run_dir, void (*emit)(void *arg, const struct event *ev), void *arg)
{
	AUTO(json_auto) json_t *drafts = drafts_read(run_dir);
	struct event ev = {.kind = EV_DRAFTS};

	ev.u.object = drafts;
	emit(arg, &ev);
}
