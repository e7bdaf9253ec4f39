/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/theme.h"

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/fmt/yaml.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THEME_FORMAT 1
#define THEME_BYTES  ((size_t)64 << 10)

static const struct {
	const char *word;
	char letter;
} roles[ROLE_COUNT] = {
#define X(name, w, l, flags) [name] = {w, l},
	ROLES(X)
#undef X
};

#define X(name, word, letter, flags) [name] = {-1, -1, flags},
const struct theme theme_plain = {
	.name = "plain",
	.styles =
		{
			[THEME_256] = {ROLES(X)},
			[THEME_16] = {ROLES(X)},
			[THEME_MONO] = {ROLES(X)},
		},
};
#undef X

enum theme_form theme_form(int colors)
{
	return colors >= 256 ? THEME_256 : colors >= 8 ? THEME_16 : THEME_MONO;
}

const char *role_word(enum role r)
{
	return roles[r].word;
}

char role_letter(enum role r)
{
	return roles[r].letter;
}

static const char *const form_words[THEME_FORMS] = {
	[THEME_256] = "256", [THEME_16] = "16", [THEME_MONO] = "mono"};

static const char *const color_words[] = {"black", "red", "green", "yellow", "blue", "magenta",
	"cyan", "white", "bright-black", "bright-red", "bright-green", "bright-yellow",
	"bright-blue", "bright-magenta", "bright-cyan", "bright-white"};

static const struct {
	const char *word;
	unsigned flag;
} flag_words[] = {
	{"bold", STYLE_BOLD},
	{"dim", STYLE_DIM},
	{"underline", STYLE_UNDERLINE},
	{"reverse", STYLE_REVERSE},
	{"italic", STYLE_ITALIC},
};

static const int form_colors[THEME_FORMS] = {[THEME_256] = 256, [THEME_16] = 16, [THEME_MONO] = 0};

static bool style_color(const char *word, enum theme_form form, int16_t *out)
{
	int64_t n;
	if (strcmp(word, "default") == 0) {
		*out = -1;
		return true;
	}
	for (size_t i = 0; i < COUNT(color_words); i++) {
		if (strcmp(word, color_words[i]) != 0)
			continue;
		*out = (int16_t)i;
		return form != THEME_MONO;
	}
	if (text_to_i64(word, 0, form_colors[form] - 1, &n) != 0)
		return false;
	*out = (int16_t)n;
	return true;
}

static bool style_flag(const char *word, unsigned *flags)
{
	for (size_t i = 0; i < COUNT(flag_words); i++) {
		if (strcmp(word, flag_words[i].word) != 0)
			continue;
		*flags |= flag_words[i].flag;
		return true;
	}
	return strcmp(word, "plain") == 0;
}

/* "75 on 236 bold": a colour, "on" a colour, flags; every part may be left out. */
static bool style_parse(const char *text, enum theme_form form, struct style *out)
{
	AUTO(strvec_fini) struct strvec words = {0};
	bool on = false;
	*out = (struct style){-1, -1, 0};
	strvec_split(&words, text, " ");
	for (size_t i = 0; i < words.n; i++) {
		const char *w = words.items[i];
		if (on && !style_color(w, form, &out->bg))
			return false;
		if (on) {
			on = false;
			continue;
		}
		on = strcmp(w, "on") == 0;
		if (!on && !style_flag(w, &out->flags) && !style_color(w, form, &out->fg))
			return false;
	}
	return !on;
}

static int theme_bad(const struct yaml_doc *d, const char *path, struct err *e, const char *what)
{
	err_set(e, ERR_BAD_FILE, _("themes/dark.yaml of the program shows the format"),
		_("theme: %s: %s"), path, what);
	return yaml_at(d, path, e);
}

static int theme_role(
	struct theme *t, const struct yaml_doc *d, enum role r, const json_t *forms, struct err *e)
{
	const char *form;
	json_t *value;
	AUTO_FREE char *path = x_asprintf("roles.%s", roles[r].word);
	if (!json_is_object(forms))
		return theme_bad(d, path, e, _("expected {256: …, 16: …, mono: …}"));
	json_object_foreach((json_t *)(uintptr_t)forms, form, value)
	{
		AUTO_FREE char *at = x_asprintf("%s.%s", path, form);
		int f = 0;
		while (f < THEME_FORMS && strcmp(form_words[f], form) != 0)
			f++;
		if (f == THEME_FORMS)
			return theme_bad(d, at, e, _("unknown form; there are 256, 16 and mono"));
		if (!json_is_string(value) || !style_parse(json_string_value(value),
						      (enum theme_form)f, &t->styles[f][r]))
			return theme_bad(d, at, e,
				_("expected a colour, \"on\" a colour, bold dim "
				  "underline reverse italic"));
	}
	return 0;
}

