// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image-build/disk/hash_tree.h"
#include "image-build/base/write.h"
#include "lib/hex.h"
#include "lib/io.h"
#include "image-build/disk/verity_format.h"
#include "verity/superblock.h"

/* Root hashes that veritysetup 2.6.1 gives for data made by fill(). */
static const struct vector {
	uint64_t data_blocks;
	uint32_t data_block_size, hash_block_size;
	const char *hash;
	uint32_t format;
	const char *salt;
	const char *root;
} vectors[] = {
	{ 1, 4096, 4096, "sha256", 1, "",
	  "d010f6d76d0eb4dce5d5b5b34014a8a157ec4380a66c24d7d455a9bf652db14a" },
	{ 1, 4096, 4096, "sha256", 1, "00ff",
	  "f0f343b2260778cc7f4ddffba0a30c7eca4a1793f41315d5cacc8aeb72ebe4c4" },
	{ 2, 4096, 4096, "sha256", 1, "",
	  "3fe1454676b06f36ad7fab11a2f946730dc24ec7a79e20dfe4b8b06e4dc07640" },
	{ 128, 4096, 4096, "sha256", 1, "",
	  "69cc67e9922b924975d1d1502dc6f748fffbba4dae9764d81f38b18aae96c29e" },
	{ 129, 4096, 4096, "sha256", 1, "0102",
	  "2896e51cba3cf7ac3aad5d5771ff51f18326ce891154c6d25b7c259391166638" },
	{ 300, 512, 512, "sha256", 1, "aa",
	  "07ab1209cd95387c33d1d09c7c59af2c7544f23caec464b51a83df9e7f631a74" },
	{ 300, 512, 4096, "sha512", 1, "aa",
	  "fe7e49488c2b137a77fcde05bf3552cc37e16aef1852591c43140dfb81d9a50f"
	  "72f21225bf3c5bc82fc7b1d70bf8bf597cac80bc0c709c1a6b1821a327da409f" },
	{ 40, 1024, 512, "sha384", 1, "aa",
	  "3214d279443f8dc296b002eb363ca2e957597eddfe8e6c3bb07d8a1e4c18fc33"
	  "93aa244608fc8f2054ab9dbe02a1504a" },
	{ 129, 4096, 4096, "sha256", 0, "0102",
	  "2afdaa56b153d177caa0b5bdc07ee04b67d8e52f69aab575e8e4e341572b1250" },
};

static const uint8_t uuid[UUID_SIZE] = { 0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0x4d, 0xef,
					 0x81, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef };

struct image {
	struct temp temp;
	char path[96];
	int fd;
	struct verity_params p;
	uint64_t data_bytes;
};

static void fill(struct image *i)
{
	for (uint64_t at = 0; at < i->data_bytes; at += 512) {
		uint8_t bytes[512];

		for (uint64_t j = 0; j < sizeof(bytes); j++)
			bytes[j] = (uint8_t)((at + j) * 7 + (at >> 12));
		assert_int_equal(write_all_at(i->fd, bytes, sizeof(bytes), at), 0);
	}
}

