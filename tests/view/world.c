/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/view/world.h"

#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/fmt/time.h"
#include "core/recipe/recipe.h"
#include "core/run/event.h"
#include "core/run/state_free.h"
#include "tests/view/world_log.h"
#include "tests/view/world_pods.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MINUTE 60000

static int64_t now;

static void text_event(struct state *s, enum event_kind kind, const char *text)
{
	struct event ev = event_text(kind, text);
	ev.at = now;
	run_apply(s, &ev);
}

static void value(struct state *s, const char *name, const char *text, const char *origin)
{
	struct event ev = {.kind = EV_VALUE, .at = now};
	ev.u.value.name = name;
	ev.u.value.value = text;
	ev.u.value.origin = origin;
	ev.u.value.secret = strcmp(name, "HF_TOKEN") == 0;
	run_apply(s, &ev);
}

static void move(struct state *s, enum stage_id id, enum stage_move m, int64_t ago)
{
	struct event ev = event_stage(id, m, 1);
	ev.at = now - ago;
	run_apply(s, &ev);
}

static void tell_commands(struct state *s, enum stage_id id, bool undo, int64_t usual,
	const char *const *lines, size_t n)
{
	struct strvec v = {0};
	struct event ev = {.kind = EV_COMMANDS, .at = now, .number = usual, .on = undo};
	for (size_t i = 0; i < n; i++)
		strvec_push(&v, lines[i]);
	ev.u.commands.id = id;
	ev.u.commands.lines = &v;
	run_apply(s, &ev);
	strvec_fini(&v);
}

static void commands(
	struct state *s, enum stage_id id, int64_t usual, const char *const *lines, size_t n)
{
	tell_commands(s, id, false, usual, lines, n);
}

static void undo_commands(struct state *s, enum stage_id id, const char *const *lines, size_t n)
{
	tell_commands(s, id, true, 0, lines, n);
}

static void output(struct state *s, enum stage_id id, const char *line)
{
	struct event ev = {.kind = EV_OUTPUT, .at = now};
	ev.u.output.id = id;
	ev.u.output.line = line;
	run_apply(s, &ev);
}

static void heart(struct state *s, enum state_source source, int64_t ago)
{
	struct event ev = {.kind = EV_HEART, .at = now - ago, .number = source};
	run_apply(s, &ev);
}

static void alert(struct state *s, const char *id, const char *state, const char *text, int64_t ago,
	const char *cause, const char *cure)
{
	struct state_alert a = {(char *)(uintptr_t)id, (char *)(uintptr_t)state,
		(char *)(uintptr_t)text, now - ago, (char *)(uintptr_t)cause,
		(char *)(uintptr_t)cure};
	struct event ev = {.kind = EV_ALERT, .at = now - ago};
	ev.u.alert = &a;
	run_apply(s, &ev);
}

static void values(struct state *s)
{
	static const char *const all[][3] = {
		{"PROJECT", "rehearsal-lab", "environment"},
		{"REGION", "us-east5", "derived"},
		{"ZONE", "us-east5-b", "environment"},
		{"CLUSTER_NAME", "gemma-rl", "typed"},
		{"GCS_BUCKET", "rehearsal-lab-gemma", "typed"},
		{"CLOUD_IMAGE_NAME",
			"us-docker.pkg.dev/cloud-tpu-images/maxtext-images/tpu_post_training:0.2.4",
			"default"},
		{"COMPUTE_TYPE", "ct6e-standard-4t", "default"},
		{"TPU_TYPE", "v6e-32", "default"},
		{"TOPOLOGY", "4x8", "default"},
		{"CLUSTER_NODEPOOL_COUNT", "1", "default"},
		{"MODEL_NAME", "gemma4-26b", "default"},
		{"CLUSTER_TOOLKIT_VERSION", "v1.103.0", "default"},
		{"CHIPS", "32", "derived"},
		{"HOSTS", "8", "derived"},
	};
	for (size_t i = 0; i < COUNT(all); i++)
		value(s, all[i][0], all[i][1], all[i][2]);
}

