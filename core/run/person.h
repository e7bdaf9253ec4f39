/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a person does with their own hands in the place of a run: the logins, and a shell in the
 * folder of a stage. The same environment as the run's commands, but no secret that is not already
 * in this process's own. Starts nothing.
 */
#ifndef RLPILOT_RUN_PERSON_H
#define RLPILOT_RUN_PERSON_H

#include "core/base/vec.h"
#include "core/recipe/recipe.h"
#include "core/run/state.h"

/* Whole environment of a child: ours, the run's values, its own kubeconfig. */
void person_environment(const struct state *s, const char *run_dir, struct strvec *env);
/* Shell text of the interactive commands of the login stage, each left out when its login is there;
 * the caller's. */
char *person_logins(const struct recipe *r);
/* Where the commands of a stage run, as far as it is there: RUN/toolkit/cluster-toolkit,
 * RUN/toolkit or RUN; the caller's. */
char *person_folder(const char *run_dir);
/* The person's shell, /bin/sh when there is none. Borrowed. */
const char *person_shell(void);
/* Puts NAME=value into an environment, in place of what is there. */
void person_put(struct strvec *env, const char *name, const char *value);

#endif