static void make(struct image *i, const struct vector *v)
{
	temp_make(&i->temp);
	snprintf(i->path, sizeof(i->path), "%s/image", i->temp.path);
	i->fd = open(i->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(i->fd >= 0);
	verity_params_init(&i->p);
	snprintf(i->p.hash_name, sizeof(i->p.hash_name), "%s", v->hash);
	i->p.hash_type = v->format;
	i->p.data_block_size = v->data_block_size;
	i->p.hash_block_size = v->hash_block_size;
	i->p.data_blocks = v->data_blocks;
	i->p.salt_size = (uint16_t)hex_decode(v->salt, i->p.salt, sizeof(i->p.salt));
	i->data_bytes = v->data_blocks * v->data_block_size;
	fill(i);
}

static void drop(struct image *i)
{
	close(i->fd);
	temp_remove(&i->temp);
}

static void test_vectors(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		uint8_t superblock[VERITY_SUPERBLOCK_SIZE], found_uuid[UUID_SIZE];
		struct verity_params read;
		struct verity_geometry g;
		char root[2 * VERITY_DIGEST_MAX + 1];
		struct err e = { .text = "" };
		struct image image;
		struct stat st;

		make(&image, &vectors[i]);
		expect_success(vectors[i].root, verity_format(image.fd, &image.p, uuid, &e), &e);
		hex_encode(image.p.root_hash, image.p.root_hash_size, root);
		assert_string_equal(root, vectors[i].root);
		/* The superblock says the same, at the place where data ends; of Chromium OS's
		 * type nobody reads one. */
		assert_int_equal(io_pread(image.fd, superblock, sizeof(superblock),
					  image.data_bytes),
				 sizeof(superblock));
		if (verity_superblock_read(superblock, image.data_bytes, &read, found_uuid, &e)) {
			assert_int_equal(vectors[i].format, 0);
			read = image.p;
			memcpy(found_uuid, superblock + 16, sizeof(uuid));
		}
		assert_memory_equal(found_uuid, uuid, sizeof(uuid));
		assert_int_equal(read.hash_start_block, image.p.hash_start_block);
		assert_int_equal(read.data_blocks, image.p.data_blocks);
		assert_int_equal(read.salt_size, image.p.salt_size);
		/* A whole number of hash blocks, and nothing behind the tree. */
		assert_int_equal(verity_geometry(&image.p, &g, &e), 0);
		assert_int_equal(fstat(image.fd, &st), 0);
		assert_int_equal(st.st_size, g.hash_end_bytes);
		/* Our own reader comes to the same root, and finds no fault. */
		expect_success("root",
			       verity_root(&(struct slice){ image.fd, 0, g.hash_end_bytes }, &read,
					   &e),
			       &e);
		assert_memory_equal(read.root_hash, image.p.root_hash, image.p.root_hash_size);
		expect_success("check",
			       verity_check(&(struct slice){ image.fd, 0, g.hash_end_bytes },
					    &image.p, &e),
			       &e);
		drop(&image);
	}
}

/* What veritysetup makes of the same data, salt and UUID is the same file. */
static void test_peer(void **state)
{
	static const uint64_t blocks[] = { 1, 2, 128, 129, 1024, 1025, 5000, 16385 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors) + ARRAY_SIZE(blocks); i++) {
		struct vector v = i < ARRAY_SIZE(vectors) ? vectors[i] : vectors[1];
		struct err e = { .text = "" };
		char command[1024];
		struct image image;

		if (i >= ARRAY_SIZE(vectors))
			v.data_blocks = blocks[i - ARRAY_SIZE(vectors)];
		make(&image, &v);
		snprintf(command, sizeof(command),
			 "cd %s && cp image peer && PATH=$PATH:/sbin:/usr/sbin veritysetup format "
			 "peer peer --hash-offset=%llu --data-blocks=%llu --data-block-size=%u "
			 "--hash-block-size=%u --hash=%s --format=%u --salt=%s "
			 "--uuid=12345678-9abc-4def-8123-456789abcdef >log",
			 image.temp.path, (unsigned long long)image.data_bytes,
			 (unsigned long long)v.data_blocks, v.data_block_size, v.hash_block_size,
			 v.hash, v.format, *v.salt ? v.salt : "-");
		assert_int_equal(system(command), 0);
		expect_success("format", verity_format(image.fd, &image.p, uuid, &e), &e);
		/* A tree of no levels: we fill the hash block that the superblock is in. */
		snprintf(command, sizeof(command),
			 "cd %s && truncate -s %%%u peer && cmp image "
			 "peer",
			 image.temp.path, v.hash_block_size);
		assert_int_equal(system(command), 0);
		drop(&image);
	}
}

