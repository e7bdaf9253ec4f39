/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of the table of causes, each ended by a row without id, and the short forms its rows
 * are written in. For core/fmt/cause*.c only.
 */
#ifndef RLPILOT_FMT_CAUSE_ROWS_H
#define RLPILOT_FMT_CAUSE_ROWS_H

#include "core/base/text.h"
#include "core/fmt/cause.h"

extern const struct cause cause_log_rows[];    /* MaxText, JAX, vLLM, Hugging Face, storage */
extern const struct cause cause_tool_rows[];   /* terraform, gcluster, gcloud, kubectl, networks */
extern const struct cause cause_google_rows[]; /* reasons of Google's APIs and token service */
extern const struct cause cause_own_rows[];    /* what rlpilot itself sees */
extern const struct cause cause_kube_rows[];   /* reasons of Kubernetes, exit codes, statuses */

/* The text of a row in the person's language, not filled. */
const char *cause_text(const struct cause *c, bool cure);

#define TEXT(p)   .kind = CAUSE_TEXT, .match = (p)
#define REASON(p) .kind = CAUSE_REASON, .match = (p)
#define HUB(p)    .kind = CAUSE_HUB, .match = (p)
#define EXIT(p)   .kind = CAUSE_EXIT, .match = (p)
#define HTTP(p)   .kind = CAUSE_HTTP, .match = (p)
#define WORDS(w)  .words = (w)
#define CMD(c)    .command = (c)
#define YOU       .who = CAUSE_YOU
#define ADMIN     .who = CAUSE_ADMINISTRATOR
#define GOOGLE    .who = CAUSE_GOOGLE
#define FATAL     .fatal = true
#define ALL       .all = true

#endif
