/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/keymap.h"

#include "core/base/mem.h"
#include "core/base/text.h"

#include <stdio.h>
#include <string.h>

struct binding {
	enum action action;
	const char *keys; /* key words separated by blanks */
};

struct keymap {
	const struct keymap *parent;
	const struct binding *bindings;
	size_t n;
	bool text; /* characters are text: they never reach the parent */
};

static const struct {
	const char *word, *help;
	enum action_group group;
} actions[ACT_COUNT] = {
#define X(name, w, h, keys, g) [name] = {w, h, GROUP_##g},
	ACTIONS(X)
#undef X
};

static const struct binding normal_bindings[] = {
#define X(name, word, help, keys, group) {name, keys},
	ACTIONS(X)
#undef X
};

/* What stays possible while text is typed. */
static const struct binding edit_bindings[] = {
	{ACT_NONE, "Left Right Home End Backspace Del Space C-a C-e C-b C-f C-u C-k C-w C-d"},
	{ACT_UP, "Up"},
	{ACT_DOWN, "Down"},
};

static const char *const group_titles[GROUP_COUNT] = {
	[GROUP_MOVE] = N_("Move"),
	[GROUP_LOOK] = N_("Look"),
	[GROUP_DO] = N_("Do"),
	[GROUP_GO] = N_("Go to"),
	[GROUP_PROGRAM] = N_("Program"),
};

const struct keymap keymap_normal = {
	.bindings = normal_bindings,
	.n = COUNT(normal_bindings),
};

const struct keymap keymap_edit = {
	.parent = &keymap_normal,
	.bindings = edit_bindings,
	.n = COUNT(edit_bindings),
	.text = true,
};

/* Next word of a list of keys; false at its end. */
static bool keys_next(const char **at, struct key *k)
{
	while (**at == ' ')
		(*at)++;
	size_t n = strcspn(*at, " ");
	if (n == 0)
		return false;
	if (key_parse(*at, n, k) != 0)
		die("key table: no such key: %.*s", (int)n, *at);
	*at += n;
	return true;
}

static bool keys_have(const char *keys, const struct key *k)
{
	struct key one;
	while (keys_next(&keys, &one))
		if (key_same(&one, k))
			return true;
	return false;
}

enum action keymap_find(const struct keymap *m, const struct key *k)
{
	if (k->code == K_PASTE || k->code == K_MOUSE)
		return ACT_NONE;
	for (; m; m = m->parent) {
		for (size_t i = 0; i < m->n; i++)
			if (keys_have(m->bindings[i].keys, k))
				return m->bindings[i].action;
		if (m->text && k->code == K_CHAR && !(k->mods & MOD_CTRL))
			return ACT_NONE;
	}
	return ACT_NONE;
}

const char *action_word(enum action a)
{
	return a == ACT_NONE ? "" : actions[a].word;
}

const char *action_help(enum action a)
{
	return a == ACT_NONE || !*actions[a].help ? "" : _(actions[a].help);
}

enum action_group action_group(enum action a)
{
	return actions[a].group;
}

const char *action_group_title(enum action_group g)
{
	return _(group_titles[g]);
}

enum action action_by_word(const char *word)
{
	for (int a = ACT_NONE + 1; a < ACT_COUNT; a++)
		if (strcmp(actions[a].word, word) == 0)
			return (enum action)a;
	return ACT_NONE;
}

const char *action_key(enum action a, char *buf, size_t size)
{
	buf[0] = '\0';
	for (size_t i = 0; i < COUNT(normal_bindings); i++) {
		const char *keys = normal_bindings[i].keys;
		struct key k;
		if (normal_bindings[i].action == a && keys_next(&keys, &k))
			return key_label(&k, buf, size);
	}
	return buf;
}

const char *action_keys(enum action a, char *buf, size_t size)
{
	size_t used = 0;
	buf[0] = '\0';
	for (size_t i = 0; i < COUNT(normal_bindings); i++) {
		const char *keys = normal_bindings[i].keys;
		struct key k;
		char name[32];
		if (normal_bindings[i].action != a)
			continue;
		while (keys_next(&keys, &k) && used + sizeof(name) + 1 < size)
			used += (size_t)snprintf(buf + used, size - used, "%s%s", used ? " " : "",
				key_label(&k, name, sizeof(name)));
	}
	return buf;
}
