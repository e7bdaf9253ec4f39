/* SPDX-License-Identifier: Apache-2.0 */
/*
 * YAML as a JSON tree with the place of every node. Every scalar is a string (2e-5 stays "2e-5";
 * the getters of fmt/json.h read numbers and booleans from strings), except plain null, ~ and
 * nothing: null. Refused, with line and column: duplicate keys, aliases, anchors, tags, keys that
 * are no scalars, a second document, more than the limits. Must not know any schema.
 */
#ifndef RLPILOT_FMT_YAML_H
#define RLPILOT_FMT_YAML_H

#include <stddef.h>

#include "core/fmt/json.h"

struct buf;
struct err;
struct yaml_doc;

#define YAML_BYTES_MAX ((size_t)1 << 20)
#define YAML_DEPTH_MAX 40
#define YAML_NODES_MAX 50000

/* NULL with the place in e; `name` is shown as the file. */
struct yaml_doc *yaml_parse(const char *name, const char *data, size_t n, struct err *e);
struct yaml_doc *yaml_read(const char *path, struct err *e);
void yaml_close(struct yaml_doc *d);
const json_t *yaml_root(const struct yaml_doc *d); /* null for an empty file; borrowed */
const char *yaml_name(const struct yaml_doc *d);
/* Line and column (from 1) of the key, or of the list item, at a path of json_path; of its nearest
 * parent when there is nothing at that path. */
void yaml_place(const struct yaml_doc *d, const char *path, size_t *line, size_t *column);
/* Sets the place of e to a path; returns -1. */
int yaml_at(const struct yaml_doc *d, const char *path, struct err *e);
/* Appends one name to a path, quoted when it holds dots, brackets or quotes. */
void yaml_path_add(struct buf *path, const char *name);

/* Appends j as block YAML that yaml_parse reads back to the same strings. */
void yaml_dump(const json_t *j, struct buf *out);

#endif
