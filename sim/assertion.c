/* SPDX-License-Identifier: Apache-2.0 */
/* Signed requests for a token (RFC 7523), judged as Google's token service does. */
#include "core/base/mem.h"
#include "core/fmt/json.h"
#include "sim/clock.h"
#include "sim/logins.h"
#include "sim/sim.h"
#include "sim/world.h"
#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>
#include <stdlib.h>
#include <string.h>

#define LIFE_MAX_S 3600
#define ALLOWED_S  300

static json_t *refusal(const char *error, const char *why)
{
	return json_pack("{s:s, s:s}", "error", error, "error_description", why);
}

/* Decodes n characters with the URL alphabet and without padding; false when malformed. */
static bool decode(const char *s, size_t n, gnutls_datum_t *out)
{
	char *text = x_malloc(n + 4);
	size_t k = 0;
	for (; k < n; k++)
		text[k] = (char)(s[k] == '-' ? '+' : s[k] == '_' ? '/' : s[k]);
	while (k % 4)
		text[k++] = '=';
	gnutls_datum_t in = {(unsigned char *)text, (unsigned)k};
	bool good = n > 0 && gnutls_base64_decode2(&in, out) == 0;
	free(text);
	return good;
}

static json_t *decode_json(const char *s, size_t n)
{
	gnutls_datum_t text;
	if (!decode(s, n, &text))
		return NULL;
	json_t *j = json_loadb((const char *)text.data, text.size, 0, NULL);
	gnutls_free(text.data);
	return j;
}

static bool signed_by(const char *pem, const char *data, size_t n, const char *signature)
{
	gnutls_datum_t key = {(unsigned char *)(uintptr_t)pem, (unsigned)strlen(pem)};
	gnutls_datum_t bytes = {(unsigned char *)(uintptr_t)data, (unsigned)n};
	gnutls_datum_t sig;
	gnutls_privkey_t priv;
	gnutls_pubkey_t pub;
	bool good = false;
	if (!decode(signature, strlen(signature), &sig))
		return false;
	gnutls_privkey_init(&priv);
	gnutls_pubkey_init(&pub);
	if (gnutls_privkey_import_x509_raw(priv, &key, GNUTLS_X509_FMT_PEM, NULL, 0) == 0 &&
		gnutls_pubkey_import_privkey(pub, priv, 0, 0) == 0)
		good = gnutls_pubkey_verify_data2(pub, GNUTLS_SIGN_RSA_SHA256, 0, &bytes, &sig) >=
		       0;
	gnutls_pubkey_deinit(pub);
	gnutls_privkey_deinit(priv);
	gnutls_free(sig.data);
	return good;
}

static json_t *judge_claims(struct world *w, const json_t *claims)
{
	int64_t now = sim_now(w->sim) / SIM_S;
	int64_t iat = json_path_i64(claims, "iat", 0), exp = json_path_i64(claims, "exp", 0);
	if (strcmp(json_path_str_or(claims, "iss", ""), logins_robot(w)) != 0)
		return refusal("invalid_grant", "Invalid grant: account not found");
	if (strcmp(json_path_str_or(claims, "aud", ""), LOGIN_AUDIENCE) != 0)
		return refusal("invalid_grant", "Invalid JWT: Failed audience check.");
	if (exp - iat > LIFE_MAX_S || exp <= iat || iat > now + ALLOWED_S || exp + ALLOWED_S < now)
		return refusal("invalid_grant",
			"Invalid JWT: Token must be a short-lived token (60 minutes) and in a "
			"reasonable timeframe. Check your iat and exp values in the JWT claim.");
	if (!*json_path_str_or(claims, "scope", ""))
		return refusal("invalid_scope", "Empty or missing scope not allowed.");
	return NULL;
}

json_t *logins_assertion(struct world *w, const char *assertion)
{
	const char *body = strchr(assertion, '.');
	const char *sig = body ? strchr(body + 1, '.') : NULL;
	json_t *head = sig ? decode_json(assertion, (size_t)(body - assertion)) : NULL;
	json_t *claims = sig ? decode_json(body + 1, (size_t)(sig - body) - 1) : NULL;
	json_t *answer;
	if (!json_is_object(claims) || strcmp(json_path_str_or(head, "alg", ""), "RS256") != 0)
		answer = refusal("invalid_request", "Invalid JWT: it cannot be read as RS256.");
	else
		answer = judge_claims(w, claims);
	if (!answer && !signed_by(logins_key(w), assertion, (size_t)(sig - assertion), sig + 1))
		answer = refusal("invalid_grant", "Invalid JWT Signature.");
	json_decref(head);
	json_decref(claims);
	return answer;
}
