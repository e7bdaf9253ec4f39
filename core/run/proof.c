/* SPDX-License-Identifier: Apache-2.0 */
/* What is to be asked: read from terraform's state. */
#include "core/run/proof.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/json.h"
#include "core/fmt/shell.h"

#define ACCOUNT "serviceAccount:"

/* Types by their ids (the Google provider's `id` attributes), in the order in which they are to be
 * deleted, special before general. A pattern is matched segment by segment, {x} takes one; the
 * address and the command are filled from it, {id} is the whole id. */
static const struct kind {
	const char *type; /* a prefix when it ends in '_' */
	const char *said; /* in the list; NULL = as terraform calls it */
	enum proof_kind kind;
	const char *id;
	enum cloud_api api;
	const char *path, *name;
	const char *cure;
} kinds[] = {
	{"google_container_node_pool", "node pool", PROOF_THING,
		"projects/{p}/locations/{r}/clusters/{c}/nodePools/{n}", CLOUD_CONTAINER, "v1/{id}",
		NULL,
		"gcloud container node-pools delete {n} --cluster={c} --location={r} "
		"--project={p}"},
	{"google_container_cluster", "cluster", PROOF_THING,
		"projects/{p}/locations/{r}/clusters/{n}", CLOUD_CONTAINER, "v1/{id}", NULL,
		"gcloud container clusters delete {n} --location={r} --project={p}"},
	{"google_compute_firewall", "firewall rule", PROOF_THING,
		"projects/{p}/global/firewalls/{n}", CLOUD_COMPUTE, "{id}", NULL,
		"gcloud compute firewall-rules delete {n} --project={p}"},
	{"google_compute_router_nat", "NAT", PROOF_PART, "{p}/{r}/{router}/{n}", CLOUD_COMPUTE,
		"projects/{p}/regions/{r}/routers/{router}", "{n}",
		"gcloud compute routers nats delete {n} --router={router} --region={r} "
		"--project={p}"},
	{"google_compute_router", "router", PROOF_THING, "projects/{p}/regions/{r}/routers/{n}",
		CLOUD_COMPUTE, "{id}", NULL,
		"gcloud compute routers delete {n} --region={r} --project={p}"},
	{"google_compute_address", "address", PROOF_THING, "projects/{p}/regions/{r}/addresses/{n}",
		CLOUD_COMPUTE, "{id}", NULL,
		"gcloud compute addresses delete {n} --region={r} --project={p}"},
	{"google_compute_resource_policy", "resource policy", PROOF_THING,
		"projects/{p}/regions/{r}/resourcePolicies/{n}", CLOUD_COMPUTE, "{id}", NULL,
		"gcloud compute resource-policies delete {n} --region={r} --project={p}"},
	{"google_compute_subnetwork", "subnetwork", PROOF_THING,
		"projects/{p}/regions/{r}/subnetworks/{n}", CLOUD_COMPUTE, "{id}", NULL,
		"gcloud compute networks subnets delete {n} --region={r} --project={p}"},
	{"google_compute_network", "network", PROOF_THING, "projects/{p}/global/networks/{n}",
		CLOUD_COMPUTE, "{id}", NULL, "gcloud compute networks delete {n} --project={p}"},
	{"google_compute_", NULL, PROOF_THING, "projects/{p}/{a}/{b}/{c}/{n}", CLOUD_COMPUTE,
		"{id}", NULL, NULL},
	{"google_compute_", NULL, PROOF_THING, "projects/{p}/global/{c}/{n}", CLOUD_COMPUTE, "{id}",
		NULL, NULL},
	{"google_service_account_iam_member", "workload identity of", PROOF_WITHIN,
		"projects/{p}/serviceAccounts/{n}/roles/{role}/{*}", CLOUD_IAM,
		"v1/projects/{p}/serviceAccounts/{n}", "with its account", NULL},
	{"google_project_iam_member", "roles of", PROOF_ROLES, "{p}/roles/{role}/" ACCOUNT "{n}",
		CLOUD_PROJECTS, "v1/projects/{p}:getIamPolicy", "{n}", NULL},
	{"google_service_account", "service account", PROOF_THING,
		"projects/{p}/serviceAccounts/{n}", CLOUD_IAM, "v1/{id}", NULL,
		"gcloud iam service-accounts delete {n} --project={p}"},
	{"google_storage_bucket", "bucket", PROOF_THING, "{n}", CLOUD_STORAGE, "b/{n}", NULL,
		"gcloud storage rm -r gs://{n}"},
};