static void plan(struct state *s)
{
	static const int64_t usual[STAGE_COUNT] = {40000, 40000, 70000, 5000, 18 * MINUTE,
		35 * MINUTE, 100 * MINUTE, 25 * MINUTE, 10 * MINUTE};
	static const char *const deploy[] = {
		"curl -fsSL \"$BLUEPRINT\" -o gke-tpu-v6e-advanced.yaml",
		"./gcluster deploy gke-tpu-v6e-advanced.yaml --vars "
		"\"project_id=$PROJECT,region=$REGION,"
		"zone=$ZONE,num_slices=1,tpu_topology=4x8,reservation=$RESERVATION\" -l IGNORE "
		"--auto-approve -w"};
	static const char *const train[] = {
		"./gcluster job submit --name gemma4-training --compute-type ct6e-standard-4t "
		"--topology 4x8 "
		"--pathways --command \"python3 -m maxtext.trainers.post_train.rl.train_rl …\""};
	static const char *const convert[] = {
		"./gcluster job submit --name gemma4-convert --command \"python3 -m "
		"maxtext.checkpoint_conversion.to_maxtext hf_access_token=${HF_TOKEN} …\""};
	static const char *const undo[] = {"./gcluster job cancel gemma4-hf-to-mt -p "
					   "\"${PROJECT:?}\" \\\n  -c \"${CLUSTER_NAME:?}\"",
		"gcloud storage rm -r \"gs://${GCS_BUCKET:?}/${MODEL_NAME:?}/max-text-format/\""};
	for (int i = 0; i < STAGE_COUNT; i++)
		commands(s, (enum stage_id)i, usual[i], NULL, 0);
	commands(s, STAGE_CLUSTER, usual[STAGE_CLUSTER], deploy, COUNT(deploy));
	commands(s, STAGE_CONVERT, usual[STAGE_CONVERT], convert, COUNT(convert));
	commands(s, STAGE_TRAIN, usual[STAGE_TRAIN], train, COUNT(train));
	undo_commands(s, STAGE_CONVERT, undo, COUNT(undo));
}

static void done(struct state *s, enum stage_id id, int64_t began_ago, int64_t took)
{
	move(s, id, MOVE_START, began_ago);
	move(s, id, MOVE_VERIFY, began_ago - took + 1000);
	move(s, id, MOVE_DONE, began_ago - took);
}

static void engine(struct state *s)
{
	struct event ev = {.kind = EV_ENGINE, .at = now};
	ev.u.engine.host = "workbench";
	ev.u.engine.pid = 4121;
	ev.u.engine.beat = now - 2000;
	run_apply(s, &ev);
}

static void kevent(struct state *s, const char *uid, const char *type, const char *name,
	const char *reason, const char *message, int count, int64_t ago)
{
	char at[TIME_SIZE];
	time_format(now - ago, at);
	world_object(s, now, EV_KEVENT,
		x_asprintf(
			"{\"metadata\":{\"name\":\"%s\",\"uid\":\"%s\"},\"type\":\"%s\",\"count\":%"
			"d,"
			"\"involvedObject\":{\"kind\":\"Pod\",\"name\":\"%s\"},\"reason\":\"%s\","
			"\"message\":\"%s\",\"firstTimestamp\":\"%s\",\"lastTimestamp\":\"%s\"}",
			uid, uid, type, count, name, reason, message, at, at));
}

static void trees(struct state *s)
{
	struct checkpoint_list l;
	struct event ev = {.kind = EV_CHECKPOINTS, .at = now};
	static const bool ended[CHECKPOINT_TREE_COUNT] = {[CHECKPOINT_MAX_TEXT] = true};
	checkpoint_list_init(&l, "rehearsal-lab-gemma");
	for (int i = 0; i < 40; i++) {
		char name[64];
		snprintf(name, sizeof(name), "gemma4-26b/max-text-format/0/items/d/%02d", i);
		checkpoint_list_add(&l, CHECKPOINT_MAX_TEXT, "gemma4-26b/max-text-format/", name,
			(int64_t)1288490188, now - 111 * MINUTE);
	}
	checkpoint_list_add(&l, CHECKPOINT_MAX_TEXT, "gemma4-26b/max-text-format/",
		"gemma4-26b/max-text-format/0/items/commit_success.txt", 40, now - 110 * MINUTE);
	checkpoint_list_add(&l, CHECKPOINT_MAX_TEXT, "gemma4-26b/max-text-format/",
		"gemma4-26b/max-text-format/0/commit_success.txt", 40, now - 110 * MINUTE);
	checkpoint_list_judge(&l, now, ended, NULL);
	ev.u.checkpoints = &l;
	run_apply(s, &ev);
	checkpoint_list_fini(&l);
}

