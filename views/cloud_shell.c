/* SPDX-License-Identifier: Apache-2.0 */
#include "views/cloud_shell.h"

#include <stdlib.h>

#include "core/base/machine.h"
#include "core/run/cloud_shell.h"
#include "tui/host.h"

void cloud_shell_clock(struct view *v)
{
	struct cloud_shell_left left;

	if (!machine_is_cloud_shell())
		return;
	cloud_shell_left(host_idle_ms(v->host), &left);
	host_note(v->host, left.soon ? ROLE_ALERT : ROLE_DIM, left.text, left.soon);
	view_wake(v, left.next_ms);
	free(left.text);
}
