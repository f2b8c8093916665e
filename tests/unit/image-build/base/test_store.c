// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "image-build/base/store.h"
#include "lib/array.h"
#include "lib/crc32c.h"

/* Bytes that differ from block to block and within one. */
static uint8_t byte_at(uint64_t offset)
{
	return (uint8_t)(1 + (offset * 7 + offset / CONTENT_BLOCK) % 251);
}

static uint8_t *make_bytes(size_t size)
{
	uint8_t *bytes = malloc(size + 1);

	assert_non_null(bytes);
	for (size_t i = 0; i < size; i++)
		bytes[i] = byte_at(i);
	return bytes;
}

static struct store open_store(bool tails)
{
	struct store s;

	store_open(&s, memfd_create("store", MFD_CLOEXEC),
		   tails ? memfd_create("tails", MFD_CLOEXEC) : -1, 1);
	return s;
}

/* Pieces of data in a file, up to an empty one. */
struct file {
	uint64_t size;
	struct {
		uint64_t offset;
		size_t size;
	} pieces[4];
	struct content_run runs[4]; /* what its map must be; none: it has no map */
	uint32_t blocks;
};

static void add(struct content *c, struct store *s, const struct file *f, const uint8_t *bytes,
		size_t tail_max)
{
	struct err e = { .text = "" };

	for (size_t i = 0; i < ARRAY_SIZE(f->pieces) && f->pieces[i].size; i++)
		expect_success("add",
			       content_add(c, s, bytes + f->pieces[i].offset, f->pieces[i].size,
					   f->pieces[i].offset, &e),
			       &e);
	expect_success("end", content_end(c, s, f->size, tail_max, &e), &e);
}

/* What the file must hold. */
static uint8_t *expected(const struct file *f, const uint8_t *bytes)
{
	uint8_t *all = calloc(1, f->size + 1);

	assert_non_null(all);
	for (size_t i = 0; i < ARRAY_SIZE(f->pieces) && f->pieces[i].size; i++)
		memcpy(all + f->pieces[i].offset, bytes + f->pieces[i].offset, f->pieces[i].size);
	return all;
}

static void check_content(const struct content *c, const struct file *f, const uint8_t *bytes)
{
	uint8_t *want = expected(f, bytes), *have = malloc(f->size + 1);
	struct err e = { .text = "" };

	assert_non_null(have);
	for (size_t step = 1; step < f->size + 3000; step += f->size / 3 + 1)
		for (uint64_t at = 0; at < f->size; at += step) {
			size_t n = f->size - at < step ? f->size - at : step;

			memset(have, 0xff, n);
			assert_int_equal(content_read(c, f->size, have, step, at, &e), n);
			assert_memory_equal(have, want + at, n);
		}
	assert_int_equal(content_read(c, f->size, have, 1, f->size, &e), 0);
	free(want);
	free(have);
}

static void check_map(const struct content *c, const struct file *f)
{
	size_t runs = 0;

	while (runs < ARRAY_SIZE(f->runs) && f->runs[runs].count)
		runs++;
	assert_int_equal(runs, c->map ? c->map->count : 0);
	if (runs)
		assert_memory_equal(c->map->runs, f->runs, runs * sizeof(f->runs[0]));
	assert_int_equal(content_blocks(c, f->size), f->blocks);
}

static const struct file files[] = {
	{ .size = 0 },
	{ .size = 1, .pieces = { { 0, 1 } }, .blocks = 1 },
	{ .size = 4095, .pieces = { { 0, 4095 } }, .blocks = 1 },
	{ .size = 4096, .pieces = { { 0, 4096 } }, .blocks = 1 },
	{ .size = 4097, .pieces = { { 0, 4096 }, { 4096, 1 } }, .blocks = 2 },
	{ .size = 200000, .pieces = { { 0, 3 }, { 3, 199997 } }, .blocks = 49 },
	{ .size = 3000000, .pieces = { { 0, 3000000 } }, .blocks = 733 },
	/* Holes that need no map: they leave no block out. */
	{ .size = 4096, .pieces = { { 10, 20 }, { 40, 1 } }, .blocks = 1 },
	{ .size = 9000, .pieces = { { 4095, 1 }, { 5000, 1 }, { 8192, 8 } }, .blocks = 3 },
	/* Holes of whole blocks: before, between, behind, and of everything. */
	{ .size = 8192, .pieces = { { 5000, 10 } }, .runs = { { 1, 1 } }, .blocks = 1 },
	{ .size = 305000,
	  .pieces = { { 0, 5000 }, { 300000, 5000 } },
	  .runs = { { 0, 2 }, { 73, 2 } },
	  .blocks = 4 },
	{ .size = 40000, .pieces = { { 0, 10 } }, .runs = { { 0, 1 } }, .blocks = 1 },
	{ .size = 40000 },
	{ .size = 50000,
	  .pieces = { { 4097, 8192 }, { 12290, 1 }, { 16384, 4096 }, { 40960, 1 } },
	  .runs = { { 1, 4 }, { 10, 1 } },
	  .blocks = 5 },
};

