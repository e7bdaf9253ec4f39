/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/load_tree.h"

#include "core/base/mem.h"
#include "sim/world.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ARRAYS 28 /* of the tree that is stored: the object count stays moderate */

static const char zarray[] =
	"{\"chunks\":[704,2816],\"compressor\":{\"id\":\"zstd\",\"level\":1},\"dimension_"
	"separator\":\".\",\"dtype\":\"bfloat16\",\"fill_value\":null,\"filters\":null,"
	"\"order\":\"C\",\"shape\":[2816,2816],\"zarr_format\":2}";

static void put_text(struct load *l, const char *step, const char *tail, const char *text)
{
	load_put(l, step, tail, (int64_t)strlen(text), text);
}

static void put_named(
	struct load *l, const char *step, const char *item, const char *name, const char *text)
{
	AUTO_FREE char *tail = x_asprintf("%s/%s", item, name);

	put_text(l, step, tail, text);
}

/* zstd takes about a fifth off; the parts differ a little, as layers do. */
static int64_t stored_size(struct load *l, int64_t bytes)
{
	return (int64_t)((double)bytes * 0.78 / ARRAYS * (0.97 + 0.06 * load_random(l)));
}

void load_tree_item(struct load *l, const char *step, const char *item, const char *prefix,
	int64_t bytes, int64_t ms)
{
	put_named(l, step, item, "_METADATA",
		"{\"tree_metadata\":{},\"use_zarr3\":false,\"store_array_data_equal_to_fill_"
		"value\":true}");
	put_named(l, step, item, "_sharding", "{}");
	put_named(l, step, item, "array_metadatas/process_0", "{\"array_metadatas\":[]}");
	for (int i = 0; i < ARRAYS; i++) {
		AUTO_FREE char *meta =
			x_asprintf("%s.layers_%d.mlp.moe_block.MoeBlock_0.wo/.zarray", prefix, i);
		AUTO_FREE char *chunk = x_asprintf(
			"%s/%s.layers_%d.mlp.moe_block.MoeBlock_0.wo/0.0", item, prefix, i);

		put_named(l, step, item, meta, zarray);
		load_wait(l, ms / ARRAYS);
		load_put(l, step, chunk, stored_size(l, bytes), NULL);
	}
}

void load_tree_commit(struct load *l, const char *step, const char *item)
{
	load_wait(l, 1200);
	put_named(l, step, item, "commit_success.txt",
		"Checkpoint commit was successful to the path");
}

void load_tree_step(
	struct load *l, const char *step, const char *handlers, const char *custom, int64_t began)
{
	const struct load_job *j = load_job(l);
	AUTO_FREE char *meta = x_asprintf(
		"{\"item_handlers\": {%s}, \"metrics\": {}, \"performance_metrics\": {}, "
		"\"init_timestamp_nsecs\": %" PRId64 "000000, \"commit_timestamp_nsecs\": "
		"%" PRId64 "000000, \"custom_metadata\": {%s}}",
		handlers, began, j->at, custom);

	put_text(l, step, "_CHECKPOINT_METADATA", meta);
	load_wait(l, 1200);
	put_text(l, step, "commit_success.txt", "Checkpoint commit was successful to the path");
}

bool load_tree_bucket_ok(struct load *l, const char *uri)
{
	AUTO_FREE char *bucket = NULL;
	AUTO_FREE char *object = NULL;

	if (load_gs(uri, "", &bucket, &object) && world_bucket(load_job(l)->k->sim->world, bucket))
		return true;
	load_write(l,
		"Traceback (most recent call last):\n"
		"  File \"/deps/src/maxtext/utils/gcs_utils.py\", line 302, in "
		"check_gcs_bucket\n"
		"ValueError: GCS bucket 'gs://%s' not found or accessible.\n",
		bucket ? bucket : "");
	load_exit(l, 1, NULL);
	return false;
}
