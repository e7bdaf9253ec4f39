/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Open watch streams. kube_watch_tell hands one event of the store to all of them; a client that
 * stops reading is cut off, its list and watch begin anew as with the real server.
 */
#ifndef RLPILOT_SIM_KUBE_WATCH_H
#define RLPILOT_SIM_KUBE_WATCH_H

#include "sim/kube_state.h"

void kube_watch_tell(struct kube *k, const struct kevent *ev);
/* Ends every stream (the cluster goes away). */
void kube_watch_end_all(struct kube *k);

#endif
