/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/term.h"

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "tui/input.h"

#include <curses.h>
#include <langinfo.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <unistd.h>

/* What terminals and multiplexers accept as one OSC 52 string. */
#define COPY_MAX     74994
#define ESC_DELAY_MS 25

static struct {
	SCREEN *screen;
	FILE *in, *out;
	int fd_out;
	bool lent, utf8, mouse, titled, color;
	char type[64], title[128];
} term;

/* Signals for which curses installs handlers; they are the loop's. */
static const int curses_signals[] = {SIGTSTP, SIGINT, SIGTERM, SIGWINCH};

bool term_is_open(void)
{
	return term.screen != NULL;
}

bool term_is_lent(void)
{
	return term.lent;
}

int term_fd(void)
{
	return term.in ? fileno(term.in) : -1;
}

int term_rows(void)
{
	return term.screen ? LINES : 0;
}

int term_cols(void)
{
	return term.screen ? COLS : 0;
}

int term_colors(void)
{
	return term.screen && term.color && has_colors() ? COLORS : 0;
}

bool term_utf8(void)
{
	return term.utf8;
}

/* Writes past curses; only sequences that leave cells and cursor alone. */
static void term_raw(const char *s, size_t n)
{
	while (n > 0) {
		ssize_t w = write(term.fd_out, s, n);
		if (w <= 0)
			return;
		s += w;
		n -= (size_t)w;
	}
}

static void term_on_abort(void)
{
	term_close();
}

/* newterm takes every type that terminfo knows, dumb ones too: only one that can move the cursor
 * and clear is of use. */
static bool term_try(const char *type)
{
	struct sigaction old[COUNT(curses_signals)];
	for (size_t i = 0; i < COUNT(curses_signals); i++)
		sigaction(curses_signals[i], NULL, &old[i]);
	term.screen = newterm(type, term.out, term.in);
	for (size_t i = 0; i < COUNT(curses_signals); i++)
		sigaction(curses_signals[i], &old[i], NULL);
	if (!term.screen)
		return false;
	const char *cup = tigetstr("cup"), *clear_seq = tigetstr("clear");
	if (cup && cup != (char *)-1 && clear_seq && clear_seq != (char *)-1)
		return true;
	endwin();
	delscreen(term.screen);
	term.screen = NULL;
	return false;
}

static bool term_known(const char *type)
{
	int status = 0;
	if (!type || !*type)
		return false;
	if (setupterm(type, term.fd_out, &status) != OK)
		return false;
	del_curterm(cur_term);
	return true;
}

static bool term_choose(const char *type, char *note, size_t size)
{
	static const char *const substitutes[] = {"xterm-256color", "xterm", "vt100"};
	if (term_known(type)) {
		if (term_try(type)) {
			snprintf(term.type, sizeof(term.type), "%s", type);
			return true;
		}
		snprintf(note, size, _("TERM=%s cannot move the cursor: plain lines are used"),
			type);
		return false;
	}
	if (!type || !*type) {
		snprintf(note, size, _("TERM is not set: plain lines are used"));
		return false;
	}
	for (size_t i = 0; i < COUNT(substitutes); i++) {
		if (!term_known(substitutes[i]) || !term_try(substitutes[i]))
			continue;
		snprintf(term.type, sizeof(term.type), "%s", substitutes[i]);
		snprintf(note, size, _("TERM=%s is unknown here: %s is used instead"), type,
			substitutes[i]);
		return true;
	}
	snprintf(note, size,
		_("TERM=%s is unknown here and so are its substitutes: plain lines are used"),
		type);
	return false;
}

/* What others have exported as LINES and COLUMNS is the size of another time: it counts only where
 * the terminal itself tells none. */
static void term_ask_size(void)
{
	struct winsize ws;
	bool told = ioctl(term.fd_out, TIOCGWINSZ, &ws) == 0 && ws.ws_row && ws.ws_col;

	use_env(!told);
	use_tioctl(told);
}

static void term_modes(void)
{
	raw();
	noecho();
	nonl();
	intrflush(stdscr, FALSE);
	scrollok(stdscr, FALSE);
	leaveok(stdscr, FALSE);
	curs_set(0);
	if (term.color && has_colors()) {
		start_color();
		use_default_colors();
	}
}

static bool term_has_title(void)
{
	static const char *const with[] = {"xterm", "screen", "tmux", "rxvt", "alacritty", "foot",
		"st-", "konsole", "gnome", "vte", "putty", "iterm"};
	for (size_t i = 0; i < COUNT(with); i++)
		if (text_starts(term.type, with[i]))
			return true;
	return false;
}

static void term_paste_mode(bool on)
{
	if (!term_has_title())
		return;
	term_raw(on ? "\033[?2004h" : "\033[?2004l", 8);
}

