/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The log of one container, followed with time stamps. Waits while the container has not started,
 * reconnects after every end of the stream from the last stamp and drops what had come already, so
 * that each line is given once and in order. Ends when the container has terminated or the pod is
 * gone, after its last line. Lines keep their bytes; clean them before showing.
 */
#ifndef RLPILOT_CLOUD_PODLOG_H
#define RLPILOT_CLOUD_PODLOG_H

#include "core/cloud/kube.h"

struct podlog;

enum podlog_state {
	PODLOG_WAITING,
	PODLOG_LIVE,
	PODLOG_LOST,
	PODLOG_ENDED,
	PODLOG_GONE,
	PODLOG_REFUSED
};

struct podlog_spec {
	const char *ns, *pod, *container;
	const char *since; /* RFC 3339 stamp of the last line known (that line is dropped); NULL =
			    * from the beginning */
	/* stamp: RFC 3339 with nanoseconds as it came; time in ms since 1970 UTC; line without
	 * stamp. */
	void (*on_line)(void *arg, const char *stamp, int64_t time_ms, const char *line, size_t n,
		bool cut);
	/* The newest stamp could not be found again: lines may be missing before the next one. */
	void (*on_gap)(void *arg);
	/* e for LOST and REFUSED; ENDED, GONE are final. */
	void (*on_state)(void *arg, enum podlog_state state, const struct err *e);
	void (*on_beat)(void *arg); /* bytes or an answer came; may be NULL */
	void *arg;
};

struct podlog *podlog_open(struct kube *k, const struct podlog_spec *spec);
/* May be called from its callbacks; sets *p to NULL. */
void podlog_close(struct podlog **p);

#endif
