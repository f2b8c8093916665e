// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* The corruption policy that a device gets, whatever it was opened with. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/fake_dm.h"
#include "tests/unit/fake_sys.h"
#include "verity/arm.h"

#define LINE   FAKE_DM_LINE
#define TABLE  "dm_table socle-layer-0\n"
#define RELOAD "dm_load socle-layer-0 ro 4096 verity " LINE
#define RESUME "dm_resume socle-layer-0\n"

/* The policy covers I/O errors where the kernel can do that, and is never lost. */
static const struct arm_row {
	const char *label;
	enum verity_corruption policy;
	const char *refused;
	unsigned int fail_call;
	int result;
	const char *log;
} arm_rows[] = {
	{ "eio", VERITY_ON_CORRUPTION_EIO, NULL, 0, 0, TABLE },
	{ "panic", VERITY_ON_CORRUPTION_PANIC, NULL, 0, 0,
	  TABLE RELOAD " 2 panic_on_corruption panic_on_error\n" RESUME },
	{ "panic, before 6.12", VERITY_ON_CORRUPTION_PANIC, "panic_on_error", 0, 0,
	  TABLE RELOAD " 2 panic_on_corruption panic_on_error\n" RELOAD
		       " 1 panic_on_corruption\n" RESUME },
	{ "restart", VERITY_ON_CORRUPTION_RESTART, NULL, 0, 0,
	  TABLE RELOAD " 2 restart_on_corruption restart_on_error\n" RESUME },
	{ "restart, before 6.12", VERITY_ON_CORRUPTION_RESTART, "restart_on_error", 0, 0,
	  TABLE RELOAD " 2 restart_on_corruption restart_on_error\n" RELOAD
		       " 1 restart_on_corruption\n" RESUME },
	{ "no policy at all", VERITY_ON_CORRUPTION_PANIC, "panic_on_corruption", 0, -EINVAL,
	  TABLE RELOAD " 2 panic_on_corruption panic_on_error\n" RELOAD
		       " 1 panic_on_corruption\n" },
	{ "no table", VERITY_ON_CORRUPTION_PANIC, NULL, 1, -EIO, TABLE },
	/* only a word that the kernel does not know leads to the weaker table */
	{ "reload fails", VERITY_ON_CORRUPTION_PANIC, NULL, 2, -EIO,
	  TABLE RELOAD " 2 panic_on_corruption panic_on_error\n" },
	{ "resume fails", VERITY_ON_CORRUPTION_PANIC, NULL, 3, -EIO,
	  TABLE RELOAD " 2 panic_on_corruption panic_on_error\n" RESUME },
};

static void test_arm(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(arm_rows); i++) {
		const struct arm_row *row = &arm_rows[i];
		const struct mapped_device *device = fake_dm_reset(row->fail_call);
		struct err e = { 0 };
		int r;

		fake_dm.refused = row->refused;
		r = verity_arm(device, row->policy, NULL, &e);
		assert_string_equal(fake_sys.log, row->log);
		if (row->result)
			expect_failure(row->label, r, &e, FAIL_VERITY_OPEN_FAILED, "socle-layer-0");
		else
			expect_success(row->label, r, &e);
		assert_int_equal(r, row->result);
	}
}

/* A table that cannot be taken into effect is a failure. */
static void test_arm_without_resume(void **state)
{
	const struct mapped_device *device = fake_dm_reset(3);
	struct err e = { 0 };

	(void)state;
	fake_dm.refused = "1 panic_on_corruption";
	expect_failure("resume", verity_arm(device, VERITY_ON_CORRUPTION_PANIC, NULL, &e), &e,
		       FAIL_VERITY_OPEN_FAILED, "does not come into force");
}

static void test_arm_of_other_tables(void **state)
{
	const struct mapped_device *device = fake_dm_reset(0);
	struct err e = { 0 };

	(void)state;
	strcpy(fake_dm_first->live.line,
	       LINE " 8 use_fec_from_device 254:16 fec_blocks 9 fec_start 0 fec_roots 2");
	expect_success("fec", verity_arm(device, VERITY_ON_CORRUPTION_PANIC, NULL, &e), &e);
	assert_non_null(strstr(fake_sys.log, LINE
			       " 10 use_fec_from_device 254:16 fec_blocks 9 "
			       "fec_start 0 fec_roots 2 panic_on_corruption panic_on_error\n"));
	device = fake_dm_reset(0);
	strcpy(fake_dm_first->live.type, "linear");
	expect_failure("linear", verity_arm(device, VERITY_ON_CORRUPTION_PANIC, NULL, &e), &e,
		       FAIL_VERITY_OPEN_FAILED, "cannot be read back");
	device = fake_dm_reset(0);
	memset(fake_dm_first->live.line, 'x', sizeof(fake_dm_first->live.line) - 1);
	expect_failure("long", verity_arm(device, VERITY_ON_CORRUPTION_PANIC, NULL, &e), &e,
		       FAIL_VERITY_OPEN_FAILED, "cannot be read back");
	device = fake_dm_reset(0);
	strcpy(fake_dm_first->live.line, "1 2 3");
	expect_failure("short", verity_arm(device, VERITY_ON_CORRUPTION_PANIC, NULL, &e), &e,
		       FAIL_VERITY_OPEN_FAILED, "does not accept the corruption policy");
}

