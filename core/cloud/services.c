/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cloud/services.h"

#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/json.h"

#include <stdlib.h>
#include <string.h>

enum { POLL_MS = 3000, POLLS_MAX = 400 };

struct enabling {
	struct cloud *cloud;
	struct loop_timer *timer;
	char *operation;
	int polls;
	struct cloud_done done;
};

struct cloud_call *services_get(struct cloud *c, const char *project, const char *const *names,
	size_t n, struct cloud_done done)
{
	AUTO(buf_fini) struct buf path = {0};

	buf_adds(&path, "v1/projects/");
	http_escape(&path, project);
	buf_adds(&path, "/services:batchGet");
	for (size_t i = 0; i < n; i++) {
		buf_adds(&path, i ? "&names=projects/" : "?names=projects/");
		http_escape(&path, project);
		buf_adds(&path, "/services/");
		http_escape(&path, names[i]);
	}
	return cloud_call(c, CLOUD_SERVICEUSAGE, NULL, buf_str(&path), NULL, done);
}

/* Names come back with the project's number: only the last part is compared. */
const char *services_state(const json_t *reply, const char *name)
{
	const json_t *list = json_path(reply, "services");

	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *s = json_array_get(list, i);
		const char *full = json_path_str_or(s, "name", "");
		const char *last = strrchr(full, '/');

		if (strcmp(last ? last + 1 : full, name) == 0)
			return json_path_str_or(s, "state", "");
	}
	return "";
}

static void enabling_free(void *job)
{
	struct enabling *w = job;

	cloud_cancel_all(w->cloud, w);
	loop_timer_cancel(&w->timer);
	free(w->operation);
	free(w);
}

static void enabling_end(struct enabling *w, json_t *reply, const struct err *e)
{
	struct cloud_done done = w->done;

	cloud_job_end(w->cloud, w);
	enabling_free(w);
	done.fn(done.arg, reply, e);
}

static void poll_came(void *arg, json_t *reply, const struct err *e);

static void poll_now(void *arg)
{
	struct enabling *w = arg;
	AUTO_FREE char *path = x_asprintf("v1/%s", w->operation);

	w->timer = NULL;
	cloud_call(
		w->cloud, CLOUD_SERVICEUSAGE, NULL, path, NULL, (struct cloud_done){poll_came, w});
}

static void poll_came(void *arg, json_t *reply, const struct err *e)
{
	struct enabling *w = arg;
	const char *name;
	struct err why = {0};

	if (e) {
		enabling_end(w, NULL, e);
		return;
	}
	if (json_path(reply, "error")) {
		err_set(&why, ERR_FAILED, _("ask an administrator; the project needs billing"),
			_("the APIs were not enabled: %.300s"),
			json_path_str_or(reply, "error.message", ""));
		enabling_end(w, NULL, &why);
		return;
	}
	name = json_path_str(reply, "name");
	if (json_path_bool(reply, "done", false)) {
		enabling_end(w, reply, NULL);
	} else if (!name || ++w->polls > POLLS_MAX) {
		err_set(&why, ERR_UNREACHABLE, _("look again with: rlpilot check"),
			_("enabling the APIs takes too long"));
		enabling_end(w, NULL, &why);
	} else {
		char *copy = x_strdup(name);

		free(w->operation);
		w->operation = copy;
		w->timer = loop_after(cloud_loop(w->cloud), POLL_MS, poll_now, w);
	}
}

void services_enable(struct cloud *c, const char *project, const char *const *names, size_t n,
	struct cloud_done done)
{
	struct enabling *w = X_NEW(struct enabling);
	AUTO(buf_fini) struct buf path = {0};
	AUTO(json_auto) json_t *body = json_object();
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, json_from_str(names[i]));
	json_object_set_new(body, "serviceIds", list);
	buf_adds(&path, "v1/projects/");
	http_escape(&path, project);
	buf_adds(&path, "/services:batchEnable");
	w->cloud = c;
	w->done = done;
	cloud_job_begin(c, w, done.arg, enabling_free);
	cloud_send(c, &(struct cloud_request){.api = CLOUD_SERVICEUSAGE,
			      .method = "POST",
			      .path = buf_str(&path),
			      .body = body,
			      .repeatable = true,
			      .done = {poll_came, w}});
}
