/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32C and TensorBoard records, against the vectors of facts/maxtext-run.md §2.4 and RFC 3720.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/fmt/crc32c.h"
#include "core/fmt/tfevent.h"

/* wall 1787400000, step 7, rewards/train/sum = 0.5 */
static const unsigned char record[] = {0x27, 0, 0, 0, 0, 0, 0, 0, 0xbb, 0xe1, 0xb1, 0x46, 0x09,
	0x00, 0x00, 0x00, 0xd0, 0x63, 0xa2, 0xda, 0x41, 0x10, 0x07, 0x2a, 0x1a, 0x0a, 0x18, 0x0a,
	0x11, 'r', 'e', 'w', 'a', 'r', 'd', 's', '/', 't', 'r', 'a', 'i', 'n', '/', 's', 'u', 'm',
	0x15, 0x00, 0x00, 0x00, 0x3f, 0xf1, 0x49, 0xda, 0xb9};

struct seen {
	int n;
	char tag[64];
	int64_t step;
	double value, wall;
};

static void keep(void *arg, const struct tfevent_scalar *s)
{
	struct seen *seen = arg;

	seen->n++;
	snprintf(seen->tag, sizeof(seen->tag), "%s", s->tag);
	seen->step = s->step;
	seen->value = s->value;
	seen->wall = s->wall;
}

static void checksums_match_the_published_vectors(void **state)
{
	unsigned char zeros[32] = {0};

	(void)state;
	assert_int_equal(crc32c("123456789", 9), 0xe3069283);
	assert_int_equal(crc32c_masked("123456789", 9), 0xc78ab0e5);
	assert_int_equal(crc32c(zeros, sizeof(zeros)), 0x8a9136aa);
	assert_int_equal(crc32c("", 0), 0);
}

static void a_record_reads_the_same_in_any_chunks(void **state)
{
	unsigned char file[3 * sizeof(record)];

	(void)state;
	for (size_t i = 0; i < 3; i++)
		memcpy(file + i * sizeof(record), record, sizeof(record));
	for (size_t chunk = 1; chunk <= sizeof(file); chunk++) {
		struct seen seen = {0};
		struct tfevent_reader r = {.scalar = keep, .arg = &seen};

		for (size_t at = 0; at < sizeof(file); at += chunk) {
			size_t n = sizeof(file) - at < chunk ? sizeof(file) - at : chunk;

			assert_int_equal(tfevent_feed(&r, file + at, n, NULL), 0);
		}
		assert_int_equal(seen.n, 3);
		assert_string_equal(seen.tag, "rewards/train/sum");
		assert_int_equal(seen.step, 7);
		assert_true(seen.value == 0.5 && seen.wall == 1787400000.0);
		assert_int_equal(r.offset, sizeof(file));
		tfevent_fini(&r);
	}
}

static void a_short_tail_waits(void **state)
{
	struct seen seen = {0};
	struct tfevent_reader r = {.scalar = keep, .arg = &seen};

	(void)state;
	assert_int_equal(tfevent_feed(&r, record, sizeof(record) - 1, NULL), 0);
	assert_int_equal(seen.n, 0);
	assert_int_equal(r.offset, 0);
	tfevent_fini(&r);
}

static void every_flipped_bit_is_seen(void **state)
{
	(void)state;
	for (size_t at = 0; at < sizeof(record); at++) {
		unsigned char bad[sizeof(record)];
		struct seen seen = {0};
		struct tfevent_reader r = {.scalar = keep, .arg = &seen};
		struct err e = {0};

		memcpy(bad, record, sizeof(bad));
		bad[at] ^= 0x10;
		assert_int_equal(tfevent_feed(&r, bad, sizeof(bad), &e), -1);
		assert_int_equal(e.code, ERR_BAD_FILE);
		assert_int_equal(seen.n, 0);
		assert_int_equal(tfevent_feed(&r, record, sizeof(record), &e), -1);
		tfevent_fini(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(checksums_match_the_published_vectors),
		cmocka_unit_test(a_record_reads_the_same_in_any_chunks),
		cmocka_unit_test(a_short_tail_waits),
		cmocka_unit_test(every_flipped_bit_is_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
