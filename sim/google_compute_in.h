/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the answers of Compute Engine share: the filter by name, links, pages, the form in which all
 * zones are told at once. Internal to google_compute.c and google_reservation.c.
 */
#ifndef RLPILOT_SIM_GOOGLE_COMPUTE_IN_H
#define RLPILOT_SIM_GOOGLE_COMPUTE_IN_H

#include <stdbool.h>

#include <jansson.h>

#define COMPUTE_PROJECT "/compute/v1/projects/{project}"

struct req;
struct world;

/* One item and what is asked of it: the filter "name=x", "(name eq x)" or none. */
struct compute_wanted {
	char *name;
};

struct compute_wanted compute_wanted_init(struct req *req);
void compute_wanted_fini(struct compute_wanted *w);
bool compute_wants(const struct compute_wanted *w, const char *name);
/* The full address of a part of the project, the caller's. */
json_t *compute_link(const struct world *w, const char *rest);
void compute_not_found(struct req *req, const char *rest);
/* The zone of the path exists; else 404 has been replied. */
bool compute_zone_ok(struct req *req);
/* Replies a page of all, which it takes. */
void compute_page(struct req *req, const char *kind, json_t *all);
/* Every zone, those without items with the usual warning. */
void compute_aggregated(struct req *req, const char *kind, const char *key,
	json_t *(*of)(struct req *req, const char *zone));

#endif
