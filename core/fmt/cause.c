/* SPDX-License-Identifier: Apache-2.0 */
#include "core/fmt/cause.h"

#include <stdio.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/match.h"
#include "core/base/mem.h"
#include "core/base/text.h"

#define TEXT(p)   .kind = CAUSE_TEXT, .match = (p)
#define REASON(p) .kind = CAUSE_REASON, .match = (p)
#define HTTP(p)   .kind = CAUSE_HTTP, .match = (p)
#define YOU       .who = CAUSE_YOU
#define ADMIN     .who = CAUSE_ADMINISTRATOR
#define GOOGLE    .who = CAUSE_GOOGLE
#define FATAL     .fatal = true

static const struct cause causes[] = {
	/* training */
	{"config", TEXT("MAXTEXT CONFIG ERROR: |^Keys \\[.*\\] are overridden by both"),
		N_("MaxText refuses the training parameters"),
		N_("correct the parameter that the line names, then start the stage again"), YOU,
		FATAL},
	{"loss-not-finite",
		TEXT("training loss: [-+]?(?:nan|inf)|NaN or Inf found in input tensor"),
		N_("the loss is no longer a number; later steps are worthless"),
		N_("stop the run, lower learning_rate, start again"), YOU, FATAL},
	{"hbm-full",
		TEXT("RESOURCE_EXHAUSTED|Ran out of memory in memory space hbm|GiB exceeds .*GiB "
		     "by "
		     ".*GiB|No available memory for the cache blocks"),
		N_("the memory of the TPU chips is full"),
		N_("lower hbm_utilization_vllm, the micro-batch or rl.reshard_chunk_size"), YOU,
		FATAL},
	{"pathways-lost",
		TEXT("Connection to IFRT proxy server was terminated|JaxRuntimeError: "
		     "(?:UNAVAILABLE|DATA_LOSS|DEADLINE_EXCEEDED)"),
		N_("the link to the TPU workers through Pathways broke"),
		N_("look at the worker pods and at pathways-proxy; the training must be started "
		   "again"),
		YOU, FATAL},
	{"preempted", TEXT("SIGTERM caught at|Saving checkpoint at step \\d+ due to preemption"),
		N_("the machine is being reclaimed (maintenance or preemption)"),
		N_("start the stage again when the nodes are back; with no restarts this run is "
		   "over"),
		GOOGLE, FATAL},
	{"weight-sync", TEXT("Reshard failed in|MaxTextVllmSampler\\.update_params failed:"),
		N_("the weights could not be copied from the trainer to the sampler"),
		N_("look at the lines before it; the training must be started again"), YOU, FATAL},
	{"grader",
		TEXT("math_verify_pool failed|\\([1-9]\\d* timed out\\)|\\[eval-reward\\] "
		     "reward_fn failed|"
		     "Evaluation Exception:"),
		N_("answers could not be graded; rewards of this step are not reliable"),
		N_("nothing to do if it stays rare; otherwise look at the answers"), YOU},
	{"compile-slow", TEXT("Very slow compile\\?|^The operation took "),
		N_("XLA compiles for a long time; silence is normal now"),
		N_("wait; it is slow only once"), YOU},
	{"checkpoint-load",
		TEXT("Found incomplete checkpoint at|No valid Orbax checkpoint found|Checkpoint at "
		     ".* "
		     "not found|Checkpoint (?:structure|rank) mismatch"),
		N_("the checkpoint to start from is not there, not complete or of another model"),
		N_("open the checkpoints and run convert again"), YOU, FATAL},
	{"scan-layers",
		TEXT("Configuration mismatch: Your run specifies scan_layers|maxtext_state_dict "
		     "must be a "
		     "subset"),
		N_("scan_layers differs from the value the checkpoint was saved with"),
		N_("use scan_layers=False in convert, train and export"), YOU, FATAL},
	{"checkpoint-save", TEXT("Timed out while waiting for async_write_complete barrier"),
		N_("the checkpoint was not written in time"),
		N_("check the bucket and its place; the step is not safe"), YOU},
	{"chips-mismatch",
		TEXT("does not match the product of the ICI parallelism|must be divisible by "
		     "rollout_tensor|!= "
		     "len\\(sampler_devices\\)|num_kv_heads .* must be divisible|attention heads "
		     ".* must be "
		     "divisible"),
		N_("the parallelism does not fit the number of chips or heads"),
		N_("correct the parallelism parameters; the plan screen checks them"), YOU, FATAL},
	{"batch-mismatch",
		TEXT("must be a multiple of "
		     "self\\._?(?:train|rollout)_micro_batch_size|num_generations "
		     "must be greater than 1"),
		N_("batch sizes do not divide each other"),
		N_("choose micro-batches that divide batch_size, and at least two generations"),
		YOU, FATAL},

	/* Hugging Face */
	{"hf-gated",
		TEXT("GatedRepoError|Cannot access gated repo|Access to model .* is restricted"),
		N_("the licence of the model is not accepted for this token's account"),
		N_("open the model page, accept the licence with that account, start again"), YOU,
		FATAL},
	{"hf-not-found", TEXT("RepositoryNotFoundError|Repository Not Found for url"),
		N_("the model or data set does not exist, or the token may not see it"),
		N_("check the name and the token"), YOU, FATAL},
	{"hf-token",
		TEXT("401 Client Error|Invalid user token|Invalid credentials in Authorization "
		     "header"),
		N_("Hugging Face refuses the token: wrong, expired or revoked"),
		N_("make a new read token and set HF_TOKEN"), YOU, FATAL},
	{"hf-forbidden", TEXT("403 Client Error"),
		N_("Hugging Face refuses access with this token"),
		N_("give the token read access to gated repositories and accept the licence"), YOU,
		FATAL},
	{"hf-rate", TEXT("429 Client Error: Too Many Requests|HTTP Error 429 thrown while requesting"),
		N_("Hugging Face limits the number of requests"),
		N_("wait five minutes; it goes on by itself"), YOU},
	{"hf-load",
		TEXT("FATAL ERROR: Failed to load tensor|Could not find recognized model weights"),
		N_("a tensor of the model could not be read"),
		N_("start the stage again; if it stays, check the model name"), YOU, FATAL},

	/* storage */
	{"bucket-missing",
		TEXT("GCS bucket '.*' not found or accessible|Failed to create the directory"),
		N_("the job may not look at the bucket, or it does not exist"),
		N_("check the bucket's name; the nodes' service account needs storage.admin"),
		ADMIN, FATAL},
	{"bucket-denied", TEXT("does not have storage\\.[\\w.]+ access"),
		N_("the account may not use the bucket"),
		N_("give it roles/storage.admin on the project or the bucket"), ADMIN, FATAL},
	{"precondition", TEXT("PreconditionFailed|conditionNotMet"),
		N_("an object was changed by somebody else between two writes"),
		N_("leave the event files alone; training goes on, curves may stop"), YOU},
	{"disk-full", TEXT("No space left on device"), N_("the disk is full"),
		N_("free space here, or use a node with a larger disk"), YOU, FATAL},

	/* gcluster, terraform, Kubernetes texts */
	{"job-exists", TEXT("job with name '.*' already exists"),
		N_("there is already a JobSet of this name, in whatever state"),
		N_("cancel that job or choose another name"), YOU, FATAL},
	{"prereq-docker", TEXT("Command: gcloud auth configure-docker"),
		N_("docker's configuration has no helper for the registry"),
		N_("run gcloud auth configure-docker for gcr.io and the region"), YOU, FATAL},
	{"kueue-unhealthy", TEXT("Kueue is not installed or not healthy"),
		N_("gcluster found a problem with the cluster's queue controller"),
		N_("do not let it be installed again (that deletes queued jobs): wait a minute and "
		   "retry"),
		YOU},
	{"webhook", TEXT("failed calling webhook"),
		N_("a controller of the cluster does not answer yet (its webhook)"),
		N_("wait a minute and retry; otherwise: kubectl get pods -A"), YOU},
	{"network-busy", TEXT("is already being used by '.*/(?:firewalls|networkEndpointGroups)/"),
		N_("the network cannot be deleted: firewall rules made by GKE still use it"),
		N_("destroy again with --robust, or delete the rule that the line names"), YOU, FATAL},
	{"quota-regional", TEXT("insufficient regional quota to satisfy request"),
		N_("quotas of the region are too small"),
		N_("ask for more of the quotas that the lines name"), ADMIN, FATAL},
	{"reservation-short",
		TEXT("is insufficient for node pool|Insufficient reserved capacity|does not have "
		     "enough resources for the request: specific"),
		N_("the reservation has too few free machines: somebody else holds them"),
		N_("free machines of the reservation or choose another one"), ADMIN, FATAL},
	{"api-off", TEXT("has not been used in project \\S+ before or it is disabled"),
		N_("an API is not enabled in the project"),
		N_("enable the API that the message names; it takes a minute or two"), ADMIN, FATAL},
	{"permission",
		TEXT("Permission '?[\\w.]+'? (?:is required|denied)|Required '[\\w.]+' permission"),
		N_("the account lacks a permission"),
		N_("ask an administrator for the role that holds it"), ADMIN, FATAL},
	{"server", TEXT("googleapi: Error 50[0-4]|The service is currently unavailable"),
		N_("the service is in trouble"), N_("wait a minute and retry"), GOOGLE},
	{"queue-never", TEXT("resource \\S+ unavailable in ClusterQueue"),
		N_("the queue can never admit the job: it does not cover a resource"),
		N_("correct the ClusterQueue, then retry"), ADMIN, FATAL},
	{"node-disk", TEXT("The node was low on resource: ephemeral-storage|DiskPressure"),
		N_("the disk of the node is full"),
		N_("use nodes with a larger boot disk (v6e_node_pool_disk_size_gb)"), YOU, FATAL},
	{"authorized-networks",
		TEXT("Unable to connect to the server|connect: connection timed out|i/o timeout"),
		N_("the cluster does not answer from this address"),
		N_("check the network and the cluster's authorized networks"), YOU, FATAL},
	{"stockout",
		TEXT("GCE_STOCKOUT|ZONE_RESOURCE_POOL_EXHAUSTED|does not have enough resources "
		     "available"),
		N_("the zone has no free machines of this type"),
		N_("use the reservation, or try another zone, or try later"), GOOGLE, FATAL},
	{"quota", TEXT("GCE_QUOTA_EXCEEDED|QUOTA_EXCEEDED|Quota '.*' exceeded|quotaExceeded"),
		N_("a quota of the project is used up"),
		N_("ask for more of the quota that the line names"), ADMIN, FATAL},
	{"reservation",
		TEXT("reservation .* (?:not found|does not exist|is not)|deployment variable "
		     "\"reservation\" "
		     "was not set"),
		N_("the reservation cannot be used: name, zone or kind"),
		N_("choose a usable reservation on the reservation screen"), YOU, FATAL},
	{"state-lock", TEXT("Error acquiring the state lock|resource temporarily unavailable"),
		N_("another terraform is working on this deployment, or one was killed"),
		N_("wait for it; if none runs, look at the lock that the line names"), YOU, FATAL},
	{"terraform-version",
		TEXT("terraform v?[\\d.]+ is missing|Unsupported Terraform Core version"),
		N_("terraform is missing or too old"),
		N_("let gcluster download it (deviation download-dependencies)"), YOU, FATAL},
	{"glibc", TEXT("version `GLIBC_[\\d.]+' not found"),
		N_("this system is too old for gcluster"),
		N_("use a system with glibc 2.34 or newer, for example Debian 12"), YOU, FATAL},
	{"queue-quota", TEXT("insufficient unused quota for google.com/tpu"),
		N_("another job still holds the chips; this one waits in the queue"),
		N_("wait or cancel the other job"), YOU},
	{"leader-first", TEXT("leader pod not yet scheduled, not creating follower pod"),
		N_("followers wait until the first pod has a node; this is normal"), N_("wait"),
		YOU},
	{"unschedulable", TEXT("\\d+/\\d+ nodes are available"), N_("no node can take the pod now"),
		N_("wait while the pool scales; otherwise look at the reason that the line names"),
		YOU},
	{"clock", TEXT("Invalid JWT.*reasonable timeframe|Token used too (?:early|late)"),
		N_("this machine's clock is wrong"), N_("set the clock: sudo timedatectl set-ntp true"),
		YOU, FATAL},
	{"key-revoked", TEXT("Invalid JWT Signature"),
		N_("the service account's key was deleted or disabled"),
		N_("make a new key: gcloud iam service-accounts keys create FILE "
		   "--iam-account=ACCOUNT"),
		YOU, FATAL},
	{"account-gone", TEXT("[Ii]nvalid grant: account not found|[Aa]ccount has been deleted"),
		N_("the account of the credentials no longer exists"),
		N_("use credentials of another account"), ADMIN, FATAL},
	{"login-reauth",
		TEXT("Reauthentication (?:is needed|failed|required)|invalid_rapt|rapt_required"),
		N_("your organisation requires you to log in again"),
		N_("run gcloud auth login, then gcloud auth application-default login"), YOU,
		FATAL},
	{"login",
		TEXT("invalid_grant|gcloud auth login|could not find default credentials"),
		N_("the login to Google has expired or is missing"),
		N_("run gcloud auth login and gcloud auth application-default login"), YOU, FATAL},
	{"image-pull", TEXT("Failed to pull image|trying and failing to pull image"),
		N_("the container image cannot be fetched"),
		N_("check the image's name and its registry"), YOU},

	/* reasons of Kubernetes */
	{"oom-killed", REASON("OOMKilled"), N_("the container used more memory than its node has"),
		N_("use a machine with more memory or load less at once"), YOU, FATAL},
	{"image-pull", REASON("ImagePullBackOff"), N_("the container image cannot be fetched"),
		N_("check the image's name and its registry"), YOU},
	{"image-pull", REASON("ErrImagePull"), N_("the container image cannot be fetched"),
		N_("check the image's name and its registry"), YOU},
	{"crash-loop", REASON("CrashLoopBackOff"), N_("the container keeps ending"),
		N_("read its log, the previous one too"), YOU},
	{"evicted", REASON("Evicted"),
		N_("the node was short of disk or memory and evicted the pod"),
		N_("look at the pod's message; free the resource that it names"), YOU, FATAL},
	{"preempted", REASON("NodeShutdown"), N_("the machine is being reclaimed"),
		N_("start the stage again when the nodes are back"), GOOGLE, FATAL},
	{"preempted", REASON("Preempted"), N_("the machine or its quota was withdrawn"),
		N_("start the stage again when the nodes are back"), GOOGLE, FATAL},
	{"unschedulable", REASON("Unschedulable"), N_("no node can take the pod now"),
		N_("wait while the pool scales; otherwise look at the pod's message"), YOU},
	{"restarts-used", REASON("ReachedMaxRestarts"), N_("the job failed and no restart is left"),
		N_("read the log of the first failed pod, then start the stage again"), YOU, FATAL},
	{"job-failed", REASON("FailedJobs"), N_("a job of the set failed"),
		N_("read the log of the first failed pod, then start the stage again"), YOU, FATAL},
	{"autoscaler-limit", REASON("NotTriggerScaleUp"), N_("the autoscaler may not add a node"),
		N_("look at the pool's limit and at quotas"), YOU},

	/* reasons of Google's APIs */
	{"api-off", REASON("SERVICE_DISABLED"), N_("an API is not enabled in the project"),
		N_("enable the API that the message names; it takes a minute or two"), ADMIN},
	{"api-off", REASON("accessNotConfigured"), N_("an API is not enabled in the project"),
		N_("enable the API that the message names; it takes a minute or two"), ADMIN},
	{"quota-project", REASON("USER_PROJECT_DENIED"), N_("the quota project cannot be used"),
		N_("gcloud auth application-default set-quota-project PROJECT"), YOU},
	{"permission", REASON("IAM_PERMISSION_DENIED"), N_("the account lacks a permission"),
		N_("ask an administrator for the role that holds it"), ADMIN},
	{"scope", REASON("ACCESS_TOKEN_SCOPE_INSUFFICIENT"),
		N_("the login does not cover this request"), N_("log in again with all scopes"),
		YOU},
	{"login", REASON("ACCESS_TOKEN_EXPIRED"), N_("the login has expired"),
		N_("gcloud auth login"), YOU},
	{"login", REASON("CREDENTIALS_MISSING"), N_("there is no login"), N_("gcloud auth login"),
		YOU},
	{"login", REASON("authError"), N_("the login is not valid"), N_("gcloud auth login"), YOU},
	{"billing", REASON("BILLING_DISABLED"), N_("the project has no billing account"),
		N_("link a billing account to the project"), ADMIN},
	{"project", REASON("CONSUMER_INVALID"), N_("the project id is wrong or suspended"),
		N_("check PROJECT"), YOU},
	{"project", REASON("CONSUMER_SUSPENDED"), N_("the project is suspended"),
		N_("ask Google's support"), ADMIN},
	{"rate-limit", REASON("RATE_LIMIT_EXCEEDED"), N_("too many requests in a short time"),
		N_("wait; rlpilot asks again by itself"), YOU},
	{"rate-limit", REASON("rateLimitExceeded"), N_("too many requests in a short time"),
		N_("wait; rlpilot asks again by itself"), YOU},
	{"quota", REASON("RESOURCE_QUOTA_EXCEEDED"), N_("a quota of the project is used up"),
		N_("ask for more of the quota that the message names"), ADMIN},
	{"vpc-controls", REASON("SECURITY_POLICY_VIOLATED"),
		N_("VPC Service Controls block the request"),
		N_("show the message to the administrator"), ADMIN},
	{"org-policy", REASON("LOCATION_ORG_POLICY_VIOLATED"),
		N_("a policy of the organisation forbids it"),
		N_("show the message to the administrator"), ADMIN},
	{"account", REASON("ACCOUNT_STATE_INVALID"), N_("the account is disabled"),
		N_("use another account"), ADMIN},

	/* errors of the token service */
	{"login-reauth", REASON("invalid_rapt"), N_("your organisation requires you to log in again"),
		N_("run gcloud auth login, then gcloud auth application-default login"), YOU,
		FATAL},
	{"login-reauth", REASON("rapt_required"), N_("your organisation requires you to log in again"),
		N_("run gcloud auth login, then gcloud auth application-default login"), YOU,
		FATAL},
	{"login-expired", REASON("invalid_grant"), N_("the login has expired or was revoked"),
		N_("run gcloud auth application-default login"), YOU, FATAL},
	{"credentials-damaged", REASON("invalid_client"),
		N_("the credentials file is damaged or its client is blocked"),
		N_("make new credentials: gcloud auth application-default login"), YOU, FATAL},
	{"credentials-damaged", REASON("unauthorized_client"),
		N_("the credentials file is damaged or its client is blocked"),
		N_("make new credentials: gcloud auth application-default login"), YOU, FATAL},
	{"token-service", REASON("internal_failure"), N_("the token service has trouble"),
		N_("wait; rlpilot asks again by itself"), GOOGLE},
	{"token-service", REASON("server_error"), N_("the token service has trouble"),
		N_("wait; rlpilot asks again by itself"), GOOGLE},
	{"token-service", REASON("temporarily_unavailable"), N_("the token service has trouble"),
		N_("wait; rlpilot asks again by itself"), GOOGLE},

	/* conditions around logins that have no word of Google's */
	{"no-login", REASON("no-login"), N_("there is no login here"),
		N_("run gcloud auth application-default login"), YOU, FATAL},
	{"credentials-file", REASON("credentials-file"), N_("the credentials file is not usable"),
		N_("make new credentials: gcloud auth application-default login"), YOU, FATAL},
	{"credentials-kind", REASON("credentials-kind"),
		N_("credentials of this kind are left to gcloud"),
		N_("give them to gcloud: gcloud auth login --cred-file=FILE"), YOU, FATAL},
	{"token-address", REASON("token-address"),
		N_("the credentials file names a token service that is not Google's"),
		N_("use credentials made by gcloud or the console"), YOU, FATAL},
	{"token-answer", REASON("token-answer"),
		N_("the token service's answer is no token: a proxy or a network's login page"),
		N_("check the network and the proxy"), YOU},
	{"impersonation", REASON("impersonation"), N_("the service account may not be impersonated"),
		N_("ask for roles/iam.serviceAccountTokenCreator on the service account"), ADMIN,
		FATAL},
	{"cloud-shell-authorize", REASON("cloud-shell-authorize"),
		N_("Cloud Shell waits for your permission"),
		N_("click Authorize in the browser; it is asked again every 2 seconds"), YOU},
	{"metadata", REASON("metadata"), N_("the metadata server gives no token"),
		N_("attach a service account to the machine, or run gcloud auth application-default "
		   "login"),
		YOU, FATAL},

	/* the status alone */
	{"login", HTTP("401"), N_("the login is not valid"), N_("gcloud auth login"), YOU},
	{"permission", HTTP("403"), N_("the account may not do this"),
		N_("ask an administrator for the role"), ADMIN},
	{"not-found", HTTP("404"), N_("it does not exist, or the account may not see it"),
		N_("check names, project and place"), YOU},
	{"conflict", HTTP("409"), N_("the name is taken"),
		N_("use the existing one or another name"), YOU},
	{"rate-limit", HTTP("429"), N_("too many requests in a short time"),
		N_("wait; rlpilot asks again by itself"), YOU},
	{"server", HTTP("500"), N_("the service has trouble"),
		N_("wait; rlpilot asks again by itself"), GOOGLE},
	{"server", HTTP("502"), N_("the service has trouble"),
		N_("wait; rlpilot asks again by itself"), GOOGLE},
	{"server", HTTP("503"), N_("the service has trouble"),
		N_("wait; rlpilot asks again by itself"), GOOGLE},
};