/* Types that live in terraform's state or in its folder alone. */
static const char *const local[] = {"random_", "time_", "local_", "null_", "terraform_"};
/* Types that live in the cluster. */
static const char *const inside[] = {"kubernetes_", "kubectl_", "helm_"};

#define WORDS_MAX 8
#define RANK_LAST 100

struct words {
	struct {
		const char *name, *value;
		size_t name_n, value_n;
	} items[WORDS_MAX];
	size_t n;
};

/* An id from a file goes into an address and a command only when it is made of harmless
 * characters. */
static bool harmless(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)s[i]) && !strchr("-_.@:", s[i]))
			return false;
	return n > 0 && !(n >= 2 && memmem(s, n, "..", 2));
}

static bool segment(struct words *w, const char *p, size_t pn, const char *s, size_t n)
{
	size_t lead = (size_t)(strcspn(p, "{") < pn ? strcspn(p, "{") : pn);

	if (n < lead || memcmp(p, s, lead) != 0)
		return false;
	if (lead == pn)
		return n == pn;
	if (!harmless(s + lead, n - lead) || w->n == WORDS_MAX)
		return false;
	w->items[w->n].name = p + lead + 1;
	w->items[w->n].name_n = pn - lead - 2;
	w->items[w->n].value = s + lead;
	w->items[w->n++].value_n = n - lead;
	return true;
}

/* {*} as the last segment takes whatever is left. */
static bool matches(struct words *w, const char *p, const char *s)
{
	w->n = 0;
	for (;;) {
		size_t pn = strcspn(p, "/"), n = strcspn(s, "/");
		if (strcmp(p, "{*}") == 0)
			return *s != '\0';
		if (!segment(w, p, pn, s, n))
			return false;
		p += pn;
		s += n;
		if (!*p || !*s)
			return !*p && !*s;
		p++;
		s++;
	}
}

static void fill_one(const struct words *w, const char *name, size_t n, struct buf *out)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->items[i].name_n == n && memcmp(w->items[i].name, name, n) == 0)
			buf_add(out, w->items[i].value, w->items[i].value_n);
}

static char *fill(const struct words *w, const char *id, const char *text)
{
	struct buf out = {0};

	if (!text)
		return NULL;
	for (; *text; text++) {
		size_t n = *text == '{' ? strcspn(text + 1, "}") : 0;
		if (*text != '{')
			buf_addc(&out, *text);
		else if (n == 2 && text_starts(text, "{id}"))
			buf_adds(&out, id);
		else
			fill_one(w, text + 1, n, &out);
		text += *text == '{' ? n + 1 : 0;
	}
	return buf_take(&out);
}

static void item_fini(struct proof_item *it)
{
	free(it->what);
	free(it->path);
	free(it->name);
	free(it->cure);
}

/* Of the same name, or the same thing under another one. */
static bool same(const struct proof_item *a, const struct proof_item *b)
{
	return strcmp(a->what, b->what) == 0 ||
	       (a->kind == PROOF_THING && b->kind == PROOF_THING && strcmp(a->path, b->path) == 0);
}

/* Takes over what the item holds. */
static void add(struct proof_list *l, struct proof_item it)
{
	for (size_t i = 0; i < l->n; i++) {
		if (!same(&l->items[i], &it))
			continue;
		item_fini(&it);
		return;
	}
	*VEC_PUSH(l) = it;
}

static bool is_of(const char *type, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (text_starts(type, list[i]))
			return true;
	return false;
}

