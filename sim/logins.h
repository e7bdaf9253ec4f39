/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who may come in: access tokens with their ends, the person's refresh tokens and
 * whether they are good, the service account with the world's own RSA key, the click that Cloud
 * Shell waits for. Tokens end; the world's fixed token (world.h), for callers by hand, does not.
 */
#ifndef RLPILOT_SIM_LOGINS_H
#define RLPILOT_SIM_LOGINS_H

#include "sim/route.h"
#include <stdbool.h>
#include <stdint.h>

#define LOGIN_SECONDS  3599
#define LOGIN_AUDIENCE "https://oauth2.googleapis.com/token"

struct world;

enum login_state {
	LOGIN_GOOD,
	LOGIN_EXPIRED, /* invalid_grant */
	LOGIN_REAUTH,  /* invalid_grant, invalid_rapt */
};

/* Sets w->logins. */
void logins_open(struct world *w);
void logins_close(struct world *w);
/* State of the refresh tokens given so far; a new login brings a good one. */
void logins_set(struct world *w, enum login_state state);

/* Access tokens given so far end now. */
void logins_end(struct world *w);

/* A new access token for an account; borrowed. It lasts for `seconds` of the caller's own clock:
 * pretend time for rlpilot and the stand-ins (by User-Agent), real time for everybody else, as
 * gcloud keeps a token until its own clock says that it has ended. */
const char *logins_token(const struct req *req, const char *email, int64_t seconds);
enum login_token { LOGIN_TOKEN_UNKNOWN, LOGIN_TOKEN_EXPIRED, LOGIN_TOKEN_GOOD };
/* *email (may be NULL) gets whose it is, *left_s the seconds to its end. */
enum login_token logins_look(
	const struct world *w, const char *token, const char **email, int64_t *left_s);

/* False: nobody knows this refresh token. *email gets whose it is. */
bool logins_refresh(const struct world *w, const char *refresh_token, enum login_state *state,
	const char **email);
/* The refresh token that a login gives now; borrowed. */
const char *logins_renew(struct world *w);

/* E-mail address of the world's service account; borrowed. */
const char *logins_robot(const struct world *w);
/* PEM (PKCS #8) of its key, made at the first call; borrowed. */
const char *logins_key(struct world *w);
/* NULL, or what the token service says about a signed request: {"error","error_description"}. */
json_t *logins_assertion(struct world *w, const char *assertion);

/* An answer of the metadata server that holds no token yet, because nobody clicked; counts down. */
bool logins_wants_click(struct world *w);

/* Private routes: POST {"state","clicks"}; GET a credentials file of {type} (query source=TYPE,
 * delegate=EMAIL). */
void logins_change(struct req *req);
void logins_file(struct req *req);

#endif
