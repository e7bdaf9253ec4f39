/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/input.h"

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "tui/term.h"

#include <curses.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

/* Codes for sequences that terminfo does not carry everywhere. */
#define CODE_PASTE_BEGIN (KEY_MAX + 1)
#define CODE_PASTE_END   (KEY_MAX + 2)
#define CODE_BACKTAB     (KEY_MAX + 3)

#define PASTE_MAX     ((size_t)256 << 10)
#define PASTE_WAIT_MS 1000
#define SEQUENCE_MAX  32

static struct {
	WINDOW *window; /* a pad: reading from it never refreshes the screen */
	struct buf paste;
	bool paste_cut, paste_odd;
	bool pasting, gone;
	int64_t paste_until;
	bool ahead; /* one key was read too far */
	int ahead_rc;
	wint_t ahead_c;
} input;

static const char *const key_words[] = {
#define X(name, word) [name] = word,
	KEY_CODES(X)
#undef X
};

static const struct {
	int code;
	enum key_code key;
	unsigned mods;
} curses_keys[] = {
	{KEY_UP, K_UP, 0},
	{KEY_DOWN, K_DOWN, 0},
	{KEY_LEFT, K_LEFT, 0},
	{KEY_RIGHT, K_RIGHT, 0},
	{KEY_HOME, K_HOME, 0},
	{KEY_END, K_END, 0},
	{KEY_LL, K_END, 0},
	{KEY_PPAGE, K_PGUP, 0},
	{KEY_NPAGE, K_PGDN, 0},
	{KEY_IC, K_INS, 0},
	{KEY_DC, K_DEL, 0},
	{KEY_BACKSPACE, K_BACKSPACE, 0},
	{KEY_ENTER, K_ENTER, 0},
	{KEY_BTAB, K_TAB, MOD_SHIFT},
	{CODE_BACKTAB, K_TAB, MOD_SHIFT},
	{KEY_SR, K_UP, MOD_SHIFT},
	{KEY_SF, K_DOWN, MOD_SHIFT},
	{KEY_SLEFT, K_LEFT, MOD_SHIFT},
	{KEY_SRIGHT, K_RIGHT, MOD_SHIFT},
};

/* Both cursor key forms, whatever the terminal's description says. */
static const struct {
	const char *sequence;
	int code;
} extra_sequences[] = {
	{"\033[200~", CODE_PASTE_BEGIN},
	{"\033[201~", CODE_PASTE_END},
	{"\033[Z", CODE_BACKTAB},
	{"\033[A", KEY_UP},
	{"\033[B", KEY_DOWN},
	{"\033[C", KEY_RIGHT},
	{"\033[D", KEY_LEFT},
	{"\033OA", KEY_UP},
	{"\033OB", KEY_DOWN},
	{"\033OC", KEY_RIGHT},
	{"\033OD", KEY_LEFT},
	{"\033[H", KEY_HOME},
	{"\033[F", KEY_END},
	{"\033[1~", KEY_HOME},
	{"\033[4~", KEY_END},
	{"\033[3~", KEY_DC},
	{"\033[5~", KEY_PPAGE},
	{"\033[6~", KEY_NPAGE},
};

void input_open(bool mouse)
{
	input.window = newpad(1, 1);
	keypad(input.window, TRUE);
	nodelay(input.window, TRUE);
	for (size_t i = 0; i < COUNT(extra_sequences); i++)
		define_key(extra_sequences[i].sequence, extra_sequences[i].code);
	if (mouse) {
		mousemask(ALL_MOUSE_EVENTS | REPORT_MOUSE_POSITION, NULL);
		mouseinterval(0);
	}
	input.pasting = input.gone = input.ahead = false;
}

void input_close(void)
{
	if (input.window)
		delwin(input.window);
	input.window = NULL;
	buf_fini(&input.paste);
}

bool input_gone(void)
{
	return input.gone;
}

int64_t input_deadline(void)
{
	return input.pasting ? input.paste_until : -1;
}

static int input_read(wint_t *c)
{
	if (!input.ahead)
		return wget_wch(input.window, c);
	input.ahead = false;
	*c = input.ahead_c;
	return input.ahead_rc;
}

/* After nothing could be read: was that silence or the end? */
static void input_check_gone(void)
{
	struct pollfd p = {.fd = term_fd(), .events = POLLIN};
	int waiting = 0;
	if (poll(&p, 1, 0) <= 0)
		return;
	if (p.revents & (POLLERR | POLLNVAL))
		input.gone = true;
	else if (ioctl(p.fd, FIONREAD, &waiting) == 0 && waiting == 0)
		input.gone = true;
}

static bool input_paste_done(struct key *k)
{
	input.pasting = false;
	*k = (struct key){.code = K_PASTE,
		.text = buf_str(&input.paste),
		.len = input.paste.len,
		.cut = input.paste_cut,
		.odd = input.paste_odd};
	return true;
}

/* Collects a paste; true when it is complete. */
static bool input_paste_take(struct key *k)
{
	wint_t c;
	int rc;
	while ((rc = input_read(&c)) != ERR) {
		char utf8[4];
		if (rc == KEY_CODE_YES) {
			if (c == CODE_PASTE_END)
				return input_paste_done(k);
			if (c != KEY_ENTER) {
				input.paste_odd = true;
				continue;
			}
			c = '\n';
		}
		input.paste_until = clock_wall() + PASTE_WAIT_MS;
		if (c == '\r')
			c = '\n';
		if ((c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7f && c < 0xa0)) {
			input.paste_odd = true;
			continue;
		}
		if (input.paste.len < PASTE_MAX)
			buf_add(&input.paste, utf8, text_encode((uint32_t)c, utf8));
		else
			input.paste_cut = true;
	}
	if (clock_wall() >= input.paste_until)
		return input_paste_done(k);
	return false;
}

