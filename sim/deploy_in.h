/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of the deployment: deploy.c makes and removes it group by group, deploy_call.c takes the
 * requests of who asks for it, deploy_tell.c tells them what happens. Internal to these three.
 */
#ifndef RLPILOT_SIM_DEPLOY_IN_H
#define RLPILOT_SIM_DEPLOY_IN_H

#include "sim/deploy.h"
#include "sim/route.h"
#include "sim/sim.h"
#include <stdbool.h>
#include <stdint.h>

enum deploy_action { IDLE, CREATING, DESTROYING };

struct deploy_instance {
	struct deploy *deploy;
	size_t index;
	char *what;
	bool present, busy;
	bool held;    /* the state of who destroys holds it */
	bool outside; /* the state never held it: making it again is refused */
	int64_t since;
	size_t operation;
};

struct deploy_listener;

struct deploy {
	struct sim *sim;
	struct deploy_values v; /* name NULL: nothing was ever deployed */
	char *folder;           /* of the deployment, NULL = not told */
	enum deploy_action action;
	bool failed;
	int added, destroyed;
	struct deploy_instance *parts;
	struct {
		struct deploy_listener **items;
		size_t n, cap;
	} listeners;
};

/* deploy.c */
void deploy_values_fini(struct deploy_values *v);
/* Begins: when it has been planned the first group, then the others. */
void deploy_work(struct deploy *d, enum deploy_action action);
size_t deploy_count(const struct deploy *d); /* of what is there */

/* deploy_tell.c */
/* One more who listens. */
struct stream *deploy_join(struct deploy *d, struct req *req);
/* All has been told. */
void deploy_end_streams(struct deploy *d);
/* To all who listen; takes over event. */
void deploy_tell(struct deploy *d, json_t *event);
void deploy_tell_plan(struct stream *s, size_t add, size_t destroy);
json_t *deploy_event(const struct deploy_instance *p, const char *event, enum deploy_action action);
/* And the id that the provider gives it. */
json_t *deploy_event_with_id(
	const struct deploy_instance *p, const char *event, enum deploy_action action);
json_t *deploy_end_event(bool ok, int added, int destroyed);

#endif
