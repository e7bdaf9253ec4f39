/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "sim/load.h"
#include "sim/world.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct tm clock_of(const struct load_job *j)
{
	time_t t = (time_t)(j->at / 1000);
	struct tm tm;

	gmtime_r(&t, &tm);
	return tm;
}

/* Micro-seconds below the millisecond, from the time itself. */
static int micros(const struct load_job *j)
{
	return (int)(j->at % 1000) * 1000 + (int)((uint64_t)j->at * 2654435761u % 1000);
}

/* Threads: the main one, and those of the helpers that reshard and save. */
static const char *thread_of(const char *file, const struct load_job *j, char out[24])
{
	uint64_t spread = (uint64_t)j->at * 0x9e3779b97f4a7c15u >> 36;

	if (strstr(file, ".cc:"))
		snprintf(out, 24, "%d", 15 + (int)(spread % 400));
	else if (text_starts(file, "reshard.py") || text_starts(file, "atomicity.py"))
		snprintf(out, 24, "%" PRIu64, 139850000000000u + spread % 800000000u);
	else
		snprintf(out, 24, "139876543210496");
	return out;
}

void load_absl(struct load *l, char level, const char *file, const char *fmt, ...)
{
	struct load_job *j = load_job(l);
	struct tm tm = clock_of(j);
	char thread[24];
	va_list ap;
	AUTO_FREE char *text = NULL;

	va_start(ap, fmt);
	text = x_vasprintf(fmt, ap);
	va_end(ap);
	load_write(l, "%c%02d%02d %02d:%02d:%02d.%06d %s %s] %s\n", level, tm.tm_mon + 1,
		tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, micros(j), thread_of(file, j, thread),
		file, text);
	load_wait(l, 3);
}

void load_vllm(struct load *l, const char *file, const char *fmt, ...)
{
	struct tm tm = clock_of(load_job(l));
	va_list ap;
	AUTO_FREE char *text = NULL;

	va_start(ap, fmt);
	text = x_vasprintf(fmt, ap);
	va_end(ap);
	load_write(l, "INFO %02d-%02d %02d:%02d:%02d [%s] %s\n", tm.tm_mon + 1, tm.tm_mday,
		tm.tm_hour, tm.tm_min, tm.tm_sec, file, text);
	load_wait(l, 3);
}

void load_root(struct load *l, const char *fmt, ...)
{
	va_list ap;
	AUTO_FREE char *text = NULL;

	va_start(ap, fmt);
	text = x_vasprintf(fmt, ap);
	va_end(ap);
	load_write(l, "INFO:absl:%s\n", text);
	load_wait(l, 3);
}

const char *load_bar(int k, int n, char out[40])
{
	static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
	int parts = n > 0 ? k * 80 / n : 0;
	size_t len = 0;
	int cells = parts / 8;

	for (int i = 0; i < cells; i++)
		len += (size_t)snprintf(out + len, 40 - len, "█");
	if (parts % 8) {
		len += (size_t)snprintf(out + len, 40 - len, "%s", eighths[parts % 8]);
		cells++;
	}
	for (int i = cells; i < 10; i++)
		len += (size_t)snprintf(out + len, 40 - len, " ");
	return out;
}

const char *load_mmss(int64_t s, char out[16])
{
	if (s >= 3600)
		snprintf(out, 16, "%d:%02d:%02d", (int)(s / 3600), (int)(s / 60 % 60),
			(int)(s % 60));
	else
		snprintf(out, 16, "%02d:%02d", (int)(s / 60), (int)(s % 60));
	return out;
}

/* True when `at` begins a word of the command: KEY=, --KEY=. */
static bool word_start(const char *command, const char *at)
{
	if (at - command >= 2 && at[-1] == '-' && at[-2] == '-')
		at -= 2;
	return at == command || strchr(" \t\n\\\"'", at[-1]) != NULL;
}

/* The rest of a shell word from p, quotes taken off. */
static char *word_value(const char *p)
{
	struct buf b = {0};
	char quote = '\0';

	for (; *p && (quote || !strchr(" \t\n;&|()", *p)); p++) {
		if (quote ? *p == quote : *p == '\'' || *p == '"')
			quote = quote ? '\0' : *p;
		else if (*p == '\\' && p[1] == '"')
			continue;
		else
			buf_addc(&b, *p);
	}
	return buf_take(&b);
}

