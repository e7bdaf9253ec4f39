/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Container logs as the kubelet keeps them: lines with a time of their own, times strictly growing,
 * the instance before the last restart kept as "previous". Bytes become a line at '\n', as in a
 * real container log: a bar that only writes '\r' shows with the next line end.
 */
#ifndef RLPILOT_SIM_KUBE_LOG_H
#define RLPILOT_SIM_KUBE_LOG_H

#include "sim/kube_state.h"

struct klog;

/* A fresh log for a container that starts; what was there becomes "previous". Borrowed. */
struct klog *klog_start(struct kube *k, const char *uid, const char *container);
/* NULL when the container never started. */
struct klog *klog_find(const struct kube *k, const char *uid, const char *container);
void klog_write(struct klog *log, int64_t ms, const char *data, size_t n);
/* The container has ended: followers are let go. */
void klog_end(struct klog *log);
/* Pod is gone: its logs too. */
void klog_drop_pod(struct kube *k, const char *uid);
/* Value destructor for kube.logs. */
void klog_free(void *log);

#endif
