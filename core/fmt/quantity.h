/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kubernetes quantities ("4Gi", "250m", "2e3") as numbers, and byte counts for people.
 */
#ifndef RLPILOT_FMT_QUANTITY_H
#define RLPILOT_FMT_QUANTITY_H

#include <stdbool.h>
#include <stdint.h>

#define QUANTITY_SIZE 24

/* False when s is not a finite quantity (NULL too). Suffixes n u m (none) k M G T P E Ki Mi Gi Ti
 * Pi Ei, or a decimal exponent. */
bool quantity_parse(const char *s, double *out);
/* Whole bytes, -1 when malformed, negative or too large. */
int64_t quantity_bytes(const char *s);
/* "0 B", "999 B", "1.5 KiB", "47.0 GiB". Returns out. */
const char *quantity_human(int64_t bytes, char out[QUANTITY_SIZE]);

#endif
