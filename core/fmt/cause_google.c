/* SPDX-License-Identifier: Apache-2.0 */
/* Reasons of Google's APIs (ErrorInfo and legacy), of its token service, of Hugging Face. */
#include "core/fmt/cause_rows.h"

#define LOGIN N_("the login is not valid"), N_("log in"), CMD("gcloud auth login"), YOU
#define ENABLE                                                                                     \
	N_("an API is not enabled in the project[: {service}]"),                                   \
		N_("enable it; it takes a minute or two until it works"),                          \
		CMD("gcloud services enable {service} --project={project}"), ADMIN
#define PERIMETER                                                                                  \
	N_("VPC Service Controls block the request[ (id {uid})]"),                                 \
		N_("show the message to the administrator"), ADMIN
#define MISSING                                                                                    \
	N_("it does not exist, or the account may not see it"),                                    \
		N_("check names, project and place"), YOU
#define TAKEN N_("the name is taken"), N_("use the existing one or another name"), YOU
#define REFUSED                                                                                    \
	N_("the service refuses a value of the request"),                                          \
		N_("correct the value that the message names"), YOU
#define TOO_MANY                                                                                   \
	N_("too many requests in a short time"), N_("wait; rlpilot asks again by itself"), YOU
#define QUOTA                                                                                      \
	N_("a quota of the project is used up[: {quota_metric}][ {quota_limit}]"),                 \
		N_("ask for more of the quota that the message names"), ADMIN
#define POLICY                                                                                     \
	N_("a policy of the organisation forbids it"),                                             \
		N_("show the message to the administrator"), ADMIN
#define REAUTH                                                                                     \
	N_("your organisation requires you to log in again"), N_("run both logins"),               \
		CMD("gcloud auth login && gcloud auth application-default login"), YOU, FATAL
#define DAMAGED                                                                                    \
	N_("the credentials file is damaged or its client is blocked"),                            \
		N_("make new credentials"), CMD("gcloud auth application-default login"), YOU,     \
		FATAL
#define TROUBLE                                                                                    \
	N_("the token service has trouble"), N_("wait; rlpilot asks again by itself"), GOOGLE
#define SUSPENDED N_("the project is suspended[: {project}]"), N_("ask Google's support"), ADMIN
#define BILLING                                                                                    \
	N_("the project has no billing account[: {project}]"),                                     \
		N_("link a billing account to the project"),                                       \
		CMD("gcloud billing projects link {project} --billing-account=ACCOUNT_ID"), ADMIN
#define LACKS                                                                                      \
	N_("the account lacks a permission[: {permission}][ on {resource}]"),                      \
		N_("ask an administrator for the role that holds it[: {role}]"),                   \
		CMD("gcloud projects add-iam-policy-binding {project} --member=user:{account} "    \
		    "--role={role}"),                                                              \
		ADMIN

