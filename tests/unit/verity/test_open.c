// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Opening a verity device, and what is made of the kernel's refusals. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "tests/unit/fake_dm.h"
#include "tests/unit/fake_sys.h"
#include "lib/text.h"
#include "verity/dm.h"
#include "verity/open.h"

#define MARK    "0123456789abcdef0123456789abcdef"
#define PRINTED "1 254:0 254:16 4096 4096 129 130 sha256 0000 -"
#define CREATE  "dm_create x CRYPT-VERITY-x\n"
#define LOAD    "dm_load x ro 1032 verity " PRINTED
#define SIGNED  " 2 root_hash_sig_key_desc socle:x"
#define LOG     "[    1.0] device-mapper: table: 253:8: verity: "

static const struct verity_signature signature = { .size = 9 };

static int open_x(bool has_signature, struct mapped_device *device, struct err *e)
{
	const struct verity_parts parts = { .data = makedev(254, 0), .hash = makedev(254, 16) };
	struct verity_params p;

	verity_params_init(&p);
	p.data_blocks = 129;
	p.hash_start_block = 130;
	p.root_hash_size = 2;
	return verity_open("x", "", &parts, &p, has_signature ? &signature : NULL, device, e);
}

static const struct open_row {
	const char *label;
	bool has_signature;
	int refused_errno; /* 0: it is taken */
	const char *kernel_log;
	enum fail_code code;
	const char *words; /* NULL: it is open */
} open_rows[] = {
	{ "unsigned", false, 0, NULL, FAIL_NONE, NULL },
	{ "signed", true, 0, NULL, FAIL_NONE, NULL },
	{ "stranger", true, ENOKEY, LOG "Root hash verification failed (-ENOKEY)\n",
	  FAIL_SIGNATURE_REJECTED,
	  "none of the kernel's keys made it (Root hash verification failed (-ENOKEY))" },
	{ "another hash", true, EKEYREJECTED, NULL, FAIL_SIGNATURE_REJECTED, "another root hash" },
	{ "no message", true, EBADMSG, NULL, FAIL_SIGNATURE_REJECTED, "not a detached PKCS#7" },
	{ "algorithm", true, ENOPKG, NULL, FAIL_SIGNATURE_REJECTED, "lacks an algorithm" },
	{ "demanded", false, ENOKEY, NULL, FAIL_SIGNATURE_MISSING, "the kernel demands one" },
	{ "no hash", false, ENOENT, NULL, FAIL_KERNEL_FEATURE_MISSING, "CONFIG_CRYPTO_SHA256" },
	{ "no hash for a signed one", true, ENOENT, NULL, FAIL_KERNEL_FEATURE_MISSING,
	  "CONFIG_CRYPTO_SHA256" },
	/* failures that have nothing to do with a signature */
	{ "in use", true, EBUSY, NULL, FAIL_VERITY_OPEN_FAILED, "refuses the table of x: its log" },
	{ "unsigned, rejected", false, EKEYREJECTED, NULL, FAIL_VERITY_OPEN_FAILED, "refuses" },
	/* the last words about this device count */
	{ "bad table", false, EINVAL,
	  LOG "Not enough arguments (-EINVAL)\n" LOG
	      "Invalid salt (-EINVAL)\n[    1.1] device-mapper: table: 253:80: verity: Other\n",
	  FAIL_VERITY_OPEN_FAILED, "of x: Invalid salt (-EINVAL): Invalid argument" },
	{ "another's words", false, EINVAL,
	  "[    1.1] device-mapper: table: 253:80: verity: Other\n", FAIL_VERITY_OPEN_FAILED,
	  "its log does not say why" },
};

