/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/world.h"

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "sim/clock.h"
#include "sim/hash.h"
#include "sim/ledger.h"
#include "sim/logins.h"
#include "sim/sim.h"
#include "sim/worlds.h"
#include <stdlib.h>
#include <string.h>

static const char *const ready_services[] = {
	"artifactregistry.googleapis.com",
	"cloudbilling.googleapis.com",
	"cloudquotas.googleapis.com",
	"cloudresourcemanager.googleapis.com",
	"compute.googleapis.com",
	"container.googleapis.com",
	"hypercomputecluster.googleapis.com",
	"iam.googleapis.com",
	"iamcredentials.googleapis.com",
	"logging.googleapis.com",
	"monitoring.googleapis.com",
	"serviceusage.googleapis.com",
	"storage-component.googleapis.com",
	"storage.googleapis.com",
	"tpu.googleapis.com",
};

static void world_ready(struct world *w)
{
	w->account = x_strdup("you@rehearsal.example");
	w->project = x_strdup("rehearsal-lab");
	w->project_number = x_strdup("481516234200");
	w->region = x_strdup("us-east5");
	w->zone = x_strdup("us-east5-b");
	w->token = x_strdup("ya29.rehearsal-access-token-good-for-loopback-only");
	w->refresh_token = x_strdup("1//0rehearsal-refresh-token");
	w->hf_token = x_strdup("hf_RehearsalTokenOnly000000000000");
	w->reservation.name = x_strdup("v6e-rehearsal");
	w->reservation.machine_type = x_strdup("ct6e-standard-4t");
	w->reservation.count = 8;
	for (size_t i = 0; i < COUNT(ready_services); i++)
		map_set(&w->services, ready_services[i], w);
}

static void bucket_free(void *p)
{
	struct bucket *b = p;
	for (size_t i = 0; i < b->n; i++) {
		free(b->items[i]->name);
		free(b->items[i]->data);
		free(b->items[i]->content_type);
		free(b->items[i]);
	}
	free(b->items);
	free(b->name);
	free(b->location);
	free(b);
}

int world_open(struct sim *sim, const char *name, struct err *e)
{
	const struct world_change *change = worlds_find(name);
	if (!change)
		return err_set(e, ERR_USAGE, "rlpilot-sim --help lists the worlds",
			"there is no world '%s'", name);
	struct world *w = X_NEW(struct world);
	w->sim = sim;
	logins_open(w);
	w->buckets.free_value = bucket_free;
	w->uploads.free_value = free;
	w->settings.free_value = free;
	world_ready(w);
	for (; change->key; change++) {
		world_set(w, change->key, change->value);
		if (text_starts(change->key, "api."))
			map_del(&w->services, change->key + strlen("api."));
	}
	sim->world = w;
	return 0;
}

void world_pool_fini(struct node_pool *p)
{
	free(p->name);
	free(p->machine_type);
	free(p->topology);
	free(p->reservation);
	*p = (struct node_pool){0};
}

void world_cluster_clear(struct cluster *c)
{
	for (size_t i = 0; i < c->n; i++)
		world_pool_fini(&c->items[i]);
	free(c->items);
	free(c->name);
	free(c->location);
	free(c->zone);
	*c = (struct cluster){0};
}

void world_close(struct sim *sim)
{
	struct world *w = sim->world;
	if (!w)
		return;
	char *const texts[] = {w->account, w->project, w->project_number, w->region, w->zone,
		w->token, w->refresh_token, w->hf_token, w->reservation.name,
		w->reservation.machine_type, w->stray};
	for (size_t i = 0; i < COUNT(texts); i++)
		free(texts[i]);
	for (size_t i = 0; i < w->operations.n; i++) {
		free(w->operations.items[i].name);
		free(w->operations.items[i].type);
		free(w->operations.items[i].target);
		free(w->operations.items[i].zone);
	}
	free(w->operations.items);
	map_fini(&w->settings);
	map_fini(&w->services);
	map_fini(&w->service_operations);
	map_fini(&w->accounts);
	map_fini(&w->uploads);
	map_fini(&w->buckets);
	world_cluster_clear(&w->cluster);
	logins_close(w);
	free(w);
	sim->world = NULL;
}

struct bucket *world_bucket(const struct world *w, const char *name)
{
	return map_get(&w->buckets, name);
}

struct bucket *world_bucket_create(struct world *w, const char *name, const char *location)
{
	struct bucket *b = X_NEW(struct bucket);
	b->name = x_strdup(name);
	b->location = x_strdup(location);
	b->created = sim_now(w->sim);
	b->metageneration = 1;
	map_set(&w->buckets, name, b);
	AUTO_FREE char *what = x_asprintf("bucket/%s", name);
	ledger_create(w->sim, what);
	return b;
}

