/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The wiring of a screen: loop, terminal, what is seen of a run, and the views that show it.
 * Together with main.c the only place that knows all rooms. Draws the first frame before it asks
 * any network.
 */
#ifndef RLPILOT_SCREEN_H
#define RLPILOT_SCREEN_H

struct cli_globals;

/* Shows the run until the person leaves; lines where the terminal has no cursor movement. Leaving
 * ends nothing but the screen. Exit code, 128 + signal when one ended it. */
int screen_run(const char *run_dir, const struct cli_globals *g);

#endif
