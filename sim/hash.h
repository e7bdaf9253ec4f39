/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two hashes that Cloud Storage shows of an object. The simulator's own code: it must be able
 * to disagree with the program's.
 */
#ifndef RLPILOT_SIM_HASH_H
#define RLPILOT_SIM_HASH_H

struct object;

/* Fills md5 and crc32c from data; "" when there is none. */
void hash_object(struct object *o);

#endif
