/* SPDX-License-Identifier: Apache-2.0 */
#include "core/run/token.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "core/recipe/recipe.h"
#include "core/recipe/values.h"

#define NAME      "HF_TOKEN"
#define TOKEN_MAX ((size_t)4096)

char *token_file(const char *run_dir)
{
	return path_join(run_dir, "token");
}

/* Its first word; NULL when there is no such file or nothing in it. Wipe it. */
static char *read_token(const char *file)
{
	struct buf b = {0};
	char *text = NULL;

	if (path_exists(file) && path_read(file, TOKEN_MAX, &b, NULL) == 0 && b.len)
		text = text_trim(buf_str(&b), b.len);
	if (b.len)
		explicit_bzero(b.data, b.len);
	buf_fini(&b);
	if (text && !*text) {
		free(text);
		return NULL;
	}
	return text;
}

static char *hugging_face_file(void)
{
	const char *own = getenv("HF_HOME");
	const char *home = getenv("HOME");

	if (own && *own)
		return path_join(own, "token");
	return x_asprintf("%s/.cache/huggingface/token", home ? home : "");
}

void token_find(struct values *v, const struct recipe *r, const char *run_dir)
{
	const struct recipe_variable *var = recipe_variable(r, NAME);
	const char *env = getenv("HUGGING_FACE_HUB_TOKEN");
	AUTO_FREE char *kept = run_dir ? token_file(run_dir) : NULL;
	AUTO_FREE char *theirs = hugging_face_file();
	char *token;

	if (!var || !var->secret)
		return;
	token = kept ? read_token(kept) : NULL;
	if (token) {
		values_put(v, NAME, token, VALUE_TYPED, true);
	} else if (!values_get(v, NAME)) {
		token = env && *env ? text_trim(env, strlen(env)) : read_token(theirs);
		if (token)
			values_put(v, NAME, token, VALUE_ENV, true);
	}
	x_wipe_free(token);
}

int token_keep(const char *run_dir, const char *token, struct err *e)
{
	AUTO_FREE char *file = token_file(run_dir);

	if (token)
		return path_write(file, token, strlen(token), e);
	if (unlink(file) == 0 || errno == ENOENT)
		return 0;
	return err_errno(e, ERR_CANNOT_WRITE, errno, _("delete it by hand: it holds the token"),
		_("cannot delete %s"), file);
}
