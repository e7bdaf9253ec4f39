/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/person.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/log.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/cloud/auth.h"
#include "core/recipe/command.h"

void person_put(struct strvec *env, const char *name, const char *value)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < env->n; i++) {
		if (strncmp(env->items[i], name, n) != 0 || env->items[i][n] != '=')
			continue;
		x_wipe_free(env->items[i]);
		env->items[i] = x_asprintf("%s=%s", name, value);
		return;
	}
	strvec_pushf(env, "%s=%s", name, value);
}

static bool own_kubeconfig(const struct state *s)
{
	for (size_t i = 0; i < s->deviations.n; i++)
		if (strcmp(s->deviations.items[i].id, "own-kubeconfig") == 0)
			return s->deviations.items[i].on;
	return true;
}

static bool upper(const char *name)
{
	return name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] == '\0' && *name;
}

void person_environment(const struct state *s, const char *run_dir, struct strvec *env)
{
	AUTO_FREE char *kubeconfig = path_join(run_dir, "kubeconfig");
	const char *why;
	AUTO_FREE char *login = auth_child_file(&why);

	for (char **p = environ; *p; p++)
		strvec_push(env, *p);
	for (size_t i = 0; i < s->values.n; i++) {
		const struct state_value *v = &s->values.items[i];
		if (!v->secret && v->present && upper(v->name))
			person_put(env, v->name, v->value);
	}
	if (own_kubeconfig(s))
		person_put(env, "KUBECONFIG", kubeconfig);
	if (login)
		person_put(env, "GOOGLE_APPLICATION_CREDENTIALS", login);
}

char *person_logins(const struct recipe *r)
{
	struct render how = {.recipe = r, .deviations = deviation_defaults(r), .names = true};
	const struct recipe_stage *stage = recipe_stage(r, stage_word(STAGE_LOGIN));
	struct command_list commands = {0};
	struct buf out = {0};
	struct err e = {0};

	if (stage && command_render(&how, stage, &commands, &e) != 0)
		log_line("run", "logins: %s", e.what);
	buf_adds(&out, "set -e");
	for (size_t i = 0; i < commands.n; i++)
		if (commands.items[i].interactive && commands.items[i].script)
			buf_addf(&out, "\n%s", commands.items[i].script);
	command_list_fini(&commands);
	return buf_take(&out);
}

char *person_folder(const char *run_dir)
{
	static const char *const folders[] = {"toolkit/cluster-toolkit", "toolkit"};

	for (size_t i = 0; i < COUNT(folders); i++) {
		AUTO_FREE char *dir = path_join(run_dir, folders[i]);
		if (path_is_dir(dir))
			return x_strdup(dir);
	}
	return x_strdup(run_dir);
}

const char *person_shell(void)
{
	const char *shell = getenv("SHELL");

	return shell && *shell == '/' && access(shell, X_OK) == 0 ? shell : "/bin/sh";
}
