/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cuts JSON texts into single objects while bytes arrive. Two forms: a LIST document, whose array
 * under one top-level key ("items") is given object by object and the rest as one small document,
 * and a STREAM of concatenated documents (a watch). The same bytes give the same objects however
 * they were cut into chunks. Only brackets and strings are looked at: each object is checked by its
 * real parser. No object may be longer than ITEMS_MAX bytes.
 */
#ifndef RLPILOT_FMT_ITEMS_H
#define RLPILOT_FMT_ITEMS_H

#include "core/base/buf.h"

#include <stdbool.h>
#include <stddef.h>

#define ITEMS_MAX ((size_t)8 << 20)

struct err;

enum items_form { ITEMS_STREAM, ITEMS_LIST };

struct items {
	enum items_form form;
	const char *key; /* of the array, static */
	void (*on_item)(void *arg, const char *json, size_t n);
	void *arg;
	struct buf item, rest;   /* rest: the list document without its items */
	size_t depth;            /* open brackets */
	size_t key_from, key_to; /* last string at the top level, in rest */
	bool in_string, escaped, failed;
	bool begun;    /* inside an object that will be handed out */
	bool in_array; /* inside the array of items */
	bool key_next; /* the key was just seen: its value comes */
	bool done;     /* the list document has ended */
};

/* on_item gets NUL terminated text, valid during the call. key: ITEMS_LIST only. */
void items_init(struct items *it, enum items_form form, const char *key,
	void (*on_item)(void *arg, const char *json, size_t n), void *arg);
/* -1 when the text cannot be JSON or an object is too long; nothing more is given then. */
int items_feed(struct items *it, const char *data, size_t n, struct err *e);
/* -1 when the text ends inside an object. ITEMS_LIST: items_rest is complete now. */
int items_end(struct items *it, struct err *e);
/* The list document with an empty array in place of the items, for metadata and errors. */
const char *items_rest(const struct items *it, size_t *n);
void items_fini(struct items *it);

#endif
