/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers that are no answers: what proxies, captive portals, broken links and silent hosts do to a
 * request. Which paths suffer is the world's setting ("fault.PREFIX") or the plan of faults; the
 * handler is never called then, or its answer suffers on the way (conn.h).
 */
#ifndef RLPILOT_SIM_FAULTS_H
#define RLPILOT_SIM_FAULTS_H

#include <stdbool.h>

struct req;

/* True: this request got its fault instead of a handler, now or after a while. */
bool faults_reply(struct req *req);

#endif
