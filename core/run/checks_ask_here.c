/* SPDX-License-Identifier: Apache-2.0 */
/* Sources outside Google's APIs: programs of this machine, the address of the releases. */
#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/cloud/cloud.h"
#include "core/io/child.h"
#include "core/run/checks_in.h"

#define SAID_MAX 65536

static void on_line(void *arg, const char *line, size_t n, bool cut)
{
	struct answer *a = arg;

	(void)cut;
	buf_add(&a->text, line, n);
	buf_addc(&a->text, '\n');
}

static void on_exit_code(void *arg, int code)
{
	struct answer *a = arg;

	a->child = NULL;
	checks_answer(a,
		json_pack("{s:i, s:o}", "code", code, "out", json_from_str(buf_str(&a->text))),
		NULL);
}

static void ask_program(struct answer *a, const char *const *argv)
{
	struct child_spec spec = {
		.argv = argv, .on_out = on_line, .on_exit = on_exit_code, .arg = a};
	struct err e = {0};

	a->text.max = SAID_MAX;
	a->child = child_start(cloud_loop(a->owner->place.cloud), &spec, &e);
	if (!a->child)
		checks_answer(a, NULL, &e);
}

void checks_ask_libc(struct answer *a)
{
	static const char *const argv[] = {"getconf", "GNU_LIBC_VERSION", NULL};

	ask_program(a, argv);
}

void checks_ask_terraform(struct answer *a)
{
	static const char *const argv[] = {"terraform", "version", "-json", NULL};

	ask_program(a, argv);
}

/* A redirect is an answer, too: the bundle lies behind it. */
static void on_release(void *arg, struct http_reply *r, const struct err *e)
{
	if (r->status / 100 == 2 || r->status / 100 == 3)
		checks_answer(arg, json_pack("{s:i}", "status", r->status), NULL);
	else
		checks_answer(arg, NULL, e);
}

void checks_ask_release(struct answer *a)
{
	AUTO_FREE char *base = x_asprintf("%s/", checks_value(a->owner, "RLPILOT_RELEASES"));
	AUTO(buf_fini) struct buf path = {0};

	http_escape(&path, checks_value(a->owner, "CLUSTER_TOOLKIT_VERSION"));
	buf_addc(&path, '/');
	http_escape(&path, checks_value(a->owner, "BUNDLE"));
	cloud_send(a->owner->place.cloud, &(struct cloud_request){.base = base,
						  .method = "HEAD",
						  .path = buf_str(&path),
						  .token = "",
						  .raw = true,
						  .done = {NULL, a},
						  .on_raw = on_release});
}
