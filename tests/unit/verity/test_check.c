// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Proving a device, and saying what is wrong with it. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "tests/unit/fake_dm.h"
#include "verity/check.h"

/* --- what was wrong ------------------------------------------------------------------- */

static int uevents, kernel;

static int setup(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, ends), 0);
	uevents = ends[0];
	kernel = ends[1];
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	close(uevents);
	close(kernel);
	return 0;
}

static void send_bad_block(const char *minor, const char *block)
{
	char text[256];
	int n = snprintf(text, sizeof(text),
			 "change@/devices/virtual/block/dm-%s%cMINOR=%s%c"
			 "DM_VERITY_ERR_BLOCK_NR=%s",
			 minor, 0, minor, 0, block);

	assert_int_equal(send(kernel, text, (size_t)n + 1, 0), n + 1);
}

/* 129 blocks: a tree of 3 whose top is block 130. */
static void make_params(struct verity_params *p, uint64_t data_blocks)
{
	verity_params_init(p);
	p->data_blocks = data_blocks;
	p->hash_start_block = data_blocks + 1;
	p->hash_start_given = true;
	p->root_hash_size = 32;
}

static const struct diagnose_row {
	const char *label;
	uint64_t data_blocks;
	const char *block, *then; /* in the device's uevents; NULL: none */
	enum fail_code code;
	const char *words;
} diagnose_rows[] = {
	{ "top", 129, "1,130", NULL, FAIL_ROOT_HASH_MISMATCH, "tree (hash block 130) does not" },
	{ "below the top", 129, "1,131", NULL, FAIL_HASH_TREE_CORRUPT, "hash block 131" },
	{ "data", 129, "0,130", NULL, FAIL_DATA_CORRUPT, "data block 130 does not match its hash" },
	{ "data 0", 129, "0,0", NULL, FAIL_DATA_CORRUPT, "data block 0" },
	/* one block needs no tree: its hash is the root hash */
	{ "only block", 1, "0,0", NULL, FAIL_ROOT_HASH_MISMATCH, "tree (data block 0) does not" },
	{ "large", 129, "0,18446744073709551615", NULL, FAIL_DATA_CORRUPT, "18446744073709551615" },
	{ "the first counts", 129, "1,131", "1,130", FAIL_HASH_TREE_CORRUPT, "hash block 131" },
	{ "no uevent", 129, NULL, NULL, FAIL_DATA_CORRUPT, "did not say which" },
	{ "no number", 129, "x", NULL, FAIL_DATA_CORRUPT, "did not say which" },
	{ "half a number", 129, "1,", "1,130", FAIL_ROOT_HASH_MISMATCH, "hash block 130" },
};

static void test_diagnose(void **state)
{
	struct verity_params p;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(diagnose_rows); i++) {
		const struct diagnose_row *row = &diagnose_rows[i];
		const struct mapped_device *device = fake_dm_reset(0);
		struct err e = { 0 };

		make_params(&p, row->data_blocks);
		fake_dm.status = "C";
		send_bad_block("6", "1,130");
		send_bad_block("70", "1,130");
		if (row->block)
			send_bad_block("7", row->block);
		if (row->then)
			send_bad_block("7", row->then);
		assert_int_equal(verity_diagnose(device, &p, uevents, &e), 1);
		expect_failure(row->label, -EBADMSG, &e, row->code, row->words);
	}
}

/* A device that the kernel has nothing against: the failure is another one. */
static void test_nothing_to_diagnose(void **state)
{
	static const char *const statuses[] = { "V", "", "-" };
	struct verity_params p;

	(void)state;
	make_params(&p, 129);
	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++) {
		const struct mapped_device *device = fake_dm_reset(0);
		struct err e = { 0 };

		fake_dm.status = statuses[i];
		send_bad_block("7", "1,130");
		assert_int_equal(verity_diagnose(device, &p, uevents, &e), 0);
		assert_int_equal(e.code, FAIL_NONE);
	}
	assert_int_equal(verity_diagnose(fake_dm_reset(1), &p, uevents, NULL), 0);
}

