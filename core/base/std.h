/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The three standard streams of the process. One that was closed by whoever started us is opened
 * on /dev/null: otherwise the next file of ours would get its number, and what is printed would
 * stand in that file. Output that was not written is an error, told at the end.
 */
#ifndef RLPILOT_BASE_STD_H
#define RLPILOT_BASE_STD_H

#include <stdbool.h>

/* First thing of main. */
void std_open(void);
/* No memory of ours, with a token in it, is left in a file when we crash. Children inherit that. */
void std_no_core(void);
/* False: who reads our output has gone, or it cannot be written. */
bool std_out_works(void);
/* Last thing of main: the exit code. Output that was not written is told, and is 73 when all else
 * went well; 128 + SIGPIPE when the reader has gone. */
int std_end(int code);

#endif
