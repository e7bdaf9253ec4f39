/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tutorial as data: everything of assets/recipes/NAME.yaml as plain structs, read once, never
 * changed. All memory hangs on the recipe and goes with recipe_free; strings that have no value
 * are NULL, lists that are absent have n = 0. Templates hold ${NAME}, ${NAME:-default}; any other
 * '$' is itself. Must not ask anything outside and must not know the state of a run.
 */
#ifndef RLPILOT_RECIPE_RECIPE_H
#define RLPILOT_RECIPE_RECIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/mem.h"

struct err;

#define RECIPE_ITEMS(type)                                                                         \
	type *items;                                                                               \
	size_t n
#define RECIPE_LIST(type)                                                                          \
	struct {                                                                                   \
		RECIPE_ITEMS(type);                                                                \
	}

/* A text for people in both languages; both are there in a checked recipe. */
struct recipe_text {
	const char *en, *ko;
};

struct recipe_texts {
	RECIPE_ITEMS(struct recipe_text);
};

struct recipe_pair {
	const char *name;
	const char *value; /* template */
};

struct recipe_pairs {
	RECIPE_ITEMS(struct recipe_pair);
};

struct recipe_names {
	RECIPE_ITEMS(const char *);
};

/* One fact that a gate, a verification or a skip guard asks for: id and named arguments
 * (templates). Known ids and their arguments: recipe_fact_args(). */
struct recipe_fact {
	const char *id;
	struct recipe_pairs args;
	struct recipe_text why; /* what it means when it does not hold; may be empty */
};

struct recipe_facts {
	RECIPE_ITEMS(struct recipe_fact);
};

/* How a variable gets its value when nobody gives one. */
enum recipe_derive {
	DERIVE_NONE,
	DERIVE_REGION,   /* of ZONE: without its last "-x" */
	DERIVE_CHIPS,    /* product of TOPOLOGY */
	DERIVE_HOSTS,    /* chips / chips.per_host */
	DERIVE_PLATFORM, /* by `uname -s`-`uname -m` from `platforms` */
	DERIVE_STEP,     /* newest complete step in the bucket; the engine sets it */
	DERIVE_FIXED,    /* always the default; the environment is not asked */
};

struct recipe_variable {
	const char *name;
	struct recipe_text label, why;
	struct recipe_texts how; /* steps, in order */
	const char *how_link;
	const char *rule;          /* name for rule_named(), or NULL */
	const char *match;         /* PCRE2 for the whole value, or NULL */
	struct recipe_text reason; /* shown when `match` does not match */
	const char *dflt;          /* default, or NULL */
	const char *discover;      /* list that discovery can offer: project region zone bucket
				    * cluster reservation machine, or NULL */
	struct recipe_names needs; /* variables that discovery needs first */
	struct recipe_pairs platforms;
	enum recipe_derive derive;
	bool derived_only; /* never asked, never exported: shown */
	bool secret;
	bool optional;
};

enum recipe_quote { QUOTE_NONE, QUOTE_SINGLE, QUOTE_DOUBLE };

/* A value with structure inside a parameter: {'a': {'b': false}}. */
struct recipe_item {
	const char *key;   /* NULL in a list */
	const char *value; /* template, NULL when there are children */
	bool raw;          /* true, false and numbers are written without quotes */
	bool list;         /* children are a list */
	RECIPE_ITEMS(struct recipe_item);
};

/* key=value of a program in the container. */
struct recipe_param {
	const char *key;
	const char *value;          /* template; NULL: the key alone */
	struct recipe_item *object; /* instead of value */
	enum recipe_quote quote;
	const char *when;
	struct recipe_text label, why;
	const char *type;     /* int real bool choice text */
	const char *upstream; /* the value when it is left out, as text */
	const char *source;
	double min, max; /* inclusive; min == max: no limits */
	struct recipe_names choices;
	bool editable; /* may be overridden by a value of this name */
};

struct recipe_params {
	RECIPE_ITEMS(struct recipe_param);
};

/* One step of the shell command in the container; steps are joined by &&. */
struct recipe_step {
	const char *export_name; /* export NAME=value */
	const char *value;
	const char *patch_file; /* replace text in a file by pattern */
	const char *patch_pattern, *patch_replacement;
	const char *module; /* python3 -m MODULE with env before and params behind */
	struct recipe_pairs env;
	struct recipe_params params;
	bool parameters; /* followed by the recipe's `parameters` */
	struct recipe_text why;
};

