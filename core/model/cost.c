/* SPDX-License-Identifier: Apache-2.0 */
#include "core/model/cost.h"

#include <math.h>

#define HOUR_MS 3600000.0

void cost_pool(struct cost *c, int64_t chips, int64_t since_ms, int64_t now_ms)
{
	if (chips == c->chips && (!chips || since_ms == c->since_ms))
		return;
	c->past = cost_chip_hours(c, chips ? since_ms : now_ms);
	c->chips = chips;
	c->since_ms = chips ? since_ms : 0;
}

double cost_chip_hours(const struct cost *c, int64_t now_ms)
{
	if (!c->chips || now_ms <= c->since_ms)
		return c->past;
	return c->past + (double)c->chips * (double)(now_ms - c->since_ms) / HOUR_MS;
}

double cost_money(const struct cost *c, int64_t now_ms, double price)
{
	return isnan(price) ? price : cost_chip_hours(c, now_ms) * price;
}
