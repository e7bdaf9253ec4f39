/* SPDX-License-Identifier: Apache-2.0 */
/* What the plan of faults does to a container that works: its last words, its end, its node's
 * trouble. */
#include "sim/load_fault.h"

#include "core/base/mem.h"
#include "core/fmt/json.h"
#include "sim/clock.h"
#include "sim/ctl.h"
#include "sim/kube_types.h"
#include "sim/world.h"
#include <stdlib.h>
#include <string.h>

#define MAINTAINED (6 * SIM_MIN) /* a preempted host is away that long */

/* A kubelet's deed, done once the container's own turn is over. */
struct deed {
	struct kube *k;
	char *ns, *pod, *node;
	enum fault_what what;
};

static const char disk_text[] =
	"The node was low on resource: ephemeral-storage. Threshold quantity: 10120387530, "
	"available: 4883424Ki. Container workload-container was using 61273712Ki, request is 0, "
	"has "
	"larger consumption of ephemeral-storage. ";

static void node_back(void *arg)
{
	struct deed *d = arg;
	json_t *node = kstore_edit(d->k->store, KUBE_NODES, NULL, d->node);
	if (node) {
		json_object_del(json_path(node, "metadata.labels"),
			"cloud.google.com/active-node-maintenance");
		kube_set_condition(d->k, node, "Ready", "True", "KubeletReady",
			"kubelet is posting ready status");
		kube_put(d->k, KUBE_NODES, node);
	}
	free(d->ns);
	free(d->pod);
	free(d->node);
	free(d);
}

static void node_away(struct deed *d)
{
	json_t *node = kstore_edit(d->k->store, KUBE_NODES, NULL, d->node);
	if (!node)
		return;
	json_object_set_new(kube_child(kube_child(node, "metadata"), "labels"),
		"cloud.google.com/active-node-maintenance", json_string("ONGOING"));
	kube_set_condition(d->k, node, "Ready", "Unknown", "NodeStatusUnknown",
		"Kubelet stopped posting node status.");
	kube_put(d->k, KUBE_NODES, node);
	ctl_event(d->k, kstore_get(d->k->store, KUBE_NODES, NULL, d->node), "Warning",
		"node-controller", "NodeNotReady", "Node %s status is now: NodeNotReady", d->node);
}

static void disk_full(struct deed *d)
{
	json_t *node = kstore_edit(d->k->store, KUBE_NODES, NULL, d->node);
	if (!node)
		return;
	kube_set_condition(d->k, node, "DiskPressure", "True", "KubeletHasDiskPressure",
		"kubelet has disk pressure");
	kube_put(d->k, KUBE_NODES, node);
	ctl_event(d->k, kstore_get(d->k->store, KUBE_NODES, NULL, d->node), "Warning", "kubelet",
		"EvictionThresholdMet", "Attempting to reclaim ephemeral-storage");
}

static void do_deed(void *arg)
{
	struct deed *d = arg;
	json_t *pod = kstore_get(d->k->store, KUBE_PODS, d->ns, d->pod);
	if (pod && d->what == FAULT_PREEMPTED) {
		node_away(d);
		ctl_pod_fail(d->k, d->ns, d->pod, "Terminated",
			"Pod was terminated in response to imminent node shutdown.");
		sim_after(d->k->sim, MAINTAINED, node_back, d);
		return;
	}
	if (pod) {
		if (d->what == FAULT_DISK)
			disk_full(d);
		ctl_event(d->k, pod, "Warning", "kubelet", "Evicted", "%s", disk_text);
		ctl_pod_fail(d->k, d->ns, d->pod, "Evicted", disk_text);
	}
	d->what = FAULT_PREEMPTED;
	node_back(d);
}

static void kubelet(struct load *l, enum fault_what what)
{
	const struct load_job *j = load_job(l);
	struct deed *d = X_NEW(struct deed);
	*d = (struct deed){j->k, x_strdup(j->ns), x_strdup(j->pod), x_strdup(j->node), what};
	sim_after(j->k->sim, 0, do_deed, d);
	load_wait(l, SIM_MIN); /* nothing more is heard of it */
}

