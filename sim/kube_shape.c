/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/kube_shape.h"

#include "core/base/mem.h"
#include "core/fmt/json.h"

#include <inttypes.h>
#include <stdint.h>
#include <string.h>

#define PODS_MAX 10000 /* of one job, more than any test asks for */

static bool complain(char **why, const char *path, const char *what)
{
	*why = x_asprintf("Invalid value: %s: %s", path, what);
	return false;
}

/* Absent, or an integer in lo..hi. */
static bool integer(const json_t *o, const char *path, int64_t lo, int64_t hi, char **why)
{
	json_t *v = json_path(o, path);

	if (!v || json_is_null(v))
		return true;
	if (!json_is_integer(v))
		return complain(why, path, "must be an integer");
	if (json_integer_value(v) >= lo && json_integer_value(v) <= hi)
		return true;
	*why = x_asprintf("Invalid value: %" JSON_INTEGER_FORMAT ": %s must be between %" PRId64
			  " and %" PRId64,
		json_integer_value(v), path, lo, hi);
	return false;
}

static bool text(const json_t *o, const char *path, bool needed, char **why)
{
	json_t *v = json_path(o, path);

	if (!v)
		return !needed || complain(why, path, "Required value");
	return json_is_string(v) || complain(why, path, "must be a string");
}

/* Absent, or an array of strings. */
static bool texts(const json_t *o, const char *path, char **why)
{
	json_t *list = json_path(o, path), *v;
	size_t i;

	if (list && !json_is_array(list) && !json_is_null(list))
		return complain(why, path, "must be a list");
	json_array_foreach(list, i, v)
	{
		if (!json_is_string(v))
			return complain(why, path, "must hold strings");
	}
	return true;
}

static bool containers(const json_t *list, char **why)
{
	json_t *c;
	size_t i;

	json_array_foreach(list, i, c)
	{
		if (!json_is_object(c))
			return complain(why, "containers", "must hold objects");
		if (!text(c, "name", true, why) || !text(c, "image", false, why) ||
			!texts(c, "command", why) || !texts(c, "args", why))
			return false;
	}
	return true;
}

bool kube_shape_pod(const json_t *pod_spec, char **why)
{
	return containers(json_object_get(pod_spec, "containers"), why) &&
	       containers(json_object_get(pod_spec, "initContainers"), why) &&
	       text(pod_spec, "nodeName", false, why) &&
	       integer(pod_spec, "terminationGracePeriodSeconds", 0, 1000000, why);
}

bool kube_shape_job(const json_t *job_spec, char **why)
{
	return integer(job_spec, "parallelism", 0, PODS_MAX, why) &&
	       integer(job_spec, "completions", 0, PODS_MAX, why) &&
	       integer(job_spec, "backoffLimit", 0, INT32_MAX, why) &&
	       integer(job_spec, "ttlSecondsAfterFinished", 0, INT32_MAX, why) &&
	       kube_shape_pod(json_path(job_spec, "template.spec"), why);
}

bool kube_shape_jobset(const json_t *spec, char **why)
{
	json_t *list = json_object_get(spec, "replicatedJobs"), *r;
	size_t i;

	json_array_foreach(list, i, r)
	{
		if (!json_is_object(r))
			return complain(why, "replicatedJobs", "must hold objects");
		if (!text(r, "name", true, why) || !integer(r, "replicas", 0, 1000, why) ||
			!kube_shape_job(json_path(r, "template.spec"), why))
			return false;
		if (json_path_i64(r, "replicas", 1) *
				json_path_i64(r, "template.spec.parallelism", 1) >
			PODS_MAX)
			return complain(why, "replicas", "more pods than this cluster takes");
	}
	return texts(spec, "successPolicy.targetReplicatedJobs", why) &&
	       integer(spec, "failurePolicy.maxRestarts", 0, INT32_MAX, why) &&
	       integer(spec, "ttlSecondsAfterFinished", 0, INT32_MAX, why);
}
