/* SPDX-License-Identifier: Apache-2.0 */
/* The first attempt of the cluster in the folder of dir_rig.h, its supervisor and its files. */
#ifndef RLPILOT_UNIT_ATTEMPT_RIG_H
#define RLPILOT_UNIT_ATTEMPT_RIG_H

#include <stdbool.h>
#include <sys/types.h>

/* Prepared with that script; its folder, the caller's. */
char *attempt_with(const char *script);
/* One that somebody on that machine (NULL = untold) has claimed in that boot. */
char *claimed(const char *boot_id, const char *host);
/* Its script has been let go. */
void begun(const char *attempt);
/* A file of it, written anew. */
void in_attempt(const char *name, const char *text);

/* A supervisor of it, in a session of its own. */
pid_t supervise(const char *attempt);
/* Exit code of a child, or 128 + signal. */
int ends_with(pid_t pid);
/* A process that leads a session and waits; it is there when this returns. */
pid_t waiting_session(void);

/* A script that leaves a file; is that there? */
char *marking_script(void);
bool ran(void);
/* Id of this boot; the caller's. */
char *boot(void);

#endif
