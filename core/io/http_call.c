/* SPDX-License-Identifier: Apache-2.0 */
#include "core/io/http_call.h"

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/text.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

enum { CONNECT_MS = 10000, IDLE_MS = 30000, ERROR_BODY_MAX = 256 << 10 };

static bool header_is(const char *line, size_t n, const char *name, const char **value, size_t *len)
{
	size_t k = strlen(name);

	if (n <= k || line[k] != ':' || strncasecmp(line, name, k) != 0)
		return false;
	for (k++; k < n && (line[k] == ' ' || line[k] == '\t'); k++)
		continue;
	while (n > k && strchr("\r\n \t", line[n - 1]))
		n--;
	*value = line + k;
	*len = n - k;
	return true;
}

static void copy_value(char *out, size_t size, const char *value, size_t n)
{
	n = n < size ? n : size - 1;
	memcpy(out, value, n);
	out[n] = '\0';
}

static void read_header(struct http_reply *r, const char *line, size_t n)
{
	const char *value;
	size_t len;
	char text[64];

	if (header_is(line, n, "Date", &value, &len)) {
		copy_value(text, sizeof(text), value, len);
		r->date_ms = (int64_t)curl_getdate(text, NULL) * 1000;
		if (r->date_ms < 0)
			r->date_ms = 0;
	} else if (header_is(line, n, "Retry-After", &value, &len)) {
		copy_value(text, sizeof(text), value, len);
		if (text_to_i64(text, 0, 86400, &r->retry_after_s) != 0) {
			int64_t at = (int64_t)curl_getdate(text, NULL);
			int64_t base = r->date_ms ? r->date_ms / 1000 : clock_now() / 1000;

			r->retry_after_s = at < 0 ? -1 : at > base ? at - base : 0;
		}
	} else if (header_is(line, n, "Content-Type", &value, &len)) {
		copy_value(r->content_type, sizeof(r->content_type), value, len);
	} else if (header_is(line, n, "X-Error-Code", &value, &len)) {
		copy_value(r->error_code, sizeof(r->error_code), value, len);
	} else if (header_is(line, n, "x-goog-generation", &value, &len)) {
		copy_value(r->generation, sizeof(r->generation), value, len);
	} else if (header_is(line, n, "Metadata-Flavor", &value, &len)) {
		copy_value(r->metadata_flavor, sizeof(r->metadata_flavor), value, len);
	}
}

static size_t on_header(char *line, size_t size, size_t n, void *user)
{
	struct http_call *c = user;
	long status = 0;

	n *= size;
	c->last = clock_wall();
	if (c->cancelled)
		return 0;
	if (n > 5 && memcmp(line, "HTTP/", 5) == 0) {
		curl_easy_getinfo(c->easy, CURLINFO_RESPONSE_CODE, &status);
		c->reply.status = (int)status;
		c->reply.retry_after_s = -1;
	} else if (n <= 2) {
		if (c->reply.status >= 200 && c->reply.status < 300 && !c->head_done) {
			c->head_done = true;
			if (c->req->on_head)
				c->req->on_head(c->req->arg, &c->reply);
		}
	} else {
		read_header(&c->reply, line, n);
	}
	return c->cancelled ? 0 : n;
}

static size_t on_body(char *data, size_t size, size_t n, void *user)
{
	struct http_call *c = user;

	n *= size;
	c->last = clock_wall();
	if (c->cancelled)
		return 0;
	if (c->req->on_data && c->reply.status / 100 == 2) {
		c->req->on_data(c->req->arg, data, n);
		return c->cancelled ? 0 : n;
	}
	buf_add(&c->reply.body, data, n);
	if (c->reply.body.cut && c->reply.status / 100 == 2) {
		c->too_long = true;
		return 0;
	}
	return n;
}

/* fd20:ce::254, Google's metadata server over IPv6 */
static const unsigned char metadata_ipv6[16] = {0xfd, 0x20, 0x00, 0xce, [14] = 0x02, [15] = 0x54};

