// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Trees, superblocks and parity of ours, byte for byte those of libcryptsetup. */
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <libcryptsetup.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image-build/base/write.h"
#include "image-build/disk/fec_write.h"
#include "image-build/disk/tree_write.h"
#include "lib/hex.h"
#include "lib/io.h"

static const struct row {
	uint64_t data_blocks;
	uint32_t data_block_size, hash_block_size;
	const char *hash;
	uint32_t format;
	const char *salt;
	uint32_t fec_roots; /* 0: block sizes differ, so there can be none */
	uint32_t cut;       /* bytes that the data are short of their last block */
} rows[] = {
	{ 1, 4096, 4096, "sha256", 1, "", 2, 0 },
	{ 1, 512, 4096, "sha256", 1, "aa", 0, 1 },
	{ 2, 4096, 4096, "sha256", 1, "00ff", 24, 4095 },
	{ 128, 4096, 4096, "sha256", 1, "", 3, 0 },
	{ 129, 4096, 4096, "sha256", 1, "0102", 2, 0 },
	{ 300, 512, 512, "sha256", 1, "aa", 2, 100 },
	{ 300, 512, 4096, "sha512", 1, "aa", 0, 0 },
	{ 40, 1024, 512, "sha384", 1, "aa", 0, 0 },
	{ 129, 4096, 4096, "sha256", 0, "0102", 0, 0 },
	{ 20, 4096, 512, "sha384", 0, "0102", 0, 0 },
	{ 16385, 512, 4096, "sha256", 1, "", 0, 0 },
	{ 1030, 4096, 4096, "sha256", 1, "", 24, 0 },
	{ 9000, 512, 262144, "sha256", 1, "aa", 0, 0 },
	{ 3, 524288, 4096, "sha256", 1, "", 0, 7 },
};

static const char uuid_string[] = "12345678-9abc-4def-8123-456789abcdef";
static const uint8_t uuid[UUID_SIZE] = { 0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0x4d, 0xef,
					 0x81, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef };

struct files {
	struct temp temp;
	char data[96], hash[96], fec[96];
	int fd; /* what we write: the tree, then the parity */
	struct verity_params p;
	struct slice slice;
};

/* The data that a file is short of are zeros for libcryptsetup, too. */
static void fill(struct files *f, const struct row *row)
{
	uint64_t bytes = row->data_blocks * row->data_block_size;
	uint8_t *data = calloc(1, bytes);

	for (uint64_t i = 0; i < bytes - row->cut; i++)
		data[i] = (uint8_t)(i * 7 + (i >> 9) * 3);
	put_bytes(f->temp.fd, "data", data, bytes);
	free(data);
	f->slice.fd = openat(f->temp.fd, "data", O_RDONLY | O_CLOEXEC);
	f->slice.size = bytes - row->cut;
}

static void begin(struct files *f, const struct row *row)
{
	*f = (struct files){ .fd = -1 };
	temp_make(&f->temp);
	snprintf(f->data, sizeof(f->data), "%s/data", f->temp.path);
	snprintf(f->hash, sizeof(f->hash), "%s/hash", f->temp.path);
	snprintf(f->fec, sizeof(f->fec), "%s/fec", f->temp.path);
	fill(f, row);
	put_bytes(f->temp.fd, "hash", "", 0);
	f->fd = openat(f->temp.fd, "ours", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	verity_params_init(&f->p);
	snprintf(f->p.hash_name, sizeof(f->p.hash_name), "%s", row->hash);
	f->p.hash_type = row->format;
	f->p.data_block_size = row->data_block_size;
	f->p.hash_block_size = row->hash_block_size;
	f->p.data_blocks = row->data_blocks;
	f->p.salt_size = (uint16_t)hex_decode(row->salt, f->p.salt, sizeof(f->p.salt));
	f->p.fec_roots = row->fec_roots;
	f->p.hash_start_block = 1;
}

static void end(struct files *f)
{
	close(f->fd);
	close(f->slice.fd);
	temp_remove(&f->temp);
}

/* The reference implementation: superblock, tree and parity in files of their own. */
static void format_reference(const struct files *f, uint8_t *root, size_t size)
{
	struct crypt_params_verity params = {
		.hash_name = f->p.hash_name,
		.data_device = f->data,
		.salt = (const char *)f->p.salt,
		.salt_size = f->p.salt_size,
		.hash_type = f->p.hash_type,
		.data_block_size = f->p.data_block_size,
		.hash_block_size = f->p.hash_block_size,
		.data_size = f->p.data_blocks,
		.fec_device = f->p.fec_roots ? f->fec : NULL,
		.fec_roots = f->p.fec_roots,
		.flags = CRYPT_VERITY_CREATE_HASH,
	};
	struct crypt_device *cd = NULL;

	if (f->p.fec_roots)
		put_bytes(f->temp.fd, "fec", "", 0);
	assert_int_equal(crypt_init_data_device(&cd, f->hash, f->data), 0);
	assert_int_equal(crypt_format(cd, CRYPT_VERITY, NULL, NULL, uuid_string, NULL, 0, &params),
			 0);
	assert_int_equal(crypt_volume_key_get(cd, CRYPT_ANY_SLOT, (char *)root, &size, NULL, 0), 0);
	crypt_free(cd);
}

/* What libcryptsetup wrote, and as much of ours from an offset on. */
static void expect_same(const struct files *f, const char *name, uint64_t offset)
{
	int fd = openat(f->temp.fd, name, O_RDONLY | O_CLOEXEC);
	struct stat st;
	uint8_t *theirs, *ours;

	assert_int_equal(fstat(fd, &st), 0);
	theirs = malloc((size_t)st.st_size);
	ours = malloc((size_t)st.st_size);
	assert_int_equal(io_pread(fd, theirs, (size_t)st.st_size, 0), st.st_size);
	assert_int_equal(io_pread(f->fd, ours, (size_t)st.st_size, offset), st.st_size);
	assert_memory_equal(ours, theirs, (size_t)st.st_size);
	free(theirs);
	free(ours);
	close(fd);
}

#define BASE 8192 /* where our hash device begins in its file */

static void write_ours(struct files *f, struct err *e)
{
	struct tree_place place = { .fd = f->fd, .offset = BASE };
	struct verity_geometry g;
	uint8_t superblock[VERITY_SUPERBLOCK_SIZE];

	expect_success("tree", tree_write(&f->slice, &f->p, &place, e), e);
	superblock_encode(&f->p, uuid, superblock);
	assert_int_equal(write_all_at(f->fd, superblock, sizeof(superblock), BASE), 0);
	assert_int_equal(verity_geometry(&f->p, &g, NULL), 0);
	assert_int_equal(ftruncate(f->fd, (off_t)(BASE + g.hash_end_bytes)), 0);
}

static void test_same_bytes(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct err e = { .text = "" };
		uint8_t root[VERITY_DIGEST_MAX];
		struct files f;

		begin(&f, &rows[i]);
		format_reference(&f, root, sizeof(root));
		write_ours(&f, &e);
		assert_memory_equal(f.p.root_hash, root, f.p.root_hash_size);
		expect_same(&f, "hash", BASE);
		end(&f);
	}
}

