/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/cloud_shell.h"

#include <stdlib.h>

#include "core/base/machine.h"
#include "core/base/mem.h"
#include "core/base/text.h"

#define MINUTE_MS  ((int64_t)60000)
#define SOON_MS    (5 * MINUTE_MS)
#define SECONDS_MS (2 * MINUTE_MS) /* from here on in steps of ten seconds */
#define STEP_MS    ((int64_t)10000)

/* Stages whose commands last long on this machine itself, and those whose jobs do not need it. */
static const struct {
	enum stage_id first, last;
	const char *text;
} long_ones[] = {
	{STAGE_CLUSTER, STAGE_CLUSTER,
		N_("Cloud Shell ends this machine after about 20 minutes without a key, and "
		   "terraform with it, half-way: press a key now and then while it deploys, or "
		   "deploy from a machine that stays.")},
	{STAGE_CONVERT, STAGE_EXPORT,
		N_("Cloud Shell ends this machine after about 20 minutes without a key: the jobs "
		   "go on in the cluster, and the next start here finds them again. A machine that "
		   "stays: rlpilot --remote you@workstation run --stage convert.")},
	{STAGE_CLEANUP, STAGE_CLEANUP,
		N_("Cloud Shell ends this machine after about 20 minutes without a key, and "
		   "terraform with it, half-way: press a key now and then while it destroys.")},
};

char *cloud_shell_warning(enum stage_id from, enum stage_id to)
{
	if (!machine_is_cloud_shell())
		return NULL;
	for (size_t i = 0; i < COUNT(long_ones); i++)
		if (from <= long_ones[i].last && to >= long_ones[i].first)
			return x_strdup(_(long_ones[i].text));
	return NULL;
}

void cloud_shell_left(int64_t idle_ms, struct cloud_shell_left *out)
{
	int64_t left = CLOUD_SHELL_IDLE_MS - idle_ms, step, shown;

	if (left < 0)
		left = 0;
	step = left > SECONDS_MS ? MINUTE_MS : STEP_MS;
	shown = (left + step - 1) / step * step;
	out->soon = left <= SOON_MS;
	out->next_ms = left % step ? left % step : step;
	if (step == MINUTE_MS)
		out->text = x_asprintf(out->soon ? _("Cloud Shell: %d min left, press a key")
						 : _("Cloud Shell: %d min left"),
			(int)(shown / MINUTE_MS));
	else
		out->text =
			x_asprintf(_("Cloud Shell: %d s left, press a key"), (int)(shown / 1000));
}