/* Whatever policy a device came with, it gets the one that the plan asks for. */
static void test_arm_of_an_adopted_device(void **state)
{
	static const struct {
		const char *options;
		enum verity_corruption policy;
		const char *then; /* NULL: nothing need be loaded */
	} rows[] = {
		{ " 1 panic_on_corruption", VERITY_ON_CORRUPTION_PANIC,
		  " 2 panic_on_corruption panic_on_error" },
		{ " 2 panic_on_corruption panic_on_error", VERITY_ON_CORRUPTION_PANIC, NULL },
		{ " 1 restart_on_corruption", VERITY_ON_CORRUPTION_PANIC,
		  " 2 panic_on_corruption panic_on_error" },
		{ " 2 ignore_zero_blocks restart_on_corruption", VERITY_ON_CORRUPTION_RESTART,
		  " 3 ignore_zero_blocks restart_on_corruption restart_on_error" },
		{ " 2 panic_on_corruption ignore_zero_blocks", VERITY_ON_CORRUPTION_EIO,
		  " 1 ignore_zero_blocks" },
		{ " 1 panic_on_corruption", VERITY_ON_CORRUPTION_EIO, "" },
		{ "", VERITY_ON_CORRUPTION_EIO, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct mapped_device *device = fake_dm_reset(0);
		struct err e = { 0 };
		char log[1024] = TABLE;

		strcat(fake_dm_first->live.line, rows[i].options);
		if (rows[i].then)
			snprintf(log, sizeof(log), TABLE RELOAD "%s\n" RESUME, rows[i].then);
		expect_success(rows[i].options, verity_arm(device, rows[i].policy, NULL, &e), &e);
		assert_string_equal(fake_sys.log, log);
	}
}

/* The kernel verifies the signature at each load: the key that the table names is there again. */
static void test_arm_signed(void **state)
{
#define SIGNED " 3 ignore_zero_blocks root_hash_sig_key_desc socle:x"
#define KEY    "add_key socle:x size=2\n"
	static const struct verity_signature signature = { .size = 2 };
	static const struct {
		const char *label, *options;
		unsigned int fail_call;
		int result;
		const char *log;
	} rows[] = {
		{ "signed", SIGNED, 0, 0,
		  TABLE KEY RELOAD
		  " 5 ignore_zero_blocks "
		  "root_hash_sig_key_desc socle:x panic_on_corruption panic_on_error\n"
		  "unlink_key 77\n" RESUME },
		{ "no key", SIGNED, 2, -EIO, TABLE KEY },
		{ "no load", SIGNED, 3, -EIO,
		  TABLE KEY RELOAD
		  " 5 ignore_zero_blocks "
		  "root_hash_sig_key_desc socle:x panic_on_corruption panic_on_error\n"
		  "unlink_key 77\n" },
		/* what was opened with a signature has one */
		{ "no longer signed", "", 0, -ENOKEY, TABLE },
		{ "not signed", " 1 ignore_zero_blocks", 0, -ENOKEY, TABLE },
		{ "no name", " 1 root_hash_sig_key_desc", 0, -EINVAL, TABLE },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct mapped_device *device = fake_dm_reset(rows[i].fail_call);
		struct err e = { 0 };
		int r;

		strcat(fake_dm_first->live.line, rows[i].options);
		r = verity_arm(device, VERITY_ON_CORRUPTION_PANIC, &signature, &e);
		assert_string_equal(fake_sys.log, rows[i].log);
		if (rows[i].result)
			expect_failure(rows[i].label, r, &e, FAIL_VERITY_OPEN_FAILED,
				       "does not accept the corruption policy");
		assert_int_equal(r, rows[i].result);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arm),
		cmocka_unit_test(test_arm_without_resume),
		cmocka_unit_test(test_arm_of_other_tables),
		cmocka_unit_test(test_arm_of_an_adopted_device),
		cmocka_unit_test(test_arm_signed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
