/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cloud on a scripted loopback server, for the tests of core/cloud: one ADC file in a folder of
 * its own, every address pointing at the server, what was asked kept as text. rig_setup and
 * rig_teardown are cmocka's functions.
 */
#ifndef RLPILOT_UNIT_CLOUD_RIG_H
#define RLPILOT_UNIT_CLOUD_RIG_H

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/cloud/cloud.h"

#include <stdbool.h>

struct rig {
	struct loop *loop;
	struct cloud *cloud;
	struct web *web;
	char *dir;
	struct buf head, body; /* of the last request; the token form, too */
	struct buf seen;       /* request lines of all API requests */
	int tokens_given;
	/* Instead of any good answer of an API; status 0: none, -1: head and body as they are, cut.
	 */
	struct rig_answer {
		int status;
		const char *headers, *body;
	} foreign;
	const char *cluster; /* GKE's word for the cluster "demo", NULL = RECONCILING */
	int refuse;          /* so many API requests get 401 */
	/* Instead of good answers of /token, of :generateAccessToken and of the metadata server's
	 * token, in this order; status 0 ends the list. */
	struct rig_answer odd[8];
	size_t odd_given;
	int token_requests, lent, metadata_requests;
	/* by rig_done */
	int calls;
	json_t *reply;
	struct err e;
	bool failed;
};

extern struct rig rig;
extern const struct cloud_done rig_done; /* keeps the answer and stops the loop; arg = &rig */

int rig_setup(void **state);
int rig_teardown(void **state);
void rig_write_adc(const char *text);
#define RIG_QUICK "1790000000000@1790000000000*1000" /* a second is a millisecond */
/* RLPILOT_CLOCK's form. */
void rig_clock(const char *value);

/* One request of an API, to its end. */
void rig_ask(void);
/* It failed for this cause of the table, with these words. */
void rig_want_cause(const char *cause, const char *what, const char *hint);
/* It went well and carried this token. */
void rig_want_bearer(const char *token);

#endif