static void world_deploy(struct state *s)
{
	struct event ev = {.kind = EV_PROGRESS, .at = now};
	struct deploy_busy busy[] = {
		{"gke-cluster: google_container_cluster.gke_cluster", now - 421000},
		{"gke-tpu-v6e-pool: google_container_node_pool.node_pool", now - 292000},
		{"workload_component_install/install_kueue: helm_release.apply_chart", now - 31000},
		{"gke-cluster: google_container_node_pool.system_node_pools", now - 30000},
		{"workload_component_install/install_jobset: helm_release.apply_chart",
			now - 12000},
	};
	done(s, STAGE_TOOLS, 17 * MINUTE, 12000);
	done(s, STAGE_TOOLKIT, 16 * MINUTE, 38000);
	done(s, STAGE_LOGIN, 15 * MINUTE, 72000);
	done(s, STAGE_BUCKET, 13 * MINUTE, 4000);
	move(s, STAGE_CLUSTER, MOVE_START, 702000);
	ev.u.progress.id = STAGE_CLUSTER;
	ev.u.progress.done = 14;
	ev.u.progress.total = 22;
	ev.u.progress.unit = "resource";
	ev.u.progress.text = busy[0].name;
	ev.u.progress.busy = busy;
	ev.u.progress.n = COUNT(busy);
	run_apply(s, &ev);
	for (int i = 0; i < 30; i++) {
		char line[160];
		snprintf(line, sizeof(line),
			"module.gke-tpu-v6e-pool.google_container_node_pool.node_pool: Still "
			"creating... "
			"[%dm%d0s elapsed]",
			i / 6, i % 6);
		output(s, STAGE_CLUSTER, line);
	}
	engine(s);
}

static void world_done_until_train(struct state *s)
{
	done(s, STAGE_TOOLS, 190 * MINUTE, 12000);
	done(s, STAGE_TOOLKIT, 189 * MINUTE, 38000);
	done(s, STAGE_LOGIN, 188 * MINUTE, 72000);
	done(s, STAGE_BUCKET, 186 * MINUTE, 4000);
	done(s, STAGE_CLUSTER, 185 * MINUTE, 18 * MINUTE);
}

static void world_convert(struct state *s)
{
	world_done_until_train(s);
	move(s, STAGE_CONVERT, MOVE_START, 22 * MINUTE);
	text_event(s, EV_JOBSET_NAME, "gemma4-hf-to-mt");
	world_log_line(s, now, STAGE_CONVERT, 20 * MINUTE,
		"INFO:absl:Loading index file: model.safetensors.index.json");
	world_log_line(
		s, now, STAGE_CONVERT, 19 * MINUTE, "INFO:absl:Starting weight transformation...");
	world_log_line(
		s, now, STAGE_CONVERT, 18 * MINUTE, "INFO:absl:Shard weights across 16 devices");
	world_log_line(s, now, STAGE_CONVERT, 17 * MINUTE,
		"  1%|          | 4/687 [00:01<08:01, RAM: 60.0/708.6 GB]");
	world_log_line(s, now, STAGE_CONVERT, 30000,
		" 60%|######    | 412/687 [12:01<08:01,  1.75s/it, RAM: 88.1/708.6 GB]");
	engine(s);
}

static void world_train(struct state *s)
{
	world_done_until_train(s);
	done(s, STAGE_CONVERT, 150 * MINUTE, 35 * MINUTE);
	output(s, STAGE_CONVERT, "gcluster job submit workflow completed.");
	move(s, STAGE_TRAIN, MOVE_START, 92 * MINUTE);
	text_event(s, EV_JOBSET_NAME, "gemma4-training");
	world_pods(s, now, 8);
	world_train_log(s, now);
	trees(s);
	kevent(s, "e1", "Normal", "gemma4-training-worker-0-3", "Pulled",
		"Successfully pulled image in 2m10s", 1, 94 * MINUTE);
	kevent(s, "e2", "Normal", "gemma4-training", "Resumed", "JobSet is resumed", 1,
		96 * MINUTE);
	kevent(s, "e3", "Warning", "gemma4-training-worker-0-3", "BackOff",
		"Back-off restarting failed container", 3, 80 * MINUTE);
	heart(s, HEART_LOG, 2000);
	heart(s, HEART_WATCH, 6000);
	heart(s, HEART_METRICS, 74000);
	heart(s, HEART_API, 300);
	alert(s, "log-silent", "acknowledged", "no log line for more than 30 minutes", 70 * MINUTE,
		"log-silent", "look at the pods and at their nodes: kubectl get pods -o wide");
	alert(s, "restarts", "cleared", "worker-3 has restarted once", 80 * MINUTE, NULL, NULL);
	alert(s, "length-limit", "raised",
		"58% of the answers hit the length limit: raise max_target_length", 4 * MINUTE,
		NULL, NULL);
	engine(s);
}

