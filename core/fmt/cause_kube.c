/* SPDX-License-Identifier: Apache-2.0 */
/* Reasons of Kubernetes, JobSet and Kueue; exit codes; statuses alone. */
#include "core/fmt/cause_rows.h"

#define IMAGE                                                                                      \
	N_("the container image cannot be fetched"),                                               \
		N_("check the image's name and its registry"), YOU
#define CONTAINER                                                                                  \
	N_("the container cannot be started"), N_("read the pod's message"),                       \
		CMD("kubectl describe pod {pod}"), YOU, FATAL
#define LIMIT                                                                                      \
	N_("the autoscaler may not add a node"), N_("look at the pool's limit and at quotas"), YOU
#define BUSY N_("the service has trouble"), N_("wait; rlpilot asks again by itself"), GOOGLE
#define RIGHTS                                                                                     \
	N_("the login may not do this in the cluster"),                                            \
		N_("ask an administrator for roles/container.developer or more"),                  \
		CMD("gcloud projects add-iam-policy-binding {project} --member=user:{account} "    \
		    "--role=roles/container.developer"),                                           \
		ADMIN
#define RECLAIMED                                                                                  \
	N_("the machine is being reclaimed"), N_("start the stage again when the nodes are back"), \
		GOOGLE, FATAL
#define MOVED                                                                                      \
	N_("the pod was moved off its node"), N_("start the stage again when the nodes are back"), \
		GOOGLE, FATAL
#define QUEUE_NEVER                                                                                \
	N_("the queue cannot ever take this job"),                                                 \
		N_("compare what the job asks for with the cluster queue's resources"),            \
		CMD("kubectl describe clusterqueue"), YOU, FATAL
#define QUEUE_WAIT                                                                                 \
	N_("another job still holds the chips; this one waits in the queue"),                      \
		N_("wait or cancel the other job"), CMD("kubectl get workloads"), YOU
#define QUEUE_STOPPED                                                                              \
	N_("the queue is stopped"), N_("ask who runs the cluster"),                                \
		CMD("kubectl describe clusterqueue"), ADMIN, FATAL
#define NOT_THERE                                                                                  \
	N_("it does not exist, or the account may not see it"),                                    \
		N_("check names, project and place"), YOU
#define TAKEN N_("the name is taken"), N_("use the existing one or another name"), YOU

