/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/mem.h"
#include "core/base/vec.h"
#include "sim/clock.h"
#include "sim/deploy.h"
#include "sim/fault_plan.h"
#include "sim/kube.h"
#include "sim/ledger.h"
#include "sim/sim.h"
#include <stdlib.h>
#include <string.h>

#define NET            "module.gke-tpu-v6e-net."
#define NP_SA          "module.node_pool_service_account."
#define WL_SA          "module.workload_service_account."
#define GKE            "module.gke-tpu-v6e-cluster."
#define POOL           "module.gke-tpu-v6e-pool."
#define APPLY          "module.workload-manager-install.module."
#define ROLE(sa, role) sa "google_project_iam_member.project_roles[\"" role "\"]"
#define VOLUME(name)   "module." name "-pv.kubectl_manifest."

/* Names after examples/gke-tpu-v6e of Cluster Toolkit; times are plausible, together 18 minutes. */
/* clang-format off */
const struct deploy_resource deploy_resources[] = {
	{"module.training_bucket.random_id.resource_name_suffix", "random/training-%d", 0, 0, 0, 0, NULL},
	{"module.checkpoint_bucket.random_id.resource_name_suffix", "random/checkpoint-%d", 0, 0, 0, 0, NULL},
	{NET "google_compute_network.network", "network/%d-net-0", 33, 42, 0, 0, NULL},
	{NP_SA "google_service_account.service_account", "serviceaccount/%d-gke-np-sa", 12, 1, 0, DEPLOY_ACCOUNT, NULL},
	{WL_SA "google_service_account.service_account", "serviceaccount/%d-gke-wl-sa", 12, 1, 0, DEPLOY_ACCOUNT, NULL},
	{NET "google_compute_subnetwork.subnetwork", "subnetwork/%d-sub-0", 24, 22, 1, 0, NULL},
	{NET "google_compute_firewall.internal", "firewall/%d-net-0-allow-internal", 12, 11, 1, 0, NULL},
	{NET "google_compute_firewall.iap", "firewall/%d-net-0-allow-iap", 12, 11, 1, 0, NULL},
	{NET "google_compute_router.router", "router/%d-net-0-router", 12, 11, 1, 0, NULL},
	{NET "google_compute_address.nat_ip", "address/%d-net-0-nat-ip", 6, 11, 1, 0, NULL},
	{ROLE(NP_SA, "logging.logWriter"), "iam/%d-gke-np-sa/logging.logWriter", 9, 8, 1, 0, NULL},
	{ROLE(NP_SA, "monitoring.metricWriter"), "iam/%d-gke-np-sa/monitoring.metricWriter", 9, 8, 1, 0, NULL},
	{ROLE(NP_SA, "monitoring.viewer"), "iam/%d-gke-np-sa/monitoring.viewer", 9, 8, 1, 0, NULL},
	{ROLE(NP_SA, "stackdriver.resourceMetadata.writer"), "iam/%d-gke-np-sa/stackdriver.resourceMetadata.writer", 9, 8, 1, 0, NULL},
	{ROLE(NP_SA, "storage.admin"), "iam/%d-gke-np-sa/storage.admin", 9, 8, 1, 0, NULL},
	{ROLE(NP_SA, "artifactregistry.reader"), "iam/%d-gke-np-sa/artifactregistry.reader", 9, 8, 1, 0, NULL},
	{ROLE(WL_SA, "logging.logWriter"), "iam/%d-gke-wl-sa/logging.logWriter", 10, 8, 1, 0, NULL},
	{ROLE(WL_SA, "monitoring.metricWriter"), "iam/%d-gke-wl-sa/monitoring.metricWriter", 10, 8, 1, 0, NULL},
	{ROLE(WL_SA, "monitoring.viewer"), "iam/%d-gke-wl-sa/monitoring.viewer", 10, 8, 1, 0, NULL},
	{ROLE(WL_SA, "stackdriver.resourceMetadata.writer"), "iam/%d-gke-wl-sa/stackdriver.resourceMetadata.writer", 10, 8, 1, 0, NULL},
	{ROLE(WL_SA, "storage.admin"), "iam/%d-gke-wl-sa/storage.admin", 10, 8, 1, 0, NULL},
	{ROLE(WL_SA, "artifactregistry.reader"), "iam/%d-gke-wl-sa/artifactregistry.reader", 10, 8, 1, 0, NULL},
	{ROLE(WL_SA, "container.admin"), "iam/%d-gke-wl-sa/container.admin", 10, 8, 1, 0, NULL},
	{ROLE(WL_SA, "hypercomputecluster.editor"), "iam/%d-gke-wl-sa/hypercomputecluster.editor", 10, 8, 1, 0, NULL},
	{"module.training_bucket.google_storage_bucket.bucket", "bucket/training-data-%d-%x", 3, 2, 1, DEPLOY_BUCKET, NULL},
	{"module.checkpoint_bucket.google_storage_bucket.bucket", "bucket/checkpoint-data-%d-%x", 3, 2, 1, DEPLOY_BUCKET, NULL},
	{NET "google_compute_router_nat.nat", "nat/%d-net-0-nat", 13, 14, 2, 0, NULL},
	{GKE "google_container_cluster.gke_cluster", "cluster/%d", 470, 210, 3, DEPLOY_CLUSTER, NULL},
	{POOL "google_compute_resource_policy.placement_policy[0]", "resourcepolicy/%d-gke-tpu-v6e-pool", 6, 5, 4, 0, NULL},
	{GKE "google_container_node_pool.system_node_pools[0]", "nodepool/%d/system", 84, 95, 4, DEPLOY_POOL_SYSTEM, "system"},
	{GKE "google_container_node_pool.cpu_np[0]", "nodepool/%d/cpu-np", 71, 12, 4, DEPLOY_POOL_CPU, "cpu-np"},
	{GKE "module.workload_identity.google_service_account_iam_member.main", "iam/%d-gke-wl-sa/workloadIdentityUser", 5, 4, 4, 0, NULL},
	{GKE "module.workload_identity.kubernetes_service_account.main[0]", "kubernetes/serviceaccount/workload-identity-k8s-sa", 1, 1, 4, DEPLOY_INSIDE, NULL},
	{POOL "google_container_node_pool.node_pool[0]", "nodepool/%d/gke-tpu-v6e-pool", 312, 154, 5, DEPLOY_POOL_TPU, "gke-tpu-v6e-pool"},
	{APPLY "install_kueue.helm_release.apply_chart", "helm/kueue", 46, 7, 6, DEPLOY_GROUP, "kueue"},
	{APPLY "install_jobset.helm_release.apply_chart", "helm/jobset", 37, 5, 6, DEPLOY_GROUP, "jobset"},
	{APPLY "install_cert_manager.helm_release.apply_chart", "helm/cert-manager", 52, 8, 6, DEPLOY_GROUP, "cert-manager"},
	{"module.workload-manager-install.time_sleep.wait_for_kueue", "sleep/wait-for-kueue", 60, 0, 7, DEPLOY_INSIDE, NULL},
	{APPLY "configure_kueue.helm_release.apply_chart", "helm/kueue-config", 9, 4, 8, DEPLOY_GROUP, "kueue-config"},
	{VOLUME("training_bucket") "pv", "kubernetes/persistentvolume/training-data", 2, 2, 8, DEPLOY_INSIDE, NULL},
	{VOLUME("training_bucket") "pvc", "kubernetes/persistentvolumeclaim/training-data", 2, 2, 8, DEPLOY_INSIDE, NULL},
	{VOLUME("checkpoint_bucket") "pv", "kubernetes/persistentvolume/checkpoint-data", 2, 2, 8, DEPLOY_INSIDE, NULL},
	{VOLUME("checkpoint_bucket") "pvc", "kubernetes/persistentvolumeclaim/checkpoint-data", 2, 2, 8, DEPLOY_INSIDE, NULL},
	{"module.fio-bench-job-template.local_file.job_template", "file/my-job", 0, 0, 8, 0, NULL},
};
/* clang-format on */
const size_t deploy_resources_n = COUNT(deploy_resources);

