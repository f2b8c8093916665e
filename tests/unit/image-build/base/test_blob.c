// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image-build/base/blob.h"
#include "image-build/base/sink.h"
#include "tests/unit/image-build/image_tar.h"

#define PLAIN_SIZE 700000

/* Text that packs, but not to nothing. */
static uint8_t *plain_bytes(void)
{
	uint8_t *plain = malloc(PLAIN_SIZE);

	assert_non_null(plain);
	for (size_t i = 0; i < PLAIN_SIZE; i++)
		plain[i] = (uint8_t)(i * i / 1000 + i % 7);
	return plain;
}

static void pack(struct bytes *b, enum compression compression, const uint8_t *plain, size_t size)
{
	struct bytes none = { .at = NULL };
	int fd = bytes_open(&none);
	struct err e = { .text = "" };
	struct sink s;
	char buf[4096];
	ssize_t n;

	expect_success("open", sink_open(&s, fd, compression, &e), &e);
	expect_success("put", sink_put(&s, plain, size, &e), &e);
	expect_success("finish", sink_finish(&s, 1, &e), &e);
	assert_int_equal(s.size, size);
	sink_close(&s);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		bytes_add(b, buf, (size_t)n);
	close(fd);
}

static void digest_of(const char *algorithm, const void *bytes, size_t size, struct digest *ret)
{
	struct hasher h;

	hasher_start(&h, algorithm);
	hasher_add(&h, bytes, size);
	hasher_finish(&h, ret);
	hasher_stop(&h);
}

/* Read all: the digest of what was stored and of what came out, the number of bytes, or -errno. */
static int64_t unpack(const struct bytes *b, enum compression compression, struct digest *stored,
		      struct digest *plain, struct err *e)
{
	int fd = bytes_open(b);
	const void *bytes;
	struct blob_digests digests;
	struct digest expected;
	struct blob blob;
	int64_t total = 0;
	ssize_t n;

	expect_success("open", blob_open(&blob, fd, compression, "sha256", "sha512", NULL, e), e);
	while ((n = blob_read(&blob, &bytes, e)) > 0)
		total += n;
	assert_int_equal(blob_finish(&blob, &digests, e), 0);
	/* All of what is stored was hashed, whatever came of it. */
	assert_int_equal(digests.stored_bytes, b->size);
	digest_of("sha256", b->at, b->size, &expected);
	assert_true(digest_equal(&digests.stored, &expected));
	*stored = digests.stored;
	*plain = digests.plain;
	blob_close(&blob);
	close(fd);
	return n < 0 ? n : total;
}

static const enum compression packed[] = { COMPRESSION_GZIP, COMPRESSION_ZSTD };

static void test_round_trip(void **state)
{
	static const enum compression all[] = { COMPRESSION_NONE, COMPRESSION_GZIP,
						COMPRESSION_ZSTD };
	uint8_t *plain = plain_bytes();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		struct bytes b = { .at = NULL }, again = { .at = NULL };
		struct digest stored, out, expected;
		struct err e = { .text = "" };

		pack(&b, all[i], plain, PLAIN_SIZE);
		assert_int_equal(unpack(&b, all[i], &stored, &out, &e), PLAIN_SIZE);
		digest_of("sha512", plain, PLAIN_SIZE, &expected);
		assert_true(digest_equal(&out, &expected));
		digest_of("sha256", b.at, b.size, &expected);
		assert_true(digest_equal(&stored, &expected));
		/* Packed once more: the same bytes. */
		pack(&again, all[i], plain, PLAIN_SIZE);
		assert_int_equal(again.size, b.size);
		assert_memory_equal(again.at, b.at, b.size);
		bytes_free(&b);
		bytes_free(&again);
	}
	free(plain);
}

/* Members one after another are one stream, and padding of zeroes behind gzip is none. */
static void test_members(void **state)
{
	uint8_t *plain = plain_bytes();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(packed); i++) {
		struct bytes b = { .at = NULL };
		struct digest stored, out, expected;
		struct err e = { .text = "" };

		pack(&b, packed[i], plain, 1000);
		pack(&b, packed[i], plain, 0);
		pack(&b, packed[i], plain + 1000, PLAIN_SIZE - 1000);
		if (packed[i] == COMPRESSION_GZIP)
			bytes_add(&b, NULL, 300000);
		assert_int_equal(unpack(&b, packed[i], &stored, &out, &e), PLAIN_SIZE);
		digest_of("sha512", plain, PLAIN_SIZE, &expected);
		assert_true(digest_equal(&out, &expected));
		bytes_free(&b);
	}
	free(plain);
}

