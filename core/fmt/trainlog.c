/* SPDX-License-Identifier: Apache-2.0 */
#include "core/fmt/trainlog.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/match.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/ansi.h"
#include "core/fmt/cause.h"

#define GROUPS 6
#define ORBAX  "^(?:\\[[^\\]]*\\] ?)*"

/*
 * `has` is a literal that must be in the message before the pattern is tried. Patterns see the
 * message after the prefix of absl, vLLM or logging. `take` says where group 1, 2 … go: s step,
 * d done, t total, v value, w value2, n name, x text, - nowhere.
 */
struct rule {
	const char *has, *pattern, *take;
	enum trainlog_kind kind;
	int64_t step, done;
	const char *name;
};

static const struct rule rules[] = {
	{"Train step ", "^Train step (\\d+) training loss: (\\S+)\\s+- training perplexity: (\\S+)",
		"svw", .kind = TRAINLOG_STEP},
	{"Reshard finished", "^Reshard finished in ([\\d.]+)s", "v", .kind = TRAINLOG_SYNC_PART},
	{"trajectory_ids", "^Rollout string metric trajectory_ids: \\[+'(\\d+)_", "d",
		.kind = TRAINLOG_TRAJECTORY},
	{"Rollout string", "^Rollout string metric", "", .kind = TRAINLOG_NONE},
	{"Pre RL ", "^Pre RL Training: corr=(\\d+), total=(\\d+)(?:.*mean_reward=(\\S+))?", "dtv",
		.kind = TRAINLOG_EVAL, .name = "pre"},
	{"Intermediate Eval",
		"^Intermediate Eval \\(step=(\\d+)\\): corr=(\\d+), "
		"total=(\\d+)(?:.*mean_reward=(\\S+))?",
		"sdtv", .kind = TRAINLOG_EVAL, .name = "intermediate"},
	{"Post RL ", "^Post RL Training: corr=(\\d+), total=(\\d+)(?:.*mean_reward=(\\S+))?", "dtv",
		.kind = TRAINLOG_EVAL, .step = -1, .name = "post"},
	{"[intermediate-eval] step", "^\\[intermediate-eval\\] step=(\\d+) failed: (.*)$", "sx",
		.kind = TRAINLOG_EVAL_FAILED},
	{"===> corr", "^===> corr=(\\d+), total=(\\d+)", "-d", .kind = TRAINLOG_EVAL_PART},
	{"Evaluation ", "^Evaluation (?:Question|Answer|Responses):", "",
		.kind = TRAINLOG_MILESTONE, .name = "eval-question"},
	{"Train loop", "^Train loop finished in: ([\\d.]+) seconds", "v", .kind = TRAINLOG_LOOP},
	{"Deleting kv-cache", "^Deleting kv-cache", "", .kind = TRAINLOG_SYNC_START},
	{"Reinitializing kv-cache", "^Reinitializing kv-cache", "", .kind = TRAINLOG_SYNC_END},
	{"Compiled train_step", "^Compiled train_step cache size: (\\d+)", "d",
		.kind = TRAINLOG_COMPILE, .name = "train_step"},
	{"Precompile all", "^Precompile all the subgraphs", "", .kind = TRAINLOG_COMPILE,
		.name = "vllm"},
	{"Compilation of", "^Compilation of (.*) finished in ([\\d.]+) \\[secs\\]", "nv",
		.kind = TRAINLOG_COMPILE, .done = 1},
	{"due to preemption", ORBAX "Saving checkpoint at step (\\d+) due to preemption", "s",
		.kind = TRAINLOG_ERROR},
	{"Saving checkpoint", ORBAX "Saving checkpoint at step (\\d+)", "s",
		.kind = TRAINLOG_SAVE_START},
	{"Finished save", ORBAX "Finished save \\(blocking \\+ background\\) in ([\\d.]+) seconds",
		"v", .kind = TRAINLOG_SAVE_END},
	{"saved a checkpoint", "^saved a checkpoint at step (\\d+)", "s",
		.kind = TRAINLOG_SAVE_END},
	{"Started load", ORBAX "Started load checkpoint @", "", .kind = TRAINLOG_LOAD_START},
	{"Finished load", ORBAX "Finished load in ([\\d.]+) seconds", "v",
		.kind = TRAINLOG_LOAD_END},
	{"Config param", "^Config param ([\\w.]+): (.*)$", "nx", .kind = TRAINLOG_PARAM},
	{"Loaded Hugging", "^Loaded Hugging Face dataset (\\S+) with split (\\S+)\\. Size: (\\d+)",
		"nxd", .kind = TRAINLOG_DATASET},
	{"Uploaded ", "^[^A-Za-z]*Uploaded .* to \\S*?(model-(\\d+)-of-(\\d+)\\.safetensors)",
		"ndt", .kind = TRAINLOG_UPLOAD},
	{"Uploaded ", "^[^A-Za-z]*Uploaded .* to (?:\\S*/)?([^/\\s]+?)\\.?$", "n",
		.kind = TRAINLOG_UPLOAD},
	{"uploaded model.safe",
		"^[^A-Za-z]*Successfully uploaded (model\\.safetensors\\.index\\.json)", "n",
		.kind = TRAINLOG_UPLOAD},
	{"Elapse", "^(Elapse for [^:]+|Overall Elapse): ([\\d.]+) min", "nv",
		.kind = TRAINLOG_ELAPSE},
	{"Conversion complete", "^Conversion complete\\. Checkpoint saved to (.*)$", "x",
		.kind = TRAINLOG_DONE, .name = "to-maxtext"},
	{"successfully saved", "^MaxText model successfully saved in HuggingFace format at (.*)$",
		"x", .kind = TRAINLOG_DONE, .name = "to-huggingface"},
	{"RL Training Completed", "^RL Training Completed Successfully!", "", .kind = TRAINLOG_DONE,
		.name = "train"},
	{"Exit code", "^Exit code: (\\d+)\\s*$", "d", .kind = TRAINLOG_EXIT},
	{"vLLM platform", "^vLLM platform resolved to:", "", .kind = TRAINLOG_MILESTONE,
		.name = "process-started"},
	{"Successfully registered", "^Successfully registered MaxTextForCausalLM", "",
		.kind = TRAINLOG_MILESTONE, .name = "imports-done"},
	{"Jax Backend", "^System Information: Jax Backend: (.*)$", "x", .kind = TRAINLOG_MILESTONE,
		.name = "backend-ready"},
	{"Creating reference", "^Creating reference model", "", .kind = TRAINLOG_MILESTONE,
		.name = "reference-model"},
	{"Creating policy", "^Creating policy model", "", .kind = TRAINLOG_MILESTONE,
		.name = "policy-model"},
	{"Creating RL", "^Creating RL cluster", "", .kind = TRAINLOG_MILESTONE,
		.name = "vllm-start"},
	{"Setting up RL", "^Setting up RL trainer", "", .kind = TRAINLOG_MILESTONE,
		.name = "trainer"},
	{"Starting RL", "^Starting RL training", "", .kind = TRAINLOG_MILESTONE,
		.name = "train-start"},
	{"Loading index", "^Loading index file", "", .kind = TRAINLOG_MILESTONE, .name = "index"},
	{"Starting weight", "^Starting weight transformation", "", .kind = TRAINLOG_MILESTONE,
		.name = "prepare"},
	{"Shard weights", "^Shard weights across (\\d+) devices", "d", .kind = TRAINLOG_MILESTONE,
		.name = "load-tensors"},
	{"Loading Orbax", "^Loading Orbax checkpoint", "", .kind = TRAINLOG_MILESTONE,
		.name = "load-checkpoint"},
	{"Processing weights", "^Processing weights", "", .kind = TRAINLOG_MILESTONE,
		.name = "transform"},
	{"Saving HuggingFace", "^Saving HuggingFace model", "", .kind = TRAINLOG_MILESTONE,
		.name = "upload"},
};

