/* SPDX-License-Identifier: Apache-2.0 */
#include "core/io/http.h"

#include "core/base/mem.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char **copy_headers(const char *const *headers)
{
	size_t n = 0;
	const char **out;

	if (!headers)
		return NULL;
	while (headers[n])
		n++;
	out = x_calloc(n + 1, sizeof(*out));
	for (size_t i = 0; i < n; i++)
		out[i] = x_strdup(headers[i]);
	return out;
}

struct http_request *http_request_copy(const struct http_request *r)
{
	struct http_request *c = X_NEW(struct http_request);

	*c = *r;
	c->method = x_strdup(r->method);
	c->url = x_strdup(r->url);
	c->bearer = x_strdup(r->bearer);
	c->headers = copy_headers(r->headers);
	c->range = x_strdup(r->range);
	if (r->body) {
		char *body = x_malloc(r->body_n + 1);

		memcpy(body, r->body, r->body_n);
		body[r->body_n] = '\0';
		c->body = body;
	}
	c->body_type = x_strdup(r->body_type);
	c->ca_pem = x_strdup(r->ca_pem);
	c->cert_pem = x_strdup(r->cert_pem);
	c->key_pem = x_strdup(r->key_pem);
	c->tls_name = x_strdup(r->tls_name);
	return c;
}

static void drop(const char *s)
{
	free((void *)(uintptr_t)s);
}

static void wipe(const char *s)
{
	x_wipe_free((char *)(uintptr_t)s);
}

void http_request_free(struct http_request *r)
{
	if (!r)
		return;
	drop(r->method);
	drop(r->url);
	wipe(r->bearer);
	for (size_t i = 0; r->headers && r->headers[i]; i++)
		wipe(r->headers[i]);
	free((void *)(uintptr_t)r->headers);
	drop(r->range);
	if (r->body)
		explicit_bzero((void *)(uintptr_t)r->body, r->body_n);
	free((void *)(uintptr_t)r->body);
	drop(r->body_type);
	drop(r->ca_pem);
	drop(r->cert_pem);
	wipe(r->key_pem);
	drop(r->tls_name);
	free(r);
}

bool http_is_loopback(const char *host)
{
	size_t n = strlen(host);
	char bare[64];
	struct in_addr v4;
	struct in6_addr v6;

	if (n > 2 && host[0] == '[' && host[n - 1] == ']') {
		host++;
		n -= 2;
	}
	if (n >= sizeof(bare))
		return false;
	memcpy(bare, host, n);
	bare[n] = '\0';
	if (inet_pton(AF_INET, bare, &v4) == 1)
		return ntohl(v4.s_addr) >> 24 == 127;
	if (inet_pton(AF_INET6, bare, &v6) == 1)
		return IN6_IS_ADDR_LOOPBACK(&v6);
	return strcasecmp(bare, "localhost") == 0;
}

void http_escape(struct buf *out, const char *s)
{
	for (; *s; s++) {
		unsigned char ch = (unsigned char)*s;

		if ((ch >= 'A' && ch <= 'Z') || (ch >= 'a' && ch <= 'z') ||
			(ch >= '0' && ch <= '9') || strchr("-._~", ch))
			buf_addc(out, (char)ch);
		else
			buf_addf(out, "%%%02X", ch);
	}
}
