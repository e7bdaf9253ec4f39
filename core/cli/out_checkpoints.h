/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `checkpoints` prints, as pure functions of a judged list: contract.md's JSON, one CSV row a
 * checkpoint, lines for people. Trees that hold nothing have no JSON entry and a plain line "none".
 */
#ifndef RLPILOT_CLI_OUT_CHECKPOINTS_H
#define RLPILOT_CLI_OUT_CHECKPOINTS_H

#include <stdint.h>

#include "core/base/buf.h"
#include "core/fmt/json.h"
#include "core/model/checkpoint.h"

json_t *out_checkpoints_json(const struct checkpoint_list *l); /* new reference */
/* tree,step,state,bytes,objects,first,last,uri */
void out_checkpoints_csv(const struct checkpoint_list *l, struct buf *out);
void out_checkpoints_plain(const struct checkpoint_list *l, int64_t now, struct buf *out);

#endif
