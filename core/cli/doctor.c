/* SPDX-License-Identifier: Apache-2.0 */
#include <langinfo.h>
#include <locale.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <wchar.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/machine.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/cli/cli.h"
#include "core/cli/logout.h"
#include "core/fmt/json.h"
#include "core/fmt/quantity.h"

/* What this terminal, this system and this session can do. Asks nothing outside this machine. */
struct finding {
	const char *id;
	bool good;
	char *found; /* owned */
	const char *cure;
};

static struct finding terminal(void)
{
	const char *term = getenv("TERM");
	bool tty = isatty(STDOUT_FILENO) != 0;
	bool dumb = !term || !*term || strcmp(term, "dumb") == 0;
	struct winsize w = {0};

	if (!tty)
		return (struct finding){
			"terminal", true, x_strdup(_("none: output goes to a pipe or file")), NULL};
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) != 0)
		w = (struct winsize){0};
	return (struct finding){"terminal", !dumb && w.ws_col >= 60 && w.ws_row >= 16,
		x_asprintf("TERM=%s %dx%d", term ? term : "", w.ws_col, w.ws_row),
		dumb ? _("set TERM to your terminal's name, or use --plain")
		     : _("make the window at least 80x24")};
}

static struct finding locale_utf8(void)
{
	const char *name = nl_langinfo(CODESET);
	bool utf8 = strcmp(name, "UTF-8") == 0;

	return (struct finding){
		"locale", utf8, x_strdup(name), _("export LC_ALL=C.UTF-8, or use --ascii")};
}

static struct finding wide(void)
{
	bool good = wcwidth(L'\uac00') == 2;

	return (struct finding){"korean-width", good, x_strdup(good ? "2" : "?"),
		_("use a UTF-8 locale to see Korean texts")};
}

static bool in_home(const char *folder)
{
	const char *home = getenv("HOME");
	size_t n = home ? strlen(home) : 0;

	return n > 0 && strncmp(folder, home, n) == 0 && (folder[n] == '/' || !folder[n]);
}

static struct finding state_folder(void)
{
	char *root = NULL;
	struct err e = {0};
	struct statvfs v = {0};
	char size[QUANTITY_SIZE];
	int64_t bytes;
	struct finding f;

	if (path_state_root(&root, &e) || path_mkdirs(root, &e)) {
		free(root);
		return (struct finding){
			"state-folder", false, x_strdup(e.what), _("set XDG_STATE_HOME")};
	}
	if (statvfs(root, &v) != 0)
		v = (struct statvfs){0};
	bytes = (int64_t)(v.f_bavail * v.f_frsize);
	f = (struct finding){"state-folder", bytes >= (int64_t)1 << 30,
		x_asprintf(_("%s, %s free"), root, quantity_human(bytes, size)),
		_("free at least 1 GiB there, or set XDG_STATE_HOME")};
	if (machine_is_cloud_shell() && !in_home(root)) {
		f.good = false;
		f.cure = _("only the home folder outlives this machine: unset XDG_STATE_HOME");
	}
	free(root);
	return f;
}

static struct finding tool(const char *id, const char *name, const char *cure)
{
	const char *path = getenv("PATH");
	char *found = path_find_program(name, path ? path : "");

	return (struct finding){id, found != NULL, found ? found : x_strdup(_("not found")), cure};
}

static struct finding files(void)
{
	struct rlimit r = {0};

	if (getrlimit(RLIMIT_NOFILE, &r) != 0)
		r = (struct rlimit){0};
	return (struct finding){"open-files", r.rlim_cur >= 256,
		x_asprintf("%llu", (unsigned long long)r.rlim_cur), "ulimit -n 1024"};
}

static struct finding session(void)
{
	bool limited = machine_is_cloud_shell();
	const char *kind = limited ? "Cloud Shell" : getenv("SSH_CONNECTION") ? "ssh" : _("local");
	const char *keeper = getenv("TMUX") ? " tmux" : getenv("STY") ? " screen" : "";

	return (struct finding){"session", !limited, x_asprintf("%s%s", kind, keeper),
		_("this machine ends after about 20 minutes without a key and after 12 hours; what "
		  "is in the home folder stays and is gone on with. Long stages: from a machine "
		  "that stays, or with --remote")};
}

static struct finding log_out(void)
{
	char names[4096];
	struct passwd who, *me = NULL;
	bool known = getpwuid_r(getuid(), &who, names, sizeof(names), &me) == 0 && me;
	enum logout fate = logout_look("", known ? who.pw_name : "");
	static const struct {
		const char *found, *cure;
	} fates[] = {
		[LOGOUT_HARMLESS] = {N_("processes go on"), NULL},
		[LOGOUT_KILLS] = {N_("the system ends all your processes, tmux and screen too"),
			N_("run `loginctl enable-linger` once, then start with `systemd-run --user "
			   "--scope rlpilot`")},
		[LOGOUT_ENDS] = {N_("the system ends your processes with your last session"),
			N_("run `loginctl enable-linger` once")},
	};

	return (struct finding){"log-out", fate == LOGOUT_HARMLESS, x_strdup(_(fates[fate].found)),
		fates[fate].cure ? _(fates[fate].cure) : NULL};
}

static struct finding machine(void)
{
	struct utsname u;
	bool known;

	if (uname(&u) != 0)
		return (struct finding){"system", false, x_strdup("?"), NULL};
	known = strcmp(u.sysname, "Linux") == 0 &&
		(strcmp(u.machine, "x86_64") == 0 || strcmp(u.machine, "aarch64") == 0);
	return (struct finding){"system", known,
		x_asprintf("%s %s %s", u.sysname, u.release, u.machine),
		_("tested on Linux x86-64 and arm64 only")};
}

static void print(const struct finding *f)
{
	AUTO(buf_fini) struct buf state = {0};

	text_pad(&state, f->good ? _("ok") : _("warning"), 7);
	printf("%s %-14s %s", buf_str(&state), f->id, f->found);
	if (!f->good && f->cure)
		printf("  (%s)", f->cure);
	putchar('\n');
}

int cli_doctor(int argc, char **argv, const struct cli_globals *g)
{
	bool json = false;
	const struct cli_option options[] = {{"--json", CLI_FLAG, &json}};
	struct err e = {0};
	AUTO(json_auto) json_t *all = json_array();

	(void)g;
	if (cli_parse(options, COUNT(options), &argc, argv, &e) || cli_no_operands(argc, argv, &e))
		return cli_fail(&e);
	struct finding findings[] = {machine(), terminal(), locale_utf8(), wide(), state_folder(),
		files(), session(), log_out(),
		tool("gcloud", "gcloud", _("install the Google Cloud CLI")),
		tool("kubectl", "kubectl", _("gcloud components install kubectl")),
		tool("gke-plugin", "gke-gcloud-auth-plugin",
			_("gcloud components install gke-gcloud-auth-plugin")),
		tool("terraform", "terraform", _("gcluster can download it")),
		tool("tar", "tar", _("install tar")), tool("curl", "curl", _("install curl"))};

	for (size_t i = 0; i < COUNT(findings); i++) {
		struct finding *f = &findings[i];

		if (json)
			json_array_append_new(
				all, json_pack("{s:s, s:s, s:o, s:o}", "id", f->id, "state",
					     f->good ? "ok" : "warning", "found",
					     json_from_str(f->found), "cure",
					     f->good ? json_null() : json_from_str(f->cure)));
		else
			print(f);
		free(f->found);
	}
	if (json) {
		AUTO_FREE char *text = json_pretty(all);

		fputs(text, stdout);
	}
	return 0;
}
