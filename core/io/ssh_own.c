/* SPDX-License-Identifier: Apache-2.0 */
#include "core/io/ssh_own.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/fmt/digest.h"
#include "core/fmt/known_hosts.h"
#include "core/fmt/ssh_key.h"
#include "core/io/ssh_words.h"

#define KNOWN_MAX ((size_t)4 << 20)
#define KEY_MAX   ((size_t)64 << 10)

static char *in_ssh(const char *name)
{
	const char *home = getenv("HOME");

	return x_asprintf("%s/.ssh/%s", home ? home : "", name);
}

/* --- our key */

static int look_at_key(const char *file, struct err *e)
{
	AUTO(buf_fini) struct buf b = {0};
	enum ssh_key_kind kind;
	bool locked;
	struct stat st;

	if (path_read(file, KEY_MAX, &b, e) != 0 || stat(file, &st) != 0)
		return -1;
	kind = ssh_key_look(buf_str(&b), &locked);
	if (b.data)
		explicit_bzero(b.data, b.len);
	if (st.st_mode & 077)
		return ssh_say_open_to_all(file, st.st_mode & 0777, e);
	if (kind == SSH_KEY_PLAIN && locked)
		return ssh_say_locked(file, e);
	return kind == SSH_KEY_PLAIN ? 0 : ssh_say_wrong_kind(file, kind == SSH_KEY_RSA, e);
}

char *ssh_own_key(struct err *e)
{
	/* The last ones cannot be used: they are what a person with no other one wonders about. */
	static const char *const names[] = {
		"id_ed25519", "id_ecdsa", "id_rsa", "google_compute_engine"};
	struct err first = {0};

	for (size_t i = 0; i < COUNT(names); i++) {
		AUTO_FREE char *file = in_ssh(names[i]);
		struct err why = {0};

		if (!path_exists(file))
			continue;
		if (look_at_key(file, &why) == 0)
			return x_strdup(file);
		if (!first.code)
			first = why;
	}
	if (first.code)
		*e = first;
	else
		(void)ssh_say_no_key(e);
	return NULL;
}

/* --- the server's */

void ssh_own_known(struct known_hosts *k, const struct ssh_address *a)
{
	AUTO_FREE char *own = in_ssh("known_hosts");
	AUTO_FREE char *own2 = in_ssh("known_hosts2");
	AUTO_FREE char *name = ssh_known_name(a);
	const char *const files[] = {
		own, own2, "/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2"};

	for (size_t i = 0; i < COUNT(files); i++) {
		AUTO(buf_fini) struct buf b = {0};

		if (path_exists(files[i]) && path_read(files[i], KNOWN_MAX, &b, NULL) == 0)
			known_hosts_read(k, files[i], buf_str(&b), name);
	}
}

int ssh_own_check(const struct known_hosts *k, const struct ssh_address *a, const char *type,
	const void *key, size_t n, struct err *e)
{
	AUTO_FREE char *base64 = digest_base64(key, n);
	AUTO_FREE char *print = digest_fingerprint(key, n);
	const struct known_host *at;

	switch (known_hosts_judge(k, type, base64, &at)) {
	case KNOWN_IS_RIGHT:
		return n ? 0 : ssh_say_unknown(a, print, e);
	case KNOWN_IS_CHANGED:
		return ssh_say_changed(a, print, at, e);
	case KNOWN_IS_REVOKED:
		return ssh_say_revoked(a, print, at, e);
	case KNOWN_IS_OTHER:
		return ssh_say_other(a, type, print, at, e);
	default:
		return ssh_say_unknown(a, print, e);
	}
}
