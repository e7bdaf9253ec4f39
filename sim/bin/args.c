/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/bin/args.h"
#include "core/base/mem.h"
#include <stdlib.h>
#include <string.h>

static const struct arg_flag *find(
	const struct arg_flag *t, const char *name, size_t n, char letter)
{
	for (; t && t->name; t++)
		if (letter ? t->letter == letter
			   : (strlen(t->name) == n && !strncmp(t->name, name, n)))
			return t;
	return NULL;
}

static int bad(struct args *a, const char *text, bool value)
{
	a->bad = x_strdup(text);
	a->bad_value = value;
	return -1;
}

static int option(struct args *a, const struct arg_flag *own, const struct arg_flag *common,
	int argc, char **argv, int *i)
{
	const char *text = argv[*i];
	bool is_long = text[1] == '-';
	const char *name = text + (is_long ? 2 : 1);
	size_t n = is_long ? strcspn(name, "=") : 1;
	const char *value = name[n] ? name + n + (name[n] == '=') : NULL;
	const struct arg_flag *f = find(own, name, n, is_long ? 0 : *name);
	if (!f)
		f = find(common, name, n, is_long ? 0 : *name);
	if (!f)
		return bad(a, text, false);
	if (f->value && !value && ++*i >= argc)
		return bad(a, text, true);
	if (f->value && !value)
		value = argv[*i];
	strvec_push(&a->names, f->name);
	strvec_push(&a->values, value ? value : "");
	return 0;
}

int args_parse(struct args *a, const struct arg_flag *own, const struct arg_flag *common, int argc,
	char **argv)
{
	bool words_only = false;
	for (int i = 0; i < argc; i++) {
		if (!words_only && !strcmp(argv[i], "--"))
			words_only = true;
		else if (words_only || argv[i][0] != '-' || !argv[i][1])
			strvec_push(&a->words, argv[i]);
		else if (option(a, own, common, argc, argv, &i))
			return -1;
	}
	return 0;
}

void args_fini(struct args *a)
{
	strvec_fini(&a->words);
	strvec_fini(&a->names);
	strvec_fini(&a->values);
	free(a->bad);
}

const char *args_get(const struct args *a, const char *name)
{
	for (size_t i = a->names.n; i-- > 0;)
		if (!strcmp(a->names.items[i], name))
			return a->values.items[i];
	return NULL;
}

bool args_has(const struct args *a, const char *name)
{
	const char *v = args_get(a, name);
	return v && strcmp(v, "false") != 0;
}

const char *args_next(const struct args *a, const char *name, size_t *i)
{
	while (*i < a->names.n) {
		size_t at = (*i)++;
		if (!strcmp(a->names.items[at], name))
			return a->values.items[at];
	}
	return NULL;
}
