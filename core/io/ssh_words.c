/* SPDX-License-Identifier: Apache-2.0 */
#include "core/io/ssh_words.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/digest.h"
#include "core/fmt/shell.h"

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

/* As a word of a command that people copy; the caller's. */
static char *shell_word(const char *s)
{
	struct buf word = {0};

	shell_quote(&word, s);
	return buf_take(&word);
}

/* --- host keys */

int ssh_say_unknown(const struct ssh_address *a, const char *print, struct err *e)
{
	AUTO_FREE char *name = ssh_known_name(a);
	AUTO_FREE char *cure =
		x_asprintf(_("ask who runs that machine for its fingerprint (ssh-keygen -lf "
			     "/etc/ssh/ssh_host_ed25519_key.pub there); if it is the same, run "
			     "once: ssh -p %d %s@%s"),
			a->port, a->user, a->host);

	return err_set(e, ERR_PERSON, cure,
		_("the machine %s is not known: it is not in ~/.ssh/known_hosts; it shows the key "
		  "%s"),
		name, print);
}

/* ssh itself is content with what is there and would add nothing. */
int ssh_say_other(const struct ssh_address *a, const char *type, const char *print,
	const struct known_host *at, struct err *e)
{
	AUTO_FREE char *name = ssh_known_name(a);
	AUTO_FREE char *cure = x_asprintf(
		_("ask who runs that machine for its fingerprint; if it is the same, run once: ssh "
		  "-p %d -o HostKeyAlgorithms=%s %s@%s"),
		a->port, type, a->user, a->host);

	if (at->marker == KNOWN_AUTHORITY)
		return err_set(e, ERR_PERSON, cure,
			_("%s is known by an authority alone (%s:%d), and certificates of hosts "
			  "cannot be checked here; it shows the key %s"),
			name, at->file, at->line, print);
	return err_set(e, ERR_PERSON, cure,
		_("%s is known by a key of the kind %s (%s:%d), which cannot be used here; it "
		  "shows the key %s"),
		name, at->type, at->file, at->line, print);
}

int ssh_say_changed(
	const struct ssh_address *a, const char *print, const struct known_host *at, struct err *e)
{
	AUTO_FREE char *name = ssh_known_name(a);
	AUTO_FREE char *file = shell_word(at->file);
	AUTO_FREE char *cure = x_asprintf(_("ask who runs it; only if it was set up anew, forget "
					    "the old key: ssh-keygen -f %s -R '%s'"),
		file, name);
	size_t n = 0;
	AUTO_FREE char *key = digest_base64_decode(at->key, &n);
	AUTO_FREE char *was = key ? digest_fingerprint(key, n) : x_strdup("?");

	return err_set(e, ERR_PERSON, cure,
		_("the key of %s has changed: it shows %s, known is %s (%s:%d); somebody may be in "
		  "between"),
		name, print, was, at->file, at->line);
}

int ssh_say_revoked(
	const struct ssh_address *a, const char *print, const struct known_host *at, struct err *e)
{
	AUTO_FREE char *name = ssh_known_name(a);

	return err_set(e, ERR_PERSON,
		_("do not log in there; ask who runs that machine: it needs a new host key"),
		_("%s shows the key %s, which has been revoked (%s:%d)"), name, print, at->file,
		at->line);
}

int ssh_say_no_server(const struct ssh_address *a, struct err *e)
{
	return err_set(e, ERR_UNREACHABLE,
		_("look at the port of --remote, and that an SSH server listens there and is not "
		  "overloaded"),
		_("port %d of %s does not answer as an SSH server does"), a->port, a->host);
}

int ssh_say_no_common(const struct ssh_address *a, struct err *e)
{
	AUTO_FREE char *name = ssh_known_name(a);

	return err_set(e, ERR_PERSON,
		_("have a host key of the kind ed25519 made there (ssh-keygen -A), and listed in "
		  "sshd_config if it lists them"),
		_("%s offers no host key or cipher that can be used here: RSA keys cannot"), name);
}

/* --- our key */

int ssh_say_refused(const struct ssh_address *a, const char *key, struct err *e)
{
	AUTO_FREE char *file = x_asprintf("%s.pub", key);
	AUTO_FREE char *word = shell_word(file);
	AUTO_FREE char *cure =
		x_asprintf("ssh-copy-id -i %s -p %d %s@%s", word, a->port, a->user, a->host);

	return err_set(e, ERR_PERSON, cure,
		_("%s does not let %s in: the key %s is not accepted there"), a->host, a->user,
		key);
}

int ssh_say_no_key(struct err *e)
{
	return err_set(e, ERR_PERSON,
		_("make one with ssh-keygen -t ed25519, then ssh-copy-id to that machine"),
		_("there is no SSH key: neither ~/.ssh/id_ed25519 nor ~/.ssh/id_ecdsa is there"));
}

int ssh_say_locked(const char *key, struct err *e)
{
	const char *agent = getenv("SSH_AUTH_SOCK");

	return err_set(e, ERR_PERSON,
		_("make a key without one (ssh-keygen -t ed25519) and add it there"),
		agent && *agent ? _("the key %s cannot be used: it has a passphrase, and the "
				    "ssh-agent is not asked yet")
				: _("the key %s cannot be used: it has a passphrase"),
		key);
}

int ssh_say_wrong_kind(const char *key, bool rsa, struct err *e)
{
	return err_set(e, ERR_PERSON,
		_("make one with ssh-keygen -t ed25519, then ssh-copy-id to that machine"),
		rsa ? _("the key %s cannot be used: it is an RSA key, and servers take their old "
			"signatures no more")
		    : _("the key %s cannot be used: it is no key of the kind ed25519 or ECDSA"),
		key);
}

int ssh_say_open_to_all(const char *key, unsigned mode, struct err *e)
{
	AUTO_FREE char *word = shell_word(key);
	AUTO_FREE char *cure = x_asprintf("chmod 600 %s", word);

	return err_set(e, ERR_PERSON, cure,
		_("the key %s is not used: others may read it (its mode is %o)"), key, mode);
}