struct recipe_container {
	const char *only_index; /* the other pods of the job leave at once */
	RECIPE_LIST(struct recipe_step) steps;
};

/* One argument: a word, or a flag with a value in one of four shapes. */
struct recipe_arg {
	const char *word;                   /* template */
	const char *flag;                   /* "--name"; alone, or with one of: */
	const char *value;                  /* template */
	struct recipe_pairs pairs;          /* name=value,name=value */
	struct recipe_container *container; /* a shell command */
	bool apart;                         /* flag and value are two words, not flag=value */
	const char *when;
	struct recipe_text why;
};

struct recipe_args {
	RECIPE_ITEMS(struct recipe_arg);
};

/* One edit of a text file with the exact number of lines it must touch. */
struct recipe_edit {
	const char *find, *replace; /* literal text in a line */
	const char *after, *add;    /* a line `add` behind each line that holds `after` */
	size_t count;
	struct recipe_text why;
};

enum recipe_kind {
	RECIPE_RUN,     /* a program that does work */
	RECIPE_LOOK,    /* shows something to a person; an engine leaves it out */
	RECIPE_WAIT,    /* waits; an engine watches instead */
	RECIPE_BUILTIN, /* done by the program itself; see `builtin` */
};

enum recipe_written {
	WRITTEN_BOTH,
	WRITTEN_ONLY,  /* only in plan --as-written */
	WRITTEN_NEVER, /* ours, not in the tutorial */
};

struct recipe_command {
	enum recipe_kind kind;
	const char *builtin; /* need-tools make-folder detect-bundle edit-blueprint remove-folder
				wait-job */
	const char *program;
	struct recipe_args args;
	struct recipe_args pipe; /* program and words that read its output */
	struct recipe_pairs env;
	const char *cwd; /* below the folder of the toolkit: "." or "cluster-toolkit" */
	bool interactive;
	bool money;  /* from here on it costs */
	bool proven; /* only once it is proven that all of the deployment is gone */
	enum recipe_written written;
	const char *when;
	struct recipe_fact *skip; /* not run when this holds */
	const char
		*skip_script; /* the same for a shell, exit 0 = skip; NULL: scripts always run it */
	const char *or_script; /* a failure is no failure when this shell text succeeds */
	const char *confirm_env,
		*confirm_value; /* a script runs it only when $ENV equals the value */
	const char *edit_source, *edit_target;
	RECIPE_LIST(struct recipe_edit) edits;
	struct recipe_text why;
};

struct recipe_commands {
	RECIPE_ITEMS(struct recipe_command);
};

struct recipe_stage {
	const char *id;
	struct recipe_text title, does, after,
		trouble; /* after: what to do next; trouble: if it fails */
	uint32_t usual_min_s, usual_max_s;
	const char *jobset;   /* JobSet that it submits, or NULL */
	const char *tree;     /* tree that it fills, or NULL */
	bool alone;           /* never started by itself after another one: login, cleanup */
	bool uninterruptible; /* cancel only by typed confirmation: deploy, destroy */
	bool holds_tpu;       /* the pool costs while it runs */
	struct recipe_facts gate, verify, existing; /* existing: results are there, offer to skip */
	struct recipe_commands commands, undo;
	struct recipe_text undo_text;
	struct recipe_facts undo_gate, /* what must hold before anything is undone */
		undo_verify;           /* and once it is undone */
};

struct recipe_deviation {
	const char *id;
	bool dflt;
	struct recipe_names stages;
	struct recipe_text title, why, price;
	struct recipe_text otherwise; /* what happens when it is off, for one that is a choice */
	const char *source;
};

struct recipe_check {
	const char *id;
	struct recipe_text question;
	struct recipe_names needs; /* variables and parameters: asked again when one changes */
	struct recipe_pairs args;
};

struct recipe_cause {
	const char *id;
	const char *where;    /* log event condition tool exit */
	const char *match;    /* PCRE2 */
	const char *severity; /* info warning fatal ignore */
	const char *who;      /* you administrator google */
	struct recipe_names stages;
	struct recipe_text meaning, cure;
	const char *source;
};

struct recipe_role {
	const char *name;
	uint32_t pods;
	struct recipe_names containers;
	const char *main; /* its container that tells the story, or NULL */
	struct recipe_text what;
};

