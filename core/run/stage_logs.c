/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The logs of a stage's pods, kept on disk while they run: with its node, its Job or its JobSet a
 * pod is gone, and what it wrote last is what tells why.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/run/engine_in.h"
#include "core/run/last_words.h"

#define FOLLOWED_MAX 16 /* pods whose logs are followed from their start on */

static void spool_drop(void *value)
{
	struct spool *s = value;

	spool_close(&s);
}

/* A container that has started again goes on in the same file. */
static bool follows(struct engine *en, const char *key, bool works, bool counts)
{
	struct spool *s = map_get(&en->spools, key);

	if (s && counts)
		spool_awaited(s);
	return s && (!spool_over(s) || !works);
}

/* works: it runs now; the engine waits for the ends of those that count. */
static void open_spool(struct engine *en, const struct pod *pod, const struct pod_container *c,
	bool story, bool counts)
{
	AUTO_FREE char *key = x_asprintf("%s/%s", pod->name, c->name);
	struct spool_spec spec = {.kube = cluster_kube(en->cluster),
		.run_dir = en->run->dir,
		.ns = "default",
		.pod = pod->name,
		.container = c->name,
		.stage = en->stage,
		.story = story,
		.aside = !counts,
		.emit = engine_emit,
		.arg = en};
	struct spool *s;
	struct err e = {0};

	if (!spec.kube || follows(en, key, strcmp(c->state, "running") == 0, counts))
		return;
	map_del(&en->spools, key);
	s = spool_open(&spec, &e);
	if (!s) {
		log_line("run", "spool %s: %s", key, e.what);
		return;
	}
	en->spools.free_value = spool_drop;
	map_set(&en->spools, key, s);
}

static bool in_trouble(const struct pod *pod)
{
	bool trouble = strcmp(pod->phase, "Failed") == 0 || pod->restarts > 0;

	for (size_t i = 0; i < pod->n; i++)
		trouble |= pod->containers[i].exit_code > 0;
	return trouble;
}

/* The container that failed, or has started again after that; NULL = none has. */
static const struct pod_container *culprit(const struct pod *pod)
{
	for (size_t i = 0; i < pod->n; i++)
		if (pod->containers[i].exit_code > 0 || pod->containers[i].restarts > 0)
			return &pod->containers[i];
	return NULL;
}

static const char *culprit_name(const struct pod *pod)
{
	const struct pod_container *c = culprit(pod);

	return c ? c->name : pod->main_container;
}

/* "Evicted: The node was low on …", "OOMKilled"; "" = nobody says. The caller's. */
static char *culprit_reason(const struct pod *pod)
{
	const struct pod_container *c = culprit(pod);
	bool whole = strcmp(pod->phase, "Failed") == 0 && *pod->message;
	const char *reason = !c || whole        ? pod->reason
			     : c->exit_code > 0 ? c->reason
						: c->last_reason;

	return x_asprintf("%s%s%s", reason, whole ? ": " : "", whole ? pod->message : "");
}

/* What fails first is most likely the reason of all that follows. */
static void remember(struct engine *en, const struct pod *pod, bool main)
{
	if (en->trouble_pod)
		return;
	en->trouble_pod = x_strdup(pod->name);
	en->trouble_container = x_strdup(culprit_name(pod));
	en->trouble_reason = culprit_reason(pod);
	en->trouble_main = main;
}

/* The main pod tells the story, with its sidecars beside it. The others are followed while they
 * work, where they are few; those in trouble always. */
static void open_spools_of(struct engine *en, const struct pod *pod, bool few)
{
	const struct jobset_role *main_role = jobset_main_role(&en->state.jobset);
	bool story, others, trouble = in_trouble(pod);

	if (!main_role || !*pod->node)
		return;
	story = strcmp(pod->role, main_role->name) == 0 && strcmp(pod->index, "0") == 0;
	others = few && strcmp(pod->role, main_role->name) != 0;
	if (trouble && !pod->deleting && !jobset_ended(en->state.phase))
		remember(en, pod, story);
	for (size_t i = 0; (story || others || trouble) && i < pod->n; i++) {
		const struct pod_container *c = &pod->containers[i];
		bool main = strcmp(c->name, pod->main_container) == 0;
		if (c->started || c->exit_code >= 0 || (main && story))
			open_spool(en, pod, c, story && main, (story && main) || c->exit_code > 0);
	}
}

void logs_open(struct engine *en)
{
	const char *name;
	void *pod;

	if (!en->state.jobset_there)
		return;
	for (size_t i = 0; map_next(&en->state.pods, &i, &name, &pod);)
		open_spools_of(en, pod, en->state.pods.live <= FOLLOWED_MAX);
}

bool logs_read(const struct engine *en)
{
	const char *key;
	void *spool;

	for (size_t i = 0; map_next(&en->spools, &i, &key, &spool);)
		if (!spool_ended(spool))
			return false;
	return true;
}

static char *first_words(const struct engine *en)
{
	AUTO_FREE char *words = last_words(en->run->dir, en->trouble_pod, en->trouble_container);
	struct buf out = {0};

	if (!en->trouble_main) {
		buf_addf(&out, _("first in trouble was %s"), en->trouble_pod);
		if (*en->trouble_reason)
			buf_addf(&out, ": %s", en->trouble_reason);
	}
	buf_addf(&out, "%s%s", out.len && *words ? "\n" : "", words);
	return buf_take(&out);
}

char *logs_words(const struct engine *en)
{
	const struct jobset_role *main_role = jobset_main_role(&en->state.jobset);
	const struct pod *head = NULL;
	const char *name;
	void *value;

	if (!en->recipe || !en->recipe->jobset || en->phase == PHASE_UNDO)
		return x_strdup("");
	if (en->trouble_pod)
		return first_words(en);
	for (size_t i = 0; main_role && map_next(&en->state.pods, &i, &name, &value);) {
		const struct pod *p = value;
		if (strcmp(p->role, main_role->name) == 0 && strcmp(p->index, "0") == 0)
			head = p;
	}
	return head ? last_words(en->run->dir, head->name, culprit_name(head)) : x_strdup("");
}

void logs_leave(struct engine *en)
{
	map_fini(&en->spools);
	free(en->trouble_pod);
	free(en->trouble_container);
	free(en->trouble_reason);
	en->trouble_pod = en->trouble_container = en->trouble_reason = NULL;
}
