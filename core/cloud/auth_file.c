/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cloud/auth_file.h"

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/redact.h"
#include "core/base/text.h"
#include "core/cloud/auth_error.h"
#include "core/fmt/json.h"
#include "core/fmt/jwt.h"
#include "core/io/http.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_MAX ((size_t)1 << 20)
/* What key files of before 2018 name; the same service answers at the usual address. */
#define OLD_TOKEN_ADDRESS "https://accounts.google.com/o/oauth2/token"

enum { NEEDED = 1, SECRET = 2 };

struct field {
	const char *name;
	size_t at; /* of a char * in struct auth_file */
	int flags;
};

#define FIELD(member, name, flags)                                                                 \
	{                                                                                          \
		name, offsetof(struct auth_file, member), flags                                    \
	}

static const struct field common_fields[] = {
	FIELD(quota_project, "quota_project_id", 0),
	FIELD(project, "project_id", 0),
	{0},
};
static const struct field user_fields[] = {
	FIELD(client_id, "client_id", NEEDED),
	FIELD(client_secret, "client_secret", NEEDED | SECRET),
	FIELD(refresh_token, "refresh_token", NEEDED | SECRET),
	FIELD(rapt_token, "rapt_token", SECRET),
	FIELD(account, "account", 0),
	{0},
};
static const struct field service_account_fields[] = {
	FIELD(client_email, "client_email", NEEDED),
	FIELD(private_key, "private_key", NEEDED | SECRET),
	FIELD(private_key_id, "private_key_id", 0),
	FIELD(token_address, "token_uri", 0),
	{0},
};
static const struct field impersonated_fields[] = {
	FIELD(impersonation_address, "service_account_impersonation_url", NEEDED),
	{0},
};

static int finish_user(struct auth_file *f, const json_t *j, struct err *e);
static int finish_service_account(struct auth_file *f, const json_t *j, struct err *e);
static int finish_impersonated(struct auth_file *f, const json_t *j, struct err *e);

static const struct kind {
	const char *type;
	const struct field *fields;
	int (*finish)(struct auth_file *f, const json_t *j, struct err *e);
} kinds[] = {
	{AUTH_USER, user_fields, finish_user},
	{AUTH_SERVICE_ACCOUNT, service_account_fields, finish_service_account},
	{AUTH_IMPERSONATED, impersonated_fields, finish_impersonated},
};

/* Kinds that Google's libraries know and we leave to gcloud. */
static const char *const foreign_kinds[] = {
	"external_account",
	"external_account_authorized_user",
	"gdch_service_account",
};

static const char *type_name(const json_t *j)
{
	static const char *const names[] = {
		[JSON_OBJECT] = N_("an object"),
		[JSON_ARRAY] = N_("a list"),
		[JSON_STRING] = N_("a text"),
		[JSON_INTEGER] = N_("a number"),
		[JSON_REAL] = N_("a number"),
		[JSON_TRUE] = N_("a truth value"),
		[JSON_FALSE] = N_("a truth value"),
		[JSON_NULL] = N_("empty"),
	};

	return _(names[json_typeof(j)]);
}

static int bad(const struct auth_file *f, struct err *e, const char *what)
{
	auth_cause(e, ERR_BAD_FILE, "credentials-file", NULL, "%s: %s", f->path, what);
	return -1;
}

static int bad_member(const struct auth_file *f, struct err *e, const char *name, const json_t *got)
{
	AUTO_FREE char *what =
		got ? x_asprintf(_("'%s' must be a text, it is %s"), name, type_name(got))
		    : x_asprintf(_("'%s' is missing"), name);

	return bad(f, e, what);
}

/* Texts that go into headers, forms or messages: no control characters. */
static bool printable(const char *s)
{
	for (; *s; s++)
		if (iscntrl((unsigned char)*s))
			return false;
	return true;
}

static int take_field(struct auth_file *f, const struct field *d, const json_t *j, struct err *e)
{
	const json_t *got = json_object_get(j, d->name);
	char **out = (char **)(void *)((char *)f + d->at);
	const char *text = json_string_value(got);
	bool key = out == &f->private_key;

	if ((!got || json_is_null(got)) && !(d->flags & NEEDED))
		return 0;
	if (!text)
		return bad_member(f, e, d->name, got);
	if (d->flags & SECRET)
		redact_add(text, "[credentials]");
	if ((!*text && (d->flags & NEEDED)) || (!key && !printable(text))) {
		AUTO_FREE char *what = x_asprintf(
			*text ? _("'%s' holds control characters") : _("'%s' is empty"), d->name);

		return bad(f, e, what);
	}
	if (*text)
		*out = x_strdup(text);
	return 0;
}

static int take_fields(
	struct auth_file *f, const struct field *fields, const json_t *j, struct err *e)
{
	for (const struct field *d = fields; d->name; d++)
		if (take_field(f, d, j, e) != 0)
			return -1;
	return 0;
}

static int finish_user(struct auth_file *f, const json_t *j, struct err *e)
{
	(void)f;
	(void)j;
	(void)e;
	return 0;
}

