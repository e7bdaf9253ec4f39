/* SPDX-License-Identifier: Apache-2.0 */
/* The output of a terraform command, read as a whole. */
#ifndef RLPILOT_UNIT_TFERR_RIG_H
#define RLPILOT_UNIT_TFERR_RIG_H

#include "core/fmt/tferr.h"

/* Feeds lines; the main error. */
const struct tferr *tferr_read(struct tferr_list *l, const char *text);

#endif
