/* SPDX-License-Identifier: Apache-2.0 */
#include "core/io/ssh_words.h"

#include <string.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/digest.h"

static bool only(const char *s, size_t n, const char *more)
{
	for (size_t i = 0; i < n; i++)
		if (!(s[i] >= 'a' && s[i] <= 'z') && !(s[i] >= 'A' && s[i] <= 'Z') &&
			!(s[i] >= '0' && s[i] <= '9') && !strchr(more, s[i]))
			return false;
	return n > 0 && *s != '-';
}

static bool take(char *out, size_t size, const char *s, size_t n, const char *more)
{
	if (n >= size || !only(s, n, more))
		return false;
	memcpy(out, s, n);
	out[n] = '\0';
	return true;
}

int ssh_address_parse(const char *text, struct ssh_address *out, struct err *e)
{
	const char *at = strchr(text, '@'), *host = at ? at + 1 : "", *end;
	bool six = *host == '[', good;
	int64_t port = SSH_PORT;

	*out = (struct ssh_address){.port = SSH_PORT};
	end = six ? strchr(host, ']') : host + strcspn(host, ":");
	good = at && end && take(out->user, sizeof(out->user), text, (size_t)(at - text), "._-") &&
	       (six ? take(out->host, sizeof(out->host), host + 1, (size_t)(end - host) - 1, ":.%")
		    : take(out->host, sizeof(out->host), host, (size_t)(end - host), "._-"));
	if (good && six)
		end++;
	if (good && *end)
		good = *end == ':' && text_to_i64(end + 1, 1, 65535, &port) == 0;
	out->port = (int)port;
	if (good)
		return 0;
	return err_set(e, ERR_USAGE, _("write user@host or user@host:port"),
		_("\"%s\" names no user and machine"), text);
}

char *ssh_place(const struct ssh_address *a)
{
	return a->port == SSH_PORT ? x_asprintf("%s@%s", a->user, a->host)
				   : x_asprintf("%s@%s:%d", a->user, a->host, a->port);
}

char *ssh_known_name(const struct ssh_address *a)
{
	return a->port == SSH_PORT ? x_strdup(a->host) : x_asprintf("[%s]:%d", a->host, a->port);
}

int ssh_say_unknown(const struct ssh_address *a, const char *hash, struct err *e)
{
	AUTO_FREE char *name = ssh_known_name(a);
	AUTO_FREE char *print = hash ? digest_base64(hash, 32) : x_strdup("?");
	AUTO_FREE char *cure =
		x_asprintf(_("ask who runs that machine for its fingerprint (ssh-keygen -lf "
			     "/etc/ssh/ssh_host_ed25519_key.pub there); if it is the same, run "
			     "once: ssh -p %d %s@%s"),
			a->port, a->user, a->host);

	print[strcspn(print, "=")] = '\0';
	return err_set(e, ERR_PERSON, cure,
		_("the machine %s is not known: it is not in ~/.ssh/known_hosts; it shows the key "
		  "SHA256:%s"),
		name, print);
}

int ssh_say_changed(const struct ssh_address *a, struct err *e)
{
	AUTO_FREE char *name = ssh_known_name(a);
	AUTO_FREE char *cure = x_asprintf(_("ask who runs it; only if it was set up anew, forget "
					    "the old key: ssh-keygen -R '%s'"),
		name);

	return err_set(e, ERR_PERSON, cure,
		_("the key of %s has changed: it is not the one in ~/.ssh/known_hosts; somebody "
		  "may be in between"),
		name);
}

int ssh_say_refused(const struct ssh_address *a, const char *key, struct err *e)
{
	AUTO_FREE char *cure =
		x_asprintf("ssh-copy-id -i %s.pub -p %d %s@%s", key, a->port, a->user, a->host);

	return err_set(e, ERR_PERSON, cure,
		_("%s does not let %s in: the key %s is not accepted there"), a->host, a->user,
		key);
}

int ssh_say_locked(const char *key, struct err *e)
{
	return err_set(e, ERR_PERSON,
		_("make a key without one (ssh-keygen -t ed25519) and add it there"),
		_("the key %s cannot be used: it has a passphrase or another form"), key);
}
