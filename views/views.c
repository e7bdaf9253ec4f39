/* SPDX-License-Identifier: Apache-2.0 */
#include "views/views.h"

const struct host_tab views_tabs[] = {
	{ACT_SEE_WELCOME, &view_welcome},
	{ACT_SEE_VARIABLES, &view_variables},
	{ACT_SEE_CHECKS, &view_preflight},
	{ACT_SEE_RESERVATIONS, &view_reservations},
	{ACT_SEE_PLAN, &view_plan},
	{ACT_SEE_STAGES, &view_stages},
	{ACT_SEE_MONITOR, &view_monitor},
	{ACT_NONE, NULL},
};
