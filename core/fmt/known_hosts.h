/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What known_hosts files say about one server (sshd(8), SSH_KNOWN_HOSTS FILE FORMAT): lists of
 * names with * and ?, names denied by !, hashed names, [host]:port, @revoked, @cert-authority.
 * Pure. A line that is none of this is left out, as ssh does.
 */
#ifndef RLPILOT_FMT_KNOWN_HOSTS_H
#define RLPILOT_FMT_KNOWN_HOSTS_H

#include <stdbool.h>
#include <stddef.h>

enum known_marker { KNOWN_KEY, KNOWN_REVOKED, KNOWN_AUTHORITY };

struct known_host {
	enum known_marker marker;
	char *file;
	int line;
	char *type, *key; /* "ssh-ed25519", base64 */
};

struct known_hosts {
	struct known_host *items;
	size_t n, cap;
};

enum known_verdict {
	KNOWN_IS_NEW,   /* no line names the server */
	KNOWN_IS_OTHER, /* keys of other kinds are known, or an authority that vouches for it */
	KNOWN_IS_RIGHT,
	KNOWN_IS_CHANGED, /* another key of the same kind is known */
	KNOWN_IS_REVOKED,
};

/* Adds the lines of a file's text that name the server ("host" or "[host]:port"). */
void known_hosts_read(struct known_hosts *k, const char *file, const char *text, const char *name);
void known_hosts_fini(struct known_hosts *k);
/* Is a key of that kind known? */
bool known_hosts_has(const struct known_hosts *k, const char *type);
/* key: base64. *at gets the line that decides, NULL for a new one. */
enum known_verdict known_hosts_judge(const struct known_hosts *k, const char *type, const char *key,
	const struct known_host **at);

#endif