char *load_option(const struct load_job *j, const char *key)
{
	AUTO_FREE char *eq = x_asprintf("%s=", key);

	for (const char *p = j->command; (p = strstr(p, eq)); p += strlen(eq)) {
		if (word_start(j->command, p))
			return word_value(p + strlen(eq));
	}
	return NULL;
}

char *load_option_or(const struct load_job *j, const char *key, const char *dflt)
{
	char *v = load_option(j, key);

	return v ? v : x_strdup(dflt);
}

int64_t load_option_i64(const struct load_job *j, const char *key, int64_t dflt)
{
	AUTO_FREE char *v = load_option(j, key);
	int64_t n;

	return v && text_to_i64(v, -1000000000, 1000000000, &n) == 0 ? n : dflt;
}

bool load_gs(const char *uri, const char *tail, char **bucket, char **object)
{
	const char *name, *slash;

	*bucket = *object = NULL;
	if (!uri || !text_starts(uri, "gs://"))
		return false;
	name = uri + 5;
	slash = strchr(name, '/');
	*bucket = x_strndup(name, slash ? (size_t)(slash - name) : strlen(name));
	*object = x_asprintf("%s%s%s", slash ? slash + 1 : "",
		slash && slash[1] && !text_ends(slash, "/") ? "/" : "", tail);
	return true;
}

bool load_object_exists(struct load *l, const char *uri, const char *tail)
{
	AUTO_FREE char *bucket = NULL;
	AUTO_FREE char *object = NULL;

	return load_gs(uri, tail, &bucket, &object) &&
	       world_object(load_job(l)->k->sim->world, bucket, object) != NULL;
}

struct put {
	char *bucket, *object, *data;
	int64_t size;
};

static void put_free(void *p)
{
	struct put *put = p;

	free(put->bucket);
	free(put->object);
	free(put->data);
	free(put);
}

static void put_now(struct load *l, void *arg)
{
	struct put *put = arg;

	world_object_put(
		load_job(l)->k->sim->world, put->bucket, put->object, put->size, put->data);
}

void load_put(struct load *l, const char *uri, const char *tail, int64_t size, const char *data)
{
	struct put *put = X_NEW(struct put);

	load_gs(uri, tail, &put->bucket, &put->object);
	put->size = size;
	if (data) {
		put->data = x_malloc((size_t)size + 1);
		memcpy(put->data, data, (size_t)size);
	}
	load_do(l, put_now, put, put_free);
}

bool load_hub_ok(struct load *l, const char *model)
{
	struct load_job *j = load_job(l);
	AUTO_FREE char *token = load_option(j, "hf_access_token");
	const char *right = j->k->sim->world->hf_token;
	bool known = token && right && !strcmp(token, right);

	if (known)
		return true;
	load_write(l,
		"Traceback (most recent call last):\n"
		"  File \"/usr/local/lib/python3.12/site-packages/huggingface_hub/utils/"
		"_http.py\", line 402, in hf_raise_for_status\n"
		"    response.raise_for_status()\n"
		"requests.exceptions.HTTPError: 401 Client Error: Unauthorized for url: "
		"https://huggingface.co/%s/resolve/main/config.json\n\n"
		"The above exception was the direct cause of the following exception:\n\n"
		"Traceback (most recent call last):\n"
		"  File \"/usr/local/lib/python3.12/site-packages/transformers/utils/hub.py\", "
		"line 479, in cached_files\n"
		"    hf_hub_download(\n"
		"huggingface_hub.errors.GatedRepoError: 401 Client Error. (Request ID: "
		"Root=1-68b0c1d2-000000000000000000000000)\n\n"
		"Cannot access gated repo for url https://huggingface.co/%s/resolve/main/"
		"config.json.\nAccess to model %s is restricted. You must have access to it "
		"and be authenticated to access it. Please log in.\n",
		model, model, model);
	load_exit(l, 1, NULL);
	return false;
}