static void test_same_parity(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct slice hash_device = { .offset = BASE, .size = INT64_MAX };
		struct err e = { .text = "" };
		uint8_t root[VERITY_DIGEST_MAX];
		uint64_t size = 0, at = 1 << 20;
		struct files f;
		struct stat st;

		if (!rows[i].fec_roots)
			continue;
		begin(&f, &rows[i]);
		format_reference(&f, root, sizeof(root));
		write_ours(&f, &e);
		hash_device.fd = f.fd;
		expect_success("size", fec_size(&f.p, &size, &e), &e);
		expect_success("parity", fec_write(&f.slice, &hash_device, &f.p, f.fd, at, &e), &e);
		assert_int_equal(stat(f.fec, &st), 0);
		assert_int_equal(st.st_size, size);
		expect_same(&f, "fec", at);
		end(&f);
	}
}

/* nydus fills the free slots, and the root hash is another one then. */
static void test_spare_slots(void **state)
{
	uint8_t spare[VERITY_DIGEST_MAX], slots[128 * 32], hash[32];
	struct tree_place place = { .spare = spare };
	struct err e = { .text = "" };
	struct files f;

	(void)state;
	memset(spare, 0x5a, sizeof(spare));
	begin(&f, &rows[2]);
	place.fd = f.fd;
	expect_success("tree", tree_write(&f.slice, &f.p, &place, &e), &e);
	assert_int_equal(io_pread(f.fd, slots, sizeof(slots), 4096), sizeof(slots));
	memset(hash, 0x5a, sizeof(hash));
	for (size_t i = 2; i < 128; i++)
		assert_memory_equal(slots + 32 * i, hash, 32);
	assert_memory_not_equal(slots + 32, hash, 32);
	end(&f);
}

static void test_refused(void **state)
{
	struct tree_place place = { .fd = -1 };
	struct err e = { .text = "" };
	uint64_t size;
	struct files f;

	(void)state;
	begin(&f, &rows[3]);
	f.slice.size += 1;
	expect_failure("longer", tree_write(&f.slice, &f.p, &place, &e), &e, FAIL_VALUE_INVALID,
		       "are not 128 data blocks");
	f.slice.size -= 1 + 4096;
	expect_failure("shorter", tree_write(&f.slice, &f.p, &place, &e), &e, FAIL_VALUE_INVALID,
		       "are not 128 data blocks");
	f.slice.size += 4096;
	expect_failure("no file to write to", tree_write(&f.slice, &f.p, &place, &e), &e,
		       FAIL_SYSTEM_CALL_FAILED, "write the hash tree");
	f.slice.fd = -1;
	expect_failure("no data", tree_write(&f.slice, &f.p, &place, &e), &e,
		       FAIL_SYSTEM_CALL_FAILED, "read the data");
	assert_int_equal(f.p.root_hash_size, 0);
	f.p.hash_block_size = 512;
	expect_failure("two block sizes", fec_size(&f.p, &size, &e), &e, FAIL_VALUE_INVALID,
		       "equal block sizes");
	f.p.hash_block_size = 4096;
	f.p.fec_roots = 25;
	expect_failure("too many roots", fec_size(&f.p, &size, &e), &e, FAIL_VALUE_INVALID,
		       "2 to 24 roots");
	f.slice.fd = openat(f.temp.fd, "data", O_RDONLY | O_CLOEXEC);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_bytes),
		cmocka_unit_test(test_same_parity),
		cmocka_unit_test(test_spare_slots),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
