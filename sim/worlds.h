/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The worlds by name: each is a list of differences from `ready`, as data. A difference is a key
 * and a text; the part of the pretend cloud that it concerns asks for it by world_setting and acts.
 * The table is the only place that knows world names.
 */
#ifndef RLPILOT_SIM_WORLDS_H
#define RLPILOT_SIM_WORLDS_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct sim;
struct world;

/*
 * Keys and what their values mean; without a key all is as in `ready`.
 *   api.SERVICE       off: the API is not enabled
 *   role.ROLE         off: the account lacks it · role.editor on: a few rights of it instead
 *   project           hidden: 403 · else the lifecycle state
 *   billing           off
 *   login             none · expired (the organisation wants a new login) · two (ADC of another)
 *   quota.METRIC      limit, "-" = the metric is not told
 *   zone.ZONE         its status · machine.TYPE gone
 *   reservation       none · hidden · aggregate; reservation.{used,machine,zone,specific,status}
 *                     reservation.more yes: other shapes too · reservation.silent ZONE
 *   bucket            foreign (403) · other (of another project) · ours; bucket.{location,rights}
 *   hf                revoked · hf.role, hf.gated, hf.licence, hf.dataset
 *   cluster           running · jobset NAME · account.SUFFIX left · folder PATH
 *   clock             seconds that the Date header is ahead
 *   fault.PREFIX      html · proxy (502) · empty · cut · types · never: answers of that path
 *   file.PATH         content of a file of the home, "-" = none · env.NAME value, "-" = unset
 *   tools             the only programs on PATH · tool.NAME text of a script on PATH
 */
struct world_change {
	const char *key, *value;
};

/* NULL-key ended; NULL: no such world. `ready` is an empty list. */
const struct world_change *worlds_find(const char *name);
/* "ready, fresh, …" */
void worlds_names(struct buf *out);

/* Refresh tokens that no login gives: one that the organisation wants renewed, one of somebody
 * else. */
#define WORLD_EXPIRED       "1//0rehearsal-expired-token"
#define WORLD_OTHER         "1//0rehearsal-token-of-another-person"
#define WORLD_OTHER_ACCOUNT "other@rehearsal.example"

/* Puts in place what a world begins with: bucket, cluster, job, accounts, folder. */
void worlds_furnish(struct sim *sim);

/* The roles that an account can have here, NULL after the last; has this world's account a
 * permission? */
const char *world_role(size_t i);
bool world_may(const struct world *w, const char *permission);

/* The value of a key in this world, NULL = as in `ready`. */
const char *world_setting(const struct world *w, const char *key);
/* The value of key1.key2 */
const char *world_setting2(const struct world *w, const char *key1, const char *key2);
bool world_is(const struct world *w, const char *key, const char *value);
/* Changes a setting as the world goes on; NULL: as in `ready` from now on. */
void world_set(struct world *w, const char *key, const char *value);
/* Walks the settings whose key begins with prefix: for (size_t i = 0; world_settings_next(…);) */
bool world_settings_next(const struct world *w, const char *prefix, size_t *i, const char **rest,
	const char **value);

#endif
