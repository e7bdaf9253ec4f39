/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compute Engine v1, reading only: zones, regions with quotas, machine types, reservations, what a
 * cluster leaves.
 * 64-bit numbers are strings in these answers.
 */
#ifndef RLPILOT_CLOUD_COMPUTE_H
#define RLPILOT_CLOUD_COMPUTE_H

#include "core/cloud/cloud.h"

struct cloud_call *compute_zone(
	struct cloud *c, const char *project, const char *zone, struct cloud_done done);
/* quotas[]{metric,limit,usage} */
struct cloud_call *compute_region(
	struct cloud *c, const char *project, const char *region, struct cloud_done done);
/* 404 = not offered in that zone */
struct cloud_call *compute_machine_type(struct cloud *c, const char *project, const char *zone,
	const char *type, struct cloud_done done);
/* The limits of CPU families that Compute's own quotas do not tell:
 * dimensionsInfos[]{dimensions{region,vm_family},details{value}} */
struct cloud_call *compute_family_quotas(
	struct cloud *c, const char *project, struct cloud_done done);
struct cloud_call *compute_reservation(struct cloud *c, const char *project, const char *zone,
	const char *name, struct cloud_done done);
/* Every page of the aggregated list as {"reservations":[…],"incomplete":bool,
 * "unreachable":[zones that did not answer]}. */
void compute_reservations(struct cloud *c, const char *project, struct cloud_done done);
/* The same with "futureReservations"; where v1 has no such list, beta is asked. */
void compute_future_reservations(struct cloud *c, const char *project, struct cloud_done done);
/* The same with "machineTypes": one item for every zone that offers this type ("zone"). */
void compute_machine_zones(
	struct cloud *c, const char *project, const char *machine, struct cloud_done done);
/* The same with `kind` ("instances", "disks", "networkEndpointGroups": static), of all zones and
 * regions, those that the filter (as Compute writes filters) lets through. */
void compute_everywhere(struct cloud *c, const char *project, const char *kind, const char *filter,
	struct cloud_done done);
/* {"items":[…]}: the firewall rules that the filter lets through. */
void compute_firewalls(
	struct cloud *c, const char *project, const char *filter, struct cloud_done done);
/* {"items":[…]}: every machine type of a zone. */
void compute_machine_types(
	struct cloud *c, const char *project, const char *zone, struct cloud_done done);
/* All zones as {"items":[…]}. */
void compute_zones(struct cloud *c, const char *project, struct cloud_done done);

/* A specificReservation read; strings borrowed from the JSON. */
struct compute_reservation {
	const char *name, *zone, *status, *machine_type, *share_type, *delete_at;
	int64_t count, in_use; /* VMs; -1 when this is not a specificReservation */
	bool specific;         /* specificReservationRequired */
};
void compute_reservation_read(const json_t *j, struct compute_reservation *out);

#endif
