/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of auth: what went wrong, in the words of the table of causes. Judges answers of the token
 * service, of the metadata server and of gcloud; asks nobody.
 */
#ifndef RLPILOT_CLOUD_AUTH_ERROR_H
#define RLPILOT_CLOUD_AUTH_ERROR_H

#include "core/base/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct http_reply;

/* Fills e with a cause of the table; hint NULL = the cure of the table. Returns -1. */
int auth_cause(struct err *e, enum err_code code, const char *id, const char *hint, const char *fmt,
	...) __attribute__((format(printf, 5, 6)));
/* How to log in again so that the credentials in use become good; static. */
const char *auth_login_cure(void);

/* The answer is worth a second try: by its status, or by the error word in it. */
bool auth_transient(const struct http_reply *r, const json_t *j);
/* A refused request of a token: form of OAuth, of Google's APIs, a page, or empty. j is the body,
 * NULL when it is no JSON; assertion: it was a signed one, so that clocks matter. Returns -1. */
int auth_answer_error(struct err *e, const struct http_reply *r, const json_t *j, bool assertion);
/* gcloud's words on stderr; code is its exit code. Returns -1. */
int auth_gcloud_error(struct err *e, int code, const char *said);

#endif