static int finish_service_account(struct auth_file *f, const json_t *j, struct err *e)
{
	struct err why = {0};

	(void)j;
	if (jwt_key_check(f->private_key, &why) != 0)
		return bad(f, e, why.what);
	if (!f->token_address || strcmp(f->token_address, OLD_TOKEN_ADDRESS) == 0) {
		free(f->token_address);
		f->token_address = x_strdup(AUTH_TOKEN_ADDRESS);
	}
	if (auth_address_check(f->token_address, e) != 0)
		return err_at(e, f->path, 1, 1);
	return 0;
}

/* …/serviceAccounts/EMAIL:generateAccessToken */
static char *target_of(const char *url)
{
	static const char mark[] = "/serviceAccounts/", verb[] = ":generateAccessToken";
	const char *at = strstr(url, mark);
	size_t n;

	if (!at || !text_ends(url, verb))
		return NULL;
	at += sizeof(mark) - 1;
	n = strlen(at);
	return n > sizeof(verb) - 1 ? x_strndup(at, n - (sizeof(verb) - 1)) : NULL;
}

static struct auth_file *parse_json(
	const char *path, const json_t *j, bool is_source, struct err *e);

static int finish_impersonated(struct auth_file *f, const json_t *j, struct err *e)
{
	const json_t *source = json_object_get(j, "source_credentials");
	const json_t *delegates = json_object_get(j, "delegates");
	size_t i;
	json_t *item;

	f->target = target_of(f->impersonation_address);
	if (!f->target)
		return bad(f, e, _("'service_account_impersonation_url' names no service account"));
	if (auth_address_check(f->impersonation_address, e) != 0)
		return err_at(e, f->path, 1, 1);
	if (delegates && !json_is_null(delegates) && !json_is_array(delegates))
		return bad(f, e, _("'delegates' must be a list of texts"));
	f->delegates = json_array();
	json_array_foreach(delegates, i, item)
	{
		if (!json_is_string(item))
			return bad(f, e, _("'delegates' must be a list of texts"));
		json_array_append_new(f->delegates, json_copy(item)); /* the file is wiped */
	}
	if (!json_is_object(source))
		return bad(f, e,
			source ? _("'source_credentials' must be an object")
			       : _("'source_credentials' is missing"));
	f->source = parse_json(f->path, source, true, e);
	return f->source ? 0 : -1;
}

/* gcloud can use the file as its own login; then it must not be found here any more. */
static int refuse_kind(const struct auth_file *f, const char *type, struct err *e)
{
	const char *given = getenv("GOOGLE_APPLICATION_CREDENTIALS");
	AUTO_FREE char *hint = given && *given
				       ? x_asprintf(_("let gcloud use it: gcloud auth login "
						      "--cred-file=%s, then unset "
						      "GOOGLE_APPLICATION_CREDENTIALS"),
						 f->path)
				       : x_asprintf(_("let gcloud use it: gcloud auth login "
						      "--cred-file=%s, then move that file away"),
						 f->path);

	return auth_cause(e, ERR_PERSON, "credentials-kind", hint,
		_("credentials of type '%s' are not used directly (%s)"), type, f->path);
}

static int find_kind(const struct auth_file *f, const json_t *j, bool is_source,
	const struct kind **out, struct err *e)
{
	const json_t *got = json_object_get(j, "type");
	const char *type = json_string_value(got);
	AUTO_FREE char *clean = NULL;

	if (!got && (json_object_get(j, "installed") || json_object_get(j, "web")))
		return bad(f, e, _("this is an OAuth client, not a login"));
	if (!type)
		return bad_member(f, e, "type", got);
	for (size_t i = 0; i < COUNT(kinds); i++)
		if (strcmp(kinds[i].type, type) == 0 &&
			!(is_source && strcmp(type, AUTH_IMPERSONATED) == 0)) {
			*out = &kinds[i];
			return 0;
		}
	for (size_t i = 0; i < COUNT(foreign_kinds); i++)
		if (strcmp(foreign_kinds[i], type) == 0)
			return refuse_kind(f, type, e);
	clean = text_clean_dup(type);
	clean[strnlen(clean, 40)] = '\0';
	return auth_cause(e, ERR_BAD_FILE, "credentials-file", NULL,
		is_source ? _("%s: '%s' cannot be the source of an impersonation")
			  : _("%s: '%s' is not a type of credentials"),
		f->path, clean);
}

static int check_universe(const struct auth_file *f, const json_t *j, struct err *e)
{
	const char *universe = json_path_str(j, "universe_domain");
	AUTO_FREE char *what = NULL;

	if (!universe || !*universe || strcmp(universe, "googleapis.com") == 0)
		return 0;
	what = text_clean_dup(universe);
	return auth_cause(e, ERR_BAD_FILE, "credentials-file",
		_("use credentials of googleapis.com"),
		_("%s: the credentials are of another cloud (%.80s)"), f->path, what);
}

