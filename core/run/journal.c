/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/redact.h"
#include "core/base/text.h"
#include "core/fmt/json.h"
#include "core/fmt/time.h"
#include "core/run/attempt.h"
#include "core/run/jsonl.h"

#define SEQ_MAX (INT64_MAX / 2) /* there is always a next one */

struct journal {
	int fd;
	int64_t seq;
	char *file;
};

static void set_text(json_t *j, const char *key, const char *value)
{
	if (value && *value) {
		AUTO_FREE char *safe = redact_dup(value);
		json_object_set_new(j, key, json_from_str(safe));
	}
}

static json_t *head(const char *ev, int64_t at, int64_t seq)
{
	char when[TIME_SIZE];
	json_t *j = json_object();

	json_object_set_new(j, "v", json_integer(1));
	json_object_set_new(j, "seq", json_integer(seq));
	json_object_set_new(j, "t", json_string(time_format_ms(at ? at : clock_now(), when)));
	json_object_set_new(j, "ev", json_string(ev));
	return j;
}

/* Some moves have no word of their own in the journal: "state" tells them apart. */
static const struct {
	enum stage_move move;
	const char *word, *state;
} shared_words[] = {
	{MOVE_BLOCKED, "stage-gate", "blocked"},
	{MOVE_UNKNOWN, "stage-exit", "unknown"},
	{MOVE_STOP_ASKED, "cancel", "asked"},
	{MOVE_STOP_SENT, "cancel", "sent"},
	{MOVE_STOP_WITHDRAWN, "cancel", "withdrawn"},
	{MOVE_STOP_REFUSED, "cancel", "refused"},
	{MOVE_UNDO, "stage-start", "undo"},
	{MOVE_UNDONE, "stage-done", "undone"},
	{MOVE_UNDO_REFUSED, "stage-gate", "undo-refused"},
};

static json_t *stage_json(const struct event *ev, int64_t seq)
{
	enum stage_move move = ev->u.stage.move;
	const char *word = stage_move_word(move), *state = NULL;
	json_t *j;

	for (size_t i = 0; i < COUNT(shared_words); i++) {
		if (shared_words[i].move != move)
			continue;
		word = shared_words[i].word;
		state = shared_words[i].state;
	}
	j = head(word, ev->at, seq);
	json_object_set_new(j, "stage", json_string(stage_word(ev->u.stage.id)));
	if (ev->u.stage.attempt > 0)
		json_object_set_new(j, "attempt", json_integer(ev->u.stage.attempt));
	if (move == MOVE_EXIT)
		json_object_set_new(j, "exit", json_integer(ev->u.stage.exit));
	if (state)
		json_object_set_new(j, "state", json_string(state));
	if (ev->u.stage.undo > 0)
		json_object_set_new(j, "undo", json_integer(ev->u.stage.undo));
	set_text(j, "note", ev->u.stage.note);
	set_text(j, "cause", ev->u.stage.cause);
	set_text(j, "cause_id", ev->u.stage.cause_id);
	set_text(j, "cure", ev->u.stage.cure);
	return j;
}

static json_t *event_json(const struct event *ev, int64_t seq)
{
	char when[TIME_SIZE];
	json_t *j;

	switch (ev->kind) {
	case EV_RUN:
		j = head("run-open", ev->at, seq);
		set_text(j, "run", ev->u.run.name);
		set_text(j, "recipe", ev->u.run.recipe);
		set_text(j, "label", ev->u.run.label);
		return j;
	case EV_VALUE:
		j = head("value", ev->at, seq);
		set_text(j, "name", ev->u.value.name);
		set_text(j, "value", ev->u.value.secret ? "" : ev->u.value.value);
		set_text(j, "origin", ev->u.value.origin);
		json_object_set_new(j, "secret", json_boolean(ev->u.value.secret));
		json_object_set_new(
			j, "present", json_boolean(ev->u.value.value && *ev->u.value.value));
		return j;
	case EV_DEVIATION:
		j = head("value", ev->at, seq);
		set_text(j, "deviation", ev->u.deviation.id);
		json_object_set_new(j, "on", json_boolean(ev->on));
		return j;
	case EV_STAGE:
		return stage_json(ev, seq);
	case EV_MODE:
		j = head("intent", ev->at, seq);
		set_text(j, "intent", ev->on ? "go-on-alone" : "stop-after-stage");
		return j;
	case EV_ALERT:
		j = head("alert", ev->at, seq);
		set_text(j, "id", ev->u.alert->id);
		set_text(j, "state", ev->u.alert->state);
		set_text(j, "text", ev->u.alert->text);
		set_text(j, "cause_id", ev->u.alert->cause);
		set_text(j, "cure", ev->u.alert->cure);
		return j;
	case EV_CLEANUP:
		j = head("stage-verify", ev->at, seq);
		set_text(j, "stage", stage_word(STAGE_CLEANUP));
		set_text(j, "proof", ev->text);
		return j;
	case EV_POOL:
		j = head("stage-verify", ev->at, seq);
		set_text(j, "stage", stage_word(STAGE_CLUSTER));
		json_object_set_new(j, "pool_chips", json_integer(ev->u.pool.chips));
		json_object_set_new(
			j, "pool_since", json_string(time_format_ms(ev->u.pool.since, when)));
		return j;
	case EV_END:
		j = head("close", ev->at, seq);
		json_object_set_new(j, "exit", json_integer(ev->number));
		return j;
	default:
		return NULL;
	}
}

