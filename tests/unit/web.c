/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/web.h"

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/io/loop.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct web_conn {
	struct web *web;
	struct web_conn *next;
	int fd;
	struct loop_fd *watch;
	struct buf in;
};

struct web {
	struct loop *loop;
	int fd, requests;
	char url[64];
	struct loop_fd *watch;
	struct web_conn *conns;
	void (*handler)(void *arg, struct web_conn *c, const char *head, const char *body);
	void *arg;
};

static void hang_up(struct web_conn *c)
{
	loop_fd_stop(&c->watch);
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
}

/* The first complete request in c->in is handled and taken out; false: none there. */
static int one_request(struct web_conn *c)
{
	char *end = c->in.data ? strstr(c->in.data, "\r\n\r\n") : NULL;
	const char *length = c->in.data ? strstr(c->in.data, "Content-Length: ") : NULL;
	size_t head, body = 0;
	char *head_text, *body_text;

	if (!end)
		return 0;
	head = (size_t)(end - c->in.data) + 4;
	if (length && length < end)
		body = (size_t)strtoul(length + 16, NULL, 10);
	if (c->in.len < head + body)
		return 0;
	head_text = x_strndup(c->in.data, head);
	body_text = x_strndup(c->in.data + head, body);
	buf_drop(&c->in, head + body);
	c->web->requests++;
	c->web->handler(c->web->arg, c, head_text, body_text);
	free(head_text);
	free(body_text);
	return 1;
}

static void readable(void *arg, int events)
{
	struct web_conn *c = arg;
	char chunk[65536];
	ssize_t n = read(c->fd, chunk, sizeof(chunk));

	(void)events;
	if (n <= 0) {
		hang_up(c);
		return;
	}
	buf_add(&c->in, chunk, (size_t)n);
	while (c->fd >= 0 && one_request(c))
		continue;
}

static void on_accept(void *arg, int events)
{
	struct web *w = arg;
	struct web_conn *c = X_NEW(struct web_conn);

	(void)events;
	c->web = w;
	c->fd = accept(w->fd, NULL, NULL);
	c->next = w->conns;
	w->conns = c;
	if (c->fd >= 0)
		c->watch = loop_fd_watch(w->loop, c->fd, LOOP_READ, readable, c);
}

struct web *web_new(struct loop *l,
	void (*handler)(void *arg, struct web_conn *c, const char *head, const char *body),
	void *arg)
{
	struct web *w = X_NEW(struct web);
	struct sockaddr_in a = {.sin_family = AF_INET};
	socklen_t n = sizeof(a);

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	w->loop = l;
	w->handler = handler;
	w->arg = arg;
	w->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(w->fd, (struct sockaddr *)&a, n) != 0 || listen(w->fd, 64) != 0 ||
		getsockname(w->fd, (struct sockaddr *)&a, &n) != 0)
		die("no loopback port");
	snprintf(w->url, sizeof(w->url), "http://127.0.0.1:%d", ntohs(a.sin_port));
	w->watch = loop_fd_watch(l, w->fd, LOOP_READ, on_accept, w);
	return w;
}

void web_free(struct web *w)
{
	while (w->conns) {
		struct web_conn *c = w->conns;

		w->conns = c->next;
		hang_up(c);
		buf_fini(&c->in);
		free(c);
	}
	loop_fd_stop(&w->watch);
	close(w->fd);
	free(w);
}

const char *web_url(const struct web *w)
{
	return w->url;
}

int web_requests(const struct web *w)
{
	return w->requests;
}

void web_write_n(struct web_conn *c, const char *data, size_t n)
{
	while (n && c->fd >= 0) {
		ssize_t k = write(c->fd, data, n);

		if (k < 0 && errno != EINTR)
			return;
		if (k > 0) {
			data += k;
			n -= (size_t)k;
		}
	}
}

void web_write(struct web_conn *c, const char *data)
{
	web_write_n(c, data, strlen(data));
}

void web_reply(struct web_conn *c, int status, const char *headers, const char *body)
{
	struct buf b = {0};

	buf_addf(&b, "HTTP/1.1 %d X\r\nContent-Length: %zu\r\n%s\r\n%s", status, strlen(body),
		headers, body);
	web_write_n(c, b.data, b.len);
	buf_fini(&b);
}

void web_chunk(struct web_conn *c, const char *data)
{
	struct buf b = {0};

	buf_addf(&b, "%zx\r\n%s\r\n", strlen(data), data);
	web_write_n(c, b.data, b.len);
	buf_fini(&b);
}

void web_close(struct web_conn *c)
{
	hang_up(c);
}

void web_reset(struct web_conn *c)
{
	struct linger now = {.l_onoff = 1, .l_linger = 0};

	setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	hang_up(c);
}
