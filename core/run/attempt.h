/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One attempt of a stage: the folder stages/ID/N, its script, and what the supervisor's files say
 * about it. The supervisor (assets/supervisor) claims the folder by mkdir, so that starting one
 * twice runs the script once. Nothing here waits: attempt_look is asked again.
 */
#ifndef RLPILOT_RUN_ATTEMPT_H
#define RLPILOT_RUN_ATTEMPT_H

#include <stdbool.h>
#include <sys/types.h>

#include "core/run/state.h"

struct err;
struct loop;

#define ATTEMPT_MAX 100000 /* of a stage */

enum attempt_state {
	ATTEMPT_NONE,    /* not claimed: may be started */
	ATTEMPT_CLAIMED, /* a supervisor is about to run it */
	ATTEMPT_RUNNING, /* the script or what it has started lives, with or without supervisor */
	ATTEMPT_EXITED,  /* exit code known */
	ATTEMPT_LOST,    /* the script has ended and nobody recorded its code */
	ATTEMPT_NEVER,   /* the supervisor died before the script began */
};

struct attempt_look {
	enum attempt_state state;
	int exit;  /* when ATTEMPT_EXITED */
	pid_t pid; /* of the script that lives, 0 = not known: its id may be a stranger's now */
	bool elsewhere; /* whether it lives cannot be seen: another machine, or who runs it is not
			   recorded */
};

enum attempt_go { ATTEMPT_OPEN, ATTEMPT_BEGUN, ATTEMPT_GIVEN_UP };

/* What the files say and who lives; judged by the same rules here and on another machine. */
struct attempt_facts {
	bool claim; /* the folder is claimed */
	enum attempt_go go;
	int exit;                         /* -1 = not recorded */
	pid_t script;                     /* 0 = not recorded */
	bool script_lives, session_lives; /* the script; anybody of the supervisor's session */
	bool elsewhere;
};

struct attempt_look attempt_judge(const struct attempt_facts *f);

/* RUN/stages/ID/N; the caller's. */
char *attempt_dir(const char *run_dir, enum stage_id id, int n);
/* RUN/stages/ID/undo-N, an attempt like the others; the caller's. */
char *attempt_undo_dir(const char *run_dir, enum stage_id id, int n);
/* Highest attempt that has a folder, 0 = none. */
int attempt_last(const char *run_dir, enum stage_id id);
/* Makes the folder and its script (0700). A script that is there already stays as it is. */
int attempt_prepare(const char *dir, const char *script, struct err *e);
/* Starts the supervisor in its own session with a whole environment (NULL ended). */
int attempt_start(struct loop *l, const char *dir, const char *const *env, struct err *e);
struct attempt_look attempt_look(const char *dir);
/* Of an attempt whose script has not begun: true = it never will. False = it has just begun. */
bool attempt_give_up(const char *dir);
/* Has it ended and left processes of its session behind? */
bool attempt_lingers(const char *dir);
/* The session of all that the attempt has started on this machine, 0 = not known. */
pid_t attempt_session(const char *dir);
/* SIGTERM to the script's group. Never for a deploy or destroy. */
void attempt_end(const char *dir, const struct attempt_look *look);
/* Path of assets/supervisor; the caller's, NULL with a message when it is not installed. */
char *attempt_supervisor(struct err *e);

#endif