static void test_contents(void **state)
{
	uint8_t *bytes = make_bytes(3000000);

	(void)state;
	for (int tails = 0; tails < 2; tails++) {
		struct content contents[ARRAY_SIZE(files)] = { { .store = NULL } };
		struct store s = open_store(tails);
		struct err e = { .text = "" };
		uint32_t next = 1;

		for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
			struct content *c = &contents[i];

			add(c, &s, &files[i], bytes, 0);
			check_map(c, &files[i]);
			assert_int_equal(content_tail_size(c, files[i].size), 0);
			if (c->store)
				assert_int_equal(c->block, next);
			next += files[i].blocks;
			assert_int_equal(s.blocks, next);
			check_content(c, &files[i], bytes);
		}
		expect_success("flush", store_flush(&s, &e), &e);
		for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
			struct content copy = content_copy(&contents[i]);

			content_free(&contents[i]);
			check_content(&copy, &files[i], bytes);
			content_free(&copy);
		}
		assert_int_equal(lseek(s.data.fd, 0, SEEK_END), (off_t)next * CONTENT_BLOCK);
		store_close(&s);
	}
	free(bytes);
}

static void test_tails(void **state)
{
	static const struct {
		struct file file;
		size_t tail;
	} kept[] = {
		{ { .size = 1, .pieces = { { 0, 1 } } }, 1 },
		{ { .size = 5000, .pieces = { { 0, 5000 } }, .blocks = 1 }, 904 },
		{ { .size = 4096 + 2000, .pieces = { { 0, 6096 } }, .blocks = 1 }, 2000 },
		{ { .size = 4096 + 2001, .pieces = { { 0, 6097 } }, .blocks = 2 }, 0 },
		{ { .size = 4096, .pieces = { { 0, 4096 } }, .blocks = 1 }, 0 },
		{ { .size = 200010, .pieces = { { 0, 100 }, { 100, 199910 } }, .blocks = 48 },
		  3402 },
		{ { .size = 9000, .pieces = { { 8192, 800 } }, .runs = { { 2, 1 } }, .blocks = 1 },
		  0 },
	};
	uint8_t *bytes = make_bytes(200010);
	struct store s = open_store(true);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kept); i++) {
		const struct file *f = &kept[i].file;
		struct content c = { .store = NULL };
		struct err e = { .text = "" };
		uint8_t tail[CONTENT_BLOCK];

		add(&c, &s, f, bytes, kept[i].tail > 2000 ? 4000 : 2000);
		check_map(&c, f);
		assert_int_equal(content_tail_size(&c, f->size), kept[i].tail);
		check_content(&c, f, bytes);
		if (kept[i].tail) {
			expect_success("read", content_read_tail(&c, f->size, tail, &e), &e);
			assert_memory_equal(tail, bytes + f->size - kept[i].tail, kept[i].tail);
		}
		content_free(&c);
	}
	store_close(&s);
	free(bytes);
}

/* Of what is data: the bytes of the file in the blocks that it has. */
static void test_checksum(void **state)
{
	struct store s = open_store(true);
	uint8_t *bytes = make_bytes(70000);
	struct content c = { .store = NULL };

	(void)state;
	add(&c, &s, &(struct file){ .size = 70000, .pieces = { { 0, 70000 } } }, bytes, 4095);
	assert_int_equal(c.crc, crc32c_of(~0U, bytes, 70000));
	c = (struct content){ .store = NULL };
	add(&c, &s, &(struct file){ .size = 70000, .pieces = { { 0, 6 }, { 6, 69994 } } }, bytes,
	    0);
	assert_int_equal(c.crc, crc32c_of(~0U, bytes, 70000));
	c = (struct content){ .store = NULL };
	add(&c, &s, &(struct file){ .size = 70000, .pieces = { { 65000, 1000 } } }, bytes, 0);
	memset(bytes, 0, 65000);
	memset(bytes + 66000, 0, 4000);
	assert_int_equal(c.crc, crc32c_of(~0U, bytes + 61440, 8192));
	content_free(&c);
	store_close(&s);
	free(bytes);
}

static void test_refused(void **state)
{
	struct content c = { .store = NULL };
	struct store s = open_store(false);
	struct err e = { .text = "" };

	(void)state;
	expect_success("add", content_add(&c, &s, "abc", 3, 10, &e), &e);
	assert_int_equal(content_add(&c, &s, "abc", 3, 12, &e), -EINVAL);
	assert_string_equal(e.text, "its pieces overlap");
	assert_int_equal(content_end(&c, &s, 12, 0, &e), -EINVAL);
	assert_non_null(strstr(e.text, "more bytes than its size"));
	store_close(&s);
	/* What cannot be written is told, at the latest when the store is flushed. */
	s = open_store(false);
	c = (struct content){ .store = NULL };
	close(s.data.fd);
	s.data.fd = open("/dev/full", O_RDWR | O_CLOEXEC);
	expect_success("add", content_add(&c, &s, "abc", 3, 0, &e), &e);
	expect_success("end", content_end(&c, &s, 3, 0, &e), &e);
	assert_int_equal(store_flush(&s, &e), -ENOSPC);
	store_close(&s);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_contents),
		cmocka_unit_test(test_tails),
		cmocka_unit_test(test_checksum),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
