/* SPDX-License-Identifier: Apache-2.0 */
/* Watches and pod logs fed by a scripted API server: pages, events, bookmarks, ends, losses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/cloud/kube.h"
#include "core/cloud/podlog.h"
#include "core/cloud/watch.h"
#include "core/fmt/json.h"
#include "core/io/loop.h"
#include "tests/unit/web.h"

/* What the server does with the n-th request: a line it must hold, then what is answered. */
struct step {
	const char *want; /* part of the request line */
	int status;       /* 0: a stream of chunks, closed with the last chunk; -1: cut instead */
	const char *body;
};

static struct loop *loop;
static struct cloud *cloud;
static struct kube *kube;
static struct web *web;
static const struct step *steps;
static size_t step_count, step_at;
static struct buf story;
static struct watch *watch;
static struct podlog *podlog;
static const char *close_at; /* close the watch when this object comes */

static void check_end(void)
{
	if (step_at == step_count)
		loop_stop(loop);
}

static void handler(void *arg, struct web_conn *c, const char *h, const char *b)
{
	const struct step *s = &steps[step_at];

	(void)arg;
	(void)b;
	if (step_at >= step_count) {
		loop_stop(loop);
		return;
	}
	if (!strstr(h, s->want))
		fail_msg("request %zu: wanted '%s' in %s", step_at, s->want, h);
	step_at++;
	if (s->status > 0) {
		web_reply(c, s->status, "", s->body);
		return;
	}
	web_write(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
	/* Awkward pieces: the receiver must not rely on chunk borders. */
	for (const char *p = s->body; *p;) {
		char piece[8];

		snprintf(piece, sizeof(piece), "%s", p);
		web_chunk(c, piece);
		p += strlen(piece);
	}
	if (s->status < 0)
		web_close(c);
	else
		web_chunk(c, "");
}

static void set_clock(const char *value)
{
	struct err e;

	setenv("RLPILOT_CLOCK", value, 1);
	assert_int_equal(clock_init(&e), 0);
	unsetenv("RLPILOT_CLOCK");
}

static int setup(void **state)
{
	(void)state;
	set_clock("1000@1000*1000");
	loop = loop_new();
	cloud = cloud_new(loop);
	web = web_new(loop, handler, NULL);
	kube = kube_new(cloud, web_url(web), NULL, "t");
	step_at = 0;
	close_at = NULL;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	watch_close(&watch);
	podlog_close(&podlog);
	kube_free(kube);
	cloud_free(cloud);
	web_free(web);
	loop_free(loop);
	buf_fini(&story);
	set_clock("0@0*1");
	return 0;
}

static void on_object(void *arg, enum watch_event ev, json_t *object)
{
	const char *name = json_path_str_or(object, "metadata.name", "?");

	(void)arg;
	buf_addf(&story, "%c%s ", "+~-"[ev], name);
	if (ev == WATCH_DELETED && !json_path(object, "metadata.resourceVersion"))
		buf_addf(&story, "(%s %s/%s) ", json_path_str_or(object, "kind", ""),
			json_path_str_or(object, "metadata.namespace", ""),
			json_path_str_or(object, "metadata.uid", ""));
	if (close_at && strcmp(close_at, name) == 0) {
		watch_close(&watch);
		loop_stop(loop);
	}
}

static void on_synced(void *arg)
{
	(void)arg;
	buf_adds(&story, "synced ");
	check_end();
}

static void on_state(void *arg, enum watch_state state, const struct err *e)
{
	static const char *const names[] = {"listing", "live", "lost", "not-installed", "refused"};

	(void)arg;
	buf_addf(&story, "[%s%s] ", names[state], e ? "!" : "");
}

static void run_watch(const struct step *s, size_t n, const char *want)
{
	struct watch_spec spec = {.path = "/api/v1/namespaces/default/pods",
		.label_selector = "job=a,b",
		.on_object = on_object,
		.on_synced = on_synced,
		.on_state = on_state};

	steps = s;
	step_count = n;
	watch = watch_open(kube, &spec);
	loop_run(loop);
	assert_int_equal(step_at, n);
	assert_string_equal(buf_str(&story), want);
}

#define OBJ(name, uid, rv)                                                                         \
	"{\"metadata\":{\"name\":\"" name "\",\"namespace\":\"default\",\"uid\":\"" uid            \
	"\",\"resourceVersion\":\"" rv "\"}}"
#define EV(type, object)  "{\"type\":\"" type "\",\"object\":" object "}\n"
#define LIST(items, meta) "{\"kind\":\"PodList\",\"metadata\":{" meta "},\"items\":[" items "]}"

static void pages_then_events_then_the_next_watch(void **state)
{
	static const struct step s[] = {
		{"GET /api/v1/namespaces/default/pods?limit=500&labelSelector=job%3Da%2Cb ", 200,
			LIST(OBJ("a", "1", "10"),
				"\"continue\":\"tok/2\",\"resourceVersion\":\"20\"")},
		{"limit=500&continue=tok%2F2", 200,
			LIST(OBJ("b", "2", "11"), "\"resourceVersion\":\"20\"")},
		{"watch=1&allowWatchBookmarks=true", 0,
			EV("ADDED", OBJ("c", "3", "21")) EV("MODIFIED", OBJ("a", "1", "22")) EV(
				"DELETED", OBJ("b", "2", "23")) EV("MODIFIED", OBJ("a", "1", "22"))
				EV("BOOKMARK", OBJ("", "", "30"))},
		{"resourceVersion=30&labelSelector", 0, EV("ADDED", OBJ("d", "4", "31"))},
		{"resourceVersion=31", 0, ""},
	};

	(void)state;
	run_watch(s, COUNT(s), "+a +b [live] synced +c ~a -b +d ");
	assert_int_equal(watch_count(watch), 3);
	assert_int_equal(watch_state(watch), WATCH_LIVE);
}

static void R73_lost_history_is_listed_again_without_losing_a_change(void **state)
{
	static const struct step s[] = {
		{"limit=500", 200,
			LIST(OBJ("a", "1", "1") "," OBJ("b", "2", "2") "," OBJ("c", "3", "3"),
				"\"resourceVersion\":\"5\"")},
		{"resourceVersion=5", 0,
			EV("ERROR", "{\"kind\":\"Status\",\"code\":410,\"message\":\"too old\"}")},
		/* a unchanged, b changed, c gone, d new */
		{"limit=500", 200,
			LIST(OBJ("a", "1", "1") "," OBJ("b", "2", "9") "," OBJ("d", "4", "8"),
				"\"resourceVersion\":\"10\"")},
		{"resourceVersion=10", 410,
			"{\"kind\":\"Status\",\"code\":410,\"reason\":\"Expired\"}"},
		/* d was made anew */
		{"limit=500", 200, LIST(OBJ("d", "5", "12"), "\"resourceVersion\":\"13\"")},
	};

	(void)state;
	run_watch(s, COUNT(s),
		"+a +b +c [live] synced [lost!] [listing] ~b +d -c (Pod default/3) [live] synced "
		"[lost!] [listing] -d (Pod default/4) +d -a (Pod default/1) -b (Pod default/2) "
		"[live] "
		"synced ");
}

static void a_lost_connection_goes_on_from_the_last_version(void **state)
{
	static const struct step s[] = {
		{"limit=500", 500, "broken"},
		{"limit=500", 200, LIST("", "\"resourceVersion\":\"5\"")},
		{"resourceVersion=5", -1, EV("ADDED", OBJ("a", "1", "6")) "{\"type\":\"MODI"},
		{"resourceVersion=6", 0, EV("MODIFIED", OBJ("a", "1", "7"))},
		{"resourceVersion=7", 0, ""},
	};

	(void)state;
	run_watch(s, COUNT(s), "[lost!] [listing] [live] synced +a [lost!] [live] ~a ");
}

static void an_absent_group_is_not_installed_yet(void **state)
{
	static const struct step s[] = {
		{"limit=500", 404, "404 page not found"},
		{"limit=500", 404, "404 page not found"},
		{"limit=500", 403, "{\"kind\":\"Status\",\"reason\":\"Forbidden\"}"},
		{"limit=500", 200, LIST(OBJ("a", "1", "1"), "\"resourceVersion\":\"5\"")},
	};

	(void)state;
	run_watch(s, COUNT(s), "[not-installed] [refused!] +a [live] synced ");
}

static void a_broken_stream_is_listed_again(void **state)
{
	static const struct step s[] = {
		{"limit=500", 200, LIST("", "\"resourceVersion\":\"5\"")},
		{"resourceVersion=5", 0, "<html>proxy</html>"},
		{"limit=500", 200, LIST("", "\"resourceVersion\":\"6\"")},
	};

	(void)state;
	run_watch(s, COUNT(s), "[live] synced [lost!] [listing] [live] synced ");
}

static void closing_inside_a_callback_is_the_end(void **state)
{
	static const struct step s[] = {
		{"limit=500", 200,
			LIST(OBJ("a", "1", "1") "," OBJ("b", "2", "2"),
				"\"resourceVersion\":\"5\"")},
	};

	(void)state;
	close_at = "a";
	run_watch(s, COUNT(s), "+a ");
	assert_null(watch);
}

static void on_line(void *arg, const char *stamp, int64_t ms, const char *line, size_t n, bool cut)
{
	(void)arg;
	(void)cut;
	assert_int_equal(strlen(line), n);
	assert_true(ms > 0 && stamp[4] == '-');
	buf_addf(&story, "%s;", line);
}

static void on_gap(void *arg)
{
	(void)arg;
	buf_adds(&story, "GAP;");
}

static void on_log_state(void *arg, enum podlog_state state, const struct err *e)
{
	static const char *const names[] = {"waiting", "live", "lost", "ended", "gone", "refused"};

	(void)arg;
	buf_addf(&story, "[%s%s]", names[state], e ? "!" : "");
	if (state == PODLOG_ENDED || state == PODLOG_GONE)
		loop_stop(loop);
}

static void run_log(const struct step *s, size_t n, const char *since, const char *want)
{
	struct podlog_spec spec = {.ns = "default",
		.pod = "head-0",
		.container = "main",
		.since = since,
		.on_line = on_line,
		.on_gap = on_gap,
		.on_state = on_log_state};

	steps = s;
	step_count = n;
	podlog = podlog_open(kube, &spec);
	loop_run(loop);
	assert_int_equal(step_at, n);
	assert_string_equal(buf_str(&story), want);
}

#define POD(phase, state)                                                                          \
	"{\"spec\":{\"restartPolicy\":\"Never\"},\"status\":{\"phase\":\"" phase                   \
	"\",\"containerStatuses\":[{\"name\":\"main\",\"state\":{\"" state "\":{}}}]}}"
#define LOG "GET /api/v1/namespaces/default/pods/head-0/log?"

static void R67_R69_R71_a_log_is_followed_without_loss_or_doubles(void **state)
{
	static const struct step s[] = {
		{LOG "follow=true&timestamps=true&container=main ", 400,
			"{\"kind\":\"Status\",\"message\":\"container main is waiting to start\"}"},
		{"GET /api/v1/namespaces/default/pods/head-0 ", 200, POD("Pending", "waiting")},
		{"GET /api/v1/namespaces/default/pods/head-0 ", 200, POD("Running", "running")},
		{LOG, 0,
			"2026-09-10T08:00:00.1Z a\n2026-09-10T08:00:01.5Z b\n"
			"2026-09-10T08:00:01.5Z b2\n"},
		{"GET /api/v1/namespaces/default/pods/head-0 ", 200, POD("Running", "running")},
		/* whole seconds asked for; b, b2 come again, b3 has the same stamp, c is cut */
		{"sinceTime=2026-09-10T08%3A00%3A01Z", -1,
			"2026-09-10T08:00:01.2Z x\n2026-09-10T08:00:01.5Z b\n"
			"2026-09-10T08:00:01.500000000Z b2\n2026-09-10T08:00:01.5Z b3\n"
			"2026-09-10T08:00:02Z c-cut"},
		{"sinceTime=2026-09-10T08%3A00%3A01Z", 0,
			"2026-09-10T08:00:01.5Z b\n2026-09-10T08:00:01.5Z b2\n"
			"2026-09-10T08:00:01.5Z b3\n2026-09-10T08:00:02Z c-cut-no-more\n"},
		{"GET /api/v1/namespaces/default/pods/head-0 ", 200,
			POD("Succeeded", "terminated")},
		{LOG, 0, "2026-09-10T08:00:02Z c-cut-no-more\n2026-09-10T08:00:03Z end"},
	};

	(void)state;
	run_log(s, COUNT(s), NULL, "[live]a;b;b2;b3;[lost!][live]c-cut-no-more;end;[ended]");
}

static void a_rotated_log_has_a_gap(void **state)
{
	static const struct step s[] = {
		{"sinceTime=2026-09-10T08%3A00%3A00Z", 0,
			"2026-09-10T08:00:05Z later\n2026-09-10T08:00:06Z more\n"},
		{"pods/head-0 ", 404, "{\"kind\":\"Status\",\"reason\":\"NotFound\"}"},
	};

	(void)state;
	run_log(s, COUNT(s), "2026-09-10T08:00:00.7Z", "[live]GAP;later;more;[gone]");
}

static void a_known_last_line_is_not_given_again(void **state)
{
	static const struct step s[] = {
		{"sinceTime=2026-09-10T08%3A00%3A00Z", 0,
			"2026-09-10T08:00:00.5Z old\n2026-09-10T08:00:00.7Z old\n"
			"2026-09-10T08:00:00.8Z new\n"},
		{"pods/head-0 ", 200, POD("Failed", "terminated")},
		{LOG, 0, "2026-09-10T08:00:00.8Z new\n"},
	};

	(void)state;
	run_log(s, COUNT(s), "2026-09-10T08:00:00.7Z", "[live]new;[ended]");
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(pages_then_events_then_the_next_watch),
		T(R73_lost_history_is_listed_again_without_losing_a_change),
		T(a_lost_connection_goes_on_from_the_last_version),
		T(an_absent_group_is_not_installed_yet),
		T(a_broken_stream_is_listed_again),
		T(closing_inside_a_callback_is_the_end),
		T(R67_R69_R71_a_log_is_followed_without_loss_or_doubles),
		T(a_rotated_log_has_a_gap),
		T(a_known_last_line_is_not_given_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
