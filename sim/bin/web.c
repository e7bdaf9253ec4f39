/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/bin/web.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/json.h"
#include "sim/bin/tool.h"
#include <curl/curl.h>
#include <stdio.h>
#include <string.h>

struct run {
	const struct web_call *call;
	struct web_reply *reply;
	CURL *easy;
	struct buf line;
	bool stopped;
};

static bool feed_lines(struct run *r, const char *data, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (data[i] != '\n') {
			buf_addc(&r->line, data[i]);
			continue;
		}
		if (!r->call->on_line(r->call->arg, buf_str(&r->line)))
			return false;
		buf_clear(&r->line);
	}
	return true;
}

static size_t take(char *data, size_t size, size_t n, void *arg)
{
	struct run *r = arg;
	long status = 0;
	curl_easy_getinfo(r->easy, CURLINFO_RESPONSE_CODE, &status);
	if (!r->call->on_line || status >= 300) {
		buf_add(&r->reply->body, data, size * n);
		return size * n;
	}
	if (!feed_lines(r, data, size * n)) {
		r->stopped = true;
		return 0;
	}
	return size * n;
}

static bool is_loopback(const char *url)
{
	static const char *const hosts[] = {"127.0.0.1", "localhost", "[::1]"};
	const char *host = strstr(url, "://");
	for (size_t i = 0; host && i < COUNT(hosts); i++) {
		size_t n = strlen(hosts[i]);
		if (!strncmp(host + 3, hosts[i], n) && strchr(":/", host[3 + n]))
			return true;
	}
	return false;
}

static struct curl_slist *headers_of(const struct web_call *c)
{
	struct curl_slist *list = NULL;
	if (c->bearer) {
		AUTO_FREE char *h = x_asprintf("Authorization: Bearer %s", c->bearer);
		list = curl_slist_append(list, h);
	}
	if (c->content_type) {
		AUTO_FREE char *h = x_asprintf("Content-Type: %s", c->content_type);
		list = curl_slist_append(list, h);
	}
	return curl_slist_append(list, "Expect:");
}

static void set_up(struct run *r, struct curl_slist *headers)
{
	const struct web_call *c = r->call;
	CURL *e = r->easy;
	curl_easy_setopt(e, CURLOPT_USERAGENT, "rlpilot-sim-tool/" PACKAGE_VERSION);
	curl_easy_setopt(e, CURLOPT_URL, c->url);
	curl_easy_setopt(e, CURLOPT_CUSTOMREQUEST, c->method);
	curl_easy_setopt(e, CURLOPT_NOBODY, !strcmp(c->method, "HEAD") ? 1L : 0L);
	curl_easy_setopt(e, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(e, CURLOPT_NOPROXY, "*");
	curl_easy_setopt(e, CURLOPT_CONNECTTIMEOUT_MS, 10000L);
	curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, take);
	curl_easy_setopt(e, CURLOPT_WRITEDATA, r);
	curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https");
	if (!c->on_line)
		curl_easy_setopt(e, CURLOPT_TIMEOUT_MS, 60000L);
	if (c->body) {
		curl_easy_setopt(e, CURLOPT_POSTFIELDS, c->body);
		curl_easy_setopt(e, CURLOPT_POSTFIELDSIZE, (long)strlen(c->body));
	}
	if (c->ca_pem) {
		struct curl_blob ca = {.data = (void *)c->ca_pem,
			.len = strlen(c->ca_pem),
			.flags = CURL_BLOB_COPY};
		curl_easy_setopt(e, CURLOPT_CAINFO_BLOB, &ca);
	}
}

int web_do(const struct web_call *call, struct web_reply *reply)
{
	struct run r = {.call = call, .reply = reply};
	if (!is_loopback(call->url)) {
		snprintf(reply->why, sizeof(reply->why),
			"%s is not on this machine; a stand-in calls nothing else", call->url);
		return -1;
	}
	r.easy = curl_easy_init();
	if (!r.easy)
		die("curl does not start");
	struct curl_slist *headers = headers_of(call);
	set_up(&r, headers);
	CURLcode rc = curl_easy_perform(r.easy);
	curl_easy_getinfo(r.easy, CURLINFO_RESPONSE_CODE, &reply->status);
	if (rc != CURLE_OK && !r.stopped)
		snprintf(reply->why, sizeof(reply->why), "%s", curl_easy_strerror(rc));
	if (rc == CURLE_OK && call->on_line && r.line.len)
		call->on_line(call->arg, buf_str(&r.line));
	buf_fini(&r.line);
	curl_slist_free_all(headers);
	curl_easy_cleanup(r.easy);
	return rc == CURLE_OK || r.stopped ? 0 : -1;
}

void web_reply_fini(struct web_reply *reply)
{
	buf_fini(&reply->body);
}

json_t *web_json(const struct web_reply *reply)
{
	return json_parse(buf_str(&reply->body), reply->body.len, NULL);
}

char *web_escape(const char *s)
{
	AUTO(buf_fini) struct buf b = {0};
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;
		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
			strchr("-_.~", c))
			buf_addc(&b, *s);
		else
			buf_addf(&b, "%%%02X", c);
	}
	return x_strdup(buf_str(&b));
}

char *web_endpoint(const char *name, const char *default_path)
{
	AUTO_FREE char *variable = x_asprintf("CLOUDSDK_API_ENDPOINT_OVERRIDES_%s", name);
	const char *v = tool_env(variable);
	AUTO_FREE char *base = v ? x_strdup(v) : x_asprintf("%s/", tool_sim());
	const char *host = strstr(base, "://");
	const char *path = host ? strchr(host + 3, '/') : NULL;
	if (!path)
		return x_asprintf("%s/%s", base, default_path);
	if (!strcmp(path, "/"))
		return x_asprintf("%s%s", base, default_path);
	return x_strdup(base);
}