static bool kind_fits(const struct kind *k, const char *type, const char *id, struct words *w)
{
	bool prefix = text_ends(k->type, "_");

	return (prefix ? text_starts(type, k->type) : strcmp(type, k->type) == 0) &&
	       matches(w, k->id, id);
}

char *proof_cluster(const struct proof_place *at)
{
	return x_asprintf(
		"projects/%s/locations/%s/clusters/%s", at->project, at->region, at->cluster);
}

static char *cluster_path(const struct proof_place *at)
{
	AUTO_FREE char *id = proof_cluster(at);

	return x_asprintf("v1/%s", id);
}

/* GKE makes rules and endpoint groups in the networks, which keep them from being deleted (R86). */
static void add_of_network(struct proof_list *l, const struct proof_item *network)
{
	const char *name = strrchr(network->path, '/') + 1;

	add(l, (struct proof_item){.kind = PROOF_FIREWALL,
		       .rank = network->rank - 1,
		       .what = x_asprintf("firewall rules in %s", name),
		       .path = x_asprintf("network eq \".*/networks/%s\"", name),
		       .name = x_strdup("firewalls")});
	add(l, (struct proof_item){.kind = PROOF_LIST,
		       .rank = network->rank - 1,
		       .what = x_asprintf("network endpoint groups in %s", name),
		       .path = x_asprintf("network eq \".*/networks/%s\"", name),
		       .name = x_strdup("networkEndpointGroups")});
}

static void add_known(struct proof_list *l, const struct kind *k, const struct words *w,
	const char *id, const char *said)
{
	AUTO_FREE char *name = fill(w, id, "{n}");
	struct proof_item it = {.kind = k->kind,
		.rank = 1 + (int)(k - kinds),
		.path = fill(w, id, k->path),
		.name = fill(w, id, k->name),
		.cure = fill(w, id, k->cure),
		.api = k->api};

	it.what = x_asprintf("%s %s", k->said ? k->said : said, name);
	if (strcmp(k->type, "google_compute_network") == 0)
		add_of_network(l, &it);
	add(l, it);
}

static void add_instance(struct proof_list *l, const struct proof_place *at, const json_t *resource,
	const json_t *instance)
{
	const char *type = json_path_str_or(resource, "type", "");
	const char *id = json_path_str_or(instance, "attributes.id", "");
	AUTO_FREE char *said = x_asprintf("%s.%s", type, json_path_str_or(resource, "name", ""));
	const char *last = strrchr(id, '/') ? strrchr(id, '/') + 1 : id;
	struct words w;

	if (is_of(type, local, COUNT(local)))
		return;
	for (size_t i = 0; i < COUNT(kinds); i++) {
		if (!kind_fits(&kinds[i], type, id, &w))
			continue;
		add_known(l, &kinds[i], &w, id, said);
		return;
	}
	if (is_of(type, inside, COUNT(inside)) && harmless(last, strlen(last)))
		add(l, (struct proof_item){.kind = PROOF_WITHIN,
			       .rank = RANK_LAST,
			       .what = x_asprintf("%s %s", said, last),
			       .path = cluster_path(at),
			       .name = x_strdup(N_("with the cluster")),
			       .api = CLOUD_CONTAINER});
	else
		add(l, (struct proof_item){
			       .kind = PROOF_WORD, .rank = RANK_LAST, .what = x_strdup(said)});
}

void proof_read(struct proof_list *l, const struct proof_place *at, const json_t *tfstate)
{
	size_t i, k;
	json_t *r, *instance;

	json_array_foreach(json_path(tfstate, "resources"), i, r)
	{
		if (strcmp(json_path_str_or(r, "mode", "managed"), "managed") != 0)
			continue;
		json_array_foreach(json_path(r, "instances"), k, instance)
			add_instance(l, at, r, instance);
	}
}

/* The cluster itself comes first: many others go with it. GKE puts this label on the nodes and on
 * the disks of claims. */
