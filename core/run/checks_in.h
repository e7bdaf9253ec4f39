/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of checks: what the sources answered, and how a judge says what it found. Judges are pure:
 * they read answers, values and this machine's own facts, and ask nobody else.
 */
#ifndef RLPILOT_RUN_CHECKS_IN_H
#define RLPILOT_RUN_CHECKS_IN_H

#include "core/base/err.h"
#include "core/fmt/json.h"
#include "core/run/checks.h"

enum check_source {
	FROM_HERE, /* this machine and the recipe: no waiting */
	FROM_GCLOUD,
	FROM_ADC,
	FROM_PROJECT,
	FROM_BILLING,
	FROM_SERVICES,
	FROM_RIGHTS,
	FROM_ZONE,
	FROM_REGION,
	FROM_NETWORKS,
	FROM_CT6E,
	FROM_E2,
	FROM_N4,
	FROM_RESERVATION,
	FROM_BUCKET,
	FROM_BUCKET_RIGHTS,
	FROM_WHOAMI,
	FROM_LICENCE,
	FROM_DATASET,
	FROM_CLUSTER,
	FROM_JOBSETS,
	FROM_ACCOUNT,
	FROM_COUNT
};

struct kube;

struct answer {
	struct checks *owner;
	enum check_source source;
	bool needed, asked, done;
	json_t *reply; /* NULL when e says why */
	struct err e;
	struct kube *kube;
};

#define CHECK_STATES(X)                                                                            \
	X(CHECK_OK, "ok")                                                                          \
	X(CHECK_WARNING, "warning")                                                                \
	X(CHECK_BLOCKING, "blocking")                                                              \
	X(CHECK_UNKNOWN, "unknown")

enum check_state {
#define X(name, word) name,
	CHECK_STATES(X)
#undef X
};

struct finding {
	enum check_state state;
	char *cause, *cure; /* NULL = none */
	const char *who;    /* you administrator google */
	struct strvec argv; /* command that cures it */
};

struct checks {
	struct checks_place place;
	struct answer answers[FROM_COUNT];
	bool *wanted; /* by index of the recipe's checks */
	bool *given;
};

struct check_row {
	const char *id; /* ends with '.': every id that begins with it */
	enum check_source from, and_from;
	void (*judge)(const struct checks *c, const struct recipe_check *q, struct finding *f);
};
extern const struct check_row checks_here[], checks_cloud[], checks_place_rows[];

struct check_asker {
	enum check_source source;
	const char *service;           /* `source` of the machine output */
	void (*ask)(struct answer *a); /* NULL: answered at once */
};
extern const struct check_asker check_askers[];

/* Ends a source, later than its ask. reply is taken over, e copied. */
void checks_answer(struct answer *a, json_t *reply, const struct err *e);

const char *checks_value(const struct checks *c, const char *name); /* "" = none */
const json_t *checks_reply(const struct checks *c, enum check_source s);
const struct err *checks_error(const struct checks *c, enum check_source s); /* NULL = answered */
/* An argument of the recipe's check, expanded; the caller's, NULL = absent. */
char *checks_arg(const struct checks *c, const struct recipe_check *q, const char *name);

void finding_ok(struct finding *f);
/* cure may be NULL. */
void finding_set(struct finding *f, enum check_state s, const char *who, const char *cure,
	const char *fmt, ...) __attribute__((format(printf, 5, 6)));
void finding_argv(struct finding *f, ...) __attribute__((sentinel));
/* The source did not answer: unknown, with its error. True when that is so. */
bool finding_failed(struct finding *f, const struct checks *c, enum check_source s);

#endif