/* The last guard: names may lie, addresses do not. */
static curl_socket_t open_socket(void *user, curlsocktype purpose, struct curl_sockaddr *a)
{
	struct http_call *c = user;
	bool here = false, near = false;

	(void)purpose;
	if (a->family == AF_INET) {
		struct sockaddr_in in;

		memcpy(&in, &a->addr, sizeof(in));
		here = ntohl(in.sin_addr.s_addr) >> 24 == 127;
		near = ntohl(in.sin_addr.s_addr) >> 16 == 0xa9fe;
	} else if (a->family == AF_INET6) {
		struct sockaddr_in6 in6;

		memcpy(&in6, &a->addr, sizeof(in6) <= a->addrlen ? sizeof(in6) : a->addrlen);
		here = IN6_IS_ADDR_LOOPBACK(&in6.sin6_addr);
		near = memcmp(&in6.sin6_addr, metadata_ipv6, sizeof(metadata_ipv6)) == 0;
	}
	if (!here && (c->loopback || c->http->loopback_only))
		return CURL_SOCKET_BAD;
	if (c->req->metadata && !here && !near) {
		c->reply.refused = true;
		return CURL_SOCKET_BAD;
	}
	return socket(a->family, a->socktype | SOCK_CLOEXEC, a->protocol);
}

static void set_blob(CURL *easy, CURLoption option, const char *pem)
{
	struct curl_blob blob = {.flags = CURL_BLOB_COPY};

	if (!pem)
		return;
	blob.data = (void *)(uintptr_t)pem;
	blob.len = strlen(pem);
	curl_easy_setopt(easy, option, &blob);
}

static void set_trust(struct http_call *c)
{
	const struct http_request *r = c->req;

	curl_easy_setopt(c->easy, CURLOPT_SSL_VERIFYPEER, 1L);
	curl_easy_setopt(c->easy, CURLOPT_SSL_VERIFYHOST, 2L);
	if (r->ca_pem) {
		set_blob(c->easy, CURLOPT_CAINFO_BLOB, r->ca_pem);
		curl_easy_setopt(c->easy, CURLOPT_CAPATH, NULL);
	} else if (c->http->ca_file) {
		curl_easy_setopt(c->easy, CURLOPT_CAINFO, c->http->ca_file);
	}
	if (r->cert_pem && r->key_pem) {
		set_blob(c->easy, CURLOPT_SSLCERT_BLOB, r->cert_pem);
		set_blob(c->easy, CURLOPT_SSLKEY_BLOB, r->key_pem);
	}
	if (c->loopback || c->http->loopback_only || r->metadata || r->connect)
		curl_easy_setopt(c->easy, CURLOPT_PROXY, "");
}

static void set_body(struct http_call *c)
{
	const struct http_request *r = c->req;
	const char *method = r->method ? r->method : "GET";

	if (r->body) {
		curl_easy_setopt(c->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->body_n);
		curl_easy_setopt(c->easy, CURLOPT_POSTFIELDS, r->body);
	}
	if (strcmp(method, "HEAD") == 0)
		curl_easy_setopt(c->easy, CURLOPT_NOBODY, 1L);
	else if (r->body || strcmp(method, "GET") != 0)
		curl_easy_setopt(c->easy, CURLOPT_CUSTOMREQUEST, method);
}

static void add_header(struct http_call *c, const char *name, const char *value)
{
	char *line = x_asprintf("%s: %s", name, value);

	c->headers = curl_slist_append(c->headers, line);
	x_wipe_free(line);
}

static void set_headers(struct http_call *c)
{
	const struct http_request *r = c->req;

	for (size_t i = 0; r->headers && r->headers[i]; i++)
		c->headers = curl_slist_append(c->headers, r->headers[i]);
	if (r->bearer) {
		char *value = x_asprintf("Bearer %s", r->bearer);

		add_header(c, "Authorization", value);
		x_wipe_free(value);
	}
	if (r->body) {
		add_header(c, "Content-Type", r->body_type ? r->body_type : "application/json");
		c->headers = curl_slist_append(c->headers, "Expect:");
	}
	curl_easy_setopt(c->easy, CURLOPT_HTTPHEADER, c->headers);
	curl_easy_setopt(c->easy, CURLOPT_USERAGENT, PACKAGE_NAME "/" PACKAGE_VERSION);
	if (r->range)
		curl_easy_setopt(c->easy, CURLOPT_RANGE, r->range);
	else
		curl_easy_setopt(c->easy, CURLOPT_ACCEPT_ENCODING, "gzip");
}