const struct cause cause_google_rows[] = {
	/* ErrorInfo */
	{"no-quota-project", REASON("no-quota-project"),
		N_("no project pays for this request: the quota project is not set"), N_("set it"),
		CMD("gcloud auth application-default set-quota-project {mine}"), YOU},
	{"api-off", REASON("SERVICE_DISABLED"), ENABLE},
	{"api-off", REASON("accessNotConfigured"), ENABLE},
	{"quota-project", REASON("USER_PROJECT_DENIED"),
		N_("the quota project cannot be used[: {project}]: it does not exist, or the "
		   "account "
		   "may not use its services"),
		N_("set another one (look at GOOGLE_CLOUD_QUOTA_PROJECT too), or have "
		   "roles/serviceusage.serviceUsageConsumer granted"),
		CMD("gcloud auth application-default set-quota-project {mine}"), YOU},
	{"permission", REASON("IAM_PERMISSION_DENIED"), LACKS},
	{"permission", REASON("AUTH_PERMISSION_DENIED"), LACKS},
	{"permission", REASON("PERMISSION_DENIED"), LACKS},
	{"permission", REASON("forbidden"), LACKS},
	{"scope", REASON("ACCESS_TOKEN_SCOPE_INSUFFICIENT"),
		N_("the login does not cover this request"),
		N_("log in again with all scopes; on a virtual machine widen its scopes"),
		CMD("gcloud auth application-default login"), YOU},
	{"scope", REASON("insufficientPermissions"), N_("the login does not cover this request"),
		N_("log in again with all scopes; on a virtual machine widen its scopes"),
		CMD("gcloud auth application-default login"), YOU},
	{"login", REASON("ACCESS_TOKEN_EXPIRED"), LOGIN},
	{"login", REASON("CREDENTIALS_MISSING"), LOGIN},
	{"login", REASON("ACCESS_TOKEN_TYPE_UNSUPPORTED"), LOGIN},
	{"login", REASON("UNAUTHENTICATED"), LOGIN},
	{"login", REASON("authError"), LOGIN},
	{"login", REASON("required"), LOGIN},
	{"billing", REASON("BILLING_DISABLED"), BILLING},
	{"billing", REASON("accountDisabled"), BILLING},
	{"billing", REASON("UREQ_PROJECT_BILLING_NOT_FOUND"), BILLING},
	{"project", REASON("CONSUMER_INVALID"),
		N_("the project id is wrong or suspended[: {project}]"), N_("check PROJECT"),
		CMD("gcloud projects list"), YOU},
	{"project", REASON("CONSUMER_SUSPENDED"), SUSPENDED},
	{"project", REASON("userProjectMissing"),
		N_("the bucket wants a project that pays for the request"),
		N_("use a bucket without requester pays"), YOU},
	{"api-unknown", REASON("SERVICE_CONFIG_NOT_FOUND_OR_PERMISSION_DENIED"),
		N_("there is no such API, or the account may not enable it[: {services}]"),
		N_("check the names; otherwise ask for roles/serviceusage.serviceUsageAdmin"),
		ADMIN},
	{"rate-limit", REASON("RATE_LIMIT_EXCEEDED"), TOO_MANY},
	{"rate-limit", REASON("rateLimitExceeded"), TOO_MANY},
	{"rate-limit", REASON("userRateLimitExceeded"), TOO_MANY},
	{"quota", REASON("RESOURCE_QUOTA_EXCEEDED"), QUOTA},
	{"quota", REASON("quotaExceeded"), QUOTA},
	{"quota", REASON("QUOTA_EXCEEDED"), QUOTA},
	{"quota", REASON("RESOURCE_EXHAUSTED"), QUOTA},
	{"stockout", REASON("ZONE_RESOURCE_POOL_EXHAUSTED"),
		N_("the zone has no free machines of this type"),
		N_("use the reservation, or try another zone, or try later"), GOOGLE},
	{"not-ready", REASON("resourceNotReady"), N_("the resource is still being changed"),
		N_("wait a minute and try again"), YOU},
	{"vpc-controls", REASON("SECURITY_POLICY_VIOLATED"), PERIMETER},
	{"vpc-controls", REASON("vpcServiceControls"), PERIMETER},
	{"org-policy", REASON("LOCATION_ORG_POLICY_VIOLATED"), POLICY},
	{"org-policy", REASON("ORG_RESTRICTION_VIOLATION"), POLICY},
	{"org-policy", REASON("RESOURCE_USAGE_RESTRICTION_VIOLATED"), POLICY},
	{"precondition", REASON("conditionNotMet"),
		N_("the bucket or object was changed by somebody else between two requests"),
		N_("try again"), YOU},
	{"account", REASON("ACCOUNT_STATE_INVALID"), N_("the account is disabled"),
		N_("use another account"), ADMIN},
	{"not-found", REASON("notFound"), MISSING},
	{"not-found", REASON("NOT_FOUND"), MISSING},
	{"conflict", REASON("alreadyExists"), TAKEN},
	{"conflict", REASON("ALREADY_EXISTS"), TAKEN},
	{"conflict", REASON("conflict"), TAKEN},
	{"request", REASON("INVALID_ARGUMENT"), REFUSED},
	{"request", REASON("invalid"), REFUSED},
	{"precondition", REASON("FAILED_PRECONDITION"),
		N_("the project or resource is not in the state that this needs"),
		N_("read the message; a project without billing cannot enable APIs"), YOU},

	/* the token service */
	{"login-reauth", REASON("invalid_rapt"), REAUTH},
	{"login-reauth", REASON("rapt_required"), REAUTH},
	{"login-expired", REASON("invalid_grant"), N_("the login has expired or was revoked"),
		N_("log in"), CMD("gcloud auth application-default login"), YOU, FATAL},
	{"credentials-damaged", REASON("invalid_client"), DAMAGED},
	{"credentials-damaged", REASON("unauthorized_client"), DAMAGED},
	{"credentials-damaged", REASON("deleted_client"), DAMAGED},
	{"scope", REASON("invalid_scope"), N_("the login does not cover this request"),
		N_("log in again with all scopes"), CMD("gcloud auth application-default login"),
		YOU},
	{"login-blocked", REASON("access_denied"),
		N_("the organisation does not let this account use the API from here"),
		N_("show the message to the administrator"), ADMIN, FATAL},
	{"login-blocked", REASON("admin_policy_enforced"),
		N_("the organisation does not let this account use the API from here"),
		N_("show the message to the administrator"), ADMIN, FATAL},
	{"token-service", REASON("internal_failure"), TROUBLE},
	{"token-service", REASON("server_error"), TROUBLE},
	{"token-service", REASON("temporarily_unavailable"), TROUBLE},

	/* conditions around logins that have no word of Google's */
	{"no-login", REASON("no-login"), N_("there is no login here"), N_("log in"),
		CMD("gcloud auth application-default login"), YOU, FATAL},
	{"credentials-file", REASON("credentials-file"), N_("the credentials file is not usable"),
		N_("make new credentials"), CMD("gcloud auth application-default login"), YOU,
		FATAL},
	{"credentials-kind", REASON("credentials-kind"),
		N_("credentials of this kind are left to gcloud"), N_("give them to gcloud"),
		CMD("gcloud auth login --cred-file=FILE"), YOU, FATAL},
	{"token-address", REASON("token-address"),
		N_("the credentials file names a token service that is not Google's"),
		N_("use credentials made by gcloud or the console"), YOU, FATAL},
	{"token-answer", REASON("token-answer"),
		N_("the token service's answer is no token: a proxy or a network's login page"),
		N_("check the network and the proxy"), YOU},
	{"impersonation", REASON("impersonation"),
		N_("the service account may not be impersonated"),
		N_("ask for roles/iam.serviceAccountTokenCreator on the service account"),
		CMD("gcloud iam service-accounts add-iam-policy-binding {target} "
		    "--member=user:{account} --role=roles/iam.serviceAccountTokenCreator"),
		ADMIN, FATAL},
	{"cloud-shell-authorize", REASON("cloud-shell-authorize"),
		N_("Cloud Shell waits for your permission"),
		N_("click Authorize in the browser; it is asked again every 2 seconds"), YOU},
	{"metadata", REASON("metadata"), N_("the metadata server gives no token"),
		N_("attach a service account to the machine, or log in"),
		CMD("gcloud auth application-default login"), YOU, FATAL},

	/* bodies that are not the service's */
	{"proxy-page", REASON("proxy-page"),
		N_("a web page came instead of the service's answer: a proxy or a network's login "
		   "page stands between"),
		N_("check the network and the proxy; log in to the network in a browser"), YOU},
	{"answer-empty", REASON("answer-empty"), N_("the answer is empty"),
		N_("check the network and its proxy, then try again"), YOU},
	{"answer-cut", REASON("answer-cut"), N_("the answer was cut off on its way"),
		N_("try again; if it stays, a proxy shortens answers"), YOU},
	{"answer-foreign", REASON("answer-foreign"), N_("the answer is not the service's JSON"),
		N_("check the endpoint settings, the network and the proxy"), YOU},

	/* Hugging Face */
	{"hf-gated", HUB("GatedRepo"),
		N_("the licence of the model is not accepted for this token's account[: {model}]"),
		N_("open the model page, accept the licence with that account; a fine-grained "
		   "token "
		   "also needs read access to gated repositories[: "
		   "https://huggingface.co/{model}]"),
		YOU, FATAL},
	{"hf-not-found", HUB("RepoNotFound"),
		N_("the model or data set does not exist, or the token may not see it"),
		N_("check the name and the token"), YOU, FATAL},
	{"hf-not-found", HUB("RevisionNotFound"), N_("the model has no such revision"),
		N_("use main"), YOU, FATAL},
	{"hf-not-found", HUB("EntryNotFound"), N_("the model has no such file"),
		N_("check the model's name"), YOU, FATAL},
	{"hf-token", HUB("401"), N_("Hugging Face refuses the token: wrong, expired or revoked"),
		N_("make a new read token and set HF_TOKEN"), YOU, FATAL},
	{"hf-gated", HUB("403"),
		N_("the licence of the model is not accepted for this token's account[: {model}]"),
		N_("open the model page, accept the licence with that account; a fine-grained "
		   "token "
		   "also needs read access to gated repositories[: "
		   "https://huggingface.co/{model}]"),
		YOU, FATAL},
	{"hf-not-found", HUB("404"),
		N_("the model or data set does not exist, or the token may not see it"),
		N_("check the name and the token"), YOU, FATAL},
	{"hf-rate", HUB("429"), N_("Hugging Face limits the number of requests"),
		N_("wait five minutes; it goes on by itself"), YOU},
	{.id = NULL},
};
