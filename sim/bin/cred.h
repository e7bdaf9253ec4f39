/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who calls: gcloud's configuration and its two sets of credentials (the account's and the
 * application default ones), read from and written to the files that gcloud uses, exchanged for
 * access tokens at the token endpoint. Tokens and refresh tokens are never printed but by the
 * commands whose purpose it is.
 */
#ifndef RLPILOT_SIM_BIN_CRED_H
#define RLPILOT_SIM_BIN_CRED_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct cred_token {
	char *access;    /* "ya29.…" */
	int64_t expires; /* pretend ms since 1970 */
	char why[512];   /* when there is none */
	bool missing;    /* there are no credentials at all */
};

void cred_token_fini(struct cred_token *t);
char *cred_dir(void); /* $CLOUDSDK_CONFIG, else $HOME/.config/gcloud; the caller's */
/* A property by environment (CLOUDSDK_SECTION_KEY) or of the active configuration; NULL; the
 * caller's. */
char *cred_property(const char *section, const char *key);
int cred_set_property(const char *section, const char *key, const char *value);
char *cred_account(void); /* the active account; NULL; the caller's */
/* File of the account's credentials; the caller's. */
char *cred_account_file(const char *account);
/* Where gcloud keeps the application default credentials; as_go: where Go programs (gcluster,
 * terraform) look, which ignore CLOUDSDK_CONFIG. The caller's. */
char *cred_adc_file(bool as_go);
/* Token of the active account, and of a credentials file. 0 or -1 with why. */
int cred_gcloud_token(struct cred_token *t);
int cred_file_token(const char *file, struct cred_token *t);
/* Exchanges a verification code for credentials: {"account","refresh_token"}; NULL with why. */
json_t *cred_exchange(const char *code, char *why, size_t n);
/* The content of a credentials file for a refresh token; the caller's. */
char *cred_file_text(const char *refresh_token, const char *quota_project);

#endif
