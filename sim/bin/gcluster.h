/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stand-in gcluster (Cluster Toolkit v1.103.0): deploy, destroy and job. It checks, prompts,
 * prints and leaves files as the real one does; terraform's work is done by the simulator, the
 * JobSet is created through the Kubernetes API. Log lines go to stdout, warnings and errors to
 * stderr.
 */
#ifndef RLPILOT_SIM_BIN_GCLUSTER_H
#define RLPILOT_SIM_BIN_GCLUSTER_H

#include "sim/bin/args.h"
#include "sim/bin/kapi.h"
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#define GCLUSTER_VERSION "v1.103.0"

/* "<time>: text" on stdout and stderr. */
void gcluster_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void gcluster_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* "<time>: text" and "Error: text" on stderr; both return 1. */
int gcluster_fatal(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int gcluster_usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Parses a command's options; cobra's message and 1 when it cannot. */
int gcluster_args(struct args *a, const struct arg_flag *own, const struct arg_flag *common,
	int argc, char **argv);

int gcluster_create(int argc, char **argv);
int gcluster_deploy(int argc, char **argv);
int gcluster_destroy(int argc, char **argv);
int gcluster_job(int argc, char **argv);

/* What a deployment is, from the blueprint and --vars. */
struct deployment {
	json_t *vars;       /* deployment variables, strings */
	char *machine_type; /* of the system pool */
	bool zone_pinned, storage_admin;
	char *file; /* the blueprint */
};
/* Reads and judges; 0, or 1 after a message. */
int gcluster_blueprint(struct deployment *d, const char *file, const char *vars);
void gcluster_blueprint_fini(struct deployment *d);
const char *gcluster_var(const struct deployment *d, const char *name);
/* The validators of a deploy, all but the skipped ones; 0 or 1. */
int gcluster_validate(const struct deployment *d, const struct args *a);

/* Writes the deployment folder; 0 or 1. */
int gcluster_write_folder(const struct deployment *d, const char *root);
/* tfstate of a group: resources is an array of {address,type,id}. */
int gcluster_write_state(const char *root, const json_t *resources, int64_t serial);
/* deployment variables of an existing folder; NULL when it is none; the caller's. */
json_t *gcluster_folder_vars(const char *root);

/* Runs one of the simulator's deploy or destroy streams and tells it as terraform does. json_file
 * NULL: text lines. 0, or 1 when terraform failed. */
int gcluster_terraform(
	const char *route, const json_t *body, const char *root, const char *json_file);

struct job_context {
	char *project, *cluster, *location;
};
extern const struct arg_flag gcluster_job_flags[];
/* From -p -c -l, else ~/.gcluster/context.json; 0 or 1 after a message. */
int gcluster_context(struct job_context *c, const struct args *a);
void gcluster_context_fini(struct job_context *c);
/* The state `job list` shows for a JobSet. */
const char *gcluster_job_state(const json_t *jobset);
/* Points kubectl at the cluster and opens its API; 0 or 1. */
int gcluster_connect(struct kapi *k, const struct job_context *c);
int gcluster_prereqs(const struct job_context *c);
int gcluster_submit(int argc, char **argv);

struct submit {
	struct job_context where;
	struct args args;
	int64_t slices, nodes, restarts, ttl_s, timeout_ms; /* timeout < 0: none */
	bool await, pathways;
	char *queue, *head_pool, *accelerator;
	const char *name, *topology;
};
json_t *gcluster_manifest(const struct submit *s); /* the JobSet; the caller's */
int gcluster_await(struct kapi *k, const struct submit *s, const char *uid);

#endif