static void world_failed(struct state *s)
{
	struct event ev = event_stage(STAGE_CONVERT, MOVE_FAILED, 1), pool = {.kind = EV_POOL};
	world_done_until_train(s);
	move(s, STAGE_CONVERT, MOVE_START, 40 * MINUTE);
	output(s, STAGE_CONVERT, "INFO:absl:Loading model google/gemma-4-26b-a4b-it");
	output(s, STAGE_CONVERT, "huggingface_hub.errors.GatedRepoError: 403 Client Error.");
	ev.at = now - 6 * MINUTE;
	ev.u.stage.exit = 1;
	ev.u.stage.cause = "the licence of the model is not accepted for this token's account: "
			   "google/gemma-4-26b-a4b-it: jobset failed due to reaching max number of "
			   "restarts: Access to model google/gemma-4-26b-a4b-it is restricted and "
			   "you are not in the authorized list.";
	ev.u.stage.cause_id = "hf-gated";
	ev.u.stage.cure = "open the model page, accept the licence with that account, start again: "
			  "https://huggingface.co/google/gemma-4-26b-a4b-it";
	ev.u.stage.note =
		"its log is kept in /home/someone/.local/state/rlpilot/runs/demo-1/logs/"
		"gemma4-hf-to-mt-main-job-0-0-x7k2p/workload-container.log\n"
		"  Traceback (most recent call last):\n"
		"  huggingface_hub.errors.GatedRepoError: 403 Client Error. (Request ID: "
		"Root=1-68b0c1d2-000000000000000000000000)\n"
		"  Access to model google/gemma-4-26b-a4b-it is restricted and you are not in "
		"the authorized list.";
	run_apply(s, &ev);
	pool.u.pool.chips = 32;
	pool.u.pool.since = now - 167 * MINUTE;
	run_apply(s, &pool);
	world_evicted(s, now);
	engine(s);
}

static void world_login(struct state *s)
{
	struct event ev = event_stage(STAGE_LOGIN, MOVE_BLOCKED, 1);
	done(s, STAGE_TOOLS, 17 * MINUTE, 12000);
	done(s, STAGE_TOOLKIT, 16 * MINUTE, 38000);
	move(s, STAGE_LOGIN, MOVE_START, MINUTE);
	ev.at = now - MINUTE;
	ev.u.stage.cause = "this needs a person at a terminal";
	ev.u.stage.cause_id = "no-login";
	ev.u.stage.cure = "gcloud auth login";
	run_apply(s, &ev);
	engine(s);
}

static void world_again(struct state *s)
{
	struct event ev = event_stage(STAGE_TOOLKIT, MOVE_EXIT, 1);
	done(s, STAGE_TOOLS, 2 * MINUTE, 12000);
	move(s, STAGE_TOOLKIT, MOVE_START, MINUTE / 2);
	output(s, STAGE_TOOLKIT, "curl: (6) Could not resolve host: github.com");
	ev.at = now - MINUTE / 3;
	ev.u.stage.exit = 6;
	ev.u.stage.cause = "this machine does not reach the service";
	ev.u.stage.cause_id = "no-network";
	ev.u.stage.cure = "it is tried again by itself after 1 min; if that does not help: check "
			  "the network, name service and proxy, then try again";
	run_apply(s, &ev);
	alert(s, "queue-waits", "cleared",
		"the queue does not admit the job: couldn't assign flavors to pod set worker: "
		"resource cpu unavailable in ClusterQueue",
		4 * MINUTE, "queue-never", "");
	engine(s);
}

static void world_stopping(struct state *s)
{
	world_deploy(s);
	move(s, STAGE_CLUSTER, MOVE_STOP_ASKED, 2000);
}

