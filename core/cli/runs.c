/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/cli/cli.h"
#include "core/fmt/json.h"
#include "core/fmt/time.h"
#include "core/fmt/yaml.h"
#include "core/run/attempt.h"
#include "core/run/beat.h"
#include "core/run/event.h"
#include "core/run/folder.h"
#include "core/run/journal.h"

/* One run as its folder says; opening it would put its environment into this process. */
struct listed {
	const char *dir, *name;
	char *recipe, *label;
	char *broken; /* why it cannot be read, NULL = it can */
	struct state state;
	enum engine_life life;
	int64_t engine; /* pid, 0 = none lives */
	char host[256]; /* of the last sign of life */
};

static const char *const lives[] = {
	[ENGINE_NONE] = "none",
	[ENGINE_LIVES] = "lives",
	[ENGINE_GONE] = "gone",
	[ENGINE_ELSEWHERE] = "elsewhere",
};

static void apply(void *arg, const struct event *ev)
{
	run_apply(arg, ev);
}

static void listed_engine(struct listed *l)
{
	int64_t pid, beat;

	(void)beat_read(l->dir, l->host, sizeof(l->host), &pid, &beat);
	l->life = engine_life(l->dir, l->state.stopped);
	engine_tell(l->dir, &l->state, apply, &l->state);
	if (!run_locked(l->dir, &l->engine, NULL, 0))
		l->engine = 0;
}

static void listed_read(struct listed *l, const char *dir)
{
	AUTO_FREE char *file = path_join(dir, "run.yaml");
	struct err e = {0};
	struct yaml_doc *doc = yaml_read(file, &e);
	const json_t *root = doc ? yaml_root(doc) : NULL;
	int64_t offset = 0;

	*l = (struct listed){.dir = dir, .name = strrchr(dir, '/') + 1};
	state_init(&l->state);
	l->recipe = text_clean_dup(json_path_str_or(root, "recipe", ""));
	l->label = text_clean_dup(json_path_str_or(root, "label", ""));
	if (doc && !json_path(root, "format")) {
		l->broken = x_strdup(_("its run.yaml is not of a run"));
		yaml_close(doc);
		return;
	}
	yaml_close(doc);
	if (doc && journal_replay(dir, &offset, apply, &l->state, NULL, &e) == 0) {
		listed_engine(l);
		return;
	}
	l->broken = x_strdup(e.what);
}

static void listed_fini(struct listed *l)
{
	free(l->recipe);
	free(l->label);
	free(l->broken);
	state_fini(&l->state);
}

static const struct state_stage *stage_now(const struct state *s)
{
	size_t at = s->current < STAGE_COUNT ? (size_t)s->current : STAGE_COUNT - 1;

	return &s->stages[at];
}

static json_t *stamp(int64_t ms)
{
	char out[TIME_SIZE];

	return ms > 0 ? json_string(time_format(ms, out)) : json_null();
}

static json_t *listed_json(const struct listed *l)
{
	const struct state_stage *st = stage_now(&l->state);

	if (l->broken)
		return json_pack("{s:o, s:o, s:o}", "name", json_from_str(l->name), "dir",
			json_from_str(l->dir), "broken", json_from_str(l->broken));
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:s, s:s, s:s, s:o, s:s}", "name",
		json_from_str(l->name), "dir", json_from_str(l->dir), "recipe",
		json_from_str(l->recipe), "label",
		l->label[0] ? json_from_str(l->label) : json_null(), "opened",
		stamp(l->state.opened), "verdict",
		verdict_name(state_verdict(&l->state, true, NULL)), "stage", stage_word(st->id),
		"stage_state", stage_state_word(st->state), "engine_pid",
		l->engine ? json_integer(l->engine) : json_null(), "engine", lives[l->life]);
}

