/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program's own log: key=value lines to --log-file, redacted, with run time. Never to the
 * terminal. Without a file it costs nothing.
 */
#ifndef RLPILOT_BASE_LOG_H
#define RLPILOT_BASE_LOG_H

struct err;

/* Appends to path, mode 0600. */
int log_open(const char *path, struct err *e);
/* log_line("http", "GET %s status=%d", …): one line `t=… room=http GET … status=200`. */
void log_line(const char *room, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