void proof_beside(struct proof_list *l, const struct proof_place *at)
{
	static const char *const lists[][2] = {
		{"instances", "VMs of the cluster"}, {"disks", "disks of the cluster"}};

	add(l, (struct proof_item){.what = x_asprintf("cluster %s", at->cluster),
		       .path = cluster_path(at),
		       .api = CLOUD_CONTAINER,
		       .cure = x_asprintf("gcloud container clusters delete %s --location=%s "
					  "--project=%s",
			       at->cluster, at->region, at->project)});
	for (size_t i = 0; i < COUNT(lists); i++)
		add(l, (struct proof_item){.kind = PROOF_LIST,
			       .what = x_asprintf("%s %s", lists[i][1], at->cluster),
			       .path = x_asprintf("labels.goog-k8s-cluster-name=%s", at->cluster),
			       .name = x_strdup(lists[i][0])});
}

void proof_sort(struct proof_list *l)
{
	for (size_t i = 1; i < l->n; i++) {
		struct proof_item it = l->items[i];
		size_t k = i;
		for (; k > 0 && l->items[k - 1].rank > it.rank; k--)
			l->items[k] = l->items[k - 1];
		l->items[k] = it;
	}
}

void proof_list_fini(struct proof_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		item_fini(&l->items[i]);
	free(l->items);
	*l = (struct proof_list){0};
}

/* --- answers */

char *proof_cure_listed(const char *kind, const json_t *thing)
{
	static const struct {
		const char *kind, *place, *command;
	} lists[] = {
		{"instances", "zones/", "gcloud compute instances delete {n} --zone={z}"},
		{"disks", "zones/", "gcloud compute disks delete {n} --zone={z}"},
		{"disks", "regions/", "gcloud compute disks delete {n} --region={z}"},
		{"networkEndpointGroups", "zones/",
			"gcloud compute network-endpoint-groups delete {n} --zone={z}"},
		{"firewalls", "", "gcloud compute firewall-rules delete {n}"},
	};
	const char *link = json_path_str_or(thing, "selfLink", "");
	const char *project = strstr(link, "/projects/");
	struct words w;

	for (size_t i = 0; project && i < COUNT(lists); i++) {
		AUTO_FREE char *pattern = x_asprintf("projects/{p}/%s%s/{n}",
			*lists[i].place ? lists[i].place : "global/",
			*lists[i].place ? "{z}/{k}" : "{k}");
		AUTO_FREE char *command = x_asprintf("%s --project={p}", lists[i].command);
		if (strcmp(lists[i].kind, kind) == 0 && matches(&w, pattern, project + 1))
			return fill(&w, "", command);
	}
	return NULL;
}

/* A deleted account stands in the policy as deleted:serviceAccount:EMAIL?uid=NUMBER. */
static bool names(const char *member, const char *email)
{
	size_t n = strlen(email);

	if (text_starts(member, "deleted:"))
		member += strlen("deleted:");
	if (!text_starts(member, ACCOUNT))
		return false;
	member += strlen(ACCOUNT);
	return strncmp(member, email, n) == 0 && (!member[n] || member[n] == '?');
}

static void add_taking(struct buf *out, const char *project, const char *member, const char *role)
{
	buf_addf(out,
		"%sgcloud projects remove-iam-policy-binding %s --member=", out->len ? "; " : "",
		project);
	shell_quote(out, member);
	buf_adds(out, " --role=");
	shell_quote(out, role);
}

char *proof_roles(const json_t *policy, const char *project, const char *email, char **cure)
{
	struct buf roles = {0}, commands = {0};
	size_t i, k;
	json_t *binding, *one;

	json_array_foreach(json_path(policy, "bindings"), i, binding)
	{
		const char *role = json_path_str_or(binding, "role", "");
		json_array_foreach(json_path(binding, "members"), k, one)
		{
			const char *who = json_is_string(one) ? json_string_value(one) : "";
			if (!names(who, email))
				continue;
			buf_addf(&roles, "%s%s", roles.len ? ", " : "", role);
			add_taking(&commands, project, who, role);
		}
	}
	*cure = commands.len ? buf_take(&commands) : NULL;
	return roles.len ? buf_take(&roles) : NULL;
}
