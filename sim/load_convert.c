/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/mem.h"
#include "core/base/text.h"
#include "sim/load.h"
#include "sim/load_tree.h"

#include <stdlib.h>
#include <string.h>

#define TENSORS 687

/* to_maxtext: the shapes and stages of facts/maxtext-run.md section 4.1. */
struct convert {
	char *out; /* base_output_directory */
	int64_t began, load_began;
	int done;
};

static void drop(void *p)
{
	struct convert *c = p;

	free(c->out);
	free(c);
}

static load_phase load_tensors, save_checkpoint;

static void prepare(struct load *l)
{
	load_root(l, "Loading index file: model.safetensors.index.json");
	load_wait(l, 2100);
	load_root(l, "[After LazyLoader init] RAM Usage: 9.42/708.62 GB (1.9%%)");
	load_wait(l, 300);
	load_root(l, "Parameter mappings and hooks obtained.");
	load_root(l, "Num_devices: 16, shape (1, 1, 16, 1, 1, 1, 1, 1, 1, 1, 1, 1)");
	load_root(l, "Initializing MaxText abstract model...");
	load_wait(l, 48000);
	load_root(l, "MaxText abstract model and state initialized.");
	load_root(l, "Starting weight transformation...");
	for (int k = 0; k <= TENSORS; k += k + 229 > TENSORS && k < TENSORS ? TENSORS - k : 229) {
		char bar[40];

		load_write(l,
			"\rTransforming weights: %3d%%|%s| %d/%d [00:00<00:00, 18214.31it/s, "
			"RAM: 9.4GB]",
			k * 100 / TENSORS, load_bar(k, TENSORS, bar), k, TENSORS);
	}
	load_write(l, "\n");
	load_root(l, "Weight transformation preparation complete.");
	load_root(l, "Elapse for transform: 0.01 min");
	load_root(l, "Starting checkpoint save (loading weights just-in-time)...");
	load_root(l, "Shard weights across 16 devices");
}

/* Twenty tensors a phase, so that the queue stays short. */
static void load_tensors(struct load *l)
{
	struct load_job *j = load_job(l);
	struct convert *c = j->state;
	char bar[40], a[16], b[16];

	if (c->done == 0)
		c->load_began = j->at;
	for (int i = 0; i < 20 && c->done < TENSORS; i++) {
		int64_t s, rest;

		load_wait(l, load_jitter(l, 2150, 0.5));
		c->done++;
		s = (j->at - c->load_began) / 1000;
		rest = s * (TENSORS - c->done) / c->done;
		load_write(l, "\r%3d%%|%s| %d/%d [%s<%s, %5.2fs/it, RAM: %.1fGB]",
			c->done * 100 / TENSORS, load_bar(c->done, TENSORS, bar), c->done, TENSORS,
			load_mmss(s, a), load_mmss(rest, b), (double)s / c->done,
			9.4 + 0.0705 * c->done);
		if (c->done % 3 == 0)
			load_root(l, "Not sharding.");
		else
			load_root(l, "Sharding axis %d. Tensor shape (%d, %d)", c->done % 2,
				c->done % 2 ? 2816 : 4096, c->done % 2 ? 4096 : 2816);
	}
	load_then(l, c->done < TENSORS ? load_tensors : save_checkpoint);
}

static void save_checkpoint(struct load *l)
{
	struct load_job *j = load_job(l);
	struct convert *c = j->state;
	AUTO_FREE char *step = x_asprintf("%s%s0/", c->out, text_ends(c->out, "/") ? "" : "/");
	int64_t began = j->at;

	load_write(l, "\n");
	load_root(l, "Elapse for checkpoint sharding: %.2f min",
		(double)(j->at - c->load_began) / 60000);
	load_root(l, "Creating checkpoint manager with ocdbt=False and zarr3=False");
	load_wait(l, 2400);
	load_root(l, "[process=0] Saving checkpoint at step 0");
	load_root(l, "[process=0] [sync] Started save checkpoint @ %s0.", c->out);
	load_tree_item(l, step, "items", "params.params.decoder", 50466283580, 210000);
	load_tree_commit(l, step, "items");
	load_wait(l, 1500);
	load_tree_step(l, step, "\"items\": \"orbax.checkpoint.PyTreeCheckpointHandler\"",
		"\"scan_layers\": false", began);
	load_root(l, "[process=0] [sync] Finished save in %.2f seconds @ %s0",
		(double)(j->at - began) / 1000, c->out);
	load_root(l, "saved a checkpoint at step 0");
	load_root(l, "Elapse for checkpoint save: %.2f min", (double)(j->at - began) / 60000);
	load_root(l, "[Program Ends] RAM Usage: 61.87/708.62 GB (9.3%%)");
	load_root(l, "Conversion complete. Checkpoint saved to %s", c->out);
	load_root(l, "Overall Elapse: %.2f min", (double)(j->at - c->began) / 60000);
	load_root(l, "Peak Memory: 63.11 GB");
	load_wait(l, 2500);
	load_exit(l, 0, NULL);
}

void load_convert(struct load *l)
{
	struct load_job *j = load_job(l);
	struct convert *c = X_NEW(struct convert);
	AUTO_FREE char *model = load_option_or(j, "hf_model_path", "google/gemma-4-26b-a4b-it");

	c->out = load_option_or(j, "base_output_directory", "");
	c->began = j->at;
	j->state = c;
	j->drop = drop;
	load_wait(l, 21000);
	load_root(l, "System Information: Jax Version: 0.11.0");
	load_root(l, "System Information: Jaxlib Version: 0.11.0");
	load_root(l, "System Information: Jax Backend: cpu");
	load_wait(l, 1200);
	load_root(l, "Lazy loading ENABLED. Initializing LazyHFLoader for: %s...", model);
	load_wait(l, 900);
	if (!load_hub_ok(l, model) || !load_tree_bucket_ok(l, c->out))
		return;
	prepare(l);
	load_then(l, load_tensors);
}
