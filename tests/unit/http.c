/* SPDX-License-Identifier: Apache-2.0 */
/* The HTTP client against a scripted loopback server, and the retry schedule. */
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
#include "core/io/http.h"
#include "core/io/loop.h"
#include "core/io/retry.h"
#include "tests/unit/web.h"

static struct loop *loop;
static struct http *http;
static struct web *web;
static struct buf head, body; /* of the last request */
static struct web_conn *kept; /* answered later */
static int failures_left;     /* 503 that often */
static struct http_call *running;

static struct {
	int calls, status;
	struct buf body, data;
	struct err e;
	bool failed, cut_off, refused, head_first;
	int64_t retry_after_s, date_ms;
} got;

static void handler(void *arg, struct web_conn *c, const char *h, const char *b)
{
	static const char zipped[] = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\x48\xcd\xc9"
				     "\xc9\x57\xc8\x40\x27\x01\xe3\x51\x3d\x8d\x17\x00\x00\x00";

	(void)arg;
	buf_clear(&head);
	buf_adds(&head, h);
	buf_clear(&body);
	buf_adds(&body, b);
	if (strstr(h, " /cut ")) {
		web_write(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
		web_close(c);
	} else if (strstr(h, " /reset ")) {
		web_reset(c);
	} else if (strstr(h, " /slow ")) {
		kept = c;
	} else if (strstr(h, " /stream ")) {
		web_write(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
		web_chunk(c, "one ");
		kept = c;
	} else if (strstr(h, " /zip ")) {
		web_write(c,
			"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 28\r\n\r\n");
		web_write_n(c, zipped, 28);
	} else if (strstr(h, " /away ")) {
		web_reply(c, 302, "Location: /elsewhere\r\n", "");
	} else if (strstr(h, " /busy ") && failures_left-- > 0) {
		web_reply(c, 503, "Retry-After: 2\r\n", "later");
	} else if (strstr(h, " /bad ")) {
		web_reply(c, 400, "", "no");
	} else {
		web_reply(c, 200,
			"Date: Thu, 10 Sep 2026 08:00:00 GMT\r\nRetry-After: 7\r\n"
			"Content-Type: text/plain\r\n",
			"hello");
	}
}

static int setup(void **state)
{
	(void)state;
	loop = loop_new();
	http = http_new(loop);
	web = web_new(loop, handler, NULL);
	memset(&got, 0, sizeof(got));
	kept = NULL;
	running = NULL;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	http_free(http);
	web_free(web);
	loop_free(loop);
	buf_fini(&got.body);
	buf_fini(&got.data);
	buf_fini(&head);
	buf_fini(&body);
	return 0;
}

static void on_done(void *arg, struct http_reply *r, const struct err *e)
{
	(void)arg;
	got.calls++;
	got.status = r->status;
	got.failed = e != NULL;
	if (e)
		got.e = *e;
	got.cut_off = r->cut_off;
	got.refused = r->refused;
	got.retry_after_s = r->retry_after_s;
	got.date_ms = r->date_ms;
	buf_clear(&got.body);
	buf_add(&got.body, buf_str(&r->body), r->body.len);
	loop_stop(loop);
}

static struct http_request request(const char *path, char *url, size_t size)
{
	snprintf(url, size, "%s%s", path[0] == '/' ? web_url(web) : "", path);
	return (struct http_request){.url = url, .on_done = on_done};
}

static void ask(const char *path)
{
	char url[256];
	struct http_request r = request(path, url, sizeof(url));

	http_send(http, &r);
	loop_run(loop);
}

static void a_whole_reply_comes_with_its_headers(void **state)
{
	(void)state;
	ask("/x");
	assert_false(got.failed);
	assert_int_equal(got.status, 200);
	assert_string_equal(buf_str(&got.body), "hello");
	assert_int_equal(got.retry_after_s, 7);
	assert_int_equal(got.date_ms, INT64_C(1789027200000));
	assert_null(strstr(buf_str(&head), "Authorization"));
	ask("/x");
	assert_int_equal(got.calls, 2);
}

static void a_request_carries_body_headers_and_token(void **state)
{
	char url[256];
	struct http_request r = request("/post", url, sizeof(url));
	const char *headers[] = {"x-goog-user-project: lab", NULL};

	(void)state;
	r.method = "POST";
	r.bearer = "secret-token";
	r.headers = headers;
	r.body = "{\"a\":1}";
	r.body_n = 7;
	http_send(http, &r);
	loop_run(loop);
	assert_string_equal(buf_str(&body), "{\"a\":1}");
	assert_non_null(strstr(buf_str(&head), "POST /post HTTP/1.1"));
	assert_non_null(strstr(buf_str(&head), "Authorization: Bearer secret-token\r\n"));
	assert_non_null(strstr(buf_str(&head), "x-goog-user-project: lab\r\n"));
	assert_non_null(strstr(buf_str(&head), "Content-Type: application/json\r\n"));
	r = request("/part", url, sizeof(url));
	r.range = "-65536";
	http_send(http, &r);
	loop_run(loop);
	assert_non_null(strstr(buf_str(&head), "Range: bytes=-65536\r\n"));
	r = request("/gone", url, sizeof(url));
	r.method = "DELETE";
	http_send(http, &r);
	loop_run(loop);
	assert_non_null(strstr(buf_str(&head), "DELETE /gone"));
}

static void gzip_is_unpacked(void **state)
{
	(void)state;
	ask("/zip");
	assert_string_equal(buf_str(&got.body), "hello hello hello hello");
}

static void redirects_are_not_followed(void **state)
{
	(void)state;
	ask("/away");
	assert_int_equal(got.status, 302);
	assert_int_equal(web_requests(web), 1);
}

static void stream_head(void *arg, const struct http_reply *r)
{
	(void)arg;
	assert_int_equal(r->status, 200);
	got.head_first = got.data.len == 0;
}

static void stream_goes_on(void *arg)
{
	(void)arg;
	web_chunk(kept, "two");
	web_chunk(kept, "");
}

static void stream_data(void *arg, const char *data, size_t n)
{
	(void)arg;
	if (got.data.len == 0)
		loop_defer(loop, stream_goes_on, NULL);
	buf_add(&got.data, data, n);
}

static void a_stream_comes_in_pieces(void **state)
{
	char url[256];
	struct http_request r = request("/stream", url, sizeof(url));

	(void)state;
	r.on_head = stream_head;
	r.on_data = stream_data;
	http_send(http, &r);
	loop_run(loop);
	assert_false(got.failed);
	assert_true(got.head_first);
	assert_string_equal(buf_str(&got.data), "one two");
	assert_int_equal(got.body.len, 0);
	r = request("/bad", url, sizeof(url));
	r.on_data = stream_data;
	http_send(http, &r);
	loop_run(loop);
	assert_string_equal(buf_str(&got.body), "no");
}

static void stop(void *arg)
{
	(void)arg;
	loop_stop(loop);
}

static void cancel_inside(void *arg, const char *data, size_t n)
{
	(void)arg;
	buf_add(&got.data, data, n);
	http_cancel(&running);
	loop_defer(loop, stream_goes_on, NULL);
	loop_after_wall(loop, 60, stop, NULL);
}

static void a_cancelled_call_is_silent(void **state)
{
	char url[256];
	struct http_request r = request("/stream", url, sizeof(url));

	(void)state;
	r.on_data = cancel_inside;
	running = http_send(http, &r);
	loop_run(loop);
	assert_null(running);
	assert_int_equal(got.calls, 0);
	assert_string_equal(buf_str(&got.data), "one ");
	r.on_data = NULL;
	running = http_send(http, &r);
	http_cancel(&running);
	loop_after_wall(loop, 40, stop, NULL);
	loop_run(loop);
	assert_int_equal(got.calls, 0);
	assert_int_equal(web_requests(web), 1);
}

static void broken_connections_are_errors(void **state)
{
	(void)state;
	ask("/cut");
	assert_true(got.failed && got.cut_off);
	assert_int_equal(got.e.code, ERR_UNREACHABLE);
	assert_string_not_equal(got.e.hint, "");
	assert_non_null(strstr(got.e.what, "127.0.0.1"));
	ask("/reset");
	assert_true(got.failed && !got.cut_off);
	ask("http://127.0.0.1:1/");
	assert_true(got.failed);
	assert_int_equal(got.status, 0);
	assert_non_null(strstr(got.e.hint, "on this machine"));
}

static void silence_is_limited(void **state)
{
	char url[256];
	struct http_request r = request("/slow", url, sizeof(url));
	int64_t start = clock_wall();

	(void)state;
	r.idle_ms = 50;
	http_send(http, &r);
	loop_run(loop);
	assert_true(got.failed);
	assert_non_null(strstr(got.e.what, "in time"));
	assert_true(clock_wall() - start >= 50);
}

static void a_body_over_its_cap_is_refused(void **state)
{
	char url[256];
	struct http_request r = request("/x", url, sizeof(url));

	(void)state;
	r.max_body = 4;
	http_send(http, &r);
	loop_run(loop);
	assert_true(got.failed && got.refused);
	assert_non_null(strstr(got.e.what, "too long"));
}

static void forbidden_addresses_are_refused(void **state)
{
	static const char *const bad[] = {"http://example.org/", "ftp://127.0.0.1/",
		"file:///etc/passwd", "not an address", "http://127.0.0.1.example.org/"};

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		ask(bad[i]);
		assert_true(got.failed && got.refused);
		assert_int_equal(got.status, 0);
	}
	http_free(http);
	setenv("RLPILOT_LOOPBACK_ONLY", "1", 1);
	http = http_new(loop);
	unsetenv("RLPILOT_LOOPBACK_ONLY");
	ask("https://storage.googleapis.com/");
	assert_true(got.failed && got.refused);
	assert_non_null(strstr(got.e.what, "RLPILOT_LOOPBACK_ONLY"));
	ask("/x");
	assert_false(got.failed);
}

/* Plain http is for the machine's own metadata server alone, and goes past every proxy. */
static void metadata_questions_stay_near(void **state)
{
	char url[256];
	struct http_request r = request("http://192.0.2.1/computeMetadata/", url, sizeof(url));

	(void)state;
	setenv("http_proxy", "http://127.0.0.1:1", 1);
	r.metadata = true;
	http_send(http, &r);
	loop_run(loop);
	assert_true(got.failed && got.refused);
	r = request("/x", url, sizeof(url));
	r.metadata = true;
	http_send(http, &r);
	loop_run(loop);
	assert_false(got.failed);
	assert_int_equal(got.status, 200);
	unsetenv("http_proxy");
	http_free(http);
	setenv("RLPILOT_LOOPBACK_ONLY", "1", 1);
	http = http_new(loop);
	unsetenv("RLPILOT_LOOPBACK_ONLY");
	r = request("http://169.254.169.254/computeMetadata/", url, sizeof(url));
	r.metadata = true;
	http_send(http, &r);
	loop_run(loop);
	assert_true(got.failed && got.refused);
}

static void loopback_is_known(void **state)
{
	(void)state;
	assert_true(http_is_loopback("127.0.0.1"));
	assert_true(http_is_loopback("127.9.9.9"));
	assert_true(http_is_loopback("[::1]"));
	assert_true(http_is_loopback("LOCALHOST"));
	assert_false(http_is_loopback("128.0.0.1"));
	assert_false(http_is_loopback("localhost.example.org"));
	assert_false(http_is_loopback("::2"));
	assert_false(http_is_loopback(""));
}

static void names_are_escaped(void **state)
{
	struct buf b = {0};

	(void)state;
	http_escape(&b, "a/b c~1%\xc3\xa9");
	assert_string_equal(buf_str(&b), "a%2Fb%20c~1%25%C3%A9");
	buf_fini(&b);
}

static void the_schedule_grows_to_its_cap(void **state)
{
	struct retry_policy p = {.attempts = 0, .base_ms = 1000, .cap_ms = 8000, .jitter_pct = 0};
	struct retry r;
	static const int64_t want[] = {1000, 2000, 4000, 8000, 8000};

	(void)state;
	retry_init(&r, &p, 1);
	for (size_t i = 0; i < COUNT(want); i++)
		assert_int_equal(retry_next(&r, -1), want[i]);
	assert_int_equal(retry_next(&r, 20), 20000);
	assert_int_equal(retry_next(&r, 100000), 600000);
	retry_reset(&r);
	assert_int_equal(retry_next(&r, 0), 1000);
	p.attempts = 3;
	retry_reset(&r);
	assert_true(retry_next(&r, -1) > 0);
	assert_true(retry_next(&r, -1) > 0);
	assert_int_equal(retry_next(&r, -1), -1);
}

static void jitter_stays_in_bounds_and_depends_on_the_seed(void **state)
{
	int64_t first = -1;
	bool differs = false;

	(void)state;
	for (uint64_t seed = 0; seed < 500; seed++) {
		struct retry r;
		int64_t ms;

		retry_init(&r, &retry_cloud, seed);
		ms = retry_next(&r, -1);
		assert_in_range(ms, 900, 1100);
		differs |= first >= 0 && ms != first;
		first = ms;
	}
	assert_true(differs);
	assert_true(retry_worth(0) && retry_worth(429) && retry_worth(503));
	assert_false(retry_worth(200) || retry_worth(404) || retry_worth(501));
}

static void ask_again(const char *path, const struct retry_policy *policy)
{
	char url[256];
	struct http_request r = request(path, url, sizeof(url));

	retry_send(http, &r, policy);
	loop_run(loop);
}

static void requests_are_repeated_when_it_helps(void **state)
{
	static const struct retry_policy quick = {.attempts = 4, .base_ms = 1, .cap_ms = 2};
	struct err e;

	(void)state;
	setenv("RLPILOT_CLOCK", "1000@1000*1000", 1);
	assert_int_equal(clock_init(&e), 0);
	failures_left = 2;
	ask_again("/busy", &quick);
	assert_int_equal(got.status, 200);
	assert_int_equal(web_requests(web), 3);
	failures_left = 100;
	ask_again("/busy", &quick);
	assert_int_equal(got.status, 503);
	assert_int_equal(web_requests(web), 7);
	ask_again("/bad", &quick);
	assert_int_equal(web_requests(web), 8);
	ask_again("/cut", &quick);
	assert_true(got.failed);
	assert_int_equal(web_requests(web), 12);
	ask_again("ftp://127.0.0.1/", &quick);
	assert_true(got.refused);
	assert_int_equal(got.calls, 5);
	setenv("RLPILOT_CLOCK", "0@0*1", 1);
	assert_int_equal(clock_init(&e), 0);
	unsetenv("RLPILOT_CLOCK");
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(a_whole_reply_comes_with_its_headers),
		T(a_request_carries_body_headers_and_token),
		T(gzip_is_unpacked),
		T(redirects_are_not_followed),
		T(a_stream_comes_in_pieces),
		T(a_cancelled_call_is_silent),
		T(broken_connections_are_errors),
		T(silence_is_limited),
		T(a_body_over_its_cap_is_refused),
		T(forbidden_addresses_are_refused),
		T(metadata_questions_stay_near),
		cmocka_unit_test(loopback_is_known),
		cmocka_unit_test(names_are_escaped),
		cmocka_unit_test(the_schedule_grows_to_its_cap),
		cmocka_unit_test(jitter_stays_in_bounds_and_depends_on_the_seed),
		T(requests_are_repeated_when_it_helps),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