static const struct {
	const char *machine_type;
	int nodes, max_nodes;
	bool tpu;
} pools[] = {
	[DEPLOY_POOL_SYSTEM] = {"e2-standard-8", 2, 10, false},
	[DEPLOY_POOL_CPU] = {"n4-standard-64", 0, 100, false},
	[DEPLOY_POOL_TPU] = {"ct6e-standard-4t", 8, 0, true},
};

static bool is_pool(const struct deploy_resource *r)
{
	return r->effect >= DEPLOY_POOL_SYSTEM && r->effect <= DEPLOY_POOL_TPU;
}

static char *email_of(const struct world *w, const char *what)
{
	return x_asprintf(
		"%s@%s.iam.gserviceaccount.com", what + strlen("serviceaccount/"), w->project);
}

size_t deploy_cluster_begin(
	struct sim *sim, const char *name, const char *location, const char *zone)
{
	struct cluster *c = &sim->world->cluster;
	AUTO_FREE char *target = x_asprintf("clusters/%s", name);
	c->state = RES_PROVISIONING;
	c->name = x_strdup(name);
	c->location = x_strdup(location);
	c->zone = x_strdup(zone);
	c->created = sim_now(sim);
	return world_operation_begin(sim->world, "CREATE_CLUSTER", target);
}

