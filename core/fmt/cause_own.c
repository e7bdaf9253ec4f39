/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions that rlpilot itself sees and no program names: the reason is the id. */
#include "core/fmt/cause_rows.h"

#define OWN(name) (name), REASON(name)
#define CONTROLLERS                                                                                \
	N_("look at Kueue's controllers, then start the stage again"),                             \
		CMD("kubectl -n kueue-system get pods"), ADMIN, FATAL

const struct cause cause_own_rows[] = {
	{OWN("queue-no-workload"), N_("Kueue has made no Workload for the suspended JobSet"),
		CONTROLLERS},
	{OWN("queue-not-resumed"), N_("Kueue has admitted the job, but its JobSet stays suspended"),
		CONTROLLERS},
	{OWN("no-workers"), N_("the head is ready, but no worker pod has been made"),
		N_("look at the events of the JobSet and of its jobs, then start the stage again"),
		CMD("kubectl describe jobset {job}"), YOU, FATAL},
	{OWN("download-hangs"), N_("a download stands still without an error"),
		N_("wait, or start the stage again with HF_HUB_DISABLE_XET=1 in the pod's "
		   "environment, which has helped others"),
		YOU},
	{OWN("log-silent"), N_("the log is silent for longer than this phase explains"),
		N_("look at the pods and at their nodes"), CMD("kubectl get pods -o wide"), YOU},
	{OWN("container-restarted"), N_("a container ended and was started again"),
		N_("read what it said before it ended"), CMD("kubectl logs {pod} --previous"), YOU},
	{OWN("learned-nothing"), N_("every evaluation scores 0: nothing is learned"),
		N_("stop the run; train_micro_batch_size must not break the groups of "
		   "rl.num_generations answers; read some answers in the log"),
		YOU},
	{OWN("cluster-away"), N_("the cluster does not answer; the job itself usually runs on"),
		N_("wait, rlpilot connects again by itself; look at the cluster's state"),
		CMD("gcloud container clusters describe {cluster} --region={region} "
		    "--format='value(status)'"),
		GOOGLE},
	{OWN("cluster-leaves"), N_("the cluster is being deleted, and its jobs end with it"),
		N_("ask who deletes it; the checkpoints in the bucket stay: deploy again and go on "
		   "from the newest"),
		YOU},
	{OWN("cluster-broken"), N_("GKE says itself that something is wrong with the cluster"),
		N_("look at what GKE says about it"),
		CMD("gcloud container clusters describe {cluster} --region={region} "
		    "--format='value(status,conditions)'"),
		GOOGLE},
	{OWN("pool-idle"), N_("the TPU pool costs money while no job runs"),
		N_("go on with the next stage, or stop for today (T on the page of stages)"), YOU},
	{OWN("left-behind"), N_("terraform holds all for gone, but the cloud still has some of it"),
		N_("delete what the list says is there, then start the clean-up again"), YOU,
		FATAL},
	{OWN("destroy-unfinished"), N_("not all that the deployment made is destroyed"),
		N_("start the clean-up again: it destroys the rest"), YOU, FATAL},
	{OWN("proof-unknown"), N_("the cloud did not say whether all is gone"),
		N_("see to it that this login may look at it, then start the clean-up again"), YOU,
		FATAL},
	{OWN("bucket-ours"), N_("the bucket holds what this run has not made"),
		N_("keep the bucket"), YOU},
	{.id = NULL},
};