static struct auth_file *parse_json(
	const char *path, const json_t *j, bool is_source, struct err *e)
{
	struct auth_file *f = X_NEW(struct auth_file);
	const struct kind *kind = NULL;

	f->path = x_strdup(path);
	if (find_kind(f, j, is_source, &kind, e) == 0) {
		f->kind = kind->type;
		if (check_universe(f, j, e) == 0 && take_fields(f, common_fields, j, e) == 0 &&
			take_fields(f, kind->fields, j, e) == 0 && kind->finish(f, j, e) == 0)
			return f;
	}
	auth_file_free(f);
	return NULL;
}

/* A mark of another encoding at the start; Google's libraries refuse it as well. */
static const char *encoding_mark(const char *data, size_t n)
{
	if (n >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0)
		return _("the file begins with a byte order mark: save it as UTF-8 without one");
	if (n >= 2 && (memcmp(data, "\xff\xfe", 2) == 0 || memcmp(data, "\xfe\xff", 2) == 0))
		return _("the file is UTF-16: save it as UTF-8");
	return NULL;
}

/* The strings of a parsed file are secrets. */
static void wipe_json(json_t *j)
{
	const char *key;
	size_t i;
	json_t *item;

	if (json_is_string(j))
		explicit_bzero((void *)(uintptr_t)json_string_value(j), json_string_length(j));
	json_array_foreach(j, i, item) wipe_json(item);
	json_object_foreach(j, key, item) wipe_json(item);
}

struct auth_file *auth_file_parse(const char *path, const char *data, size_t n, struct err *e)
{
	struct auth_file no = {.path = (char *)(uintptr_t)path}, *f = NULL;
	const char *mark = encoding_mark(data, n);
	struct err why = {0};
	json_t *j = mark ? NULL : json_parse(data, n, &why);

	if (mark) {
		bad(&no, e, mark);
		err_at(e, path, 1, 1);
	} else if (!j) {
		size_t line = 1, column = 1;

		/* The parser's own words quote the text, and that may be a key. */
		(void)sscanf(why.place, "JSON:%zu:%zu", &line, &column);
		bad(&no, e, n ? _("this is not valid JSON") : _("the file is empty"));
		err_at(e, path, line, column);
	} else if (!json_is_object(j)) {
		AUTO_FREE char *what =
			x_asprintf(_("credentials are an object, this is %s"), type_name(j));

		bad(&no, e, what);
	} else {
		f = parse_json(path, j, false, e);
		wipe_json(j);
	}
	json_decref(j);
	return f;
}

struct auth_file *auth_file_read(const char *path, struct err *e)
{
	const char *given = getenv("GOOGLE_APPLICATION_CREDENTIALS");
	struct buf b = {0};
	struct err why = {0};
	struct auth_file *f = NULL;

	if (access(path, F_OK) != 0 && errno == ENOENT) {
		auth_cause(e, ERR_PERSON, "no-login", auth_login_cure(),
			given && *given ? _("GOOGLE_APPLICATION_CREDENTIALS names %s, which does "
					    "not exist")
					: _("there are no application default credentials (%s)"),
			path);
		return NULL;
	}
	if (path_read(path, FILE_MAX, &b, &why) != 0)
		auth_cause(e, ERR_BAD_FILE, "credentials-file", why.hint, "%s", why.what);
	else
		f = auth_file_parse(path, buf_str(&b), b.len, e);
	if (b.data)
		explicit_bzero(b.data, b.cap);
	buf_fini(&b);
	return f;
}

void auth_file_free(struct auth_file *f)
{
	if (!f)
		return;
	auth_file_free(f->source);
	json_decref(f->delegates);
	free(f->path);
	free(f->quota_project);
	free(f->project);
	free(f->client_id);
	x_wipe_free(f->client_secret);
	x_wipe_free(f->refresh_token);
	x_wipe_free(f->rapt_token);
	free(f->account);
	free(f->client_email);
	x_wipe_free(f->private_key);
	free(f->private_key_id);
	free(f->token_address);
	free(f->impersonation_address);
	free(f->target);
	free(f);
}

/* Host of an address without user, port by default: strict, since a secret goes there. */
static char *host_of(const char *url, const char *scheme)
{
	const char *host = text_starts(url, scheme) ? url + strlen(scheme) : NULL;
	size_t n = host ? strcspn(host, "/?#") : 0;
	const char *colon = host ? memchr(host, ':', n) : NULL;

	if (!host || memchr(host, '@', n) || memchr(host, '\\', n) || memchr(host, '%', n))
		return NULL;
	if (*host == '[')
		n = strcspn(host, "]") + 1 < n ? strcspn(host, "]") + 1 : n;
	else if (colon)
		n = (size_t)(colon - host);
	return x_strndup(host, n);
}

int auth_address_check(const char *url, struct err *e)
{
	AUTO_FREE char *secure = host_of(url, "https://");
	AUTO_FREE char *plain = host_of(url, "http://");
	const char *any = secure ? secure : plain;
	AUTO_FREE char *clean = NULL;

	if (secure && text_ends(secure, ".googleapis.com"))
		return 0;
	if (any && http_is_loopback(any))
		return 0;
	clean = text_clean_dup(url);
	return auth_cause(e, ERR_BAD_FILE, "token-address", NULL,
		_("the credentials would be sent to %.200s, which is not Google's"), clean);
}