static void listed_plain(const struct listed *l)
{
	const struct state_stage *st = stage_now(&l->state);
	bool over = l->state.current == STAGE_NONE;
	AUTO_FREE char *name = text_clean_dup(l->name);
	AUTO_FREE char *host = text_clean_dup(l->host);
	char at[TIME_SIZE];

	if (l->broken) {
		AUTO_FREE char *why = text_clean_dup(l->broken);
		printf("%-16s %s\n", name, why);
		return;
	}
	printf("%-16s %-20s %-9s %-8s %-9s %s%s%s%s", name,
		l->state.opened > 0 ? time_format(l->state.opened, at) : "-",
		verdict_name(state_verdict(&l->state, true, NULL)), stage_word(st->id),
		stage_state_word(st->state), l->recipe, l->label[0] ? "  [" : "", l->label,
		l->label[0] ? "]" : "");
	if (!over && l->life == ENGINE_GONE)
		fputs(_("  its engine is gone"), stdout);
	else if (!over && l->life == ENGINE_ELSEWHERE)
		printf(_("  its engine was on %s"), host);
	putchar('\n');
}

static int each_run(void (*fn)(struct listed *l, void *arg), void *arg, struct err *e)
{
	for (int demo = 0; demo < 2; demo++) {
		AUTO_FREE char *root = NULL;
		AUTO(strvec_fini) struct strvec dirs = {0};

		if (run_root(demo != 0, &root, e) || run_list(root, &dirs, e))
			return -1;
		for (size_t i = 0; i < dirs.n; i++) {
			struct listed l;

			listed_read(&l, dirs.items[i]);
			fn(&l, arg);
			listed_fini(&l);
		}
	}
	return 0;
}

static void add_json(struct listed *l, void *arg)
{
	json_array_append_new(arg, listed_json(l));
}

static void print_plain(struct listed *l, void *arg)
{
	int *n = arg;

	if ((*n)++ == 0)
		printf("%-16s %-20s %-9s %-8s %-9s %s\n", "RUN", "OPENED", "VERDICT", "STAGE",
			"STATE", "RECIPE");
	listed_plain(l);
}

static int list(bool json, struct err *e)
{
	AUTO(json_auto) json_t *all = json_array();
	int n = 0;
	char *text;

	if (each_run(json ? add_json : print_plain, json ? (void *)all : &n, e))
		return cli_fail(e);
	if (!json) {
		if (n == 0)
			puts(_("there is no run yet"));
		return 0;
	}
	text = json_pretty(all);
	fputs(text, stdout);
	free(text);
	return 0;
}

/* Deleting the folder of a cluster that still stands deletes the only key to destroy it. */
static bool holds_cluster(const struct state *s)
{
	enum stage_state st = s->stages[STAGE_CLUSTER].state;

	return st != ST_TODO && st != ST_BLOCKED && s->stages[STAGE_CLEANUP].state != ST_DONE;
}

/* Why its name must be typed, NULL: it need not. */
static const char *why_careful(const struct listed *l)
{
	if (l->broken)
		return N_("it cannot be read and may own a cluster; its folder is the only key to "
			  "destroy it");
	if (holds_cluster(&l->state))
		return N_("it may still own a cluster; its folder is the only key to destroy it");
	if (l->state.current == STAGE_NONE)
		return NULL;
	if (l->life == ENGINE_GONE)
		return N_("its engine is gone without a word; what it began may still be at work");
	if (l->life == ENGINE_ELSEWHERE)
		return N_("it was at work on another machine and may still be");
	return NULL;
}

static bool works_in(const char *stage_dir)
{
	AUTO(strvec_fini) struct strvec names = {0};
	bool works = false;

	if (path_is_dir(stage_dir) && path_list(stage_dir, &names, NULL) == 0)
		for (size_t i = 0; i < names.n && !works; i++) {
			AUTO_FREE char *dir = path_join(stage_dir, names.items[i]);
			struct attempt_look look = attempt_look(dir);

			works = look.state == ATTEMPT_RUNNING || look.state == ATTEMPT_CLAIMED ||
				attempt_lingers(dir);
		}
	return works;
}

/* A command goes on without its engine, also one that undoes a stage: its folder must stay where it
 * is. */
static int nothing_at_work(const struct listed *l, struct err *e)
{
	for (unsigned i = 0; i < STAGE_COUNT; i++) {
		AUTO_FREE char *dir =
			x_asprintf("%s/stages/%s", l->dir, stage_word((enum stage_id)i));
		AUTO_FREE char *cure = NULL;

		if (!works_in(dir))
			continue;
		cure = x_asprintf(_("open it with `rlpilot --run %s`: its engine starts again; let "
				    "the stage end, or stop it there"),
			l->name);
		return err_set(e, ERR_LOCKED, cure,
			_("the stage %s of this run is at work without an engine"),
			stage_word((enum stage_id)i));
	}
	return 0;
}

