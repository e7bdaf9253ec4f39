/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/beat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/machine.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/fmt/json.h"
#include "core/fmt/shell.h"
#include "core/fmt/time.h"
#include "core/run/event.h"
#include "core/run/folder.h"

#define ROOM_MIN         (64 * 1024)
#define ENGINE_SILENT_MS 60000 /* wall: an engine beats every ten seconds and more often */

int beat_write(const char *run_dir, const char *host, int64_t pid, int64_t beat_ms, struct err *e)
{
	AUTO_FREE char *file = path_join(run_dir, "engine");
	AUTO(json_auto) json_t *j = json_object();
	AUTO_FREE char *line = NULL;
	char when[TIME_SIZE];

	json_object_set_new(j, "host", json_from_str(host));
	json_object_set_new(j, "pid", json_integer(pid));
	json_object_set_new(j, "beat", json_string(time_format_ms(beat_ms, when)));
	line = json_line(j);
	return path_write(file, line, strlen(line), e);
}

int beat_read(const char *run_dir, char *host, size_t size, int64_t *pid, int64_t *beat_ms)
{
	AUTO_FREE char *file = path_join(run_dir, "engine");
	AUTO(json_auto) json_t *j = path_exists(file) ? json_read_file(file, 4096, NULL) : NULL;

	if (!j)
		return -1;
	(void)snprintf(host, size, "%s", json_path_str_or(j, "host", ""));
	*pid = json_path_i64(j, "pid", 0);
	*beat_ms = time_parse_ms(json_path_str(j, "beat"));
	return *beat_ms == TIME_NONE ? -1 : 0;
}

enum engine_life engine_life(const char *run_dir, bool stopped)
{
	char host[MACHINE_SIZE];
	int64_t pid, beat;

	if (run_locked(run_dir, NULL, NULL, 0))
		return ENGINE_LIVES;
	if (stopped || beat_read(run_dir, host, sizeof(host), &pid, &beat) != 0)
		return ENGINE_NONE;
	return machine_is(host) ? ENGINE_GONE : ENGINE_ELSEWHERE;
}

/* A beat may be late by wall time only: fast rehearsals beat once in many minutes of the run. */
static bool late(const struct state *s)
{
	return s->engine_beat > 0 &&
	       clock_now() - s->engine_beat > (int64_t)(ENGINE_SILENT_MS * clock_factor());
}

static const char *what_is_wrong(enum engine_life life, const struct state *s)
{
	if (s->current == STAGE_NONE)
		return "";
	if (life == ENGINE_GONE)
		return ALERT_ENGINE_GONE;
	if (life == ENGINE_NONE)
		return s->stopped && state_unended(s) != STAGE_NONE ? ALERT_ENGINE_STOPPED : "";
	return late(s) ? ALERT_ENGINE_SILENT : "";
}

static bool full(const char *run_dir)
{
	struct statvfs fs;

	return statvfs(run_dir, &fs) == 0 &&
	       ((fs.f_flag & ST_RDONLY) || (uint64_t)fs.f_bavail * fs.f_frsize < ROOM_MIN);
}

/* Did it end because nothing could be written, as far as can be seen? */
static bool for_want_of_room(const char *id, const char *run_dir, const struct state *s)
{
	if (strcmp(id, ALERT_ENGINE_STOPPED) == 0)
		return s->exit_code == err_exit_code(ERR_CANNOT_WRITE);
	return strcmp(id, ALERT_ENGINE_GONE) == 0 && full(run_dir);
}

static char *said_of(const char *id, const char *run_dir, const struct state *s)
{
	bool gone = strcmp(id, ALERT_ENGINE_GONE) == 0;

	if (for_want_of_room(id, run_dir, s))
		return x_strdup(gone ? _("the engine has gone, and the disk of the run's folder is "
					 "full or read-only; what it began goes on")
				     : _("the engine could not write to the run's folder and has "
					 "ended (is the disk full, or read-only?); what it began "
					 "goes on"));
	if (gone)
		return x_asprintf(_("the engine (process %lld) has gone without a word; what it "
				    "began goes on"),
			(long long)s->engine_pid);
	if (strcmp(id, ALERT_ENGINE_STOPPED) == 0)
		return x_asprintf(_("the engine has ended (code %d) while a stage is at work; what "
				    "it began goes on"),
			s->exit_code);
	return x_asprintf(_("the engine (process %lld on %s) gives no sign"),
		(long long)s->engine_pid, s->host);
}

static char *cure_of(
	const char *id, const char *run_dir, enum engine_life life, const struct state *s)
{
	AUTO(buf_fini) struct buf dir = {0};

	if (for_want_of_room(id, run_dir, s)) {
		shell_quote(&dir, run_dir);
		return x_asprintf(
			_("make room (df -h %s); then `rlpilot --run %s` starts it again"),
			buf_str(&dir), s->name);
	}
	if (strcmp(id, ALERT_ENGINE_SILENT) != 0)
		return x_asprintf(_("`rlpilot --run %s` starts it again"), s->name);
	return x_asprintf(life == ENGINE_ELSEWHERE
				  ? _("look at %s; if nothing works there any more, `rlpilot --run "
				      "%s` goes on here")
				  : _("look at that process on %s; if it is stuck, end it: "
				      "`rlpilot --run %s` starts another"),
		s->host, s->name);
}

void engine_tell(const char *run_dir, const struct state *s,
	void (*emit)(void *arg, const struct event *ev), void *arg)
{
	static const char *const ids[] = {
		ALERT_ENGINE_GONE, ALERT_ENGINE_STOPPED, ALERT_ENGINE_SILENT};
	enum engine_life life = engine_life(run_dir, s->stopped);
	const char *wrong = what_is_wrong(life, s);

	for (size_t i = 0; i < COUNT(ids); i++) {
		bool on = strcmp(ids[i], wrong) == 0;
		struct state_alert alert = {.id = (char *)ids[i],
			.state = (char *)(on ? "raised" : "cleared"),
			.since = s->engine_beat};
		struct event ev = {.kind = EV_ALERT, .u.alert = &alert};

		if (on == state_alert_raised(s, ids[i]))
			continue;
		alert.text = said_of(ids[i], run_dir, s);
		alert.cure = cure_of(ids[i], run_dir, life, s);
		emit(arg, &ev);
		free(alert.text);
		free(alert.cure);
	}
}
