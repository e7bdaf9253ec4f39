/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/io/loop.h"
#include "sim/bundle.h"
#include "sim/clock.h"
#include "sim/deploy.h"
#include "sim/env.h"
#include "sim/fault_plan.h"
#include "sim/kube.h"
#include "sim/ledger.h"
#include "sim/server.h"
#include "sim/sim.h"
#include "sim/world.h"
#include "sim/worlds.h"
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define IDLE_WALL_MS  (12 * SIM_HOUR)
#define CHECK_WALL_MS SIM_MIN

static const char usage[] =
	"usage: rlpilot-sim [--world NAME] [--speed N|max] [--seed N] [--port N] [--ledger FILE] "
	"[--faults FILE] --env FILE\n"
	"The pretend cloud of a rehearsal, on 127.0.0.1 only. FILE (shell exports) appears once it "
	"serves.\n"
	"  --world NAME   what exists at the start (ready)\n"
	"  --speed N|max  pretend seconds a second, at most 1000 = max (default 1)\n"
	"  --seed N       chance of this world: two seeds, two curves (default 1)\n"
	"  --port N       of the http listener (default: a free one)\n"
	"  --faults FILE  what goes wrong, a line each: WHEN WHERE WHAT COUNT\n"
	"  --delay-ms N   each answer comes N ms of real time later (default 0)\n"
	"  --ledger FILE  what was made, called and measured (default: FILE.world/ledger.jsonl)\n";

struct options {
	const char *world, *env, *ledger, *faults;
	double speed;
	int64_t seed, port, delay;
};

static int speed_parse(const char *s, double *out)
{
	char *end;
	if (strcmp(s, "max") == 0) {
		*out = SIM_SPEED_MAX;
		return 0;
	}
	*out = strtod(s, &end);
	return *s && !*end && isfinite(*out) && *out > 0 && *out <= SIM_SPEED_MAX ? 0 : -1;
}

static int option_set(struct options *o, int c, struct err *e)
{
	switch (c) {
	case 'w':
		o->world = optarg;
		return 0;
	case 'e':
		o->env = optarg;
		return 0;
	case 'l':
		o->ledger = optarg;
		return 0;
	case 's':
		return speed_parse(optarg, &o->speed) == 0
			       ? 0
			       : err_set(e, ERR_USAGE, "give a number up to 1000, or max",
					 "--speed does not understand '%s'", optarg);
	case 'd':
		return text_to_i64(optarg, 0, 60000, &o->delay) == 0
			       ? 0
			       : err_set(e, ERR_USAGE, "give milliseconds, at most 60000",
					 "--delay-ms does not understand '%s'", optarg);
	case 'r':
		return text_to_i64(optarg, 0, INT64_MAX, &o->seed) == 0
			       ? 0
			       : err_set(e, ERR_USAGE, "give a whole number",
					 "--seed does not understand '%s'", optarg);
	case 'p':
		return text_to_i64(optarg, 1, 65535, &o->port) == 0
			       ? 0
			       : err_set(e, ERR_USAGE, "give a number from 1 to 65535",
					 "--port does not understand '%s'", optarg);
	case 'f':
		o->faults = optarg;
		return 0;
	default:
		return err_set(
			e, ERR_USAGE, "see rlpilot-sim --help", "an option is not understood");
	}
}

static void print_about(bool help)
{
	AUTO(buf_fini) struct buf names = {0};
	worlds_names(&names);
	if (help)
		printf("%sworlds: %s\n", usage, buf_str(&names));
	else
		puts("rlpilot-sim " PACKAGE_VERSION);
}

/* 1: help was printed. */
static int options_parse(struct options *o, int argc, char **argv, struct err *e)
{
	static const struct option longs[] = {
		{"world", required_argument, NULL, 'w'},
		{"speed", required_argument, NULL, 's'},
		{"seed", required_argument, NULL, 'r'},
		{"faults", required_argument, NULL, 'f'},
		{"port", required_argument, NULL, 'p'},
		{"delay-ms", required_argument, NULL, 'd'},
		{"ledger", required_argument, NULL, 'l'},
		{"env", required_argument, NULL, 'e'},
		{"help", no_argument, NULL, 'h'},
		{"version", no_argument, NULL, 'v'},
		{0},
	};
	for (int c; (c = getopt_long(argc, argv, "", longs, NULL)) != -1;) {
		if (c == 'h' || c == 'v') {
			print_about(c == 'h');
			return 1;
		}
		if (option_set(o, c, e) < 0)
			return -1;
	}
	if (optind < argc)
		return err_set(e, ERR_USAGE, "see rlpilot-sim --help", "'%s' is not expected",
			argv[optind]);
	if (!o->env)
		return err_set(e, ERR_USAGE, "name the file for the exports: --env FILE",
			"--env is missing");
	return 0;
}

