/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/checks_admin.h"

#include <string.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/fmt/shell.h"
#include "core/run/state.h"

static bool is_role(const struct state_check *c)
{
	return text_starts(c->id, "role.");
}

static bool needs_administrator(const struct state_check *c)
{
	return strcmp(c->state, "ok") != 0 && c->who && strcmp(c->who, "administrator") == 0;
}

/* What a word of the command begins with, without that; NULL: there is none. */
static const char *word_after(const struct state_check *c, const char *prefix)
{
	for (size_t i = 0; i < c->cure_argv.n; i++)
		if (text_starts(c->cure_argv.items[i], prefix))
			return c->cure_argv.items[i] + strlen(prefix);
	return NULL;
}

struct lacks {
	const char *account;
	struct buf roles, others;
	struct strvec commands, more; /* for the roles; for the rest, each once */
};

static void collect(struct lacks *l, const struct state_check *c)
{
	AUTO(buf_fini) struct buf line = {0};
	struct strvec *list = is_role(c) ? &l->commands : &l->more;

	if (is_role(c)) {
		const char *member = word_after(c, "--member=");
		const char *kind = member ? strchr(member, ':') : NULL;

		l->account = kind ? kind + 1 : l->account;
		buf_addf(
			&l->roles, "%sroles/%s", l->roles.len ? ", " : "", c->id + strlen("role."));
	} else if (strcmp(c->state, "unknown") != 0) {
		buf_addf(&l->others, "- %s\n", c->cause);
	}
	for (size_t i = 0; i < c->cure_argv.n; i++) {
		if (i)
			buf_addc(&line, ' ');
		shell_quote(&line, c->cure_argv.items[i]);
	}
	if (line.len && strvec_find(list, buf_str(&line)) < 0)
		strvec_push(list, buf_str(&line));
}

static void add_commands(struct buf *b, const struct strvec *v)
{
	for (size_t i = 0; i < v->n; i++)
		buf_addf(b, "%s\n", v->items[i]);
}

char *checks_admin_message(const struct state *s)
{
	const struct state_value *project = state_value_find(s, "PROJECT");
	struct lacks l = {0};
	struct buf b = {0};
	bool any = false;

	for (size_t i = 0; i < s->checks.n; i++) {
		const struct state_check *c = &s->checks.items[i];

		if (!needs_administrator(c) || (is_role(c) && strcmp(c->state, "unknown") == 0))
			continue;
		any = true;
		collect(&l, c);
	}
	if (any) {
		buf_addf(&b, _("I need your help with the Google Cloud project %s.\n"),
			project && project->present ? project->value : "?");
		if (l.account)
			buf_addf(&b, _("Account: %s\n"), l.account);
		if (l.roles.len)
			buf_addf(&b, _("Missing roles: %s\n"), buf_str(&l.roles));
		buf_adds(&b, buf_str(&l.others));
		add_commands(&b, &l.commands);
		add_commands(&b, &l.more);
	}
	buf_fini(&l.roles);
	buf_fini(&l.others);
	strvec_fini(&l.commands);
	strvec_fini(&l.more);
	return any ? buf_take(&b) : NULL;
}
