/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A whole program on a pseudo terminal with an emulator behind it. Nothing sleeps: the rig waits
 * for what the screen shows, for frame marks (RLPILOT_FRAME_FD) or for the end, always with a
 * deadline in wall time after which the last screen is printed.
 */
#ifndef RLPILOT_TESTS_RIG_PTY_H
#define RLPILOT_TESTS_RIG_PTY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PTY_DEADLINE_MS 20000

struct pty;
struct vt;

/* argv NULL ended; env: NAME=value pairs on top of this process's, NULL ended, may be NULL. */
struct pty *pty_open(int cols, int rows, char *const *argv, char *const *env);
/* Kills the program if it still runs. */
void pty_close(struct pty *p);
struct vt *pty_vt(struct pty *p);
pid_t pty_pid(const struct pty *p);
int64_t pty_cpu_ms(const struct pty *p);       /* of its whole life, once it has ended */
unsigned long pty_frames(const struct pty *p); /* marks seen */

void pty_send(struct pty *p, const char *data, size_t n);
void pty_keys(struct pty *p, const char *keys);  /* as in keys.h */
void pty_paste(struct pty *p, const char *text); /* bracketed */
void pty_resize(struct pty *p, int cols, int rows);
/* Closes the terminal's side, as a lost connection does. */
void pty_hang_up(struct pty *p);

/* True when it came about before the deadline. */
bool pty_wait_text(struct pty *p, const char *text);
bool pty_wait_gone(struct pty *p, const char *text);
/* More frame marks than `frames`. */
bool pty_wait_frame(struct pty *p, unsigned long frames);
bool pty_wait_golden(struct pty *p, const char *file, bool roles);
/* Until one process alone is at the terminal: another one that is just dying or being stopped may
 * still take what is typed. */
bool pty_wait_alone(struct pty *p);
/* Waits for the end; *status as waitpid gives it. */
bool pty_wait_exit(struct pty *p, int *status);
/* Any condition over the emulator. */
bool pty_wait(struct pty *p, bool (*holds)(struct pty *, const void *), const void *arg);
void pty_deadline(struct pty *p, int ms);

#endif
