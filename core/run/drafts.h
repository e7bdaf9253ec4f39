/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a person has typed but cannot be used yet: RUN/drafts.json, {"v":1,"drafts":{NAME:text}}. A
 * draft never counts as a value; it is there so that one can leave a field in any state and find
 * it again. Whoever holds the run's lock writes. Never holds a secret, nor what looks like one.
 */
#ifndef RLPILOT_RUN_DRAFTS_H
#define RLPILOT_RUN_DRAFTS_H

#include "core/run/event.h"

struct err;

#define DRAFT_MAX 4096 /* bytes; more is cut */

/* {NAME: text}; a new reference, empty when there is none or the file is damaged. */
json_t *drafts_read(const char *run_dir);
/* text NULL: the draft goes. 0 also when there is nothing to do; 1: looks like a secret, not kept.
 */
int drafts_put(const char *run_dir, const char *name, const char *text, struct err *e);
/* Emits EV_DRAFTS with all of them. */
void drafts_tell(const char *run_dir, void (*emit)(void *arg, const struct event *ev), void *arg);

#endif
