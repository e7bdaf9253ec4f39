/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The release of Cluster Toolkit that the rehearsal downloads: a real tgz with the stand-in
 * gcluster, the blueprint, README and LICENSE, packed by tar(1) at start and served from memory.
 */
#ifndef RLPILOT_SIM_BUNDLE_H
#define RLPILOT_SIM_BUNDLE_H

struct err;
struct sim;

/* Sets sim->bundle. */
int bundle_open(struct sim *sim, struct err *e);
void bundle_close(struct sim *sim);
/* The folder with the stand-ins (first in the rehearsal's PATH); the caller's; NULL: there is none.
 */
char *bundle_tools_folder(void);

#endif
