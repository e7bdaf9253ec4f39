/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cli/cli.h"

#include <string.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/base/vec.h"

const struct cli_verb *cli_find(const char *name)
{
	for (const struct cli_verb *v = cli_verbs; v->name; v++)
		if (strcmp(v->name, name) == 0)
			return v;
	return NULL;
}

static const struct cli_option *find_option(
	const struct cli_option *options, size_t n, const char *arg, size_t len)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(options[i].name) == len && strncmp(options[i].name, arg, len) == 0)
			return &options[i];
	return NULL;
}

static int store(const struct cli_option *o, const char *value, struct err *e)
{
	if (o->kind == CLI_FLAG) {
		if (value)
			return err_set(e, ERR_USAGE, _("leave the value out"),
				_("%s takes no value"), o->name);
		*(bool *)o->target = true;
	} else if (!value) {
		return err_set(e, ERR_USAGE, _("give it as --name VALUE or --name=VALUE"),
			_("%s needs a value"), o->name);
	} else if (o->kind == CLI_TEXT) {
		*(const char **)o->target = value;
	} else {
		strvec_push(o->target, value);
	}
	return 0;
}

int cli_parse(const struct cli_option *options, size_t n, int *argc, char **argv, struct err *e)
{
	const struct cli_verb *verb = cli_find(argv[0]);
	int kept = 1;
	bool only_operands = false;

	for (int i = 1; i < *argc; i++) {
		const char *arg = argv[i];
		size_t len = strcspn(arg, "=");
		const struct cli_option *o;

		if (only_operands || arg[0] != '-' || !arg[1]) {
			argv[kept++] = argv[i];
			continue;
		}
		if (strcmp(arg, "--") == 0) {
			only_operands = true;
			continue;
		}
		o = find_option(options, n, arg, len);
		if (!o) {
			AUTO_FREE char *hint = x_asprintf(
				_("usage: rlpilot %s %s"), argv[0], verb ? verb->usage : "");

			return err_set(
				e, ERR_USAGE, hint, _("%s has no option '%s'"), argv[0], arg);
		}
		if (o->kind != CLI_FLAG && !arg[len])
			arg = ++i < *argc ? argv[i] : NULL;
		else
			arg = arg[len] ? arg + len + 1 : NULL;
		if (store(o, arg, e))
			return -1;
	}
	*argc = kept;
	return 0;
}

int cli_no_operands(int argc, char **argv, struct err *e)
{
	const struct cli_verb *verb = cli_find(argv[0]);
	AUTO_FREE char *hint =
		x_asprintf(_("usage: rlpilot %s %s"), argv[0], verb ? verb->usage : "");

	return argc > 1 ? err_set(e, ERR_USAGE, hint, _("unexpected \"%s\""), argv[1]) : 0;
}

int cli_one_of(bool a, bool b, const char *names, struct err *e)
{
	return a && b ? err_set(e, ERR_USAGE, _("leave one of them out"), _("%s: not both at once"),
				names)
		      : 0;
}

int cli_may_change(const struct cli_globals *g, struct err *e)
{
	return g->read_only ? err_set(e, ERR_USAGE, _("leave --read-only out"),
				      _("--read-only changes nothing, and this would"))
			    : 0;
}

int cli_fail(const struct err *e)
{
	err_print(e);
	return err_exit_code(e->code);
}