static const char noise[] =
	"Type mismatch on|No mapping for flat state|oneDNN custom operations are on|"
	"Failed to import from vllm\\._C|WandbBackend skipped|Using v0 "
	"ocp\\.CheckpointManagerOptions is deprecated|'hf_access_token' via command-line";

static struct match *compiled[COUNT(causes)], *any, *harmless;

static struct match *must(const char *pattern)
{
	struct match *m = match_new(pattern, false, NULL);

	if (!m)
		die("cause pattern does not compile: %s", pattern);
	return m;
}

/* One alternation of all texts: most lines hold none of them. */
static void compile_all(void)
{
	struct buf b = {0};

	for (size_t i = 0; i < COUNT(causes); i++) {
		if (causes[i].kind != CAUSE_TEXT)
			continue;
		compiled[i] = must(causes[i].match);
		buf_addf(&b, "%s(?:%s)", b.len ? "|" : "", causes[i].match);
	}
	any = must(buf_str(&b));
	harmless = must(noise);
	buf_fini(&b);
}

const struct cause *cause_of_text(const char *s, size_t n)
{
	struct match_span at[1];

	if (!any)
		compile_all();
	if (!match_find(any, s, n, 0, at, 1) || cause_is_noise(s, n))
		return NULL;
	for (size_t i = 0; i < COUNT(causes); i++)
		if (compiled[i] && match_find(compiled[i], s, n, 0, at, 1))
			return &causes[i];
	return NULL;
}

bool cause_is_noise(const char *s, size_t n)
{
	struct match_span at[1];

	if (!any)
		compile_all();
	return match_find(harmless, s, n, 0, at, 1);
}

static const struct cause *exact(enum cause_kind kind, const char *s)
{
	for (size_t i = 0; i < COUNT(causes); i++)
		if (causes[i].kind == kind && !strcmp(causes[i].match, s))
			return &causes[i];
	return NULL;
}

const struct cause *cause_of_reason(const char *reason)
{
	return reason ? exact(CAUSE_REASON, reason) : NULL;
}

const struct cause *cause_of_http(int status)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", status);
	return exact(CAUSE_HTTP, text);
}

const struct cause *cause_by_id(const char *id)
{
	for (size_t i = 0; id && i < COUNT(causes); i++)
		if (!strcmp(causes[i].id, id))
			return &causes[i];
	return NULL;
}

const char *cause_who_name(enum cause_who who)
{
	static const char *const names[] = {"you", "administrator", "google"};

	return names[who];
}

const struct cause *cause_at(size_t i)
{
	return i < COUNT(causes) ? &causes[i] : NULL;
}
