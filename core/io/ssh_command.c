/* SPDX-License-Identifier: Apache-2.0 */
/* One command on a connection: its channel, what it reads and writes, how it ends. */
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/io/loop.h"
#include "core/io/ssh_in.h"

#define SAID_MAX ((size_t)4 << 10)

void ssh_command_take(struct ssh *s, const struct ssh_command *c)
{
	s->command = *c;
	s->line = x_strdup(c->line);
	if (c->input_n) {
		s->input = x_malloc(c->input_n);
		memcpy(s->input, c->input, c->input_n);
	}
	s->out.max = c->max;
	s->said.max = SAID_MAX;
	s->step = STEP_OPEN;
}

void ssh_command_forget(struct ssh *s)
{
	if (s->input)
		explicit_bzero(s->input, s->command.input_n);
	free(s->input);
	free(s->line);
	s->input = s->line = NULL;
	s->sent = 0;
	s->all_sent = false;
}

int ssh_command_open(struct ssh *s)
{
	s->channel = libssh2_channel_open_session(s->session);
	if (!s->channel)
		return libssh2_session_last_errno(s->session);
	s->step = STEP_EXEC;
	return 0;
}

int ssh_command_exec(struct ssh *s)
{
	int rc = libssh2_channel_exec(s->channel, s->line);

	if (rc == 0)
		s->step = STEP_TALK;
	return rc;
}

static ssize_t send_input(struct ssh *s)
{
	while (s->sent < s->command.input_n) {
		ssize_t n = libssh2_channel_write(
			s->channel, s->input + s->sent, s->command.input_n - s->sent);
		if (n < 0)
			return n;
		s->sent += (size_t)n;
	}
	if (!s->all_sent) {
		int rc = libssh2_channel_send_eof(s->channel);
		if (rc != 0)
			return rc;
		s->all_sent = true;
	}
	return 0;
}

static ssize_t read_some(struct ssh *s, int stream, struct buf *b)
{
	char block[16384];
	ssize_t n;

	while ((n = libssh2_channel_read_ex(s->channel, stream, block, sizeof(block))) > 0)
		buf_add(b, block, (size_t)n);
	return n;
}

int ssh_command_talk(struct ssh *s)
{
	ssize_t sent = send_input(s), out = read_some(s, 0, &s->out),
		said = read_some(s, SSH_EXTENDED_DATA_STDERR, &s->said);

	if (s->out.cut)
		return err_set(&s->error, ERR_UNREACHABLE,
			_("look at its login scripts: they must be silent"),
			_("%s sends more than was asked for"), s->spec.at.host);
	if (libssh2_channel_eof(s->channel) == 1) {
		s->step = s->command.leave ? STEP_LEAVE : STEP_CLOSE;
		return 0;
	}
	if (sent < 0 && sent != LIBSSH2_ERROR_EAGAIN)
		return (int)sent;
	if (out < 0 && out != LIBSSH2_ERROR_EAGAIN)
		return (int)out;
	return said < 0 && said != LIBSSH2_ERROR_EAGAIN ? (int)said : LIBSSH2_ERROR_EAGAIN;
}

/* Without this wait the exit status may be read before it has come. */
int ssh_command_close(struct ssh *s)
{
	int rc = libssh2_channel_close(s->channel);

	if (rc == 0)
		rc = libssh2_channel_wait_closed(s->channel);
	if (rc != 0)
		return rc;
	s->code = libssh2_channel_get_exit_status(s->channel);
	s->step = STEP_FREE;
	return 0;
}

static void tell_done(void *arg)
{
	struct ssh *s = arg;
	struct ssh_command c = s->command;
	AUTO(buf_fini) struct buf out = s->out;
	AUTO(buf_fini) struct buf said = {0};
	AUTO(buf_fini) struct buf raw = s->said;

	s->command = (struct ssh_command){0};
	s->out = s->said = (struct buf){0};
	text_clean(&said, buf_str(&raw), raw.len);
	c.on_done(c.arg, s->code, &out, buf_str(&said));
}

static int end_command(struct ssh *s)
{
	s->channel = NULL;
	ssh_command_forget(s);
	s->step = STEP_READY;
	loop_defer(s->loop, tell_done, s);
	return 0;
}

int ssh_command_free(struct ssh *s)
{
	int rc = libssh2_channel_free(s->channel);

	return rc != 0 ? rc : end_command(s);
}

/* The server closes the channel only when the command has ended: it stays, and goes with the
 * session. */
int ssh_command_leave(struct ssh *s)
{
	s->code = -1;
	return end_command(s);
}