enum term_answer term_open(const struct term_options *o, char *note, size_t note_size)
{
	if (note_size)
		note[0] = '\0';
	term.in = o->in ? o->in : stdin;
	term.out = o->out ? o->out : stdout;
	term.fd_out = fileno(term.out);
	term.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	term.mouse = !o->no_mouse;
	const char *no_color = getenv("NO_COLOR");
	term.color = !o->no_color && !(no_color && *no_color);
	if (!o->accept_non_tty && (!isatty(fileno(term.in)) || !isatty(term.fd_out))) {
		snprintf(note, note_size,
			_("no terminal on standard input and output: plain lines are used"));
		return TERM_PLAIN;
	}
	set_escdelay(ESC_DELAY_MS);
	term_ask_size();
	if (!term_choose(o->type ? o->type : getenv("TERM"), note, note_size))
		return TERM_PLAIN;
	mem_on_abort(term_on_abort);
	term_modes();
	if (o->rows > 0 && o->cols > 0)
		term_resize(o->rows, o->cols);
	/* On the Linux console curses would load the library of a mouse daemon. */
	input_open(term.mouse && !text_starts(term.type, "linux"));
	clearok(curscr, TRUE);
	doupdate();
	term_paste_mode(true);
	return TERM_SCREEN;
}

void term_close(void)
{
	if (!term.screen)
		return;
	SCREEN *screen = term.screen;
	term.screen = NULL;
	if (!term.lent) {
		term_paste_mode(false);
		if (term.titled)
			term_raw("\033[23;0t", 7);
	}
	term.titled = false;
	term.title[0] = '\0';
	input_close();
	if (!term.lent)
		endwin();
	term.lent = false;
	delscreen(screen);
}

bool term_resize(int rows, int cols)
{
	if (!term.screen)
		return false;
	if (rows <= 0 || cols <= 0) {
		struct winsize ws;
		if (ioctl(term.fd_out, TIOCGWINSZ, &ws) != 0 || !ws.ws_row || !ws.ws_col)
			return false;
		rows = ws.ws_row;
		cols = ws.ws_col;
	}
	if (rows == LINES && cols == COLS)
		return false;
	resizeterm(rows, cols);
	clearok(curscr, TRUE);
	return true;
}

void term_lend(void)
{
	if (!term.screen || term.lent)
		return;
	term.lent = true;
	term_paste_mode(false);
	def_prog_mode();
	endwin();
}

void term_take_back(void)
{
	if (!term.screen || !term.lent)
		return;
	term.lent = false;
	reset_prog_mode();
	clearok(curscr, TRUE);
	doupdate();
	curs_set(0);
	term_paste_mode(true);
	term_resize(0, 0);
}

void term_suspend(void)
{
	if (!term.screen || term.lent)
		return;
	struct sigaction ours, plain = {.sa_handler = SIG_DFL};
	sigset_t none, before;
	sigemptyset(&none);
	sigaddset(&none, SIGTSTP);
	term_lend();
	sigaction(SIGTSTP, &plain, &ours);
	sigprocmask(SIG_UNBLOCK, &none, &before);
	kill(0, SIGTSTP);
	sigprocmask(SIG_SETMASK, &before, NULL);
	sigaction(SIGTSTP, &ours, NULL);
	term_take_back();
}

void term_title(const char *title)
{
	if (!term.screen || term.lent || !term_has_title() || strcmp(title, term.title) == 0)
		return;
	AUTO(buf_fini) struct buf b = {0};
	snprintf(term.title, sizeof(term.title), "%s", title);
	if (!term.titled)
		buf_adds(&b, "\033[22;0t");
	term.titled = true;
	buf_adds(&b, "\033]2;");
	text_clean(&b, title, strlen(title));
	buf_adds(&b, "\007");
	term_raw(b.data, b.len);
}

static void term_base64(struct buf *b, const unsigned char *s, size_t n)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	for (size_t i = 0; i < n; i += 3) {
		uint32_t v = (uint32_t)s[i] << 16;
		if (i + 1 < n)
			v |= (uint32_t)s[i + 1] << 8;
		if (i + 2 < n)
			v |= s[i + 2];
		buf_addc(b, digits[v >> 18]);
		buf_addc(b, digits[v >> 12 & 63]);
		buf_addc(b, i + 1 < n ? digits[v >> 6 & 63] : '=');
		buf_addc(b, i + 2 < n ? digits[v & 63] : '=');
	}
}

bool term_copy(const char *text, size_t n)
{
	if (!term.screen || term.lent || n > COPY_MAX)
		return false;
	const char *tmux = getenv("TMUX");
	bool wrap = tmux && *tmux;
	AUTO(buf_fini) struct buf b = {0};
	buf_adds(&b, wrap ? "\033Ptmux;\033\033]52;c;" : "\033]52;c;");
	term_base64(&b, (const unsigned char *)text, n);
	buf_adds(&b, wrap ? "\007\033\\" : "\007");
	term_raw(b.data, b.len);
	return true;
}

void term_bell(void)
{
	if (term.screen && !term.lent)
		term_raw("\007", 1);
}

void term_flush(void)
{
	if (term.screen && !term.lent)
		doupdate();
}

void term_repaint(void)
{
	if (term.screen)
		clearok(curscr, TRUE);
}