/* --- proving a device -------------------------------------------------------------------- */

static unsigned int fake_mode, fake_number;

/* A file that says it is a block device. */
int fstat(int fd, struct stat *st)
{
	if (fstatat(fd, "", st, AT_EMPTY_PATH))
		return -1;
	if (fake_mode) {
		st->st_mode = fake_mode;
		st->st_rdev = makedev(253, fake_number);
	}
	return 0;
}

/* No block is believed before the kernel has said V. */
static const struct check_row {
	const char *label;
	const char *node; /* in the test's folder */
	unsigned int mode, number;
	const char *status, *block;
	enum fail_code code;
	const char *words; /* NULL: proved */
} check_rows[] = {
	{ "good", "block", S_IFBLK, 7, "V", NULL, FAIL_NONE, NULL },
	{ "read, but corrupt", "block", S_IFBLK, 7, "C", "1,131", FAIL_HASH_TREE_CORRUPT, "131" },
	{ "no status", "block", S_IFBLK, 7, "", NULL, FAIL_DEVICE_READ_FAILED, "status '-', not" },
	{ "odd status", "block", S_IFBLK, 7, "X", NULL, FAIL_DEVICE_READ_FAILED, "status 'X'" },
	{ "short", "short", S_IFBLK, 7, "V", NULL, FAIL_DEVICE_READ_FAILED, "is cut short" },
	/* a folder can be opened and not read */
	{ "I/O error", "folder", S_IFBLK, 7, "V", NULL, FAIL_DEVICE_READ_FAILED, "read the first" },
	{ "wrong root hash", "folder", S_IFBLK, 7, "C", "1,130", FAIL_ROOT_HASH_MISMATCH, "130" },
	{ "bad data", "folder", S_IFBLK, 7, "C", "0,0", FAIL_DATA_CORRUPT, "data block 0" },
	{ "no node", "absent", S_IFBLK, 7, "V", NULL, FAIL_DEVICE_READ_FAILED, "No such file" },
	{ "a file", "block", 0, 7, "V", NULL, FAIL_DEVICE_READ_FAILED,
	  "is not block device 253:7" },
	{ "characters", "block", S_IFCHR, 7, "V", NULL, FAIL_DEVICE_READ_FAILED,
	  "is not block device" },
	{ "another", "block", S_IFBLK, 8, "V", NULL, FAIL_DEVICE_READ_FAILED,
	  "is not block device" },
};

static void test_check(void **state)
{
	static const char block[4096];
	struct verity_params p;
	struct temp t;
	size_t fds;

	(void)state;
	temp_make(&t);
	put_bytes(t.fd, "block", block, sizeof(block));
	put_bytes(t.fd, "short", block, sizeof(block) - 1);
	put_dir(t.fd, "folder");
	make_params(&p, 129);
	fds = open_fds();
	for (size_t i = 0; i < ARRAY_SIZE(check_rows); i++) {
		const struct check_row *row = &check_rows[i];
		struct mapped_device device = *fake_dm_reset(0);
		struct err e = { 0 };
		int r;

		snprintf(device.path, sizeof(device.path), "/proc/self/fd/%d/%s", t.fd, row->node);
		fake_dm.status = row->status;
		if (row->block)
			send_bad_block("7", row->block);
		fake_mode = row->mode;
		fake_number = row->number;
		r = verity_prove(&device, &p, uevents, &e);
		fake_mode = 0;
		if (row->words)
			expect_failure(row->label, r, &e, row->code, row->words);
		else
			expect_success(row->label, r, &e);
		assert_int_equal(open_fds(), fds);
	}
	temp_remove(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_diagnose, setup, teardown),
		cmocka_unit_test_setup_teardown(test_nothing_to_diagnose, setup, teardown),
		cmocka_unit_test_setup_teardown(test_check, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