static void flip(int fd, uint64_t at)
{
	uint8_t byte;

	assert_int_equal(io_pread(fd, &byte, 1, at), 1);
	byte ^= 0x10;
	assert_int_equal(write_all_at(fd, &byte, 1, at), 0);
}

static int check(const struct image *i, struct err *e)
{
	struct stat st;

	assert_int_equal(fstat(i->fd, &st), 0);
	return verity_check(&(struct slice){ i->fd, 0, (uint64_t)st.st_size }, &i->p, e);
}

/* One flipped byte in every block is found, and by its right name. */
static void test_every_block(void **state)
{
	const struct vector *v = &vectors[4];
	struct err e = { .text = "" };
	struct image i;
	uint64_t start;

	(void)state;
	make(&i, v);
	expect_success("format", verity_format(i.fd, &i.p, uuid, &e), &e);
	for (uint64_t block = 0; block < v->data_blocks; block++) {
		char words[64];

		flip(i.fd, block * 4096 + block % 4096);
		snprintf(words, sizeof(words), "data block %d does", (int)block);
		expect_failure(words, check(&i, &e), &e, FAIL_DATA_CORRUPT, words);
		flip(i.fd, block * 4096 + block % 4096);
	}
	start = i.p.hash_start_block * 4096;
	flip(i.fd, start + 5);
	expect_failure("top", check(&i, &e), &e, FAIL_ROOT_HASH_MISMATCH, "top");
	flip(i.fd, start + 5);
	flip(i.fd, start + 4096 + 5);
	expect_failure("below", check(&i, &e), &e, FAIL_HASH_TREE_CORRUPT, "level 0");
	flip(i.fd, start + 4096 + 5);
	expect_success("whole again", check(&i, &e), &e);
	i.p.root_hash[31] ^= 1;
	expect_failure("root", check(&i, &e), &e, FAIL_ROOT_HASH_MISMATCH, "root");
	i.p.root_hash_size = 16;
	expect_failure("short root", check(&i, &e), &e, FAIL_ROOT_HASH_INVALID, "16");
	assert_int_equal(ftruncate(i.fd, (off_t)(start + 4096)), 0);
	expect_failure("short file", check(&i, &e), &e, FAIL_DEVICE_TOO_SMALL, "need");
	drop(&i);
}

/* Data that is not what the parameters say is refused, before a byte is written. */
static void test_refusals(void **state)
{
	static const off_t sizes[] = { 0, 2 * 4096 - 1, 2 * 4096 + 512, 3 * 4096 };
	struct err e = { .text = "" };
	struct verity_params before;
	struct image i;
	struct stat st;

	(void)state;
	make(&i, &vectors[2]);
	before = i.p;
	for (size_t n = 0; n < ARRAY_SIZE(sizes); n++) {
		assert_int_equal(ftruncate(i.fd, sizes[n]), 0);
		expect_failure("size", verity_format(i.fd, &i.p, uuid, &e), &e,
			       FAIL_VERITY_PARAMS_INVALID, "bytes");
		assert_int_equal(fstat(i.fd, &st), 0);
		assert_int_equal(st.st_size, sizes[n]);
		assert_memory_equal(&i.p, &before, sizeof(before));
	}
	i.p.data_blocks = 0;
	assert_int_equal(ftruncate(i.fd, 0), 0);
	expect_failure("nothing", verity_format(i.fd, &i.p, uuid, &e), &e, FAIL_VALUE_INVALID,
		       "no data");
	assert_int_equal(i.p.root_hash_size, 0);
	i.p.data_blocks = UINT64_MAX;
	assert_true(verity_format(i.fd, &i.p, uuid, &e) < 0);
	i.p = before;
	expect_failure("no file", verity_format(-1, &i.p, uuid, &e), &e, FAIL_SYSTEM_CALL_FAILED,
		       "image");
	drop(&i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors),
		cmocka_unit_test(test_peer),
		cmocka_unit_test(test_every_block),
		cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
