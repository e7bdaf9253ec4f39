/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RUN/engine: where the engine of a run lives and when it gave its last sign, written by rename;
 * and what became of an engine, as its files and the lock tell everybody else. Changes nothing.
 */
#ifndef RLPILOT_RUN_BEAT_H
#define RLPILOT_RUN_BEAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct event;
struct state;

int beat_write(const char *run_dir, const char *host, int64_t pid, int64_t beat_ms, struct err *e);
/* -1 when there is none. */
int beat_read(const char *run_dir, char *host, size_t size, int64_t *pid, int64_t *beat_ms);

enum engine_life {
	ENGINE_NONE, /* there never was one, or it has ended with a word */
	ENGINE_LIVES,
	ENGINE_GONE,      /* it was at work on this machine and holds the run no more */
	ENGINE_ELSEWHERE, /* of another machine: its last sign is all that is known */
};

/* stopped: the journal ends with the engine's own word. */
enum engine_life engine_life(const char *run_dir, bool stopped);

/* For everybody who looks from outside: raises one of ALERT_ENGINE_… of a run that is not over, or
 * clears it. Nobody records them. */
void engine_tell(const char *run_dir, const struct state *s,
	void (*emit)(void *arg, const struct event *ev), void *arg);

#endif