size_t deploy_cluster_stopping(struct sim *sim)
{
	struct cluster *c = &sim->world->cluster;
	AUTO_FREE char *target = x_asprintf("clusters/%s", c->name);
	c->state = RES_STOPPING;
	return world_operation_begin(sim->world, "DELETE_CLUSTER", target);
}

static void cluster_up(struct sim *sim, size_t operation)
{
	if (sim->world->cluster.state != RES_PROVISIONING)
		return;
	sim->world->cluster.state = RES_RUNNING;
	world_operation_end(sim->world, operation);
	kube_cluster_up(sim);
}

static void pool_release(struct sim *sim, struct node_pool *p)
{
	if (p->reservation && strcmp(p->reservation, sim->world->reservation.name) == 0)
		sim->world->reservation.in_use -= p->nodes;
}

static void cluster_gone(struct sim *sim, size_t operation)
{
	struct cluster *c = &sim->world->cluster;
	for (size_t i = 0; i < c->n; i++)
		pool_release(sim, &c->items[i]);
	kube_cluster_down(sim);
	world_operation_end(sim->world, operation);
	world_cluster_clear(c);
}

static void cluster_later(void *arg)
{
	struct sim *sim = arg;
	struct cluster *c = &sim->world->cluster;
	size_t operation = sim->world->operations.n - 1;
	while (operation > 0 && sim->world->operations.items[operation].done)
		operation--;
	if (c->state == RES_ABSENT)
		return;
	AUTO_FREE char *what = x_asprintf("cluster/%s", c->name);
	if (c->state == RES_PROVISIONING) {
		cluster_up(sim, operation);
		ledger_create(sim, what);
	} else {
		cluster_gone(sim, operation);
		ledger_delete(sim, what);
	}
}

void deploy_cluster_later(struct sim *sim)
{
	bool up = sim->world->cluster.state == RES_PROVISIONING;
	sim_after(sim, (up ? 7 : 4) * SIM_MIN, cluster_later, sim);
}

