/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cost meter: chip-hours from the creation of a TPU pool to its end, and money if a price is
 * set.
 */
#ifndef RLPILOT_MODEL_COST_H
#define RLPILOT_MODEL_COST_H

#include <stdint.h>

struct cost {
	int64_t chips;    /* of the running pool, 0 = none */
	int64_t since_ms; /* when it was created */
	double past;      /* chip-hours of pools that are gone */
};

/* A pool of `chips` exists since since_ms; 0 chips: it is gone at now_ms. Repeating is harmless. */
void cost_pool(struct cost *c, int64_t chips, int64_t since_ms, int64_t now_ms);
double cost_chip_hours(const struct cost *c, int64_t now_ms);
/* price: per chip-hour; NaN = not set, then the answer is NaN. */
double cost_money(const struct cost *c, int64_t now_ms, double price);

#endif