struct recipe_series {
	const char *id;  /* name in metrics --csv */
	const char *tag; /* tag of the event file, or NULL */
	uint32_t base;   /* first step in the file: 0 or 1 */
	struct recipe_text label, why;
	const char *unit;
	bool headline; /* one of the first curves */
};

struct recipe_tree {
	const char *id;   /* trees of the contract */
	const char *uri;  /* template, ends with '/' */
	const char *kind; /* orbax huggingface */
	const char *item; /* item whose marker counts for the next stage */
	const char *stage;
	struct recipe_text label;
	uint64_t bytes; /* expected */
};

/* A line of the log that tells progress. */
struct recipe_milestone {
	const char *id, *stage, *match;
	struct recipe_text label;
};

struct recipe_bar {
	const char *id, *stage, *match; /* first group: done, second: total */
	const char *unit;
	uint32_t total;
	struct recipe_text label;
};

struct recipe_quiet {
	const char *id, *stage, *after, *until; /* PCRE2 */
	uint32_t usual_s;
	struct recipe_text why;
};

struct recipe_watch {
	const char *jobset, *ns, *main_role;
	uint32_t steps, eval_every;
	RECIPE_LIST(struct recipe_role) roles;
	RECIPE_LIST(struct recipe_series) series;
	RECIPE_LIST(struct recipe_tree) trees;
	RECIPE_LIST(struct recipe_milestone) milestones;
	RECIPE_LIST(struct recipe_bar) bars;
	RECIPE_LIST(struct recipe_quiet) quiet;
	const char *tensorboard; /* template of the folder of event files */
};

struct recipe_chips {
	const char *machine, *generation, *price_link;
	uint32_t count, per_host;
	double hbm_gib;
	uint32_t heads, kv_heads; /* of the model: attention heads, fewest KV heads of a layer */
};

struct recipe_link {
	struct recipe_text label;
	const char *url;
};

/* What the tutorial says and what really happens. */
struct recipe_note {
	const char *id, *source;
	struct recipe_text says, happens;
};

struct recipe {
	struct arena arena;
	const char *file;
	const char *id;
	struct recipe_text title, summary;
	uint32_t usual_min_s, usual_max_s; /* all stages together */
	RECIPE_LIST(struct recipe_link) links;
	RECIPE_LIST(struct recipe_note) notes;
	RECIPE_LIST(struct recipe_variable) variables;
	struct recipe_params parameters;
	RECIPE_LIST(struct recipe_check) checks;
	RECIPE_LIST(struct recipe_stage) stages;
	RECIPE_LIST(struct recipe_deviation) deviations;
	struct recipe_watch watch;
	RECIPE_LIST(struct recipe_cause) causes;
	struct recipe_chips chips;
	struct {
		const struct text_pair *items;
		size_t n;
	} texts; /* every text of the file, for recorded_pairs() */
};

/* Reads and checks a file. Any unknown key, wrong kind, unknown name or missing part is
 * ERR_BAD_FILE with file:line:column and what was expected. */
int recipe_load(const char *path, struct recipe **out, struct err *e);
/* id or a path (has a '/' or ends with .yaml). An id is looked for in recipes/ of the user's
 * configuration, in the assets beside a build and in the installed folder. */
int recipe_find(const char *id_or_file, struct recipe **out, struct err *e);
void recipe_free(struct recipe *r);

/* The text in the language of the program; "" when empty. */
const char *recipe_text(const struct recipe_text *t);
const struct recipe_stage *recipe_stage(const struct recipe *r, const char *id); /* or NULL */
/* The stage before `of` that makes what a fact of its gate asks for, by what it verifies; or NULL.
 */
const struct recipe_stage *recipe_maker(
	const struct recipe *r, const struct recipe_stage *of, const struct recipe_fact *wanted);
const struct recipe_variable *recipe_variable(
	const struct recipe *r, const char *name);                                    /* or NULL */
const struct recipe_param *recipe_parameter(const struct recipe *r, const char *key); /* or NULL */
const struct recipe_deviation *recipe_deviation(
	const struct recipe *r, const char *id);                               /* or NULL */
const struct recipe_tree *recipe_tree(const struct recipe *r, const char *id); /* or NULL */
/* Argument names that a fact takes, NULL ended; NULL when the fact is unknown. */
const char *const *recipe_fact_args(const char *id);

/* Ids of all known facts, NULL ended. */
const char *const *recipe_fact_ids(void);

#endif
