/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON as block YAML and back: what gcloud prints for one object, what gcluster leaves as a
 * manifest, and kubeconfig files. Reads block maps, block lists and plain or quoted scalars (JSON
 * too), no anchors, no flow style within block style: enough for files that tools write, not for
 * hand-made ones.
 */
#ifndef RLPILOT_SIM_BIN_YML_H
#define RLPILOT_SIM_BIN_YML_H

#include "core/base/buf.h"
#include <jansson.h>

void yml_write(struct buf *out, const json_t *j);
/* NULL when the text is not understood; scalars become strings, true, false, null or integers. */
json_t *yml_read(const char *text);

#endif
