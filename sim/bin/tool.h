/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What all stand-in tools share: one program that looks at argv[0], the entry of each call in the
 * simulator's ledger, output, the pretend clock, small files and children. A stand-in behaves as
 * the real tool does in the tutorial's stages; it knows no cloud but what it asks over HTTP. A call
 * made by another stand-in (RLPILOT_SIM_NESTED=1) is not entered in the ledger.
 */
#ifndef RLPILOT_SIM_BIN_TOOL_H
#define RLPILOT_SIM_BIN_TOOL_H

#include "core/base/buf.h"
#include "core/base/vec.h"
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* One program: its name and what it does; the answer is the exit code. */
int gcloud_main(int argc, char **argv);
int kubectl_main(int argc, char **argv);
int plugin_main(int argc, char **argv);
int docker_helper_main(int argc, char **argv);
int terraform_main(int argc, char **argv);
int gcluster_main(int argc, char **argv);

const char *tool_env(const char *name); /* NULL when unset or empty */
/* Address of the simulator, without a final slash. */
const char *tool_sim(void);
/* RFC 3339 of pretend time, seconds, "2026-09-10T08:00:00Z"; the caller's. */
char *tool_stamp(void);
char *tool_stamp_at(int64_t ms);
/* Output and errors; both are flushed by the line. */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Waits for a line on stdin; NULL at its end; the caller's. */
char *tool_read_line(void);
/* Writes a file with a mode, making its folders; 0 or -1 (message on stderr). */
int tool_write(const char *path, const char *text, unsigned mode);
/* The whole file; NULL if it cannot be read; the caller's. */
char *tool_read(const char *path);
json_t *tool_read_json(const char *path); /* NULL if absent or no JSON */
/* Runs argv (NULL terminated) as a nested call, stdin closed; -1 when it is not on PATH. */
int tool_run(char *const argv[], struct buf *out, struct buf *err);
/* Text of a JSON string at a dotted path, "" if absent; borrowed. */
const char *tool_str(const json_t *j, const char *path);
/* Removes and returns the last part of a path or address, e.g. ".../zones/us-east5-b"; borrowed. */
const char *tool_tail(const char *path);

#endif