static int theme_roles(struct theme *t, const struct yaml_doc *d, struct err *e)
{
	const json_t *list = json_path(yaml_root(d), "roles");
	const char *word;
	json_t *forms;
	json_object_foreach((json_t *)(uintptr_t)list, word, forms)
	{
		int r = 0;
		while (r < ROLE_COUNT && strcmp(roles[r].word, word) != 0)
			r++;
		if (r == ROLE_COUNT) {
			AUTO_FREE char *at = x_asprintf("roles.%s", word);
			return theme_bad(d, at, e, _("unknown role"));
		}
		if (theme_role(t, d, (enum role)r, forms, e) != 0)
			return -1;
	}
	return 0;
}

static int theme_from(struct theme *t, const struct yaml_doc *d, struct err *e)
{
	static const char *const keys[] = {"theme", "name", "roles"};
	const char *key, *name = json_path_str(yaml_root(d), "name");
	json_t *value;
	*t = (struct theme){0};
	for (int f = 0; f < THEME_FORMS; f++)
		for (int r = 0; r < ROLE_COUNT; r++)
			t->styles[f][r] = (struct style){-1, -1, 0};
	if (json_path_i64(yaml_root(d), "theme", 0) != THEME_FORMAT)
		return theme_bad(d, "theme", e, _("expected theme: 1"));
	if (!name || !*name)
		return theme_bad(d, "name", e, _("expected a name"));
	json_object_foreach((json_t *)(uintptr_t)yaml_root(d), key, value)
	{
		size_t i = 0;
		while (i < COUNT(keys) && strcmp(keys[i], key) != 0)
			i++;
		if (i == COUNT(keys))
			return theme_bad(d, key, e, _("unknown key"));
	}
	snprintf(t->name, sizeof(t->name), "%s", name);
	return theme_roles(t, d, e);
}

int theme_parse(struct theme *t, const char *text, size_t n, const char *file, struct err *e)
{
	struct yaml_doc *d = yaml_parse(file, text, n, e);
	int rc = d ? theme_from(t, d, e) : -1;
	if (d)
		yaml_close(d);
	return rc;
}

/* Folders with themes, the person's own first. */
static void theme_folders(struct strvec *out)
{
	char exe[PATH_MAX];
	char *config = NULL;
	if (path_config_root(&config, NULL) == 0)
		strvec_take(out, path_join(config, "themes"));
	free(config);
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	if (n > 0) {
		exe[n] = '\0';
		char *slash = strrchr(exe, '/');
		if (slash)
			*slash = '\0';
		strvec_pushf(out, "%s/themes", exe);
		strvec_pushf(out, "%s/../themes", exe);
		strvec_pushf(out, "%s/../share/rlpilot/themes", exe);
	}
	strvec_push(out, PKGDATADIR "/themes");
}

/* Names of all themes that are there, for the message. */
static void theme_names(const struct strvec *folders, struct buf *out)
{
	AUTO(strvec_fini) struct strvec all = {0};
	for (size_t i = 0; i < folders->n; i++) {
		AUTO(strvec_fini) struct strvec files = {0};
		if (path_list(folders->items[i], &files, NULL) != 0)
			continue;
		for (size_t j = 0; j < files.n; j++) {
			if (!text_ends(files.items[j], ".yaml") ||
				strvec_find(&all, files.items[j]) >= 0)
				continue;
			strvec_push(&all, files.items[j]);
			buf_addf(out, "%s%.*s", out->len ? ", " : "",
				(int)(strlen(files.items[j]) - strlen(".yaml")), files.items[j]);
		}
	}
}

static int theme_read(struct theme *t, const char *path, struct err *e)
{
	AUTO(buf_fini) struct buf text = {0};
	if (path_read(path, THEME_BYTES, &text, e) != 0)
		return -1;
	return theme_parse(t, buf_str(&text), text.len, path, e);
}

int theme_load(struct theme *t, const char *name, struct err *e)
{
	AUTO(strvec_fini) struct strvec folders = {0};
	AUTO(buf_fini) struct buf names = {0};
	if (strchr(name, '/'))
		return theme_read(t, name, e);
	theme_folders(&folders);
	for (size_t i = 0; i < folders.n; i++) {
		AUTO_FREE char *path = x_asprintf("%s/%s.yaml", folders.items[i], name);
		if (path_exists(path))
			return theme_read(t, path, e);
	}
	theme_names(&folders, &names);
	AUTO_FREE char *hint = x_asprintf(_("there are: %s"), names.len ? buf_str(&names) : "mono");
	return err_set(e, ERR_USAGE, hint, _("there is no theme %s"), name);
}