static void world_left(struct state *s)
{
	static const char *const things[] = {"network gemma-rl-net-0", "subnetwork gemma-rl-sub-0",
		"firewall rule gemma-rl-net-0-allow-internal", "router gemma-rl-net-0-router",
		"address gemma-rl-net-0-nat-ip",
		("service account "
		 "gemma-rl-gke-np-sa@rehearsal-lab.iam.gserviceaccount.com"),
		"node pool cpu-np", "node pool gke-tpu-v6e-pool",
		"helm_release.apply_chart kueue: with the cluster",
		"kubectl_manifest.pv training-data: with the cluster", "cluster gemma-rl"};
	struct event ev = event_stage(STAGE_CLEANUP, MOVE_FAILED, 1);
	world_done_until_train(s);
	done(s, STAGE_CONVERT, 150 * MINUTE, 35 * MINUTE);
	done(s, STAGE_TRAIN, 110 * MINUTE, 90 * MINUTE);
	done(s, STAGE_EXPORT, 40 * MINUTE, 25 * MINUTE);
	move(s, STAGE_CLEANUP, MOVE_START, 12 * MINUTE);
	text_event(s, EV_CLEANUP, "unknown NAT gemma-rl-net-0-nat: no answer");
	text_event(s, EV_CLEANUP,
		"there bucket checkpoint-data-gemma-rl-1f2e3d4c: gcloud "
		"storage rm -r gs://checkpoint-data-gemma-rl-1f2e3d4c");
	for (size_t i = 0; i < COUNT(things); i++) {
		AUTO_FREE char *line = x_asprintf("gone %s", things[i]);
		text_event(s, EV_CLEANUP, line);
	}
	ev.at = now - MINUTE;
	ev.u.stage.cause_id = "left-behind";
	ev.u.stage.cause = "terraform holds all for gone, but the cloud still has: "
			   "bucket checkpoint-data-gemma-rl-1f2e3d4c";
	ev.u.stage.cure = "delete it, then start the clean-up again; the deployment folder is kept "
			  "until then: gcloud storage rm -r "
			  "gs://checkpoint-data-gemma-rl-1f2e3d4c";
	run_apply(s, &ev);
	engine(s);
}

/* What an earlier run has left: a converted model, and gcluster's manifest with the token. */
static void world_up(struct state *s)
{
	struct strvec files = {0};
	struct event ev = {.kind = EV_TOKEN_FILES, .at = now};
	world_done_until_train(s);
	trees(s);
	strvec_push(&files, "/home/someone/.gcluster/generated/gemma4-hf-to-mt.yaml");
	ev.u.files = &files;
	run_apply(s, &ev);
	strvec_fini(&files);
	engine(s);
}

static void world_found(struct state *s)
{
	struct event ev = event_stage(STAGE_CONVERT, MOVE_BLOCKED, 0);
	world_up(s);
	ev.at = now - MINUTE;
	ev.u.stage.cause_id = "recognised";
	ev.u.stage.cause =
		"recognised: the result is already there: "
		"gs://rehearsal-lab-gemma/gemma4-26b/max-text-format/; compared and the same: the "
		"folder, item items, the size, scan_layers; not compared: the command of its "
		"deleted job, the weights themselves";
	ev.u.stage.cure = "use it, or undo the stage to have it made anew";
	run_apply(s, &ev);
}

void world_make(struct state *s, enum world w, const struct recipe *r)
{
	struct event ev = {.kind = EV_RUN};
	now = time_parse_ms("2026-09-10T09:32:00Z");
	clock_fix(now);
	state_init(s);
	ev.at = now - 200 * MINUTE;
	ev.u.run.name = "demo-1";
	ev.u.run.recipe = r->id;
	ev.u.run.label = w == WORLD_NOTHING ? "" : "rehearsal";
	run_apply(s, &ev);
	plan(s);
	if (w == WORLD_NOTHING) {
		world_unasked(s);
		return;
	}
	values(s);
	world_answers(s, now);
	if (w != WORLD_EMPTY) {
		value(s, "RESERVATION", "v6e-rehearsal", "typed");
		value(s, "HF_TOKEN", "hf_RehearsalTokenOnly000000000000", "environment");
	}
	if (w == WORLD_DEPLOY)
		world_deploy(s);
	else if (w == WORLD_TRAIN)
		world_train(s);
	else if (w == WORLD_FAILED)
		world_failed(s);
	else if (w == WORLD_LEFT)
		world_left(s);
	else if (w == WORLD_CONVERT)
		world_convert(s);
	else if (w == WORLD_UP)
		world_up(s);
	else if (w == WORLD_FOUND)
		world_found(s);
	else if (w == WORLD_OTHER || w == WORLD_UNDO) {
		world_up(s);
		done(s, STAGE_CONVERT, 60 * MINUTE, 35 * MINUTE);
		if (w == WORLD_OTHER)
			world_other(s, now - MINUTE);
		else
			world_undo(s, now - MINUTE);
	} else if (w == WORLD_LOGIN)
		world_login(s);
	else if (w == WORLD_AGAIN)
		world_again(s);
	else if (w == WORLD_STOPPING)
		world_stopping(s);
}
