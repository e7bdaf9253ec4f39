/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mask of partial answers that Google's `fields` parameter names:
 * "items(name,size),nextPageToken", "a/b", "*". What is malformed keeps nothing; it is never an
 * error. Pure.
 */
#ifndef RLPILOT_SIM_FIELDS_H
#define RLPILOT_SIM_FIELDS_H

#include <jansson.h>

/* A new value without what the mask leaves out; takes over j. */
json_t *fields_keep(json_t *j, const char *fields);

#endif
