/* SPDX-License-Identifier: Apache-2.0 */
#include "core/fmt/tfevent.h"

#include <inttypes.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/fmt/crc32c.h"
#include "core/fmt/tfevent.pb-c.h"

#define HEAD ((size_t)12) /* length and its checksum */
#define TAIL ((size_t)4)

static uint64_t little_endian(const unsigned char *p, int bytes)
{
	uint64_t v = 0;

	while (bytes--)
		v = v << 8 | p[bytes];
	return v;
}

/* TensorFlow's writers put the scalar into a tensor of one float. */
static bool scalar_of(const Tfevent__Value *v, double *out)
{
	const Tfevent__Tensor *t = v->value_case == TFEVENT__VALUE__VALUE_TENSOR ? v->tensor : NULL;
	float f;

	if (v->value_case == TFEVENT__VALUE__VALUE_SIMPLE_VALUE)
		*out = (double)v->simple_value;
	else if (t && t->n_float_val == 1)
		*out = (double)t->float_val[0];
	else if (t && t->tensor_content.len == sizeof(f)) {
		memcpy(&f, t->tensor_content.data, sizeof(f));
		*out = (double)f;
	} else
		return false;
	return true;
}

static int decode(struct tfevent_reader *r, const unsigned char *data, size_t n)
{
	Tfevent__Event *ev = tfevent__event__unpack(NULL, n, data);

	if (!ev)
		return -1;
	for (size_t i = 0;
		ev->what_case == TFEVENT__EVENT__WHAT_SUMMARY && i < ev->summary->n_value; i++) {
		const Tfevent__Value *v = ev->summary->value[i];
		struct tfevent_scalar s = {.tag = v->tag, .step = ev->step, .wall = ev->wall_time};

		if (scalar_of(v, &s.value))
			r->scalar(r->arg, &s);
	}
	tfevent__event__free_unpacked(ev, NULL);
	return 0;
}

/* Bytes used by one whole record at p, 0 when more are needed, -1 for damage. */
static int64_t one_record(struct tfevent_reader *r, const unsigned char *p, size_t n)
{
	uint64_t len;

	if (n < HEAD)
		return 0;
	len = little_endian(p, 8);
	if (little_endian(p + 8, 4) != crc32c_masked(p, 8) || len > TFEVENT_RECORD_MAX)
		return -1;
	if (n < HEAD + len + TAIL)
		return 0;
	if (little_endian(p + HEAD + len, 4) != crc32c_masked(p + HEAD, len) ||
		decode(r, p + HEAD, len))
		return -1;
	return (int64_t)(HEAD + len + TAIL);
}

int tfevent_feed(struct tfevent_reader *r, const void *data, size_t n, struct err *e)
{
	const unsigned char *p = data;
	size_t used = 0;
	int64_t step = r->broken ? -1 : 1;

	if (r->rest.len) {
		buf_add(&r->rest, data, n);
		p = (const unsigned char *)r->rest.data;
		n = r->rest.len;
	}
	while (step > 0) {
		step = one_record(r, p + used, n - used);
		if (step > 0) {
			used += (size_t)step;
			r->offset += (uint64_t)step;
			r->records++;
		}
	}
	if (step < 0) {
		r->broken = true;
		return err_set(e, ERR_BAD_FILE,
			_("the curves go on from the log; look at the file if it stays so"),
			_("the event file is damaged at byte %" PRIu64), r->offset);
	}
	if (r->rest.len)
		buf_drop(&r->rest, used);
	else
		buf_add(&r->rest, p + used, n - used);
	return 0;
}

void tfevent_fini(struct tfevent_reader *r)
{
	buf_fini(&r->rest);
}
