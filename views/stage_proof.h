/* SPDX-License-Identifier: Apache-2.0 */
/* The clean-up's proof: what the run has made, what is left of it first. Keeps nothing. */
#ifndef RLPILOT_VIEWS_STAGE_PROOF_H
#define RLPILOT_VIEWS_STAGE_PROOF_H

#include "views/common.h"

void stage_proof_draw(const struct state *s, struct surface *out);

#endif