/* Compiled on first use and kept; the table is constant. */
static struct match *compiled[COUNT(rules)];

static const struct match *compile(struct match **slot, const char *pattern)
{
	struct err *none = NULL;

	if (!*slot)
		*slot = match_new(pattern, false, none);
	if (!*slot)
		die("log pattern does not compile: %s", pattern);
	return *slot;
}

/* Cuts at a character's start. */
static void copy(char *out, size_t size, const char *s, size_t n)
{
	if (n >= size) {
		n = size - 1;
		while (n > 0 && ((unsigned char)s[n] & 0xc0) == 0x80)
			n--;
	}
	memcpy(out, s, n);
	out[n] = 0;
}

static double number(const char *s, size_t n)
{
	char text[40];
	char *end;
	double v;

	copy(text, sizeof(text), s, n);
	v = strtod(text, &end);
	if (end == text || (*end && *end != ',' && *end != '%'))
		return NAN;
	return v;
}

static int64_t whole(const char *s, size_t n)
{
	int64_t v = 0;

	for (size_t i = 0; i < n && i < 18; i++)
		v = v * 10 + (s[i] - '0');
	return v;
}

static void take(struct trainlog_event *ev, char where, const char *s, size_t n)
{
	switch (where) {
	case 's':
		ev->step = whole(s, n);
		break;
	case 'd':
		ev->done = whole(s, n);
		break;
	case 't':
		ev->total = whole(s, n);
		break;
	case 'v':
		ev->value = number(s, n);
		break;
	case 'w':
		ev->value2 = number(s, n);
		break;
	case 'n':
		copy(ev->name, sizeof(ev->name), s, n);
		break;
	case 'x':
		copy(ev->text, sizeof(ev->text), s, n);
		break;
	default:
		break;
	}
}

