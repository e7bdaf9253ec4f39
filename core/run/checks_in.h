/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of checks: what the sources answered, and how a judge says what it found. Judges are pure:
 * they read answers, values and this machine's own facts, and ask nobody else.
 */
#ifndef RLPILOT_RUN_CHECKS_IN_H
#define RLPILOT_RUN_CHECKS_IN_H

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/fmt/json.h"
#include "core/run/checks.h"

enum check_source {
	FROM_HERE, /* this machine and the recipe: no waiting */
	FROM_LIBC, /* getconf, {"code","out"} */
	FROM_TERRAFORM,
	FROM_RELEASE, /* is the pinned bundle there? */
	FROM_GCLOUD,
	FROM_ADC,
	FROM_PROJECT,
	FROM_BILLING,
	FROM_SERVICES,
	FROM_RIGHTS,
	FROM_ZONE,
	FROM_REGION,
	FROM_NETWORKS, /* the project as Compute sees it, with its quotas */
	FROM_FAMILIES,
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
	FROM_ACCOUNTS, /* {"left":[e-mail]} */
	FROM_COUNT
};

struct child;
struct kube;

struct answer {
	struct checks *owner;
	enum check_source source;
	bool needed, asked, done;
	json_t *reply; /* NULL when e says why */
	struct err e;
	struct kube *kube;
	struct child *child;
	struct buf text; /* what the child said */
	size_t open;     /* parts of the answer still to come */
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
	struct loop_timer *limit;
	bool begun;   /* everything has been asked */
	bool *wanted; /* by index of the recipe's checks */
	bool *given;
};

/* States that a check can take. */
enum {
	MAY_OK = 1 << CHECK_OK,
	MAY_WARN = 1 << CHECK_WARNING,
	MAY_BLOCK = 1 << CHECK_BLOCKING,
	MAY_UNKNOWN = 1 << CHECK_UNKNOWN,
	LACK_BLOCKS = 1 << 8, /* its missing value is the fault itself, not a question unasked */
	/* who is asked may not answer */
	ASKED_BLOCKS = MAY_OK | MAY_BLOCK | MAY_UNKNOWN,
	ASKED_WARNS = MAY_OK | MAY_WARN | MAY_UNKNOWN,
};

struct check_row {
	const char *id; /* ends with '.': every id that begins with it */
	unsigned may;   /* MAY_…, ASKED_…, LACK_BLOCKS */
	enum check_source from, and_from;
	void (*judge)(const struct checks *c, const struct recipe_check *q, struct finding *f);
};
/* Tables end with a NULL id; the first row that fits an id is its own. */
extern const struct check_row checks_here[], checks_login[], checks_place_rows[], checks_store[];
const struct check_row *checks_row(const char *id);

struct check_asker {
	enum check_source source;
	const char *service;           /* `source` of the machine output */
	const char *mark;              /* what every answer holds; NULL: may be empty */
	void (*ask)(struct answer *a); /* NULL: answered by another one's answer, or at once */
};
extern const struct check_asker check_askers[];

/* Sources that are programs of this machine or addresses outside Google. */
void checks_ask_libc(struct answer *a);
void checks_ask_terraform(struct answer *a);
void checks_ask_release(struct answer *a);
/* Who answers a source: "this machine", "compute.googleapis.com". */
const char *checks_service(enum check_source s);

/* Ends a source, later than its ask. reply is taken over, e copied. */
void checks_answer(struct answer *a, json_t *reply, const struct err *e);
/* The same without judging: for a source that another one's answer decides. */
void checks_settle(struct answer *a, json_t *reply, const struct err *e);

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
/* The source did not answer, or its answer lacks what every answer of it has: unknown, with its
 * error and who can cure it. True when that is so. */
bool finding_failed(struct finding *f, const struct checks *c, enum check_source s);
/* The error is one of that cause (fmt/cause). */
bool checks_caused(const struct checks *c, enum check_source s, const char *cause);

#endif