/* The rest of a control sequence nobody knows, up to its final byte. */
static void input_swallow(bool csi)
{
	wint_t c;
	for (int i = 0; i < SEQUENCE_MAX && input_read(&c) == OK; i++)
		if (!csi || (c >= 0x40 && c <= 0x7e))
			return;
}

/* Alt and a key is Esc and that key: no binding uses Alt, and a fast typist means both. */
static bool input_escape(struct key *k)
{
	wint_t c;
	int rc = input_read(&c);
	*k = (struct key){.code = K_ESC};
	if (rc == ERR)
		return true;
	if (rc == OK && (c == '[' || c == 'O')) {
		input_swallow(c == '[');
		return false;
	}
	input.ahead = true;
	input.ahead_rc = rc;
	input.ahead_c = c;
	return true;
}

static bool input_char(wint_t c, struct key *k)
{
	*k = (struct key){.code = K_CHAR, .cp = (uint32_t)c};
	if (c == 0x1b)
		return input_escape(k);
	if (c == '\r' || c == '\n')
		k->code = K_ENTER;
	else if (c == '\t')
		k->code = K_TAB;
	else if (c == 0x7f || c == 0x08)
		k->code = K_BACKSPACE;
	else if (c > 0 && c < 0x1b) {
		k->mods = MOD_CTRL;
		k->cp = (uint32_t)c + 'a' - 1;
	} else if (c < 0x20)
		return false;
	if (k->code != K_CHAR)
		k->cp = 0;
	return true;
}

static bool input_mouse(struct key *k)
{
	MEVENT e;
	if (getmouse(&e) != OK)
		return false;
	*k = (struct key){.code = K_MOUSE, .y = e.y, .x = e.x};
	if (e.bstate & BUTTON4_PRESSED)
		k->mouse = MOUSE_WHEEL_UP;
	else if (e.bstate & BUTTON5_PRESSED)
		k->mouse = MOUSE_WHEEL_DOWN;
	else if (e.bstate & (BUTTON1_PRESSED | BUTTON1_CLICKED))
		k->mouse = MOUSE_PRESS;
	else if (e.bstate & BUTTON1_RELEASED)
		k->mouse = MOUSE_RELEASE;
	else if (e.bstate & REPORT_MOUSE_POSITION)
		k->mouse = MOUSE_DRAG;
	else
		return false;
	return true;
}

static bool input_code(wint_t c, struct key *k)
{
	if (c == CODE_PASTE_BEGIN) {
		input.pasting = true;
		input.paste_until = clock_wall() + PASTE_WAIT_MS;
		buf_clear(&input.paste);
		input.paste_cut = input.paste_odd = false;
		return input_paste_take(k);
	}
	if (c == KEY_MOUSE)
		return input_mouse(k);
	if (c >= KEY_F(1) && c <= KEY_F(12)) {
		*k = (struct key){.code = (enum key_code)(K_F1 + (int)c - KEY_F(1))};
		return true;
	}
	for (size_t i = 0; i < COUNT(curses_keys); i++) {
		if ((wint_t)curses_keys[i].code != c)
			continue;
		*k = (struct key){.code = curses_keys[i].key, .mods = curses_keys[i].mods};
		return true;
	}
	return false;
}

bool input_next(struct key *k)
{
	if (!input.window)
		return false;
	bool any = false;
	if (input.pasting)
		return input_paste_take(k);
	for (;;) {
		wint_t c;
		int rc = input_read(&c);
		if (rc == ERR) {
			if (!any)
				input_check_gone();
			return false;
		}
		any = true;
		if (rc == KEY_CODE_YES ? input_code(c, k) : input_char(c, k))
			return true;
		if (input.pasting)
			return false;
	}
}

int key_parse(const char *word, size_t n, struct key *k)
{
	*k = (struct key){0};
	for (; n > 2 && word[1] == '-'; word += 2, n -= 2) {
		if (word[0] == 'C')
			k->mods |= MOD_CTRL;
		else if (word[0] == 'S')
			k->mods |= MOD_SHIFT;
		else
			return -1;
	}
	k->code = K_CHAR;
	if (n == 5 && strncmp(word, "Space", n) == 0) {
		k->cp = ' ';
		return 0;
	}
	for (size_t i = 0; i < COUNT(key_words); i++) {
		if (*key_words[i] && strlen(key_words[i]) == n &&
			strncmp(key_words[i], word, n) == 0) {
			k->code = (enum key_code)i;
			return 0;
		}
	}
	return n > 0 && text_decode(word, n, &k->cp) == n ? 0 : -1;
}

const char *key_label(const struct key *k, char *buf, size_t size)
{
	char utf8[5] = "";
	const char *mods = k->mods & MOD_CTRL ? "^" : k->mods & MOD_SHIFT ? "S-" : "";
	if (k->code != K_CHAR) {
		snprintf(buf, size, "%s%s", mods, key_words[k->code]);
		return buf;
	}
	uint32_t cp = k->cp;
	if (k->mods & MOD_CTRL && cp >= 'a' && cp <= 'z')
		cp = cp - 'a' + 'A';
	utf8[text_encode(cp, utf8)] = '\0';
	snprintf(buf, size, "%s%s", mods, cp == ' ' ? "Space" : utf8);
	return buf;
}

bool key_same(const struct key *a, const struct key *b)
{
	return a->code == b->code && a->mods == b->mods && (a->code != K_CHAR || a->cp == b->cp);
}
