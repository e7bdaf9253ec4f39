/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists that come in pages, walked to their end: Google's nextPageToken and Kubernetes' continue.
 * For this room's own files. An empty page with a token is legal; a token that does not change or
 * more than PAGES_MAX pages is an error.
 */
#ifndef RLPILOT_CLOUD_PAGES_H
#define RLPILOT_CLOUD_PAGES_H

#include "core/cloud/cloud.h"

#define PAGES_MAX 10000

extern const char pages_google[], pages_kube[]; /* values of `param` */

struct pages_spec {
	struct cloud_request req; /* of the first page; path is copied, the rest must stay */
	const char *param;        /* pages_google or pages_kube */
	const void *owner;        /* for cloud_cancel_all */
	void (*on_page)(void *arg, json_t *page);
	/* Once, unless dropped: then on_drop instead. */
	void (*on_end)(void *arg, const struct err *e);
	void (*on_drop)(void *arg);
	void *arg;
};

void pages_walk(struct cloud *c, const struct pages_spec *spec);
/* Answers one object with the array `key` of all pages and the other members of the last page. */
void pages_merge(struct cloud *c, const struct cloud_request *req, const char *param,
	const char *key, struct cloud_done done);

#endif
