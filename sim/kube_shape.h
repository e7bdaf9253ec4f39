/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the schema of the real server refuses before anything is stored: values of the wrong type or
 * out of range where the controllers and the kubelet read them. Each answers false with *why (the
 * caller's).
 */
#ifndef RLPILOT_SIM_KUBE_SHAPE_H
#define RLPILOT_SIM_KUBE_SHAPE_H

#include <jansson.h>
#include <stdbool.h>

/* containers and initContainers: names, images, commands; the grace period. */
bool kube_shape_pod(const json_t *pod_spec, char **why);
/* parallelism, completions, backoffLimit and the pod inside. */
bool kube_shape_job(const json_t *job_spec, char **why);
/* replicas of every replicated job, policies, time to live. */
bool kube_shape_jobset(const json_t *spec, char **why);

#endif
