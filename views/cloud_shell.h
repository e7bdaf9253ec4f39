/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The idle clock of Cloud Shell at the end of the alert line: how long its machine stays without a
 * key. Counts the keys of this screen; a bell once when a key is needed. Nothing elsewhere.
 */
#ifndef RLPILOT_VIEWS_CLOUD_SHELL_H
#define RLPILOT_VIEWS_CLOUD_SHELL_H

struct view;

void cloud_shell_clock(struct view *v);

#endif
