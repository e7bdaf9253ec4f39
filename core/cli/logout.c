/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cli/logout.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/base/vec.h"

#define CONF_MAX 65536

struct logind {
	bool kill;
	char *only, *except; /* names with blanks between, NULL = not said */
};

static bool is_yes(const char *value)
{
	return strcasecmp(value, "yes") == 0 || strcasecmp(value, "true") == 0 ||
	       strcasecmp(value, "on") == 0 || strcmp(value, "1") == 0;
}

static void take_line(struct logind *l, const char *line)
{
	const char *eq = strchr(line, '=');
	AUTO_FREE char *name = eq ? text_trim(line, (size_t)(eq - line)) : NULL;
	AUTO_FREE char *value = eq ? text_trim(eq + 1, strlen(eq + 1)) : NULL;
	char **list = NULL;

	if (!name)
		return;
	if (strcmp(name, "KillUserProcesses") == 0)
		l->kill = is_yes(value);
	else if (strcmp(name, "KillOnlyUsers") == 0)
		list = &l->only;
	else if (strcmp(name, "KillExcludeUsers") == 0)
		list = &l->except;
	if (list) {
		free(*list);
		*list = value;
		value = NULL;
	}
}

static void take_file(struct logind *l, const char *file)
{
	AUTO(buf_fini) struct buf b = {0};
	AUTO(strvec_fini) struct strvec lines = {0};

	if (!path_exists(file) || path_read(file, CONF_MAX, &b, NULL) != 0)
		return;
	strvec_split(&lines, buf_str(&b), "\n");
	for (size_t i = 0; i < lines.n; i++)
		if (lines.items[i][0] != '#' && lines.items[i][0] != ';')
			take_line(l, lines.items[i]);
}

static bool names(const char *list, const char *user)
{
	AUTO(strvec_fini) struct strvec all = {0};

	strvec_split(&all, list ? list : "", " \t");
	return strvec_find(&all, user) >= 0;
}

static bool kills(const char *root, const char *user)
{
	static const char *const places[] = {"/usr/lib/systemd", "/run/systemd", "/etc/systemd"};
	struct logind l = {0};
	bool all;

	for (size_t i = 0; i < COUNT(places); i++) {
		AUTO_FREE char *file = x_asprintf("%s%s/logind.conf", root, places[i]);
		take_file(&l, file);
	}
	for (size_t i = 0; i < COUNT(places); i++) {
		AUTO_FREE char *dir = x_asprintf("%s%s/logind.conf.d", root, places[i]);
		AUTO(strvec_fini) struct strvec files = {0};
		(void)path_list(dir, &files, NULL);
		for (size_t k = 0; k < files.n; k++) {
			AUTO_FREE char *file = path_join(dir, files.items[k]);
			take_file(&l, file);
		}
	}
	all = l.kill && !names(l.except ? l.except : "root", user) &&
	      (!l.only || !*l.only || names(l.only, user));
	free(l.only);
	free(l.except);
	return all;
}

/* Of a system without control groups, or whose names are others, nothing is known. */
enum logout logout_look(const char *root, const char *user)
{
	AUTO_FREE char *file = x_asprintf("%s/proc/self/cgroup", root);
	AUTO_FREE char *linger = x_asprintf("%s/var/lib/systemd/linger/%s", root, user);
	AUTO(buf_fini) struct buf group = {0};
	bool known = path_read(file, CONF_MAX, &group, NULL) == 0;

	if (known && strstr(buf_str(&group), "/user@"))
		return path_exists(linger) ? LOGOUT_HARMLESS : LOGOUT_ENDS;
	if (known && !strstr(buf_str(&group), "/session-"))
		return LOGOUT_HARMLESS;
	return kills(root, user) ? LOGOUT_KILLS : LOGOUT_HARMLESS;
}