static void test_open(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(open_rows); i++) {
		const struct open_row *row = &open_rows[i];
		struct mapped_device device = { .name = "untouched" };
		struct err e = { 0 };
		char log[1024] = CREATE;
		int r;

		(void)fake_dm_reset(0);
		fake_sys.kernel_log = row->kernel_log;
		fake_dm.refused = row->refused_errno ? "sha256" : NULL;
		fake_dm.refused_errno = row->refused_errno;
		r = open_x(row->has_signature, &device, &e);
		/* the key is there for as long as the kernel needs it */
		strcat(log, row->has_signature ? "add_key socle:x size=9\n" LOAD SIGNED
						 "\nunlink_key 77\n" :
						 LOAD "\n");
		strcat(log, row->words ? "dm_remove x\n" : "dm_resume x\n");
		assert_string_equal(fake_sys.log, log);
		if (row->words)
			expect_failure(row->label, r, &e, row->code, row->words);
		else
			expect_success(row->label, r, &e);
		assert_string_equal(device.name, row->words ? "untouched" : "x");
		assert_int_equal(device.minor, row->words ? 0 : 8);
		assert_string_equal(device.path, row->words ? "" : "/dev/dm-8");
	}
}

/* Whatever fails: its code, and no device. */
static void test_each_call_fails(void **state)
{
	(void)state;
	for (unsigned int call = 1; call <= 5; call++) {
		struct mapped_device device = { .name = "untouched" };
		struct err e = { 0 };
		int r;

		(void)fake_dm_reset(call);
		r = open_x(true, &device, &e);
		/* a key that stays is gone with the thread */
		if (call == 4) {
			expect_success("unlink", r, &e);
			continue;
		}
		expect_failure("call", r, &e, FAIL_VERITY_OPEN_FAILED, "");
		assert_int_equal(r, -EIO);
		assert_string_equal(device.name, "untouched");
		assert_null(fake_dm_find("x"));
	}
}

static void test_names(void **state)
{
	const struct verity_parts parts = { 0 };
	char name[MAPPED_NAME_SIZE + 1];
	struct dm_state there;
	struct mapped_device device = { .name = FAKE_DM_NAME, .minor = 7 };
	struct verity_params p;
	struct err e = { 0 };

	(void)state;
	verity_params_init(&p);
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	(void)fake_dm_reset(0);
	expect_failure("long", verity_open(name, "", &parts, &p, NULL, &device, &e), &e,
		       FAIL_VERITY_OPEN_FAILED, "is too long");
	assert_int_equal(fake_sys.calls, 0);
	name[MAPPED_NAME_SIZE - 1] = '\0';
	expect_success("longest", verity_open(name, MARK, &parts, &p, NULL, &device, &e), &e);
	assert_int_equal(dm_state(name, &there), 1);
	assert_string_equal(text_behind(there.uuid, "CRYPT-VERITY-" MARK "-"), name);
	/* one that is there is another's, and stays */
	expect_failure("taken", verity_open(FAKE_DM_NAME, "", &parts, &p, NULL, &device, &e), &e,
		       FAIL_VERITY_OPEN_FAILED, "there is a device socle-layer-0 already");
	assert_non_null(fake_dm_find(FAKE_DM_NAME));
}

/* A tree that the parity would run into is refused before there is a device's table. */
static void test_no_table(void **state)
{
	const struct verity_parts parts = { .fec = makedev(254, 1), .hash = makedev(254, 1) };
	struct mapped_device device;
	struct verity_params p;
	struct err e = { 0 };

	(void)state;
	verity_params_init(&p);
	p.data_blocks = 129;
	(void)fake_dm_reset(0);
	expect_failure("fec", verity_open("x", "", &parts, &p, NULL, &device, &e), &e,
		       FAIL_VERITY_OPEN_FAILED, "there is no table for x with these parameters");
	assert_string_equal(fake_sys.log, CREATE "dm_remove x\n");
}

static void test_link(void **state)
{
	struct mapped_device device = { .name = "root", .minor = 3 };
	struct err e = { 0 };

	(void)state;
	fake_sys_reset(0, 0);
	expect_success("link", verity_link(&device, &e), &e);
	assert_string_equal(fake_sys.log, "symlink ../dm-3 /dev/mapper/root\n");
	fake_sys_reset(1, EEXIST);
	expect_success("there", verity_link(&device, &e), &e);
	fake_sys_reset(1, EROFS);
	expect_failure("not", verity_link(&device, &e), &e, FAIL_SYSTEM_CALL_FAILED,
		       "make the link /dev/mapper/root");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_open),  cmocka_unit_test(test_each_call_fails),
		cmocka_unit_test(test_names), cmocka_unit_test(test_no_table),
		cmocka_unit_test(test_link),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
