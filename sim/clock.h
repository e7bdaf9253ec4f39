/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pretend time: begins 30 days before the start and runs `factor` times as fast as the real one.
 * Timers fire in order of pretend time; while one runs, sim_now() is exactly the moment it was due,
 * so that stamps and chained timers are right although the loop wakes only every 20 ms. Requests
 * see a world in which everything due has happened.
 */
#ifndef RLPILOT_SIM_CLOCK_H
#define RLPILOT_SIM_CLOCK_H

#include <stdint.h>

struct sim;
struct sim_clock;

#define SIM_SPEED_MAX 1000.0
#define SIM_S         ((int64_t)1000)
#define SIM_MIN       (60 * SIM_S)
#define SIM_HOUR      (60 * SIM_MIN)

/* Sets sim->clock; factor > 0, at most SIM_SPEED_MAX. */
void sim_clock_start(struct sim *sim, double factor);
void sim_clock_stop(struct sim *sim);

/* ms since 1970 UTC, pretend. */
int64_t sim_now(const struct sim *sim);
/* When pretend time began. */
int64_t sim_epoch(const struct sim *sim);
/* Calls fn(arg) once after pretend_ms (0: in the next turn, never at once). Returns an id > 0. */
uint64_t sim_after(struct sim *sim, int64_t pretend_ms, void (*fn)(void *arg), void *arg);
/* Cancels and sets *id to 0; an id that fired or is 0 is fine. */
void sim_cancel(struct sim *sim, uint64_t *id);
/* Runs everything that is due now; the router calls it before each request. */
void sim_catch_up(struct sim *sim);
/* The value of RLPILOT_CLOCK for children: EPOCH_MS@REAL_MS*FACTOR; the caller's. */
char *sim_clock_text(const struct sim *sim);
/* "2026-09-01T10:00:00.123Z" and "2026-09-01T10:00:00Z" (Kubernetes); the caller's. */
char *sim_time_ms(int64_t ms);
char *sim_time_s(int64_t ms);

#endif