static void traceback(struct load *l, const char *file, int line, const char *where)
{
	load_write(l, "Traceback (most recent call last):\n  File \"%s\", line %d, in %s\n", file,
		line, where);
}

static void config_error(struct load *l)
{
	static const char message[] = "MAXTEXT CONFIG ERROR: Keys ['num_batchez'] were passed in "
				      "argv but are not in base config.";
	load_absl(l, 'E', "pyconfig.py:388", "\n%s\n", message);
	load_exit(l, 2, message);
}

static void hbm_full(struct load *l)
{
	traceback(l, "/deps/src/maxtext/trainers/post_train/rl/train_rl.py", 812, "rl_train");
	load_write(l,
		"jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: XLA:TPU compile "
		"permanent "
		"error. Ran out of memory in memory space hbm. Used 34.80G of 31.25G hbm. Exceeded "
		"hbm capacity by 3.55G.\n\nTotal hbm usage >= 35.31G:\n");
	load_exit(l, 1, NULL);
}

static void pathways_lost(struct load *l)
{
	traceback(l, "/deps/src/maxtext/trainers/post_train/rl/train_rl.py", 812, "rl_train");
	load_write(l,
		"jax.errors.JaxRuntimeError: UNAVAILABLE: Connection to IFRT proxy server was "
		"terminated: Socket closed\n");
	load_exit(l, 1, NULL);
}

static void gated(struct load *l)
{
	static const char model[] = "google/gemma-4-26b-a4b-it";
	traceback(l, "/usr/local/lib/python3.12/site-packages/huggingface_hub/utils/_http.py", 402,
		"hf_raise_for_status");
	load_write(l,
		"huggingface_hub.errors.GatedRepoError: 403 Client Error. (Request ID: "
		"Root=1-68b0c1d2-000000000000000000000000)\n\nCannot access gated repo for url "
		"https://huggingface.co/%s/resolve/main/config.json.\nAccess to model %s is "
		"restricted and you are not in the authorized list. Visit "
		"https://huggingface.co/%s to ask for access.\n",
		model, model, model);
	load_exit(l, 1, NULL);
}

static void write_denied(struct load *l)
{
	const struct world *w = load_job(l)->k->sim->world;
	traceback(l,
		"/usr/local/lib/python3.12/site-packages/orbax/checkpoint/checkpoint_manager.py",
		1432, "save");
	load_write(l,
		"google.api_core.exceptions.Forbidden: 403 POST "
		"https://storage.googleapis.com/upload/storage/v1/b/%s-gemma/o: "
		"%s-gke-np-sa@%s.iam.gserviceaccount.com does not have storage.objects.create "
		"access "
		"to the Google Cloud Storage object. Permission 'storage.objects.create' denied on "
		"resource (or it may not exist).\n",
		w->project, w->cluster.name ? w->cluster.name : "cluster", w->project);
	load_exit(l, 1, NULL);
}

static void rate_limited(struct load *l)
{
	load_write(l, "HTTP Error 429 thrown while requesting HEAD "
		      "https://huggingface.co/google/gemma-4-26b-a4b-it/resolve/main/config.json\n"
		      "Retrying in 8s [Retry 5/5].\n");
}

bool load_fault_ends(enum fault_what what)
{
	return what != FAULT_RATE && what != FAULT_HANG;
}

void load_fault(struct load *l, const struct fault *f)
{
	switch (f->what) {
	case FAULT_EVICTED:
	case FAULT_DISK:
	case FAULT_PREEMPTED:
		kubelet(l, f->what);
		break;
	case FAULT_CONFIG:
		config_error(l);
		break;
	case FAULT_HBM:
		hbm_full(l);
		break;
	case FAULT_LOST:
		pathways_lost(l);
		break;
	case FAULT_GATED:
		gated(l);
		break;
	case FAULT_WRITE:
		write_denied(l);
		break;
	case FAULT_RATE:
		rate_limited(l);
		break;
	case FAULT_OOM:
		load_exit(l, 137, NULL);
		break;
	case FAULT_EXIT:
		load_exit(l, (int)f->number, NULL);
		break;
	default:
		break;
	}
}