static void pool_begin(struct sim *sim, const struct deploy_resource *r,
	const struct deploy_values *v, size_t *operation)
{
	struct cluster *c = &sim->world->cluster;
	struct node_pool *p = VEC_PUSH(c);
	p->name = x_strdup(r->arg);
	p->machine_type = x_strdup(pools[r->effect].machine_type);
	p->nodes = pools[r->effect].nodes;
	p->max_nodes = pools[r->effect].max_nodes;
	p->state = RES_PROVISIONING;
	p->created = sim_now(sim);
	if (pools[r->effect].tpu) {
		p->nodes *= v->slices;
		p->topology = x_strdup(v->topology);
		p->reservation = *v->reservation ? x_strdup(v->reservation) : NULL;
		if (p->reservation && strcmp(p->reservation, sim->world->reservation.name) == 0)
			sim->world->reservation.in_use += p->nodes;
	}
	AUTO_FREE char *target = x_asprintf("clusters/%s/nodePools/%s", c->name, p->name);
	*operation = world_operation_begin(sim->world, "CREATE_NODE_POOL", target);
	sim->world->operations.items[*operation].total = p->nodes;
	sim->world->operations.items[*operation].span = r->create_s * SIM_S;
}

char *deploy_part_start(struct sim *sim, const struct deploy_resource *r,
	const struct deploy_values *v, const char *what, size_t *operation)
{
	const struct world *w = sim->world;
	(void)what;
	if (r->effect == DEPLOY_CLUSTER)
		*operation = deploy_cluster_begin(sim, v->name, v->region, v->zone);
	else if (is_pool(r) && world_pool(w, r->arg))
		return x_asprintf("error creating NodePool: googleapi: Error 409: Already exists: "
				  "projects/%s/locations/%s/clusters/%s/nodePools/%s., "
				  "alreadyExists",
			w->project, w->cluster.location, w->cluster.name, r->arg);
	else if (is_pool(r))
		pool_begin(sim, r, v, operation);
	return NULL;
}

void deploy_part_made(struct sim *sim, const struct deploy_resource *r,
	const struct deploy_values *v, const char *what, size_t operation)
{
	struct world *w = sim->world;
	if (r->effect == DEPLOY_BUCKET) {
		AUTO_FREE char *location = x_strdup(v->region);
		for (char *p = location; *p; p++)
			*p = (char)(*p >= 'a' && *p <= 'z' ? *p - 'a' + 'A' : *p);
		struct bucket *b = world_bucket_create(w, what + strlen("bucket/"), location);
		b->uniform = b->hierarchical = true;
		return; /* the world has told the ledger */
	}
	if (r->effect == DEPLOY_ACCOUNT) {
		AUTO_FREE char *email = email_of(w, what);
		map_set(&w->accounts, email, w);
	} else if (r->effect == DEPLOY_CLUSTER) {
		cluster_up(sim, operation);
	} else if (is_pool(r)) {
		struct node_pool *p = world_pool(w, r->arg);
		world_operation_end(w, operation);
		if (!p)
			return; /* somebody deleted the cluster meanwhile */
		p->state = RES_RUNNING;
		kube_nodes_add(sim, p);
	} else if (r->effect == DEPLOY_GROUP) {
		kube_crds_up(sim, r->arg);
	}
	ledger_create(sim, what);
}

char *deploy_part_stop(struct sim *sim, const struct deploy_resource *r,
	const struct deploy_values *v, const char *what, size_t *operation)
{
	struct world *w = sim->world;
	(void)v;
	if (r->effect == DEPLOY_BUCKET && world_bucket(w, what + strlen("bucket/"))->n > 0)
		return x_asprintf("Error trying to delete bucket %s containing objects without "
				  "`force_destroy` set to true",
			what + strlen("bucket/"));
	if (r->effect == DEPLOY_CLUSTER) {
		*operation = deploy_cluster_stopping(sim);
	} else if (is_pool(r)) {
		struct node_pool *p = world_pool(w, r->arg);
		AUTO_FREE char *target =
			x_asprintf("clusters/%s/nodePools/%s", w->cluster.name, p->name);
		p->state = RES_STOPPING;
		*operation = world_operation_begin(w, "DELETE_NODE_POOL", target);
		kube_nodes_remove(sim, p);
	}
	return NULL;
}

