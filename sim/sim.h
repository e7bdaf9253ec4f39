/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The whole pretend cloud as one value: every part of sim/ gets this pointer and finds its
 * neighbours in it. Built and torn down by main.c only. One process, one loop, no threads.
 */
#ifndef RLPILOT_SIM_SIM_H
#define RLPILOT_SIM_SIM_H

#include <stdint.h>

struct loop;
struct sim_clock;
struct ledger;
struct world;
struct server;
struct kube;
struct deploy;
struct bundle;
struct fault_plan;

struct sim {
	struct loop *loop;
	struct sim_clock *clock;   /* sim/clock.h */
	struct ledger *ledger;     /* sim/ledger.h */
	struct world *world;       /* sim/world.h */
	struct server *server;     /* sim/server.h */
	struct kube *kube;         /* sim/kube.h, the cluster's inside; never NULL while serving */
	struct deploy *deploy;     /* sim/deploy.h, the terraform that never was */
	struct bundle *bundle;     /* sim/bundle.h, what the release address serves */
	struct fault_plan *faults; /* sim/fault_plan.h */
	uint64_t seed;             /* --seed, default 1: two seeds, two curves */
	int64_t delay_ms;          /* --delay-ms: real ms before each answer */
	const char *folder;        /* the world's folder (HOME of the rehearsal lies in it) */
};

#endif
