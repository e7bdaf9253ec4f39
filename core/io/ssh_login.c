/* SPDX-License-Identifier: Apache-2.0 */
/* From the first byte to the login: which key the server shows, and which one of ours it takes. */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/io/ssh_in.h"
#include "core/io/ssh_own.h"
#include "core/io/ssh_words.h"

#define HELLO_MAX ((size_t)256 << 10) /* bytes up to the host key; a few thousand are usual */

/* Kinds of host keys, the wanted one first. RSA is not among them: libssh2 before 1.11 knows only
 * its SHA-1 form, which servers no longer offer. */
static const struct {
	const char *name;
	int type;
} kinds[] = {
	{"ssh-ed25519", LIBSSH2_HOSTKEY_TYPE_ED25519},
	{"ecdsa-sha2-nistp256", LIBSSH2_HOSTKEY_TYPE_ECDSA_256},
	{"ecdsa-sha2-nistp384", LIBSSH2_HOSTKEY_TYPE_ECDSA_384},
	{"ecdsa-sha2-nistp521", LIBSSH2_HOSTKEY_TYPE_ECDSA_521},
};

static const char *kind_name(int type)
{
	for (size_t i = 0; i < COUNT(kinds); i++)
		if (kinds[i].type == type)
			return kinds[i].name;
	return "";
}

/* Kinds of which a key of this host is known come first, so that the server shows one of them. */
void ssh_login_prefer(struct ssh *s)
{
	AUTO(buf_fini) struct buf list = {0};

	for (int known = 1; known >= 0; known--)
		for (size_t i = 0; i < COUNT(kinds); i++)
			if (known_hosts_has(&s->known, kinds[i].name) == (known != 0))
				buf_addf(&list, "%s%s", list.len ? "," : "", kinds[i].name);
	(void)libssh2_session_method_pref(s->session, LIBSSH2_METHOD_HOSTKEY, buf_str(&list));
}

static LIBSSH2_RECV_FUNC(hear)
{
	struct ssh *s = *abstract;
	ssize_t n;

	if (s->step == STEP_HELLO && s->heard > HELLO_MAX)
		return -ECONNABORTED;
	n = recv(socket, buffer, length, flags);
	if (n < 0)
		return errno == EWOULDBLOCK ? -EAGAIN : -errno;
	s->heard += (size_t)n;
	return n;
}

void ssh_login_listen(struct ssh *s)
{
	(void)libssh2_session_callback_set(
		s->session, LIBSSH2_CALLBACK_RECV, (void *)(uintptr_t)hear);
}

static int check_host(struct ssh *s)
{
	size_t n = 0;
	int type = 0;
	const char *key = libssh2_session_hostkey(s->session, &n, &type);

	return ssh_own_check(
		&s->known, &s->spec.at, kind_name(type), key ? key : "", key ? n : 0, &s->error);
}

static bool greeted(struct ssh *s)
{
	const char *line = libssh2_session_banner_get(s->session);

	return line && strncmp(line, "SSH-", 4) == 0;
}

/* It may be another one's answer for a while, a portal's for instance. */
static int no_server(struct ssh *s)
{
	s->again = true;
	return ssh_say_no_server(&s->spec.at, &s->error);
}

int ssh_login_hello(struct ssh *s)
{
	int rc = libssh2_session_handshake(s->session, s->fd);

	if (rc != 0 && rc != LIBSSH2_ERROR_EAGAIN && s->heard && !greeted(s))
		return no_server(s);
	if (rc == LIBSSH2_ERROR_KEX_FAILURE || rc == LIBSSH2_ERROR_METHOD_NONE)
		return ssh_say_no_common(&s->spec.at, &s->error);
	if (rc != 0)
		return rc;
	s->step = STEP_ASK;
	return check_host(s);
}

int ssh_login_ask(struct ssh *s)
{
	const struct ssh_address *a = &s->spec.at;
	const char *list = libssh2_userauth_list(s->session, a->user, (unsigned)strlen(a->user));

	if (!list && libssh2_userauth_authenticated(s->session))
		s->step = STEP_READY;
	else if (list)
		s->step = STEP_LOGIN;
	else
		return libssh2_session_last_errno(s->session);
	return 0;
}

/* A connection that breaks while the answer is waited for is no answer. */
static bool broken(const struct ssh *s)
{
	char c;

	return recv(s->fd, &c, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

static int refuse_login(struct ssh *s, int rc)
{
	if (rc == LIBSSH2_ERROR_FILE)
		return ssh_say_locked(s->key, &s->error);
	if (rc == LIBSSH2_ERROR_PUBLICKEY_UNVERIFIED && broken(s))
		return LIBSSH2_ERROR_SOCKET_DISCONNECT;
	if (rc == LIBSSH2_ERROR_AUTHENTICATION_FAILED || rc == LIBSSH2_ERROR_PUBLICKEY_UNVERIFIED)
		return ssh_say_refused(&s->spec.at, s->key, &s->error);
	return rc;
}

int ssh_login_try(struct ssh *s)
{
	const char *user = s->spec.at.user;
	int rc = libssh2_userauth_publickey_fromfile_ex(
		s->session, user, (unsigned)strlen(user), NULL, s->key, NULL);

	if (rc == LIBSSH2_ERROR_EAGAIN)
		return rc;
	if (rc != 0)
		return refuse_login(s, rc);
	s->step = STEP_READY;
	return 0;
}
