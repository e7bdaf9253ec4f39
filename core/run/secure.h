/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What gcluster leaves on this machine with the Hugging Face token in it: the manifest of each job,
 * ~/.gcluster/generated/JOB.yaml, readable for all (facts on gcluster §1.5). Here it gets mode
 * 0600, is told to the person, and is deleted when asked. Touches the recipe's own jobs alone, and
 * of those only regular files of this user; links are never followed.
 */
#ifndef RLPILOT_RUN_SECURE_H
#define RLPILOT_RUN_SECURE_H

#include <stdbool.h>

#include "core/recipe/recipe.h"
#include "core/run/event.h"

struct err;

/* The files that are there, closed for everybody else; -1 when one could not be closed. */
int secure_close(const struct recipe *r, struct strvec *files, struct err *e);
/* Deletes them; `gone` gets what was there. */
int secure_delete(const struct recipe *r, struct strvec *gone, struct err *e);
/* EV_TOKEN_FILES when they are others than the state knows. */
void secure_tell(const struct recipe *r, const struct state *s,
	void (*emit)(void *arg, const struct event *ev), void *arg);

#endif
