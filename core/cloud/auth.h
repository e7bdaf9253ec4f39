/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Access tokens. Order: CLOUDSDK_AUTH_ACCESS_TOKEN; the ADC file (GOOGLE_APPLICATION_CREDENTIALS,
 * else gcloud's own, type authorized_user, token address by CLOUDSDK_AUTH_TOKEN_HOST); gcloud's
 * account by `gcloud config config-helper`. A token is renewed 225 s before its end. Secrets are
 * registered for masking and wiped. A file of another kind is an error that says so, not a
 * fall-through.
 */
#ifndef RLPILOT_CLOUD_AUTH_H
#define RLPILOT_CLOUD_AUTH_H

#include <stdint.h>

struct err;
struct http;
struct loop;
struct auth;

enum auth_source { AUTH_ANY, AUTH_ENV, AUTH_ADC, AUTH_GCLOUD };

/* What a source knows; strings borrowed for the call, "" = not known. */
struct auth_who {
	enum auth_source source;
	const char *email;
	const char *project;       /* of gcloud's configuration */
	const char *quota_project; /* of the ADC file or GOOGLE_CLOUD_QUOTA_PROJECT */
	const char *file;          /* path of the ADC file */
	int64_t expires;           /* run time ms; 0 = not known */
};

struct auth *auth_new(struct loop *l, struct http *h);
void auth_free(struct auth *a);

/* fn gets a token good for at least 225 s, or an error; from the loop, once, token borrowed. Calls
 * that come while a renewal runs share it. */
void auth_token(
	struct auth *a, void (*fn)(void *arg, const char *token, const struct err *e), void *arg);
/* Drops waiting callbacks with this argument. */
void auth_token_drop(struct auth *a, const void *arg);
/* The token was refused (401): the next auth_token renews it if it is still this one. */
void auth_refused(struct auth *a, const char *token);
/* GOOGLE_CLOUD_QUOTA_PROJECT, else the ADC file's; "" = none. */
const char *auth_quota_project(const struct auth *a);
/* Of the newest token; "" before. */
const char *auth_email(const struct auth *a);

/* Asks one source whether it gives a token now, without changing which one is used. */
void auth_probe(struct auth *a, enum auth_source source,
	void (*fn)(void *arg, const struct auth_who *who, const struct err *e), void *arg);
void auth_probe_drop(struct auth *a, const void *arg);

/* Path of the ADC file that would be used; the caller's. */
char *auth_adc_path(void);

#endif
