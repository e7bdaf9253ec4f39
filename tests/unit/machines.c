/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs and their machines: engines that are gone or give no sign, a run folder from another
 * machine, Cloud Shell, what a log-out ends.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/machine.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/cli/logout.h"
#include "core/run/beat.h"
#include "core/run/event.h"
#include "core/run/folder.h"
#include "tests/unit/dir_rig.h"

/* --- a run folder from another machine */

static struct run *new_run(void)
{
	struct run_new n = {.name = "r", .prefix = "run"};
	struct run *r = NULL;
	struct err e = {0};

	assert_int_equal(run_create(dir, &n, &r, &e), 0);
	return r;
}

static void a_run_at_work_on_another_machine_is_refused(void **state)
{
	struct run *r = new_run();
	struct err e = {0};

	(void)state;
	dir_put_text("r/lock", "4711 another-machine\n");
	assert_int_equal(beat_write(r->dir, "another-machine", 4711, clock_now() - 5000, NULL), 0);
	assert_int_equal(run_lock(r, &e), -1);
	assert_int_equal(e.code, ERR_LOCKED);
	assert_non_null(strstr(e.what, "another-machine"));
	assert_non_null(strstr(e.hint, "end it there"));
	run_close(r);
}

static void a_run_left_on_another_machine_is_taken_over(void **state)
{
	struct run *r = new_run();
	struct err e = {0};

	(void)state;
	dir_put_text("r/lock", "4711 another-machine\n");
	assert_int_equal(
		beat_write(r->dir, "another-machine", 4711, clock_now() - 600000, NULL), 0);
	assert_int_equal(run_lock(r, &e), 0);
	assert_string_equal(r->moved_from, "another-machine");
	run_close(r);
}

static void a_run_of_this_machine_is_not_taken_over(void **state)
{
	struct run *r = new_run();
	struct err e = {0};

	(void)state;
	assert_int_equal(run_lock(r, &e), 0);
	run_let_go(&r->lock);
	assert_int_equal(run_lock(r, &e), 0);
	assert_null(r->moved_from);
	run_close(r);
}

/* --- engines that are gone, and Cloud Shell */

static void apply_state(void *arg, const struct event *ev)
{
	run_apply(arg, ev);
}

static void tell(struct state *s)
{
	engine_tell(dir, s, apply_state, s);
}

/* The state that looks from outside have of a run in the middle, whose engine beat at BEAT. */
static void seen_from_outside(struct state *s, const char *host, int64_t beat)
{
	struct event ev = {.kind = EV_ENGINE};

	state_init(s);
	ev.u.engine.host = host;
	ev.u.engine.pid = 4711;
	ev.u.engine.beat = beat;
	run_apply(s, &ev);
	assert_int_equal(beat_write(dir, host, 4711, beat, NULL), 0);
}

static void an_engine_that_vanished_is_an_alert_until_one_is_there(void **state)
{
	char here[MACHINE_SIZE];
	AUTO_FREE char *lock = path_join(dir, "lock");
	struct event end = {.kind = EV_END};
	struct state s;
	int fd;

	(void)state;
	seen_from_outside(&s, machine_name(here), clock_now());
	dir_put_text("lock", "4711 here\n");
	tell(&s);
	assert_true(state_alert_raised(&s, ALERT_ENGINE_GONE));
	assert_int_equal(state_verdict(&s, true, NULL), VERDICT_UNKNOWN); /* nothing has begun */
	fd = open(lock, O_RDWR);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	tell(&s);
	assert_false(state_alert_raised(&s, ALERT_ENGINE_GONE));
	close(fd);
	tell(&s);
	assert_true(state_alert_raised(&s, ALERT_ENGINE_GONE));
	run_apply(&s, &end);
	tell(&s);
	assert_false(state_alert_raised(&s, ALERT_ENGINE_GONE));
	state_fini(&s);
}

/* Whoever comes has to make room first: another engine would end as this one did. */
static void an_engine_that_could_not_write_says_what_helps(void **state)
{
	char here[MACHINE_SIZE];
	struct event begun = event_stage(STAGE_TOOLS, MOVE_START, 1);
	struct event end = {.kind = EV_END, .number = 73};
	struct state s;

	(void)state;
	seen_from_outside(&s, machine_name(here), clock_now());
	dir_put_text("lock", "4711 here\n");
	run_apply(&s, &begun);
	run_apply(&s, &end);
	tell(&s);
	assert_true(state_alert_raised(&s, ALERT_ENGINE_STOPPED));
	for (size_t i = 0; i < s.alerts.n; i++) {
		if (strcmp(s.alerts.items[i].id, ALERT_ENGINE_STOPPED) != 0)
			continue;
		assert_non_null(strstr(s.alerts.items[i].text, "could not write"));
		assert_non_null(strstr(s.alerts.items[i].cure, "make room (df -h "));
	}
	state_fini(&s);
}

