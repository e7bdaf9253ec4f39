/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/follow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/redact.h"
#include "core/base/text.h"
#include "core/fmt/tferr.h"
#include "core/run/attempt.h"
#include "core/run/deploy.h"
#include "core/run/tail.h"
#include "core/run/tfstate.h"

struct follow {
	enum stage_id stage;
	struct tail *output, *events;
	struct deploy deploy;
	struct tferr_list errors;
	void (*emit)(void *arg, const struct event *ev);
	void *arg;
};

static void on_deploy_line(void *arg, const char *line, size_t n)
{
	struct follow *f = arg;
	const struct deploy *d = &f->deploy;
	struct event ev = {.kind = EV_PROGRESS};
	struct deploy_busy named[DEPLOY_BUSY];

	if (!deploy_line(&f->deploy, line, n, clock_now()) || !d->total)
		return;
	for (size_t i = 0; i < d->n; i++) {
		named[i].since = d->busy[i].since;
		deploy_name(d->busy[i].name, named[i].name, sizeof(named[i].name));
	}
	ev.u.progress.id = f->stage;
	ev.u.progress.done = d->done;
	ev.u.progress.total = d->total;
	ev.u.progress.unit = "resource";
	ev.u.progress.text = d->n ? named[0].name : "";
	ev.u.progress.busy = named;
	ev.u.progress.n = d->n;
	f->emit(f->arg, &ev);
}

static void on_event_line(void *arg, const char *line, size_t n)
{
	struct follow *f = arg;
	AUTO(json_auto) json_t *j = json_parse(line, n, NULL);

	(void)tferr_event(&f->errors, j);
	on_deploy_line(f, line, n);
}

static void on_output(void *arg, const char *line, size_t n)
{
	struct follow *f = arg;
	struct event ev = {.kind = EV_OUTPUT};
	AUTO(buf_fini) struct buf clean = {0};
	AUTO_FREE char *safe = NULL;

	text_clean(&clean, line, n);
	safe = redact_dup(buf_str(&clean));
	ev.u.output.id = f->stage;
	ev.u.output.line = safe;
	f->emit(f->arg, &ev);
	(void)tferr_line(&f->errors, line, n);
	if (f->stage == STAGE_CLUSTER || f->stage == STAGE_CLEANUP)
		on_deploy_line(f, line, n);
}

static char *events_file(const char *run_dir, const char *cluster)
{
	return x_asprintf(
		"%s/toolkit/cluster-toolkit/gcluster_output-%s.primary.json", run_dir, cluster);
}

int follow_put_aside(const struct follow_spec *spec, struct err *e)
{
	AUTO_FREE char *from = NULL;
	AUTO_FREE char *dir = attempt_dir(spec->run_dir, spec->stage, spec->attempt - 1);
	AUTO_FREE char *to = path_join(dir, "events.jsonl");

	if (spec->stage != STAGE_CLUSTER || !spec->cluster)
		return 0;
	from = events_file(spec->run_dir, spec->cluster);
	if (!path_exists(from))
		return 0;
	if (path_is_dir(dir) && rename(from, to) == 0)
		return 0;
	return path_remove_tree(from, e);
}

struct follow *follow_open(const struct follow_spec *spec)
{
	struct follow *f = X_NEW(struct follow);
	AUTO_FREE char *dir = spec->undo > 0
				      ? attempt_undo_dir(spec->run_dir, spec->stage, spec->undo)
				      : attempt_dir(spec->run_dir, spec->stage, spec->attempt);
	AUTO_FREE char *log = path_join(dir, "log");

	f->stage = spec->stage;
	f->emit = spec->emit;
	f->arg = spec->arg;
	f->output = tail_open(spec->loop, log, on_output, f);
	if (spec->stage == STAGE_CLEANUP || (spec->stage == STAGE_CLUSTER && spec->undo > 0))
		f->deploy.total = tfstate_resources(spec->run_dir);
	if (spec->stage == STAGE_CLUSTER && spec->cluster && spec->undo <= 0) {
		AUTO_FREE char *events = events_file(spec->run_dir, spec->cluster);
		f->events = tail_open(spec->loop, events, on_event_line, f);
	}
	return f;
}

void follow_now(struct follow *f)
{
	if (!f)
		return;
	tail_now(f->output);
	if (f->events)
		tail_now(f->events);
}

void follow_rest(struct follow *f)
{
	if (!f)
		return;
	tail_rest(f->output);
	if (f->events)
		tail_rest(f->events);
}

const struct tferr *follow_error(struct follow *f)
{
	if (!f)
		return NULL;
	tferr_end(&f->errors);
	return tferr_main(&f->errors);
}

void follow_close(struct follow **fp)
{
	struct follow *f = *fp;

	if (!f)
		return;
	*fp = NULL;
	tail_close(&f->output);
	tail_close(&f->events);
	tferr_fini(&f->errors);
	free(f);
}
