/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rehearsal's own HOME (gcloud configuration, ADC file, docker configuration) and the file of
 * shell exports that leads programs there. Everything points to loopback.
 */
#ifndef RLPILOT_SIM_ENV_H
#define RLPILOT_SIM_ENV_H

struct err;
struct sim;

/* Makes the files of the world under sim->folder; needs the server for addresses and CA. */
int env_world_files(struct sim *sim, struct err *e);
/* Writes the exports by rename: readers see all of it or nothing. */
int env_write(struct sim *sim, const char *path, struct err *e);

#endif