static void take_all(
	struct trainlog_event *ev, const char *to, const char *s, const struct match_span *spans)
{
	for (size_t i = 0; to[i]; i++)
		if (spans[i + 1].start != (size_t)-1)
			take(ev, to[i], s + spans[i + 1].start, spans[i + 1].len);
}

static bool apply_rules(struct trainlog_event *ev, const char *msg, size_t n)
{
	for (size_t i = 0; i < COUNT(rules); i++) {
		const struct rule *r = &rules[i];
		struct match_span spans[GROUPS];

		if (!strstr(msg, r->has) ||
			!match_find(compile(&compiled[i], r->pattern), msg, n, 0, spans, GROUPS))
			continue;
		ev->kind = r->kind;
		ev->step = r->step;
		ev->done = r->done;
		copy(ev->name, sizeof(ev->name), r->name ? r->name : "",
			r->name ? strlen(r->name) : 0);
		take_all(ev, r->take, msg, spans);
		return true;
	}
	return false;
}

struct bar_unit {
	const char *label, *unit;
};

static const struct bar_unit bar_units[] = {
	{"Processed prompts", "prompt"},
	{"Rendering prompts", "request"},
	{"Adding requests", "request"},
	{"Transforming weights", "weight"},
	{"Generating", "row"},
};

/* tqdm: "label: 60%|######    | 412/687 [01:22<…", "412/687 [..", "5it [02:11, …". The bar without
 * a label is the conversions' work on tensors. */
