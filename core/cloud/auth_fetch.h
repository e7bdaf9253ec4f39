/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of auth: getting one token from one source, once: the search order, and the steps that a
 * kind of credentials needs. Keeps nothing but what one search learnt about the metadata server.
 * auth_gcloud.c and auth_metadata.c are parts of it.
 */
#ifndef RLPILOT_CLOUD_AUTH_FETCH_H
#define RLPILOT_CLOUD_AUTH_FETCH_H

#include "core/base/buf.h"
#include "core/cloud/auth.h"
#include "core/cloud/auth_ask.h"
#include "core/cloud/auth_file.h"

#include <stdbool.h>

struct child;
struct http_request;
struct loop_timer;

/* NULL = not known. */
struct auth_result {
	enum auth_source source;
	const char *kind; /* as in struct auth_who */
	char *token, *email, *project, *quota_project, *file;
	int64_t expires;  /* run time ms; 0 = not told */
	bool no_metadata; /* asked and not there */
	bool authorize;   /* Cloud Shell waits for a click */
};

struct auth_fetch {
	struct loop *loop;
	struct http *http;
	bool any; /* gcloud is asked when nothing else is there */
	struct auth_result result;
	struct auth_file *file;
	const struct auth_file *now; /* the one exchanged now: file, or its source */
	struct auth_ask *ask;
	bool sure; /* there is a metadata server: what it says counts */
	struct child *child;
	struct loop_timer *limit;
	bool too_slow;
	struct buf out, err;
	void (*fn)(void *arg, const struct auth_result *r, const struct err *e);
	void *arg;
};

/* fn is called once, from the loop; r is never NULL. AUTH_ANY takes the first source that is set
 * up. skip_metadata: do not look for a metadata server that nothing points to. Then the owner frees
 * the fetch. */
struct auth_fetch *auth_fetch_new(struct loop *l, struct http *h, enum auth_source source,
	bool skip_metadata, void (*fn)(void *arg, const struct auth_result *r, const struct err *e),
	void *arg);
void auth_fetch_free(struct auth_fetch *f);

/* For the parts. done: nothing may touch f afterwards, the owner frees it. */
void auth_fetch_done(struct auth_fetch *f, const struct err *e);
/* Keeps a token that is fit for a header; -1 with cause token-answer. */
int auth_fetch_take(struct auth_fetch *f, const char *token, struct err *e);
void auth_gcloud_begin(struct auth_fetch *f);
void auth_metadata_begin(struct auth_fetch *f);
/* There is no metadata server: the next source. */
void auth_fetch_no_metadata(struct auth_fetch *f);

#endif