void world_bucket_delete(struct world *w, const char *name)
{
	struct bucket *b = world_bucket(w, name);
	while (b && b->n > 0)
		world_object_delete(w, name, b->items[b->n - 1]->name);
	if (!b)
		return;
	AUTO_FREE char *what = x_asprintf("bucket/%s", name);
	map_del(&w->buckets, b->name);
	ledger_delete(w->sim, what);
}

size_t world_object_lower(const struct bucket *b, const char *name)
{
	size_t lo = 0;
	size_t hi = b->n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (strcmp(b->items[mid]->name, name) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

struct object *world_object(const struct world *w, const char *bucket, const char *name)
{
	const struct bucket *b = world_bucket(w, bucket);
	size_t i = b ? world_object_lower(b, name) : 0;
	return b && i < b->n && strcmp(b->items[i]->name, name) == 0 ? b->items[i] : NULL;
}

struct object *world_object_put(
	struct world *w, const char *bucket, const char *name, int64_t size, const char *data)
{
	struct bucket *b = world_bucket(w, bucket);
	if (!b)
		return NULL;
	struct object *o = world_object(w, bucket, name);
	int64_t now = sim_now(w->sim);
	if (!o) {
		size_t i = world_object_lower(b, name);
		b->items = vec_grow(b->items, b->n, &b->cap, sizeof(struct object *));
		memmove(&b->items[i + 1], &b->items[i], (b->n - i) * sizeof(struct object *));
		o = b->items[i] = X_NEW(struct object);
		b->n++;
		o->name = x_strdup(name);
		AUTO_FREE char *what = x_asprintf("object/%s/%s", bucket, name);
		ledger_create(w->sim, what);
	}
	free(o->data);
	o->data = data ? x_malloc((size_t)size + 1) : NULL;
	if (data) {
		memcpy(o->data, data, (size_t)size);
		o->data[size] = '\0';
	}
	o->size = size;
	hash_object(o);
	o->created = o->updated = now;
	o->metageneration = 1;
	int64_t generation = now * 1000;
	w->last_generation = generation > w->last_generation ? generation : w->last_generation + 1;
	o->generation = w->last_generation;
	return o;
}

bool world_object_delete(struct world *w, const char *bucket, const char *name)
{
	struct bucket *b = world_bucket(w, bucket);
	struct object *o = world_object(w, bucket, name);
	if (!o)
		return false;
	size_t i = world_object_lower(b, name);
	AUTO_FREE char *what = x_asprintf("object/%s/%s", bucket, name);
	memmove(&b->items[i], &b->items[i + 1], (b->n - i - 1) * sizeof(struct object *));
	b->n--;
	free(o->name);
	free(o->data);
	free(o->content_type);
	free(o);
	ledger_delete(w->sim, what);
	return true;
}

void world_object_read(const struct object *o, int64_t from, size_t n, char *out)
{
	if (o->data) {
		memcpy(out, o->data + from, n);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		uint64_t at = (uint64_t)from + i;
		out[i] = (char)((at * 0x9e3779b97f4a7c15U + (uint64_t)o->generation) >> 56);
	}
}

struct node_pool *world_pool(const struct world *w, const char *name)
{
	for (size_t i = 0; i < w->cluster.n; i++)
		if (strcmp(w->cluster.items[i].name, name) == 0)
			return &w->cluster.items[i];
	return NULL;
}

size_t world_operation_begin(struct world *w, const char *type, const char *target)
{
	struct operation *o = VEC_PUSH(&w->operations);
	AUTO_FREE char *id = world_id(w);
	o->started = sim_now(w->sim);
	o->name = x_asprintf("operation-%lld-%s", (long long)o->started, id);
	o->type = x_strdup(type);
	o->target = x_strdup(target);
	o->zone = x_strdup(w->region);
	return w->operations.n - 1;
}

void world_operation_end(struct world *w, size_t index)
{
	struct operation *o = &w->operations.items[index];
	o->done = true;
	o->ended = sim_now(w->sim);
}

static bool bearer_is(const char *authorization, const char *token)
{
	return authorization && strncmp(authorization, "Bearer ", 7) == 0 &&
	       strcmp(authorization + 7, token) == 0;
}

bool world_token_ok(const struct world *w, const char *authorization)
{
	return authorization && strncmp(authorization, "Bearer ", 7) == 0 &&
	       logins_look(w, authorization + 7, NULL, NULL) == LOGIN_TOKEN_GOOD;
}

bool world_hf_token_ok(const struct world *w, const char *authorization)
{
	return bearer_is(authorization, w->hf_token);
}

char *world_id(struct world *w)
{
	uint64_t x = ++w->serial * 0x9e3779b97f4a7c15U ^ w->sim->seed;
	x ^= x >> 29;
	x *= 0xbf58476d1ce4e5b9U;
	x ^= x >> 32;
	return x_asprintf("%08x", (unsigned)(x & 0xffffffffU));
}