static void test_damage(void **state)
{
	uint8_t *plain = plain_bytes();
	struct digest stored, out;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(packed); i++) {
		struct bytes b = { .at = NULL };
		struct err e = { .text = "" };

		pack(&b, packed[i], plain, PLAIN_SIZE);
		for (size_t cut = 1; cut < b.size; cut = cut * 3 + 1) {
			struct bytes shorter = { b.at, b.size - cut, b.room };

			expect_failure("cut", (int)unpack(&shorter, packed[i], &stored, &out, &e),
				       &e, FAIL_VALUE_INVALID, "");
		}
		bytes_add(&b, "garbage", 7);
		expect_failure("garbage", (int)unpack(&b, packed[i], &stored, &out, &e), &e,
			       FAIL_VALUE_INVALID,
			       packed[i] == COMPRESSION_GZIP ? "not gzip" : "zstd");
		b.size -= 7;
		if (packed[i] == COMPRESSION_GZIP) {
			bytes_add(&b, "\0\0\0x", 4);
			expect_failure("behind padding",
				       (int)unpack(&b, packed[i], &stored, &out, &e), &e,
				       FAIL_VALUE_INVALID, "not gzip");
			b.size -= 4;
		}
		b.at[b.size / 2] ^= 0x55;
		/* zstd without a checksum may not notice; the digest does. */
		if (packed[i] == COMPRESSION_GZIP)
			expect_failure("flip", (int)unpack(&b, packed[i], &stored, &out, &e), &e,
				       FAIL_VALUE_INVALID, "damaged");
		bytes_free(&b);
	}
	free(plain);
}

static void test_wrong_type(void **state)
{
	uint8_t *plain = plain_bytes();
	struct digest stored, out;
	struct bytes gzip = { .at = NULL }, zstd = { .at = NULL }, none = { .at = NULL },
		     empty = none;
	const struct {
		const struct bytes *b;
		enum compression said;
	} wrong[] = {
		{ &gzip, COMPRESSION_NONE },  { &gzip, COMPRESSION_ZSTD },
		{ &zstd, COMPRESSION_NONE },  { &zstd, COMPRESSION_GZIP },
		{ &none, COMPRESSION_GZIP },  { &none, COMPRESSION_ZSTD },
		{ &empty, COMPRESSION_GZIP }, { &empty, COMPRESSION_ZSTD },
	};

	(void)state;
	pack(&gzip, COMPRESSION_GZIP, plain, 5000);
	pack(&zstd, COMPRESSION_ZSTD, plain, 5000);
	bytes_add(&none, plain, 5000);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct err e = { .text = "" };

		expect_failure("type", (int)unpack(wrong[i].b, wrong[i].said, &stored, &out, &e),
			       &e, FAIL_VALUE_INVALID, "media type");
	}
	assert_int_equal(unpack(&empty, COMPRESSION_NONE, &stored, &out, NULL), 0);
	bytes_free(&gzip);
	bytes_free(&zstd);
	bytes_free(&none);
	free(plain);
}

/* What is put behind it begins at a multiple of four, as a plain archive must. */
static void test_padding(void **state)
{
	static const char text[] = "0123456789abcdefghijklmnopqrstuvwxyzABCD";
	unsigned int padded = 0;

	(void)state;
	for (size_t i = 0; i < 3 * (sizeof(text) - 1); i++) {
		enum compression compression = (enum compression)(i % 3);
		uint64_t size[2];

		for (unsigned int unit = 1; unit <= 4; unit += 3) {
			struct bytes none = { .at = NULL };
			int fd = bytes_open(&none);
			struct err e = { .text = "" };
			struct sink s;

			expect_success("open", sink_open(&s, fd, compression, &e), &e);
			expect_success("put", sink_put(&s, text, i / 3 + 1, &e), &e);
			expect_success("finish", sink_finish(&s, unit, &e), &e);
			sink_close(&s);
			size[unit / 4] = (uint64_t)lseek(fd, 0, SEEK_END);
			close(fd);
		}
		assert_int_equal(size[1], (size[0] + 3) / 4 * 4);
		padded += size[0] != size[1];
	}
	assert_true(padded > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_padding),    cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_members),    cmocka_unit_test(test_damage),
		cmocka_unit_test(test_wrong_type),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
