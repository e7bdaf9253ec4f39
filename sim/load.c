/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/load.h"

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/fmt/json.h"
#include "sim/clock.h"
#include "sim/load_fault.h"
#include "sim/load_shell.h"
#include "sim/world.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum item_kind { ITEM_TEXT, ITEM_DO, ITEM_PHASE, ITEM_EXIT };

struct item {
	enum item_kind kind;
	int64_t at;
	char *text; /* TEXT: bytes; EXIT: termination message */
	size_t n;
	int code;
	load_phase *phase;
	void (*fn)(struct load *, void *);
	void *arg;
	void (*drop)(void *);
};

struct load {
	struct load_job job;
	struct klog *log;
	void (*exited)(void *arg, int code, const char *message);
	void *exited_arg;
	struct item *items; /* sorted by time; those before `next` are done */
	size_t n, cap, next;
	uint64_t timer;
};

static void pump(void *arg);

struct load_job *load_job(struct load *l)
{
	return &l->job;
}

static void item_fini(struct item *it)
{
	free(it->text);
	if (it->drop)
		it->drop(it->arg);
	*it = (struct item){.kind = ITEM_TEXT};
}

void load_stop(struct load *l)
{
	if (!l)
		return;
	sim_cancel(l->job.k->sim, &l->timer);
	for (size_t i = l->next; i < l->n; i++)
		item_fini(&l->items[i]);
	free(l->items);
	if (l->job.drop)
		l->job.drop(l->job.state);
	free(l->job.ns);
	free(l->job.pod);
	free(l->job.uid);
	free(l->job.node);
	free(l->job.jobset);
	free(l->job.container);
	free(l->job.command);
	free(l);
}

/* A slot at the plan's time, after everything that is queued for the same moment. */
static struct item *queue(struct load *l, enum item_kind kind)
{
	size_t i;

	if (l->next > 256 && l->next * 2 > l->n) {
		memmove(l->items, l->items + l->next, (l->n - l->next) * sizeof(*l->items));
		l->n -= l->next;
		l->next = 0;
	}
	VEC_PUSH(l);
	for (i = l->n - 1; i > l->next && l->items[i - 1].at > l->job.at; i--)
		l->items[i] = l->items[i - 1];
	l->items[i] = (struct item){.kind = kind, .at = l->job.at};
	return &l->items[i];
}

void load_then(struct load *l, load_phase *next)
{
	queue(l, ITEM_PHASE)->phase = next;
}

void load_wait(struct load *l, int64_t ms)
{
	l->job.at += ms;
}

void load_write(struct load *l, const char *fmt, ...)
{
	struct item *it = queue(l, ITEM_TEXT);
	va_list ap;

	va_start(ap, fmt);
	it->text = x_vasprintf(fmt, ap);
	va_end(ap);
	it->n = strlen(it->text);
}

void load_do(struct load *l, void (*fn)(struct load *, void *arg), void *arg, void (*drop)(void *))
{
	struct item *it = queue(l, ITEM_DO);

	it->fn = fn;
	it->arg = arg;
	it->drop = drop;
}

void load_exit(struct load *l, int code, const char *message)
{
	struct item *it;

	if (l->job.wrapped)
		load_write(l, "Exit code: %d\n", code);
	it = queue(l, ITEM_EXIT);
	it->code = code;
	it->text = x_strdup(message);
}

/* Takes the next due item out; false if there is none. */
static bool take(struct load *l, struct item *it)
{
	if (l->next >= l->n || l->items[l->next].at > kube_now(l->job.k))
		return false;
	*it = l->items[l->next++];
	return true;
}

/* Forgets what was to come, or puts it off. */
static void disturb(struct load *l, const struct fault *f)
{
	int64_t off = f->what == FAULT_HANG ? f->number : SIM_MIN;

	if (load_fault_ends(f->what)) {
		for (size_t i = l->next; i < l->n; i++)
			item_fini(&l->items[i]);
		l->n = l->next;
	}
	for (size_t i = l->next; i < l->n; i++)
		l->items[i].at += off;
	l->job.at = kube_now(l->job.k);
	load_fault(l, f);
}

static void ask_faults(struct load *l)
{
	AUTO_FREE char *name = NULL;
	const struct fault *f;

	if (!fault_plan_any(l->job.k->sim) || l->next >= l->n ||
		l->items[l->next].at > kube_now(l->job.k))
		return;
	name = x_asprintf("%s/%s", l->job.pod, l->job.container);
	f = fault_take(l->job.k->sim, AT_LOAD, NULL, name);
	if (f)
		disturb(l, f);
}