/* Connects to the URL's host, but names and verifies tls_name. */
static void set_name(struct http_call *c, const char *host, const char *port)
{
	char *line = x_asprintf("%s:%s:%s:%s", c->req->tls_name, port, host, port);

	c->connect_to = curl_slist_append(NULL, line);
	free(line);
	curl_easy_setopt(c->easy, CURLOPT_CONNECT_TO, c->connect_to);
	curl_url_set(c->url, CURLUPART_HOST, c->req->tls_name, 0);
}

static int check_url(struct http_call *c, struct err *e)
{
	char *scheme = NULL, *host = NULL, *port = NULL;
	int result = 0;

	if (curl_url_set(c->url, CURLUPART_URL, c->req->url, 0) != CURLUE_OK ||
		curl_url_get(c->url, CURLUPART_SCHEME, &scheme, 0) != CURLUE_OK ||
		curl_url_get(c->url, CURLUPART_HOST, &host, 0) != CURLUE_OK ||
		curl_url_get(c->url, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT) != CURLUE_OK) {
		result = err_set(e, ERR_UNREACHABLE, _("check the endpoint settings"),
			_("'%s' is not a web address"), c->req->url);
		goto out;
	}
	c->loopback = http_is_loopback(host);
	if (c->http->loopback_only && !c->loopback)
		result = err_set(e, ERR_UNREACHABLE, _("a rehearsal reaches nothing outside"),
			_("%s is refused: RLPILOT_LOOPBACK_ONLY is set"), host);
	else if (strcmp(scheme, "https") != 0 &&
		 !(strcmp(scheme, "http") == 0 &&
			 (c->loopback || c->req->metadata || c->req->connect)))
		result = err_set(e, ERR_UNREACHABLE, _("use an https address"),
			_("%s://%s is refused: only https is allowed"), scheme, host);
	else if (c->req->tls_name)
		set_name(c, host, port);
out:
	curl_free(scheme);
	curl_free(host);
	curl_free(port);
	return result;
}

static void set_limits(struct http_call *c)
{
	struct http_request *r = c->req;

	if (r->idle_ms == 0)
		r->idle_ms = r->on_data ? -1 : IDLE_MS;
	c->reply.body.max = r->on_data ? ERROR_BODY_MAX : r->max_body ? r->max_body : HTTP_BODY_MAX;
	curl_easy_setopt(c->easy, CURLOPT_CONNECTTIMEOUT_MS,
		(long)(r->connect_ms ? r->connect_ms : CONNECT_MS));
	if (r->total_ms)
		curl_easy_setopt(c->easy, CURLOPT_TIMEOUT_MS, (long)r->total_ms);
}

int http_call_setup(struct http_call *c, struct err *e)
{
	c->url = curl_url();
	if (!c->url)
		die("libcurl has no memory");
	if (check_url(c, e) != 0) {
		c->reply.refused = true;
		return -1;
	}
	c->easy = curl_easy_init();
	if (!c->easy)
		die("libcurl has no memory");
	curl_easy_setopt(c->easy, CURLOPT_CURLU, c->url);
	curl_easy_setopt(c->easy, CURLOPT_PRIVATE, c);
	curl_easy_setopt(c->easy, CURLOPT_ERRORBUFFER, c->detail);
	curl_easy_setopt(c->easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(c->easy, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(c->easy, CURLOPT_TCP_KEEPALIVE, 1L);
	curl_easy_setopt(c->easy, CURLOPT_TCP_KEEPIDLE, 30L);
	curl_easy_setopt(c->easy, CURLOPT_TCP_KEEPINTVL, 10L);
	curl_easy_setopt(c->easy, CURLOPT_CONNECT_ONLY, c->req->connect ? 1L : 0L);
	curl_easy_setopt(c->easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
	curl_easy_setopt(c->easy, CURLOPT_OPENSOCKETDATA, c);
	curl_easy_setopt(c->easy, CURLOPT_HEADERFUNCTION, on_header);
	curl_easy_setopt(c->easy, CURLOPT_HEADERDATA, c);
	curl_easy_setopt(c->easy, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(c->easy, CURLOPT_WRITEDATA, c);
	set_trust(c);
	set_body(c);
	set_headers(c);
	set_limits(c);
	return 0;
}