static int free_to_change(const struct listed *l, struct err *e)
{
	char host[256] = "";
	int64_t pid = 0;

	if (!run_locked(l->dir, &pid, host, sizeof(host)))
		return nothing_at_work(l, e);
	return err_set(e, ERR_LOCKED, _("stop the run first, or wait for its end"),
		_("an engine is working on this run (process %lld on %s)"), (long long)pid, host);
}

static int may_delete(const struct listed *l, const char *confirm, struct err *e)
{
	const char *careful = why_careful(l);
	AUTO_FREE char *hint =
		x_asprintf(_("clean up first, or repeat with --confirm %s"), l->name);

	if (free_to_change(l, e))
		return -1;
	if (!careful || (confirm && strcmp(confirm, l->name) == 0))
		return 0;
	return err_set(e, ERR_PERSON, hint, _("run %s: %s"), l->name, _(careful));
}

static int delete_run(const char *name, const char *confirm, struct err *e)
{
	AUTO_FREE char *dir = NULL;
	struct run_hold hold;
	struct listed l;
	int rc;

	if (run_find(name, &dir, e))
		return -1;
	listed_read(&l, dir);
	rc = may_delete(&l, confirm, e);
	listed_fini(&l);
	if (rc || run_seize(dir, &hold, e))
		return -1;
	rc = path_remove_tree(dir, e);
	run_let_go(&hold);
	if (rc)
		return -1;
	printf(_("deleted run %s\n"), name);
	return 0;
}

/* `current` goes along when it named the old one. */
static void move_current(const char *root, const char *from, const char *to)
{
	AUTO_FREE char *link = path_join(root, "current");
	char target[256];
	ssize_t n = readlink(link, target, sizeof(target) - 1);

	if (n <= 0 || (size_t)n != strlen(from) || strncmp(target, from, (size_t)n) != 0)
		return;
	if (unlink(link) == 0 && symlink(to, link) != 0)
		fprintf(stderr, _("rlpilot: the last run is no longer remembered\n"));
}

static int rename_run(const char *from, const char *to, struct err *e)
{
	AUTO_FREE char *dir = NULL;
	AUTO_FREE char *root = NULL;
	AUTO_FREE char *target = NULL;
	struct listed l;
	int rc;

	if (!run_name_good(to))
		return err_set(e, ERR_USAGE, _("use at most 64 letters, digits, dots and hyphens"),
			_("\"%s\" cannot name a run"), to);
	if (run_find(from, &dir, e))
		return -1;
	listed_read(&l, dir);
	rc = free_to_change(&l, e);
	listed_fini(&l);
	if (rc)
		return -1;
	root = x_strndup(dir, (size_t)(strrchr(dir, '/') - dir));
	target = path_join(root, to);
	if (path_exists(target))
		return err_set(e, ERR_FAILED, _("choose another name"),
			_("there is already a run %s"), to);
	if (rename(dir, target) != 0)
		return err_errno(e, ERR_CANNOT_WRITE, errno, _("check the rights of the folder"),
			_("cannot rename %s"), dir);
	move_current(root, strrchr(dir, '/') + 1, to);
	return 0;
}

int cli_runs(int argc, char **argv, const struct cli_globals *g)
{
	bool json = false;
	const char *confirm = NULL;
	const struct cli_option options[] = {
		{"--json", CLI_FLAG, &json}, {"--confirm", CLI_TEXT, &confirm}};
	struct err e = {0};

	if (cli_parse(options, COUNT(options), &argc, argv, &e))
		return cli_fail(&e);
	if (argc == 1)
		return list(json, &e);
	if (cli_may_change(g, &e))
		return cli_fail(&e);
	if (argc == 3 && strcmp(argv[1], "delete") == 0)
		return delete_run(argv[2], confirm, &e) ? cli_fail(&e) : 0;
	if (argc == 4 && strcmp(argv[1], "name") == 0)
		return rename_run(argv[2], argv[3], &e) ? cli_fail(&e) : 0;
	err_set(&e, ERR_USAGE, _("rlpilot runs [--json] | runs name OLD NEW | runs delete RUN"),
		_("runs has no command '%s'"), argv[1]);
	return cli_fail(&e);
}