static bool apply_bar(struct trainlog_event *ev, const char *s, size_t n)
{
	static struct match *counted, *open_ended;
	struct match_span at[GROUPS];
	const char *unit = "tensor";

	if (!strchr(s, '['))
		return false;
	if (match_find(compile(&counted,
			       "^\\s*(?:([^|]*?):\\s+)?(?:\\d+%\\|[^|]*\\|\\s*)?(\\d+)/(\\d+) \\["),
		    s, n, 0, at, GROUPS)) {
		take_all(ev, "ndt", s, at);
		if (ev->name[0])
			unit = "item";
	} else if (match_find(compile(&open_ended, "^\\s*(\\d+)it \\["), s, n, 0, at, GROUPS)) {
		take_all(ev, "d", s, at);
		unit = "iteration";
	} else {
		return false;
	}
	for (size_t i = 0; i < COUNT(bar_units); i++)
		if (text_starts(ev->name, bar_units[i].label))
			unit = bar_units[i].unit;
	ev->kind = TRAINLOG_BAR;
	copy(ev->name, sizeof(ev->name), unit, strlen(unit));
	return true;
}

/* Finds absl's, vLLM's or logging's prefix, even behind a bar; returns the message. */
static const char *message(const char *s, size_t n, char *level)
{
	static struct match *prefix;
	struct match_span at[3];

	if (!match_find(compile(&prefix, "(?:([IWEF])\\d{4} \\d\\d:\\d\\d:\\d\\d\\.\\d{6}\\s+\\d+ "
					 "[\\w./-]+:\\d+\\] ?"
					 "|(INFO|WARNING|ERROR|CRITICAL|DEBUG)(?: \\d\\d-\\d\\d "
					 "\\d\\d:\\d\\d:\\d\\d "
					 "\\[[^\\]]*\\] ?|:[\\w.]+:))"),
		    s, n, 0, at, 3))
		return s;
	for (size_t g = 1; g < 3; g++)
		if (at[g].start != (size_t)-1)
			*level = s[at[g].start];
	if (*level == 'D')
		*level = 'I';
	if (*level == 'C')
		*level = 'F';
	return s + at[0].start + at[0].len;
}

/* Values of arrays and dumps of models come indented or quoted; they are not the program's words.
 */
static bool is_dump(const char *s)
{
	return *s && strchr(" \t'\"[{(", *s);
}

static void apply_error(struct trainlog_event *ev, const char *msg, size_t n, bool prefixed)
{
	const struct cause *c;

	if ((!prefixed && is_dump(msg)) || cause_is_noise(msg, n))
		return;
	c = cause_of_text(msg, n);
	if (!c && ev->level != 'E' && ev->level != 'F' &&
		!text_starts(msg, "Traceback (most recent call last):") &&
		!text_starts(msg, "*** Check failure stack trace"))
		return;
	ev->kind = TRAINLOG_ERROR;
	ev->cause = c ? c->id : NULL;
	copy(ev->text, sizeof(ev->text), msg, n);
}

void trainlog_parse(const char *line, size_t n, struct trainlog_event *ev)
{
	AUTO(buf_fini) struct buf b = {0};
	const char *s, *msg;
	size_t len;

	*ev = (struct trainlog_event){.value = NAN, .value2 = NAN};
	ansi_visible(&b, line, n);
	s = buf_str(&b);
	msg = message(s, b.len, &ev->level);
	len = strlen(msg);
	if (apply_rules(ev, msg, len)) {
		if (ev->kind == TRAINLOG_STEP && !isfinite(ev->value))
			ev->cause = "loss-not-finite";
		if (ev->kind == TRAINLOG_ERROR)
			apply_error(ev, msg, len, msg != s);
		return;
	}
	if (msg == s && apply_bar(ev, s, b.len))
		return;
	apply_error(ev, msg, len, msg != s);
	/* A message that says nothing, glued to a bar that does. */
	if (ev->kind == TRAINLOG_NONE && msg != s)
		apply_bar(ev, s, b.len);
}

const char *trainlog_kind_name(enum trainlog_kind kind)
{
	static const char *const names[] = {
#define X(name, word) [TRAINLOG_##name] = word,
		TRAINLOG_KINDS(X)
#undef X
	};

	return (size_t)kind < COUNT(names) ? names[kind] : "none";
}