static void pump(void *arg)
{
	struct load *l = arg;
	struct item it;

	l->timer = 0;
	ask_faults(l);
	while (take(l, &it)) {
		switch (it.kind) {
		case ITEM_TEXT:
			klog_write(l->log, it.at, it.text, it.n);
			break;
		case ITEM_DO:
			it.fn(l, it.arg);
			break;
		case ITEM_PHASE:
			l->job.at = it.at;
			it.phase(l);
			break;
		case ITEM_EXIT:
			l->exited(l->exited_arg, it.code, it.text);
			item_fini(&it);
			load_stop(l);
			return;
		}
		item_fini(&it);
	}
	if (l->next < l->n)
		l->timer = sim_after(
			l->job.k->sim, l->items[l->next].at - kube_now(l->job.k), pump, l);
}

double load_random(struct load *l)
{
	uint64_t z = (l->job.random += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

int64_t load_jitter(struct load *l, int64_t ms, double part)
{
	return ms + (int64_t)((double)ms * part * (2 * load_random(l) - 1));
}

/* What the container runs: its script, or its argv in one line. */
static char *command_of(const json_t *container)
{
	json_t *command = json_path(container, "command"), *args = json_path(container, "args"), *s;
	size_t n = json_array_size(command), i;
	struct buf b = {0};

	if (n == 3 && !strcmp(json_string_value(json_array_get(command, 1)), "-c"))
		return x_strdup(json_string_value(json_array_get(command, 2)));
	if (n == 2 && json_array_size(args) == 1 &&
		!strcmp(json_string_value(json_array_get(command, 1)), "-c"))
		return x_strdup(json_string_value(json_array_get(args, 0)));
	json_array_foreach(command, i, s)
		buf_addf(&b, "%s%s", b.len ? " " : "", json_string_value(s));
	json_array_foreach(args, i, s) buf_addf(&b, "%s%s", b.len ? " " : "", json_string_value(s));
	return buf_take(&b);
}

static uint64_t seed_of(const struct kube *k, const char *text)
{
	uint64_t h = k->sim->seed * 0x9e3779b97f4a7c15u ^ 0xcbf29ce484222325u;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 0x100000001b3u;
	return h;
}

static load_phase serve_pathways, keep_serving;

/* Where the plan of faults finds it. */
static void keep_serving(struct load *l)
{
	if (!fault_plan_any(load_job(l)->k->sim))
		return;
	load_wait(l, 20 * SIM_S);
	load_then(l, keep_serving);
}

/* A Pathways server: says that it is up and serves until it is killed. */
static void serve_pathways(struct load *l)
{
	load_wait(l, 400);
	load_absl(l, 'I', "pathways_server.cc:118", "Starting Pathways server");
	load_wait(l, 1500);
	load_absl(l, 'I', "pathways_server.cc:164", "Pathways server is listening");
	load_then(l, keep_serving);
}

static load_phase *plan_of(const struct load_job *j, const json_t *container)
{
	static const struct {
		const char *word;
		load_phase *first;
	} plans[] = {
		{"maxtext.checkpoint_conversion.to_maxtext", load_convert},
		{"maxtext.checkpoint_conversion.to_huggingface", load_export},
		{"maxtext.trainers.post_train.rl.train_rl", load_train},
	};
	const char *image = json_path_str_or(container, "image", "");

	for (size_t i = 0; i < COUNT(plans); i++) {
		if (strstr(j->command, plans[i].word))
			return plans[i].first;
	}
	if (strstr(image, "/pathways/") || strstr(image, "pathways"))
		return serve_pathways;
	return load_shell;
}

struct load *load_start(struct kube *k, const json_t *pod, const json_t *container,
	struct klog *log, void (*exited)(void *arg, int code, const char *message), void *arg)
{
	struct load *l = X_NEW(struct load);
	struct load_job *j = &l->job;
	const char *jobset = kube_label(pod, "jobset.sigs.k8s.io/jobset-name");
	const char *index = kube_label(pod, "batch.kubernetes.io/job-completion-index");
	int64_t i = 0;

	l->log = log;
	l->exited = exited;
	l->exited_arg = arg;
	j->k = k;
	j->ns = x_strdup(kstore_ns(pod));
	j->pod = x_strdup(kstore_name(pod));
	j->uid = x_strdup(kstore_uid(pod));
	j->node = x_strdup(json_path_str_or(pod, "spec.nodeName", ""));
	j->jobset = x_strdup(jobset ? jobset : kstore_name(pod));
	j->container = x_strdup(json_path_str_or(container, "name", ""));
	j->command = command_of(container);
	j->wrapped = strstr(j->command, "Exit code:") != NULL;
	if (index && text_to_i64(index, 0, 1 << 20, &i) == 0)
		j->index = (int)i;
	j->random = seed_of(k, j->jobset);
	j->at = kube_now(k);
	if (j->index != 0 && strstr(j->command, "JOB_COMPLETION_INDEX")) {
		load_wait(l, 900);
		load_exit(l, 0, NULL);
	} else {
		load_then(l, plan_of(j, container));
	}
	l->timer = sim_after(k->sim, l->items[0].at - kube_now(k), pump, l);
	return l;
}
