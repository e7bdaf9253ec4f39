/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The screens: one file each, known outside by its view_ops alone. views_tabs pairs them with the
 * actions that open them.
 */
#ifndef RLPILOT_VIEWS_VIEWS_H
#define RLPILOT_VIEWS_VIEWS_H

#include "tui/host.h"

extern const struct view_ops view_welcome, view_variables, view_preflight, view_reservations,
	view_stages, view_monitor, view_plan;

extern const struct host_tab views_tabs[];

#endif