char *journal_event_line(const struct event *ev, int64_t seq)
{
	AUTO(json_auto) json_t *j = event_json(ev, seq);

	return j ? json_line(j) : NULL;
}

/* dflt where a number stands that no engine has written. */
static int number(const json_t *j, const char *key, int dflt, int max)
{
	int64_t n = json_path_i64(j, key, dflt);

	return n < 0 || n > max ? dflt : (int)n;
}

static void parse_stage(const json_t *j, enum stage_move move, struct event *ev)
{
	const char *state = json_path_str_or(j, "state", "");

	for (size_t i = 0; i < COUNT(shared_words); i++)
		if (strcmp(state, shared_words[i].state) == 0)
			move = shared_words[i].move;
	*ev = event_stage(stage_from_word(json_path_str(j, "stage")), move,
		number(j, "attempt", 0, ATTEMPT_MAX));
	ev->u.stage.exit = number(j, "exit", -1, 255);
	ev->u.stage.undo = number(j, "undo", 0, ATTEMPT_MAX);
	ev->u.stage.note = json_path_str(j, "note");
	ev->u.stage.cause = json_path_str(j, "cause");
	ev->u.stage.cause_id = json_path_str(j, "cause_id");
	ev->u.stage.cure = json_path_str(j, "cure");
}

static void parse_alert(const json_t *j, struct event *ev)
{
	static struct state_alert alert;

	alert.id = (char *)json_path_str_or(j, "id", "");
	alert.state = (char *)json_path_str_or(j, "state", "raised");
	alert.text = (char *)json_path_str_or(j, "text", "");
	alert.cause = (char *)json_path_str_or(j, "cause_id", "");
	alert.cure = (char *)json_path_str_or(j, "cure", "");
	ev->kind = EV_ALERT;
	ev->u.alert = &alert;
}

static void parse_value(const json_t *j, struct event *ev)
{
	const char *deviation = json_path_str(j, "deviation");

	if (deviation) {
		ev->kind = EV_DEVIATION;
		ev->u.deviation.id = deviation;
		ev->on = json_path_bool(j, "on", false);
		return;
	}
	ev->kind = EV_VALUE;
	ev->u.value.name = json_path_str_or(j, "name", "");
	ev->u.value.secret = json_path_bool(j, "secret", false);
	ev->u.value.value = json_path_str_or(j, "value", "");
	if (ev->u.value.secret && json_path_bool(j, "present", false))
		ev->u.value.value = "-";
	ev->u.value.origin = json_path_str_or(j, "origin", "");
}

static bool parse_intent(const json_t *j, struct event *ev)
{
	const char *word = json_path_str_or(j, "intent", "");

	ev->kind = EV_MODE;
	ev->on = strcmp(word, "go-on-alone") == 0;
	return ev->on || strcmp(word, "stop-after-stage") == 0;
}

static bool parse_other(const json_t *j, const char *word, struct event *ev)
{
	if (strcmp(word, "run-open") == 0) {
		ev->kind = EV_RUN;
		ev->u.run.name = json_path_str_or(j, "run", "");
		ev->u.run.recipe = json_path_str_or(j, "recipe", "");
		ev->u.run.label = json_path_str_or(j, "label", "");
	} else if (strcmp(word, "value") == 0) {
		parse_value(j, ev);
	} else if (strcmp(word, "intent") == 0) {
		return parse_intent(j, ev);
	} else if (strcmp(word, "alert") == 0) {
		parse_alert(j, ev);
	} else if (strcmp(word, "close") == 0) {
		ev->kind = EV_END;
		ev->number = json_path_i64(j, "exit", 0);
	} else {
		return false;
	}
	return true;
}

