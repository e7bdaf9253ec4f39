/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/view/scenes.h"

#include "core/base/mem.h"
#include "views/views.h"

const struct scene scenes[] = {
	{"welcome", &view_welcome, WORLD_EMPTY, ""},
	{"welcome-first", &view_welcome, WORLD_NOTHING, "<End>"},
	{"variables-first", &view_variables, WORLD_NOTHING, "<Down>"},
	{"variables", &view_variables, WORLD_EMPTY, ""},
	{"variables-typing", &view_variables, WORLD_EMPTY,
		"<Down><Down><Down><Enter><C-u>Gemma_RL"},
	{"variables-keep", &view_variables, WORLD_TRAIN, TO_TOKEN "W"},
	{"preflight", &view_preflight, WORLD_EMPTY, ""},
	{"preflight-asking", &view_preflight, WORLD_NOTHING, ""},
	{"preflight-cure", &view_preflight, WORLD_EMPTY, "f"},
	{"reservations", &view_reservations, WORLD_EMPTY, ""},
	{"plan", &view_plan, WORLD_EMPTY, "<Down><Down><Down><Down>"},
	{"plan-whole", &view_plan, WORLD_EMPTY, "<End><Up><Up><Enter><PgDn>"},
	{"plan-differences", &view_plan, WORLD_EMPTY, "2<Down>"},
	{"plan-frozen", &view_plan, WORLD_TRAIN, "2<Space>"},
	{"plan-choices", &view_plan, WORLD_EMPTY, "3<Down><Down>"},
	{"plan-parameters", &view_plan, WORLD_EMPTY, "4<Down>"},
	{"plan-typing", &view_plan, WORLD_EMPTY, "4<Down><Down><Enter><C-u>3"},
	{"plan-diff", &view_plan, WORLD_EMPTY, "5<PgDn>"},
	{"stages-deploy", &view_stages, WORLD_DEPLOY, ""},
	{"stages-failed", &view_stages, WORLD_FAILED, ""},
	{"stages-train", &view_stages, WORLD_TRAIN, ""},
	{"stages-stop", &view_stages, WORLD_DEPLOY, "x"},
	{"stages-stop-train", &view_stages, WORLD_TRAIN, "x"},
	{"stages-now", &view_stages, WORLD_FAILED, "<Enter>"},
	{"stages-undo", &view_stages, WORLD_FAILED, "U"},
	{"stages-mode", &view_stages, WORLD_TRAIN, "A"},
	{"stages-go-on", &view_stages, WORLD_UP, "<Enter>"},
	{"stages-recognised", &view_stages, WORLD_FOUND, ""},
	{"stages-use", &view_stages, WORLD_FOUND, "<Enter>"},
	{"stages-proof", &view_stages, WORLD_LEFT, ""},
	{"stages-today", &view_stages, WORLD_FAILED, "T"},
	{"stages-login", &view_stages, WORLD_LOGIN, "<Enter>"},
	{"stages-stopping", &view_stages, WORLD_STOPPING, ""},
	{"monitor", &view_monitor, WORLD_TRAIN, ""},
	{"monitor-pods", &view_monitor, WORLD_TRAIN, "1<Down>"},
	{"monitor-curve", &view_monitor, WORLD_TRAIN, "2"},
	{"monitor-events", &view_monitor, WORLD_TRAIN, "4"},
	{"monitor-pods-failed", &view_monitor, WORLD_FAILED, "1"},
	{"monitor-alerts", &view_monitor, WORLD_TRAIN, "6"},
	{"monitor-convert", &view_monitor, WORLD_CONVERT, ""},
	{"monitor-idle", &view_monitor, WORLD_EMPTY, ""},
};

const size_t scenes_n = COUNT(scenes);