/* The absolute form of a path whose folder must exist. */
static int absolute(const char *path, char **out, struct err *e)
{
	const char *slash = strrchr(path, '/');
	AUTO_FREE char *parent =
		slash ? x_strndup(path, (size_t)(slash - path) + 1) : x_strdup(".");
	char *real = realpath(parent, NULL);
	if (!real)
		return err_set(e, ERR_CANNOT_WRITE, "make the folder first",
			"there is no folder %s", parent);
	*out = path_join(real, slash ? slash + 1 : path);
	free(real);
	return 0;
}

static void on_stop(void *loop)
{
	loop_stop(loop);
}

static void on_idle_check(void *arg)
{
	struct sim *sim = arg;
	if (clock_wall() - server_last_request(sim) >= IDLE_WALL_MS)
		loop_stop(sim->loop);
	else
		loop_after_wall(sim->loop, CHECK_WALL_MS, on_idle_check, sim);
}

/* Everything that leaves a trace comes after the listeners have their ports. */
static int serve(struct sim *sim, const struct options *o, const char *env, struct err *e)
{
	AUTO_FREE char *usual = path_join(sim->folder, "ledger.jsonl");
	if (path_remove_tree(sim->folder, e) < 0 || path_mkdirs(sim->folder, e) < 0 ||
		ledger_open(sim, o->ledger ? o->ledger : usual, e) < 0)
		return -1;
	kube_open(sim);
	deploy_open(sim);
	worlds_furnish(sim);
	if (bundle_open(sim, e) < 0 || env_world_files(sim, e) < 0 || env_write(sim, env, e) < 0)
		return -1;
	printf("rlpilot-sim: serving http://127.0.0.1:%d and https://127.0.0.1:%d, environment in "
	       "%s\n",
		server_http_port(sim), server_tls_port(sim), env);
	fflush(stdout);
	loop_signal(sim->loop, SIGTERM, on_stop, sim->loop);
	loop_signal(sim->loop, SIGINT, on_stop, sim->loop);
	loop_after_wall(sim->loop, CHECK_WALL_MS, on_idle_check, sim);
	loop_run(sim->loop);
	return 0;
}

static void close_all(struct sim *sim)
{
	server_stop(sim);
	deploy_close(sim);
	if (sim->kube)
		kube_close(sim);
	bundle_close(sim);
	ledger_close(sim);
	world_close(sim);
	fault_plan_close(sim);
	sim_clock_stop(sim);
	loop_free(sim->loop);
}

static int run(const struct options *o, struct err *e)
{
	AUTO_FREE char *env = NULL;
	if (absolute(o->env, &env, e) < 0)
		return -1;
	AUTO_FREE char *folder = x_asprintf("%s.world", env);
	struct sim sim = {.seed = (uint64_t)o->seed,
		.delay_ms = o->delay,
		.folder = folder,
		.loop = loop_new()};
	sim_clock_start(&sim, o->speed);
	int rc = world_open(&sim, o->world, e);
	int64_t slow;
	if (rc == 0 && world_setting(sim.world, "delay") &&
		text_to_i64(world_setting(sim.world, "delay"), 0, 60000, &slow) == 0 && !o->delay)
		sim.delay_ms = slow;
	rc = rc < 0 ? rc : fault_plan_open(&sim, o->faults, e);
	rc = rc < 0 ? rc : server_start(&sim, (int)o->port, e);
	if (rc == 0) {
		rc = serve(&sim, o, env, e);
		if (rc < 0)
			path_remove_tree(folder, NULL);
	}
	close_all(&sim);
	return rc;
}

int main(int argc, char **argv)
{
	struct options o = {.world = "ready", .speed = 1, .seed = 1};
	struct err e = {0};
	int rc = options_parse(&o, argc, argv, &e);
	if (rc == 0)
		rc = run(&o, &e);
	if (rc >= 0)
		return 0;
	fprintf(stderr, "rlpilot-sim: %s%s%s%s\n", e.what, *e.hint ? " (" : "", e.hint,
		*e.hint ? ")" : "");
	return err_exit_code(e.code);
}