static void pool_gone(struct sim *sim, const char *name, size_t operation)
{
	struct cluster *c = &sim->world->cluster;
	struct node_pool *p = world_pool(sim->world, name);
	world_operation_end(sim->world, operation);
	if (!p)
		return;
	pool_release(sim, p);
	world_pool_fini(p);
	*p = c->items[--c->n];
}

void deploy_part_failed(struct sim *sim, const struct deploy_resource *r, const char *what,
	size_t operation, bool left)
{
	struct node_pool *p = is_pool(r) ? world_pool(sim->world, r->arg) : NULL;
	if (r->effect == DEPLOY_CLUSTER) {
		world_operation_end(sim->world, operation);
		world_cluster_clear(&sim->world->cluster);
	} else if (p && left) {
		world_operation_end(sim->world, operation);
		pool_release(sim, p);
		free(p->reservation);
		p->reservation = NULL;
		p->state = RES_ERROR;
		ledger_create(sim, what);
	} else if (p) {
		pool_gone(sim, r->arg, operation);
	}
}

/* A pool on its way out, asked for by the API. */
struct leaving {
	struct sim *sim;
	char *name;
	size_t operation;
};

static void pool_left(void *arg)
{
	struct leaving *l = arg;
	const struct cluster *c = &l->sim->world->cluster;
	if (world_pool(l->sim->world, l->name)) {
		AUTO_FREE char *what = x_asprintf("nodepool/%s/%s", c->name, l->name);
		ledger_delete(l->sim, what);
	}
	pool_gone(l->sim, l->name, l->operation);
	free(l->name);
	free(l);
}

size_t deploy_pool_delete(struct sim *sim, const char *name)
{
	struct node_pool *p = world_pool(sim->world, name);
	struct leaving *l = X_NEW(struct leaving);
	AUTO_FREE char *target =
		x_asprintf("clusters/%s/nodePools/%s", sim->world->cluster.name, name);
	kube_nodes_remove(sim, p);
	p->state = RES_STOPPING;
	*l = (struct leaving){
		sim, x_strdup(name), world_operation_begin(sim->world, "DELETE_NODE_POOL", target)};
	sim_after(sim, 2 * SIM_MIN, pool_left, l);
	return l->operation;
}

static void leave_disk(struct sim *sim, const char *cluster)
{
	AUTO_FREE char *what = x_strdup("disk/pvc-6f0c2a10-5b8e-4d3a-9c77-2f1e0b64a9d5");
	if (!fault_take_one(sim, FAULT_STRAY, cluster))
		return;
	free(sim->world->stray);
	sim->world->stray = x_strdup(what + strlen("disk/"));
	ledger_create(sim, what);
}

void deploy_part_gone(struct sim *sim, const struct deploy_resource *r,
	const struct deploy_values *v, const char *what, size_t operation)
{
	struct world *w = sim->world;
	(void)v;
	if (r->effect == DEPLOY_BUCKET) {
		world_bucket_delete(w, what + strlen("bucket/"));
		return; /* the world has told the ledger */
	}
	if (r->effect == DEPLOY_ACCOUNT) {
		AUTO_FREE char *email = email_of(w, what);
		map_del(&w->accounts, email);
	} else if (r->effect == DEPLOY_CLUSTER) {
		cluster_gone(sim, operation);
		leave_disk(sim, r->address);
	} else if (is_pool(r)) {
		pool_gone(sim, r->arg, operation);
	}
	ledger_delete(sim, what);
}

bool deploy_part_there(const struct sim *sim, const struct deploy_resource *r, const char *what)
{
	const struct world *w = sim->world;
	if (r->effect == DEPLOY_BUCKET)
		return world_bucket(w, what + strlen("bucket/")) != NULL;
	if (r->effect == DEPLOY_ACCOUNT) {
		AUTO_FREE char *email = email_of(w, what);
		return map_get(&w->accounts, email) != NULL;
	}
	if (r->effect >= DEPLOY_CLUSTER && w->cluster.state == RES_ABSENT)
		return false;
	return !is_pool(r) || world_pool(w, r->arg) != NULL;
}
