/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of the tools: terraform, gcluster, gcloud, kubectl, curl, and the controllers they tell of.
 */
#include "core/fmt/cause_rows.h"

/* What a terraform has made that ended before its state knew. */
#define LEFT_OVER                                                                                  \
	N_("{left} is there, but terraform's state does not know it: a try that was cut off has "  \
	   "made it, or another deployment of this name"),                                         \
		N_("delete it if it is yours, then retry; or choose another CLUSTER_NAME")

const struct cause cause_tool_rows[] = {
	/* gcluster */
	{"job-exists", TEXT("job with name '([^']*)' already exists(?: in state '([^']*)')?"),
		N_("there is already a JobSet of this name, in whatever state[: {job}, {state}]"),
		N_("cancel that job or choose another name"), WORDS("job state"),
		CMD("./gcluster job cancel {job}"), YOU, FATAL},
	{"job-name", TEXT("workload name cannot exceed 28 characters"),
		N_("the name of the job is too long"), N_("use at most 28 letters"), YOU, FATAL},
	{"job-topology", TEXT("requested topology (\\S+) is not valid for cluster"),
		N_("the cluster has no nodes of this topology[: {topology}]"),
		N_("correct TOPOLOGY, or wait until the TPU pool is there"), WORDS("topology"), YOU,
		FATAL},
	{"job-head-pool", TEXT("failed to auto-detect a suitable CPU node pool"),
		N_("the cluster has no CPU pool for the head of the job"),
		N_("check that the pool cpu-np is there"),
		CMD("gcloud container node-pools list --cluster={cluster} --region={region}"), YOU,
		FATAL},
	{"job-queues", TEXT("multiple LocalQueues found"),
		N_("the cluster has several queues and gcluster does not choose"),
		N_("name one with --queue"), YOU, FATAL},
	{"job-flags",
		TEXT("--num-nodes cannot be used with TPU jobs|pathways-gcs-location is required"),
		N_("gcluster refuses the flags of the submit"),
		N_("correct the flags that the line names"), YOU, FATAL},
	{"job-wait-race", TEXT("failed to find Kueue workload for jobset"),
		N_("gcluster looked for the queue's entry too early; the job may run all the same"),
		N_("look at the JobSet; submit again only if there is none"), YOU},
	{"kueue-unhealthy", TEXT("Kueue is not installed or not healthy"),
		N_("gcluster found a problem with the cluster's queue controller"),
		N_("do not let it be installed again (that deletes queued jobs): wait a minute and "
		   "retry"),
		YOU},
	{"prereq-docker", TEXT("Command: gcloud auth configure-docker"),
		N_("docker's configuration has no helper for the registry"),
		N_("give docker its helpers for gcr.io and the region"),
		CMD("gcloud auth configure-docker gcr.io,{region}-docker.pkg.dev"), YOU, FATAL},
	{"prereq", TEXT("(?m)^ +Command: (\\S[^\\n]*)"),
		N_("gcluster misses something that it needs"), N_("run what gcluster names"),
		WORDS("command"), CMD("{command}"), YOU, FATAL},
	{"blueprint-zero", TEXT("deployment variable \"(\\w+)\" was not set"),
		N_("a variable of the blueprint is empty[: {variable}]"),
		N_("give it a value; RESERVATION is not optional"), WORDS("variable"), YOU, FATAL},
	{"blueprint-old", TEXT("expanded_blueprint\\.yaml|--force to overwrite"),
		N_("the deployment folder is of another gcluster or of a run that never began"),
		N_("remove the folder if nothing was deployed from it; otherwise deploy with "
		   "--force"),
		YOU, FATAL},
	{"glibc", TEXT("version `GLIBC_([\\d.]+)' not found"),
		N_("this system is too old for gcluster[: it needs glibc {version}]"),
		N_("use a system with glibc 2.34 or newer, for example Debian 12"),
		WORDS("version"), YOU, FATAL},

	/* quota, reservation, capacity */
	{"quota-regional",
		TEXT("insufficient regional quota to satisfy request: resource \"([^\"]+)\": "
		     "request "
		     "requires '([\\d.]+)' and is short '([\\d.]+)'"),
		N_("quotas of the region are too small[: {quota}][, asked {asked}][, short of "
		   "{short}]"),
		N_("ask for more of each of them on the console's quota page"),
		WORDS("quota asked short"), ADMIN, FATAL, ALL},
	{"quota-zero",
		TEXT("Quota limit '([^']+)' has been exceeded\\. Limit: 0 in (?:region|zone) "
		     "([\\w-]+)"),
		N_("the quota {quota} is 0 in {region}: waiting never helps"),
		N_("a reservation needs no TPU quota: check that RESERVATION is set and used; "
		   "otherwise ask for the quota"),
		WORDS("quota region"), ADMIN, FATAL},
	{"quota",
		TEXT("[Qq]uota '([^']+)' exceeded(?:[^\\n]*?[Ll]imit: ([\\d.]+))?(?:[^\\n]*? in "
		     "region "
		     "([\\w-]+))?|Quota limit '([^']+)' has been exceeded|GCE_QUOTA_EXCEEDED|"
		     "QUOTA_EXCEEDED|quotaExceeded|insufficient quota for (\\S+) in (\\S+)"),
		N_("a quota of the project is used up[: {quota}][, limit {limit}][ in {region}]"),
		N_("ask for more of the quota that the line names"),
		WORDS("quota limit region quota quota region"), ADMIN, FATAL},
	{"reservation-short",
		TEXT("specific reservation \"([^\"]*)\" is insufficient for node pool \"([^\"]*)\" "
		     "at "
		     "zone \"([^\"]*)\": required (\\d+) and short of (\\d+)|Reservation does not "
		     "have "
		     "enough resources|Insufficient reserved capacity[^\\n\\[]*(?:\\[EID: "
		     "(\\w+)\\])?"),
		N_("the reservation[ {reservation}] has too few free machines[: {required} needed, "
		   "{short} missing][ (EID {eid} for Google's support)]"),
		N_("free its machines (an old cluster, another team) or choose another "
		   "reservation"),
		WORDS("reservation pool zone required short eid"),
		CMD("gcloud compute reservations describe {reservation} --zone={zone}"), YOU,
		FATAL},
	{"reservation-match",
		TEXT("Invalid value for field 'resource\\.reservationAffinity'|A target "
		     "reservation "
		     "must be specified"),
		N_("the reservation does not fit the request: machine type, zone, project or kind"),
		N_("compare it on the reservation screen; a shared one needs "
		   "projects/OWNER/reservations/NAME"),
		YOU, FATAL},
	{"reservation-zone",
		TEXT("reservation \"([^\"]*)\" exists in project \"[^\"]*\", but in zone\\(s\\) "
		     "\\[([^\\]]*)\\]"),
		N_("the reservation {reservation} is in another zone[: {zone}]"),
		N_("set ZONE to the reservation's zone"), WORDS("reservation zone"), YOU, FATAL},
	{"reservation", TEXT("[Rr]eservation .* (?:not found|does not exist|is not)"),
		N_("the reservation cannot be used: name, zone or kind"),
		N_("choose a usable reservation on the reservation screen"), YOU, FATAL},
	{"stockout",
		TEXT("GCE_STOCKOUT(?:[^\\n]*?Instance "
		     "'([\\w-]+)')?(?:[^\\n]*?zones/([\\w-]+)')?|[Tt]he "
		     "zone '(?:projects/[\\w-]+/zones/)?([\\w-]+)' does not have enough resources|"
		     "ZONE_RESOURCE_POOL_EXHAUSTED|does not have enough resources available"),
		N_("the zone[ {zone}] has no free machines of this type[: {instance}]"),
		N_("use the reservation, or try another zone, or try later; a pool in state ERROR "
		   "must be deleted first, its name is taken"),
		WORDS("instance zone zone"),
		CMD("gcloud container node-pools list --cluster={cluster} --region={region}"),
		GOOGLE, FATAL},
	{"gang-size",
		TEXT("invalid target size '(\\d+)' for a Managed Instance Group in the gang mode "
		     "of "
		     "size '(\\d+)'"),
		N_("the number of nodes does not fit the topology: {asked} asked, {gang} make one "
		   "slice"),
		N_("let TPU_TYPE, COMPUTE_TYPE and TOPOLOGY agree: v6e-32 is 4x8 on 8 machines"),
		WORDS("asked gang"), YOU, FATAL},

	/* rights and APIs */
	{"api-off",
		TEXT("(?:API has not been used in project ([\\w-]+)|SERVICE_DISABLED|"
		     "accessNotConfigured)(?:[\\s\\S]*?(?:/apis/api/([\\w.-]+)/"
		     "overview|\"service\": "
		     "*\"([\\w.-]+)\"))?"),
		N_("an API is not enabled in the project[: {service}]"),
		N_("enable it; it takes a minute or two until it works"),
		WORDS("project service service"),
		CMD("gcloud services enable {service} --project={project}"), ADMIN, FATAL},
	{"quota-project-permission",
		TEXT("Caller does not have required permission to use project ([\\w-]+)|"
		     "serviceusage\\.services\\.use"),
		N_("the account may not use the project for its quota[: {project}]"),
		N_("give it roles/serviceusage.serviceUsageConsumer; a new grant takes some "
		   "minutes"),
		WORDS("project"),
		CMD("gcloud projects add-iam-policy-binding {project} --member=user:{account} "
		    "--role=roles/serviceusage.serviceUsageConsumer"),
		ADMIN, FATAL},
	{"permission",
		TEXT("[Pp]ermission '?([a-z][A-Za-z]*(?:\\.[A-Za-z]+){2,})'? (?:is "
		     "required|denied)|"
		     "Required '([a-z][A-Za-z]*(?:\\.[A-Za-z]+){2,})' permission|[Mm]issing "
		     "(?:necessary )?permission '?([a-z][A-Za-z]*(?:\\.[A-Za-z]+){2,})"),
		N_("the account lacks a permission[: {permission}]"),
		N_("ask an administrator for the role that holds it[: {role}]"),
		WORDS("permission permission permission"),
		CMD("gcloud projects add-iam-policy-binding {project} --member=user:{account} "
		    "--role={role}"),
		ADMIN, FATAL},

	{"server", TEXT("googleapi: Error 50[0-4]|The service is currently unavailable"),
		N_("the service is in trouble"), N_("wait a minute and retry"), GOOGLE},

	/* terraform */
	{"state-errored", TEXT("Failed to (?:persist|save) state|errored\\.tfstate"),
		N_("terraform could not save its state: what it has made is only in "
		   "errored.tfstate, or printed in its output"),
		N_("make room, then push it in the deployment's folder primary, before anything "
		   "else"),
		CMD("terraform state push errored.tfstate"), YOU, FATAL},
	{"state-lock",
		TEXT("Error acquiring the state lock(?:[\\s\\S]*?\\bID: +(\\S+))?"
		     "(?:[\\s\\S]*?\\bWho: +(\\S+))?(?:[\\s\\S]*?\\bCreated: +([^\\n]+))?|resource "
		     "temporarily unavailable"),
		N_("another terraform is working on this deployment, or one was killed[: begun by "
		   "{holder}][ at {created}]"),
		N_("wait for it; only when none runs, unlock in the deployment's folder primary"),
		WORDS("lock holder created"), CMD("terraform force-unlock {lock}"), YOU, FATAL},
	{"network-busy",
		TEXT("The network resource '[^']*?networks/([\\w-]+)' is already being used by "
		     "'[^']*?(firewalls|networkEndpointGroups|[\\w]+)/([\\w-]+)'"),
		N_("the network {network} cannot be deleted: {kind} {user} made by the cluster is "
		   "still there"),
		N_("destroy again with --robust, which removes firewall rules first"),
		WORDS("network kind user"),
		CMD("gcloud compute firewall-rules list --filter=network~{network}"), YOU, FATAL},
	{"exists-already", TEXT("Service account ([\\w-]+) already exists within project"),
		LEFT_OVER, WORDS("left"),
		CMD("gcloud iam service-accounts delete "
		    "{left}@{project}.iam.gserviceaccount.com --project {project}"),
		YOU, FATAL},
	{"exists-already",
		TEXT("The resource 'projects/[^']*/global/networks/([\\w-]+)' already exists"),
		LEFT_OVER, WORDS("left"),
		CMD("gcloud compute networks delete {left} --project {project}"), YOU, FATAL},
	{"exists-already",
		TEXT("Already exists: projects/[^ ]*/clusters/([\\w-]+)/nodePools/([\\w-]+)"),
		LEFT_OVER, WORDS("cluster left"),
		CMD("gcloud container node-pools delete {left} --cluster {cluster} --location "
		    "{region} --project {project}"),
		YOU, FATAL},
	{"exists-already", TEXT("Already exists: projects/[^ ]*/clusters/([\\w-]+)"), LEFT_OVER,
		WORDS("left"),
		CMD("gcloud container clusters delete {left} --location {region} --project "
		    "{project}"),
		YOU, FATAL},
	{"exists-already",
		TEXT("Error 409: ([^\\n]{0,160}already exists)|Error 409|alreadyExists|already "
		     "exists "
		     "in the project"),
		N_("something of this name is left from an earlier deployment[: {what}]"),
		N_("choose another CLUSTER_NAME, or delete what is left"), WORDS("what"), YOU,
		FATAL},
	{"terraform-version",
		TEXT("terraform v?([\\d.]+) is missing|Unsupported Terraform Core version"),
		N_("terraform is missing or too old[: {version} is wanted]"),
		N_("let gcluster download it (deviation download-dependencies)"), WORDS("version"),
		YOU, FATAL},

	/* the cluster */
	{"webhook", TEXT("failed calling webhook \"?([\\w.-]+)?"),
		N_("a controller of the cluster does not answer yet[: {webhook}]; usual just after "
		   "a "
		   "deployment"),
		N_("wait a minute and submit again; if it stays, look at its Deployment"),
		WORDS("webhook"), CMD("kubectl get deployments -A"), YOU},
	{"gke-plugin",
		TEXT("executable gke-gcloud-auth-plugin not found|gke-gcloud-auth-plugin: "
		     "(?:command )?not found"),
		N_("the plugin that gives kubectl its login is not on PATH"),
		N_("install it (on Debian and Ubuntu: sudo apt-get install "
		   "google-cloud-cli-gke-gcloud-auth-plugin)"),
		CMD("gcloud components install gke-gcloud-auth-plugin"), YOU, FATAL},
	{"exec-plugin",
		TEXT("interactiveMode must be specified for|exec plugin: invalid apiVersion"),
		N_("the kubeconfig's login plugin is written for another client"),
		N_("make the entry again"),
		CMD("gcloud container clusters get-credentials {cluster} --region={region}"), YOU},
	{"cluster-login",
		TEXT("server has asked for the client to provide credentials|You must be logged in "
		     "to "
		     "the server"),
		N_("the cluster no longer accepts the login; the job itself runs on"),
		N_("log in again"), CMD("gcloud auth login"), YOU},
	{"no-kubeconfig", TEXT("localhost:80(?:80)?[^\\n]*(?:refused|right host)"),
		N_("there is no valid kubeconfig: kubectl asks this machine instead of a cluster"),
		N_("make one"),
		CMD("gcloud container clusters get-credentials {cluster} --region={region}"), YOU,
		FATAL},
	{"authorized-networks",
		TEXT("dial tcp ([\\d.]+):443: i/o timeout|Unable to connect to the server: dial|"
		     "connect: connection timed out|i/o timeout|Please verify your IP is allowed"),
		N_("the cluster[ at {address}] does not answer from this address"),
		N_("check the network, and that the authorized networks hold this machine's "
		   "address"),
		WORDS("address"),
		CMD("gcloud container clusters describe {cluster} --region={region} "
		    "--format='value(masterAuthorizedNetworksConfig)'"),
		YOU, FATAL},
	{"control-plane",
		TEXT("The connection to the server (\\S+) was refused|connect: connection "
		     "refused|net/"
		     "http: TLS handshake timeout"),
		N_("the control plane[ {address}] is away for some minutes: an upgrade or a "
		   "repair; "
		   "the job itself usually runs on"),
		N_("wait; rlpilot connects again by itself"), WORDS("address"),
		CMD("gcloud container clusters describe {cluster} --region={region} "
		    "--format='value(status)'"),
		GOOGLE},
	{"no-pods-yet", TEXT("no matching resources found"),
		N_("there is no such pod yet; the job may still wait in the queue"),
		N_("wait; look at the queue's reason"), YOU},
	{"pod-starting",
		TEXT("is waiting to start: (?:ContainerCreating|PodInitializing)|Job containers "
		     "are "
		     "waiting to start"),
		N_("the container is being started"), N_("wait"), YOU},
	{"queue-never",
		TEXT("couldn't assign flavors to pod set [^:]*: resource (\\S+) unavailable in "
		     "ClusterQueue"),
		N_("the queue does not cover {resource}: the job would wait for ever"),
		N_("deploy with a blueprint whose queue covers cpu and memory too"),
		WORDS("resource"), YOU, FATAL},
	{"queue-quota",
		TEXT("insufficient unused quota for (\\S+)(?: in flavor [^,\\n]*, (\\d+) more "
		     "needed)?"),
		N_("another job still holds the chips; this one waits in the queue[: {missing} "
		   "missing]"),
		N_("wait or cancel the other job"), WORDS("resource missing"),
		CMD("kubectl get workloads"), YOU},
	{"leader-first", TEXT("leader pod not yet scheduled, not creating follower pod"),
		N_("followers wait until the first pod has a node; this is normal"), N_("wait"),
		YOU},
	{"pod-policy", TEXT("restartPolicy: Invalid value: \"OnFailure\": only \"Never\""),
		N_("the workers are refused: --restart-on-exit-codes does not go with --pathways"),
		N_("submit without --restart-on-exit-codes"), YOU, FATAL},
	{"autoscaler-backoff", TEXT("in backoff after failed scale-up"),
		N_("a node could not be made; the autoscaler tries again in some minutes"),
		N_("wait; if it stays, the zone has no such machines"), GOOGLE},
	{"autoscaler-never", TEXT("it wouldn't fit if a new node is added"),
		N_("no pool has machines large enough for this pod: it would wait for ever"),
		N_("compare what the pod asks for with the pool's machine type"), YOU, FATAL},
	{"unschedulable",
		TEXT("\\d+/\\d+ nodes are available: ([^\\n]+)|\\d+/\\d+ nodes are available"),
		N_("no node can take the pod now[: {why}]"),
		N_("wait while the pool scales; otherwise look at the reason that the line names"),
		WORDS("why"), YOU},
	{"image-denied",
		TEXT("(?:Failed to pull|Back-off pulling) image \"([^\"]*)\"[^\\n]*(?:403 "
		     "Forbidden|denied)|failed to (?:pull and unpack|resolve)[^\\n]*(?:403 "
		     "Forbidden|denied)|artifactregistry\\.repositories\\.downloadArtifacts"),
		N_("the nodes may not fetch the image[: {image}]"),
		N_("give the nodes' service account roles/artifactregistry.reader"), WORDS("image"),
		CMD("gcloud projects add-iam-policy-binding {project} "
		    "--member=serviceAccount:{account} --role=roles/artifactregistry.reader"),
		ADMIN, FATAL},
	{"image-missing",
		TEXT("(?:Failed to pull|Back-off pulling) image \"([^\"]*)\"[^\\n]*not found|"
		     "failed to (?:pull and unpack|resolve)[^\\n]*not found"),
		N_("there is no such image[: {image}]"), N_("correct its name and tag"),
		WORDS("image"), YOU, FATAL},
	{"crash-loop", TEXT("[Bb]ack-off (?:\\S+ )?restarting failed container"),
		N_("the container keeps ending"), N_("read its log, the previous one too"),
		CMD("kubectl logs {pod} --previous"), YOU},
	{"image-pull",
		TEXT("Failed to pull image|Back-off pulling image|trying and failing to pull "
		     "image"),
		N_("the container image cannot be fetched"),
		N_("check the image's name and its registry"), YOU},
	{"node-disk",
		TEXT("low on resource: ephemeral-storage(?:\\. Threshold quantity: (\\w+), "
		     "available: "
		     "(\\w+))?(?:\\.? *Container ([\\w-]+) was using (\\w+))?|\\[DiskPressure\\]"),
		N_("the node's disk is full[: {available} free of the {threshold} it must keep][; "
		   "{container} used {used}]"),
		N_("delete old pods of the node, or give the pool larger disks "
		   "(v6e_node_pool_disk_size_gb; the weights alone take about 52 GB)"),
		WORDS("threshold available container used"), YOU, FATAL},
	{"node-lost",
		TEXT("Kubelet stopped posting node status|TerminationEvent[^\\n]*Host Error|"
		     "impending-node-termination|active-node-maintenance"),
		N_("a TPU host is repaired or maintained; the whole slice goes with it"),
		N_("wait for the nodes; with no restarts start again from the newest checkpoint"),
		GOOGLE, FATAL},
	{"too-many-streams", TEXT("you are attempting to follow \\d+ log streams"),
		N_("kubectl does not follow so many containers at once"),
		N_("follow one container by its pod's name"), YOU},

	/* logins */
	{"clock", TEXT("Invalid JWT.*reasonable timeframe|Token used too (?:early|late)"),
		N_("this machine's clock is wrong"), N_("set the clock"),
		CMD("sudo timedatectl set-ntp true"), YOU, FATAL},
	{"key-revoked", TEXT("Invalid JWT Signature"),
		N_("the service account's key was deleted or disabled"), N_("make a new key"),
		CMD("gcloud iam service-accounts keys create FILE --iam-account={account}"), YOU,
		FATAL},
	{"account-gone", TEXT("[Ii]nvalid grant: account not found|[Aa]ccount has been deleted"),
		N_("the account of the credentials no longer exists"),
		N_("use credentials of another account"), ADMIN, FATAL},
	{"login-reauth",
		TEXT("Reauthentication (?:is needed|failed|required)|invalid_rapt|rapt_required"),
		N_("your organisation requires you to log in again"), N_("run both logins"),
		CMD("gcloud auth login && gcloud auth application-default login"), YOU, FATAL},
	{"no-adc",
		TEXT("Application default credentials have not been set up|could not find default "
		     "credentials"),
		N_("the login for programs (ADC) is not made yet"),
		N_("make it first, the quota project after it"),
		CMD("gcloud auth application-default login"), YOU, FATAL},
	{"no-login", TEXT("do not currently have an active account selected"),
		N_("there is no login here"), N_("log in"), CMD("gcloud auth login"), YOU, FATAL},
	{"login", TEXT("invalid_grant|gcloud auth login|gcloud is not authenticated"),
		N_("the login to Google has expired or is missing"), N_("run both logins"),
		CMD("gcloud auth login && gcloud auth application-default login"), YOU, FATAL},

	/* this machine */
	{"no-network",
		TEXT("(?i:Could not resolve host|no such host|network is unreachable|temporary "
		     "failure "
		     "in name resolution|name or service not known|unable to find the server|max "
		     "retries exceeded|failed to connect|connect to server|connection refused|"
		     "connection timed out)"),
		N_("this machine does not reach the service"),
		N_("check the network, name service and proxy, then try again"), YOU},
	{"tls-proxy",
		TEXT("certificate signed by unknown authority|SSL certificate problem|unable "
		     "to get local issuer certificate"),
		N_("the server's certificate is not trusted here: often a proxy that opens TLS"),
		N_("name the proxy's certificate file in CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE and "
		   "SSL_CERT_FILE"),
		YOU, FATAL},
	{"download",
		TEXT("The requested URL returned error: (\\d{3})|gzip: stdin: not in gzip "
		     "format|tar: Child returned status"),
		N_("the download failed[: HTTP {status}]"),
		N_("check the release's address and the network, then retry"), WORDS("status"), YOU,
		FATAL},
	{.id = NULL},
};