const struct cause cause_kube_rows[] = {
	/* containers and pods */
	{"oom-killed", REASON("OOMKilled"), N_("the container used more memory than its node has"),
		N_("use a machine with more memory or load less at once"), YOU, FATAL},
	{"image-pull", REASON("ImagePullBackOff"), IMAGE},
	{"image-pull", REASON("ErrImagePull"), IMAGE},
	{"image-pull", REASON("InvalidImageName"), IMAGE},
	{"image-pull", REASON("ErrImageNeverPull"), IMAGE},
	{"image-pull", REASON("RegistryUnavailable"), IMAGE},
	{"crash-loop", REASON("CrashLoopBackOff"), N_("the container keeps ending"),
		N_("read its log, the previous one too"), CMD("kubectl logs {pod} --previous"),
		YOU},
	{"container-start", REASON("CreateContainerConfigError"), CONTAINER},
	{"container-start", REASON("CreateContainerError"), CONTAINER},
	{"container-start", REASON("RunContainerError"), CONTAINER},
	{"evicted", REASON("Evicted"),
		N_("the node was short of disk or memory and evicted the pod"),
		N_("look at the pod's message; free the resource that it names"), YOU, FATAL},
	{"preempted", REASON("NodeShutdown"), RECLAIMED},
	{"preempted", REASON("Terminated"), RECLAIMED},
	{"preempted", REASON("Preempted"), RECLAIMED},
	{"disrupted", REASON("PreemptionByScheduler"), MOVED},
	{"disrupted", REASON("TerminationByKubelet"), MOVED},
	{"disrupted", REASON("DeletionByTaintManager"), MOVED},
	{"disrupted", REASON("EvictionByEvictionAPI"), MOVED},
	{"disrupted", REASON("DeletionByPodGC"), MOVED},
	{"unschedulable", REASON("Unschedulable"), N_("no node can take the pod now"),
		N_("wait while the pool scales; otherwise look at the pod's message"), YOU},
	{"queue-gate", REASON("SchedulingGated"), N_("the queue has not let the job in yet"),
		N_("wait; look at the queue's reason"), YOU},
	{"autoscaler-limit", REASON("NotTriggerScaleUp"), LIMIT},
	{"autoscaler-limit", REASON("FailedScaleUp"), LIMIT},

	/* JobSet and Kueue */
	{"restarts-used", REASON("ReachedMaxRestarts"), N_("the job failed and no restart is left"),
		N_("read the log of the first failed pod, then start the stage again"), YOU, FATAL},
	{"job-failed", REASON("FailedJobs"), N_("a job of the set failed"),
		N_("read the log of the first failed pod, then start the stage again"), YOU, FATAL},
	{"job-failed", REASON("BackoffLimitExceeded"), N_("a job of the set failed"),
		N_("read the log of the first failed pod, then start the stage again"), YOU, FATAL},
	{"queue-never", REASON("Inadmissible"), QUEUE_NEVER},
	{"queue-never", REASON("NoMatchingFlavor"), QUEUE_NEVER},
	{"queue-never", REASON("ExceedsMaxQuota"), QUEUE_NEVER},
	{"queue-never", REASON("Misconfigured"), QUEUE_NEVER},
	{"queue-never", REASON("TopologyPlacementFailed"), QUEUE_NEVER},
	{"queue-quota", REASON("WaitingForQuota"), QUEUE_WAIT},
	{"queue-quota", REASON("WaitingForPreemptedWorkloads"), QUEUE_WAIT},
	{"queue-stopped", REASON("ClusterQueueStopped"), QUEUE_STOPPED},
	{"queue-stopped", REASON("LocalQueueStopped"), QUEUE_STOPPED},
	{"queue-evicted", REASON("PodsReadyTimeout"),
		N_("the queue gave up: the pods were not ready in time"),
		N_("look at the pods' reasons; it is queued again by itself"), YOU},
	{"queue-evicted", REASON("NodeFailures"), N_("nodes failed; the queue took the job back"),
		N_("wait for the nodes"), GOOGLE},

	/* Status of the API server */
	{"cluster-login", REASON("Unauthorized"),
		N_("the cluster no longer accepts the login; the job itself runs on"),
		N_("log in again"), CMD("gcloud auth login"), YOU},
	{"cluster-rights", REASON("Forbidden"), RIGHTS},
	{"not-found", REASON("NotFound"), NOT_THERE},
	{"conflict", REASON("AlreadyExists"), TAKEN},
	{"conflict", REASON("Conflict"), N_("it was changed by somebody else at the same time"),
		N_("try again"), YOU},
	{"watch-expired", REASON("Expired"), N_("the watch is too old; it is begun again"),
		N_("nothing to do"), YOU},
	{"watch-expired", REASON("Gone"), N_("the watch is too old; it is begun again"),
		N_("nothing to do"), YOU},
	{"request", REASON("Invalid"), N_("the cluster refuses a value of the object"),
		N_("correct the value that the message names"), YOU},
	{"request", REASON("BadRequest"), N_("the service refuses the request"),
		N_("correct the value that the message names"), YOU},
	{"server", REASON("Timeout"), BUSY},
	{"server", REASON("ServerTimeout"), BUSY},
	{"server", REASON("ServiceUnavailable"), BUSY},
	{"server", REASON("InternalError"), BUSY},
	{"rate-limit", REASON("TooManyRequests"), N_("too many requests in a short time"),
		N_("wait; rlpilot asks again by itself"), YOU},

	/* exit codes */
	{"exit-config", EXIT("2"), N_("the program refused its options or parameters"),
		N_("read its last lines; correct what they name"), YOU, FATAL},
	{"exit-denied", EXIT("126"), N_("a program of the stage may not be run"),
		N_("give the file the right to be run, or move the run folder off a noexec disk"),
		YOU, FATAL},
	{"exit-missing", EXIT("127"), N_("a program of the stage is not on PATH"),
		N_("install it; the tools stage names it"), YOU, FATAL},
	{"exit-interrupted", EXIT("130"), N_("it was interrupted from outside"),
		N_("start the stage again"), YOU},
	{"exit-killed", EXIT("137"),
		N_("it was killed: out of memory, evicted or deleted; the log simply stops"),
		N_("look at the pod's reason and at its node"), YOU, FATAL},
	{"preempted", EXIT("143"), N_("it was asked to end: maintenance, preemption or deletion"),
		N_("start the stage again when the nodes are back"), GOOGLE, FATAL},

	/* the status alone */
	{"request", HTTP("400"), N_("the service refuses the request"),
		N_("correct the value that the message names"), YOU},
	{"login", HTTP("401"), N_("the login is not valid"), N_("log in"), CMD("gcloud auth login"),
		YOU},
	{"permission", HTTP("403"), N_("the account may not do this"),
		N_("ask an administrator for the role"), ADMIN},
	{"not-found", HTTP("404"), NOT_THERE},
	{"proxy-page", HTTP("407"), N_("the proxy wants a login of its own"),
		N_("put name and password into HTTPS_PROXY, or ask who runs the proxy"), YOU},
	{"conflict", HTTP("409"), TAKEN},
	{"precondition", HTTP("412"), N_("it was changed by somebody else at the same time"),
		N_("try again"), YOU},
	{"rate-limit", HTTP("429"), N_("too many requests in a short time"),
		N_("wait; rlpilot asks again by itself"), YOU},
	{"server", HTTP("500"), BUSY},
	{"server", HTTP("502"), BUSY},
	{"server", HTTP("503"), BUSY},
	{"server", HTTP("504"), BUSY},
	{.id = NULL},
};