int journal_event_parse(const char *line, size_t n, struct event *ev, int64_t *seq)
{
	static json_t *kept; /* the event borrows its strings from here */
	const char *word;
	enum stage_move move;
	int64_t at;

	json_decref(kept);
	kept = json_parse(line, n, NULL);
	if (!kept || json_path_i64(kept, "v", 0) != 1)
		return 0;
	if (seq && json_path_i64(kept, "seq", 0) > 0 && json_path_i64(kept, "seq", 0) < SEQ_MAX)
		*seq = json_path_i64(kept, "seq", 0);
	word = json_path_str_or(kept, "ev", "");
	move = stage_move_from_word(word);
	memset(ev, 0, sizeof(*ev));
	if (json_path(kept, "pool_chips")) {
		ev->kind = EV_POOL;
		ev->u.pool.chips = json_path_i64(kept, "pool_chips", 0);
		ev->u.pool.since = time_parse_ms(json_path_str(kept, "pool_since"));
	} else if (json_path_str(kept, "proof")) {
		ev->kind = EV_CLEANUP;
		ev->text = json_path_str(kept, "proof");
	} else if (move != MOVE_COUNT) {
		parse_stage(kept, move, ev);
		if (ev->u.stage.id == STAGE_NONE)
			return 0;
	} else if (!parse_other(kept, word, ev)) {
		return 0;
	}
	at = time_parse_ms(json_path_str(kept, "t"));
	ev->at = at == TIME_NONE ? 0 : at;
	return 1;
}

struct replay {
	void (*fn)(void *arg, const struct event *ev);
	void *arg;
	int64_t *seq;
	const char *name;
};

static void replay_line(void *arg, const char *line, size_t n)
{
	struct replay *r = arg;
	struct event ev;

	if (!journal_event_parse(line, n, &ev, r->seq))
		return;
	if (ev.kind == EV_RUN && r->name)
		ev.u.run.name = r->name + 1; /* it may have been called otherwise then */
	r->fn(r->arg, &ev);
}

int journal_replay(const char *run_dir, int64_t *offset,
	void (*fn)(void *arg, const struct event *ev), void *arg, int64_t *seq, struct err *e)
{
	AUTO_FREE char *file = path_join(run_dir, "journal.jsonl");
	struct replay r = {fn, arg, seq, strrchr(run_dir, '/')};

	return jsonl_read(file, offset, replay_line, &r, e);
}

static void count_only(void *arg, const struct event *ev)
{
	(void)arg;
	(void)ev;
}

struct journal *journal_open(const char *run_dir, struct err *e)
{
	AUTO_FREE char *file = path_join(run_dir, "journal.jsonl");
	int64_t whole = 0, seq = 0;
	struct journal *j;
	struct stat st;
	int fd;

	if (journal_replay(run_dir, &whole, count_only, NULL, &seq, e) != 0)
		return NULL;
	fd = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0) {
		err_errno(e, ERR_CANNOT_WRITE, errno, _("check space and rights of the run folder"),
			_("cannot open %s"), file);
		return NULL;
	}
	if (fstat(fd, &st) == 0 && st.st_size > whole) {
		log_line("run", "journal: %lld bytes of a torn line cut off",
			(long long)(st.st_size - whole));
		if (ftruncate(fd, whole) != 0) {
			err_errno(e, ERR_CANNOT_WRITE, errno, "", _("cannot repair %s"), file);
			close(fd);
			return NULL;
		}
	}
	j = X_NEW(struct journal);
	j->fd = fd;
	j->seq = seq;
	j->file = x_strdup(file);
	return j;
}

void journal_close(struct journal *j)
{
	if (!j)
		return;
	close(j->fd);
	free(j->file);
	free(j);
}

/* Half a line helps nobody: what came to the file of it is taken away again (that needs no space).
 */
static int take_back(struct journal *j, off_t whole)
{
	int errnum = errno;

	if (whole >= 0 && ftruncate(j->fd, whole) != 0)
		log_line("run", "journal: half a line stays at its end");
	return errnum;
}

static int cannot_write(struct journal *j, off_t whole, struct err *e)
{
	int why = take_back(j, whole);

	return err_errno(e, ERR_CANNOT_WRITE, why, path_cure(why), _("cannot write %s"), j->file);
}

static int write_line(struct journal *j, const char *line, struct err *e)
{
	AUTO(buf_fini) struct buf b = {0};
	off_t whole = lseek(j->fd, 0, SEEK_END);
	size_t done = 0;

	buf_adds(&b, line);
	buf_addc(&b, '\n');
	while (done < b.len) {
		ssize_t n = write(j->fd, b.data + done, b.len - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return cannot_write(j, whole, e);
		done += (size_t)n;
	}
	if (fsync(j->fd) != 0)
		return cannot_write(j, whole, e);
	j->seq++;
	return 0;
}

int journal_append(struct journal *j, const struct event *ev, struct err *e)
{
	AUTO_FREE char *line = journal_event_line(ev, j->seq + 1);

	return line ? write_line(j, line, e) : 1;
}

int journal_note(
	struct journal *j, const char *ev, enum stage_id stage, const char *text, struct err *e)
{
	AUTO(json_auto) json_t *o = head(ev, 0, j->seq + 1);
	AUTO_FREE char *line = NULL;

	if (stage != STAGE_NONE)
		json_object_set_new(o, "stage", json_string(stage_word(stage)));
	set_text(o, "text", text);
	line = json_line(o);
	return write_line(j, line, e);
}

int64_t journal_seq(const struct journal *j)
{
	return j->seq;
}
