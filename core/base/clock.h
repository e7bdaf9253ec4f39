/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two clocks. `wall` is monotonic, never scaled: frames, sockets, locks. `now` is the run's
 * time, milliseconds since 1970 UTC: polls, ages, expiry, the journal. RLPILOT_CLOCK
 * (EPOCH_MS@REAL_MS*FACTOR, REAL_MS by CLOCK_REALTIME) relates the two for every process of a run.
 */
#ifndef RLPILOT_BASE_CLOCK_H
#define RLPILOT_BASE_CLOCK_H

#include <stdint.h>

struct err;

/* Reads RLPILOT_CLOCK; unset = real time. -1 with a message if it is malformed. */
int clock_init(struct err *e);
int64_t clock_wall(void);  /* ms, monotonic */
int64_t clock_now(void);   /* ms since 1970 UTC in run time */
double clock_factor(void); /* run ms per wall ms */
/* Wall ms that pass while run_ms of run time pass, rounded up. */
int64_t clock_wall_span(int64_t run_ms);
/* Tests: from now on `now` answers this and stands still; 0 = back to normal. */
void clock_fix(int64_t now_ms);

#endif