/* It holds the run and is stuck, or its machine is another one: only its beat tells. */
static void an_engine_that_gives_no_sign_is_an_alert(void **state)
{
	AUTO_FREE char *lock = path_join(dir, "lock");
	int64_t now = clock_now();
	struct state s;
	int fd;

	(void)state;
	for (int elsewhere = 0; elsewhere < 2; elsewhere++) {
		char here[MACHINE_SIZE];

		seen_from_outside(&s, elsewhere ? "another-machine" : machine_name(here), now);
		dir_put_text("lock", "4711 here\n");
		fd = open(lock, O_RDWR);
		assert_int_equal(flock(fd, elsewhere ? LOCK_UN : LOCK_EX), 0);
		clock_fix(now + 59000);
		tell(&s);
		assert_false(state_alert_raised(&s, ALERT_ENGINE_SILENT));
		clock_fix(now + 61000);
		tell(&s);
		assert_true(state_alert_raised(&s, ALERT_ENGINE_SILENT));
		assert_false(state_alert_raised(&s, ALERT_ENGINE_GONE));
		clock_fix(0);
		close(fd);
		state_fini(&s);
	}
}

/* A new VM of the same person may go on at once: the old one is gone for certain. */
static void a_run_of_the_cloud_shell_before_is_taken_at_once(void **state)
{
	struct run *r = new_run();
	char name[MACHINE_SIZE];
	struct err e = {0};

	(void)state;
	assert_int_equal(setenv("CLOUD_SHELL", "true", 1), 0);
	assert_int_equal(setenv("USER", "ann", 1), 0);
	assert_string_equal(machine_name(name), "cloud-shell-ann");
	dir_put_text("r/lock", "4711 cloud-shell-ann\n");
	assert_int_equal(beat_write(r->dir, "cloud-shell-ann", 4711, clock_now() - 1000, NULL), 0);
	assert_int_equal(run_lock(r, &e), 0);
	assert_null(r->moved_from);
	run_close(r);
	unsetenv("CLOUD_SHELL");
}

/* --- log-out */

static void conf(const char *name, const char *text)
{
	AUTO_FREE char *file = path_join(dir, name);
	AUTO_FREE char *folder = x_strdup(file);

	*strrchr(folder, '/') = '\0';
	assert_int_equal(path_mkdirs(folder, NULL), 0);
	dir_put_text(name, text);
}

#define assert_fate(fate, user) assert_int_equal(logout_look(dir, user), fate)

static void log_out_is_read_from_logind(void **state)
{
	(void)state;
	assert_fate(LOGOUT_HARMLESS, "ann");
	conf("etc/systemd/logind.conf", "[Login]\n#KillUserProcesses=yes\n");
	assert_fate(LOGOUT_HARMLESS, "ann");
	conf("etc/systemd/logind.conf", "[Login]\n KillUserProcesses = yes\n");
	assert_fate(LOGOUT_KILLS, "ann");
	assert_fate(LOGOUT_HARMLESS, "root");
	conf("usr/lib/systemd/logind.conf.d/10.conf", "[Login]\nKillExcludeUsers=root ann\n");
	assert_fate(LOGOUT_HARMLESS, "ann");
	assert_fate(LOGOUT_KILLS, "bob");
	conf("etc/systemd/logind.conf.d/20.conf",
		"[Login]\nKillOnlyUsers=eve\nKillExcludeUsers=\n");
	assert_fate(LOGOUT_HARMLESS, "bob");
	assert_fate(LOGOUT_KILLS, "eve");
	conf("etc/systemd/logind.conf.d/30.conf", "[Login]\nKillUserProcesses=no\n");
	assert_fate(LOGOUT_HARMLESS, "eve");
}

/* Where one is decides: in a session, in what systemd-run --user has made, or in no person's. */
static void log_out_depends_on_the_place(void **state)
{
	(void)state;
	conf("etc/systemd/logind.conf", "[Login]\nKillUserProcesses=yes\n");
	conf("proc/self/cgroup", "0::/user.slice/user-1000.slice/session-3.scope\n");
	assert_fate(LOGOUT_KILLS, "ann");
	conf("proc/self/cgroup",
		"0::/user.slice/user-1000.slice/user@1000.service/app.slice/run-7.scope\n");
	assert_fate(LOGOUT_ENDS, "ann");
	conf("var/lib/systemd/linger/ann", "");
	assert_fate(LOGOUT_HARMLESS, "ann");
	assert_fate(LOGOUT_ENDS, "bob");
	conf("proc/self/cgroup",
		"12:pids:/user.slice\n1:name=systemd:/user.slice/session-c2.scope\n");
	assert_fate(LOGOUT_KILLS, "ann"); /* lingering does not save a session's own processes */
	conf("proc/self/cgroup", "0::/system.slice/ssh.service\n");
	assert_fate(LOGOUT_HARMLESS, "ann");
	conf("proc/self/cgroup", "0::/\n");
	assert_fate(LOGOUT_HARMLESS, "ann");
}

#define T(name) cmocka_unit_test_setup_teardown(name, dir_setup, dir_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_run_at_work_on_another_machine_is_refused),
		T(a_run_left_on_another_machine_is_taken_over),
		T(a_run_of_this_machine_is_not_taken_over),
		T(an_engine_that_vanished_is_an_alert_until_one_is_there),
		T(an_engine_that_could_not_write_says_what_helps),
		T(an_engine_that_gives_no_sign_is_an_alert),
		T(a_run_of_the_cloud_shell_before_is_taken_at_once),
		T(log_out_is_read_from_logind),
		T(log_out_depends_on_the_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
