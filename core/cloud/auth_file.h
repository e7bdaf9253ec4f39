/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of auth: a credentials file as a value. Reads and checks it, says what is wrong with it
 * and where; asks nobody. Secrets are registered for masking and wiped with the value. Kinds that
 * need programs or services we do not speak to are named and left to gcloud.
 */
#ifndef RLPILOT_CLOUD_AUTH_FILE_H
#define RLPILOT_CLOUD_AUTH_FILE_H

#include <jansson.h>
#include <stddef.h>

#define AUTH_TOKEN_ADDRESS "https://oauth2.googleapis.com/token"

struct err;

/* The words of the member "type". */
#define AUTH_USER            "authorized_user"
#define AUTH_SERVICE_ACCOUNT "service_account"
#define AUTH_IMPERSONATED    "impersonated_service_account"

/* What a kind does not have is NULL. */
struct auth_file {
	char *path;
	const char *kind; /* one of the words above, static */
	char *quota_project;
	char *project;
	/* authorized_user */
	char *client_id, *client_secret, *refresh_token, *rapt_token, *account;
	/* service_account; token_address has been checked */
	char *client_email, *private_key, *private_key_id, *token_address;
	/* impersonated_service_account: the address has been checked */
	char *impersonation_address, *target;
	json_t *delegates; /* array of strings */
	struct auth_file *source;
};

/* ERR_PERSON with cause no-login when there is no file, else ERR_BAD_FILE with file and place. The
 * caller's, to be freed with auth_file_free. */
struct auth_file *auth_file_read(const char *path, struct err *e);
/* The same for bytes; path is for messages. */
struct auth_file *auth_file_parse(const char *path, const char *data, size_t n, struct err *e);
void auth_file_free(struct auth_file *f);

/* An address that a secret may be sent to: https at *.googleapis.com, or loopback. Returns 0, or -1
 * with cause token-address. */
int auth_address_check(const char *url, struct err *e);

#endif
