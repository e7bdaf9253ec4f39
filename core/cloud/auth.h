/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Access tokens. Order: CLOUDSDK_AUTH_ACCESS_TOKEN(_FILE); application default credentials as
 * Google's libraries find them (GOOGLE_APPLICATION_CREDENTIALS, gcloud's file, the metadata
 * server); gcloud's account by `gcloud config config-helper`. What is named and not usable is an
 * error that says why, not a fall-through. A token is renewed 225 s before its end; while renewing
 * fails for the network's reasons the old one is used to its end. Secrets are registered for
 * masking and wiped. Errors carry a cause of fmt/cause.
 */
#ifndef RLPILOT_CLOUD_AUTH_H
#define RLPILOT_CLOUD_AUTH_H

#include <stdint.h>

struct err;
struct http;
struct loop;
struct auth;

/* AUTH_ADC: file or metadata server. */
enum auth_source { AUTH_ANY, AUTH_ENV, AUTH_ADC, AUTH_GCLOUD };

/* What a source knows; strings borrowed for the call, "" = not known. */
struct auth_who {
	enum auth_source source;
	/* authorized_user service_account impersonated_service_account metadata gcloud environment
	 */
	const char *kind;
	const char *email;
	const char *project;       /* of gcloud's configuration or of the credentials file */
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
/* GOOGLE_CLOUD_QUOTA_PROJECT, else that of the newest token's credentials file; "" = none. */
const char *auth_quota_project(const struct auth *a);
/* Of the newest token; "" before. */
const char *auth_email(const struct auth *a);

/* Asks one source whether it gives a token now, without changing which one is used. */
void auth_probe(struct auth *a, enum auth_source source,
	void (*fn)(void *arg, const struct auth_who *who, const struct err *e), void *arg);
void auth_probe_drop(struct auth *a, const void *arg);

/* Path of the ADC file that would be used; the caller's. */
char *auth_adc_path(void);
/* What GOOGLE_APPLICATION_CREDENTIALS must be for children written in Go (gcluster, terraform),
 * which ignore CLOUDSDK_CONFIG, so that they act as we do; NULL: leave it as it is. *why gets the
 * reason, for _(). The caller's. */
char *auth_child_file(const char **why);

#endif
