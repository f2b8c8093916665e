// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* The library's verbs, on a machine where the disk is found and the kernel is faked. */
#include "tests/unit/unit.h"

#include <string.h>

#include "mount/device/search.h"
#include "mount/runtime/socle.h"
#include "tests/unit/fake_verity.h"

#define HASH   "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define VOLUME "SERIAL=x,root_hash=" HASH ",data_blocks=8,fstype=squashfs"

int device_search_open(struct device_search *s, struct err *e)
{
	s->sysfs = s->dev = s->uevents = -1;
	return fake_sys_call("search_open\n") ?
		       err_errno(e, FAIL_SYSTEM_CALL_FAILED, "open the search") :
		       0;
}

void device_search_close(struct device_search *s)
{
	(void)s;
	strcat(fake_sys.log, "search_close\n");
}

int device_search_wait(struct device_search *s, struct device_wish *wishes, size_t count,
		       int timeout_ms, struct err *e)
{
	(void)s;
	if (fake_sys_call("search_wait %s %zu %d\n", wishes[0].ref->value, count, timeout_ms))
		return err_errno(e, FAIL_DEVICE_NOT_FOUND, "no device");
	strcpy(wishes[0].found.name, "vdx");
	wishes[0].found.size_bytes = 1 << 20;
	return 0;
}

static struct socle_memory memory;

static void test_mount(void **state)
{
	struct socle_error error = { "untouched", "" };

	(void)state;
	/* whatever an earlier call has left there */
	memset(&memory, 0xa5, sizeof(memory));
	fake_verity_reset(0, 0);
	assert_int_equal(socle_volume_mount(&memory, "image-1", VOLUME, "/run/image", 1500, &error),
			 0);
	assert_string_equal(fake_sys.log,
			    "search_open\n"
			    "verity_kernel_check sha256\n"
			    "search_wait x 1 1500\n"
			    "verity_open socle-image-1 data=/dev/vdx hash=/dev/vdx fec=- blocks=8\n"
			    "verity_prove socle-image-1\n"
			    "fsopen squashfs\n"
			    "fsconfig string source /dev/dm-0\n"
			    "fsconfig flag ro -\n"
			    "fsconfig create - -\n"
			    "fsmount 0x7\n"
			    "move_mount /run/image\n"
			    "verity_arm socle-image-1 0\n"
			    "verity_release\n"
			    "search_close\n");
	assert_string_equal(error.code, "untouched");
	fake_verity_reset(0, 0);
	assert_int_equal(socle_volume_umount("image-1", "/run/image", &error), 0);
	assert_string_equal(fake_sys.log, "umount /run/image flags=0\nverity_close socle-image-1\n"
					  "verity_release\n");
}

static void test_signature(void **state)
{
	struct socle_error error;

	(void)state;
	fake_verity_reset(0, 0);
	assert_int_equal(socle_volume_mount(&memory, "a", VOLUME ",signature=base64:MAEA", "/run/a",
					    0, &error),
			 0);
	assert_non_null(strstr(fake_sys.log, "verity_kernel_check_signatures\n"));
	assert_non_null(strstr(fake_sys.log, "blocks=8 signature=3\n"));
}

/* Each call fails in turn: the failure is told, and nothing stays open or mounted. */
static void test_each_call_fails(void **state)
{
	static const char *const codes[] = {
		"SYSTEM_CALL_FAILED", "KERNEL_FEATURE_MISSING", "DEVICE_NOT_FOUND",
		"VERITY_OPEN_FAILED", "ROOT_HASH_MISMATCH",     "MOUNT_FAILED",
		"MOUNT_FAILED",       "MOUNT_FAILED",           "MOUNT_FAILED",
		"MOUNT_FAILED",       "MOUNT_FAILED",           "VERITY_OPEN_FAILED",
	};

	(void)state;
	for (unsigned int call = 1; call <= ARRAY_SIZE(codes); call++) {
		struct socle_error error = { "", "" };

		fake_verity_reset(call, EIO);
		assert_true(socle_volume_mount(&memory, "a", VOLUME, "/run/a", 0, &error) < 0);
		assert_string_equal(error.code, codes[call - 1]);
		assert_true(error.text[0]);
		assert_int_equal(strstr(fake_sys.log, "verity_close socle-a\n") != NULL, call > 4);
		assert_int_equal(strstr(fake_sys.log, "umount /run/a flags=0\n") != NULL,
				 call == 12);
		assert_int_equal(strstr(fake_sys.log, "verity_release\nsearch_close\n") != NULL,
				 call > 1);
	}
	/* what the kernel saw of a bad block is the reason */
	fake_verity_reset(6, EIO);
	fake_bad_device = "socle-a";
	struct socle_error error = { "", "" };
	assert_int_equal(socle_volume_mount(&memory, "a", VOLUME, "/run/a", 0, &error), -EBADMSG);
	assert_string_equal(error.code, "DATA_CORRUPT");
}

/* Before anything is looked for. */
static void test_refused(void **state)
{
	static const struct {
		const char *name, *volume, *code, *words;
	} rows[] = {
		{ "a", "SERIAL=x", "ROOT_HASH_MISSING", "root_hash" },
		{ "a", "SERIAL=x,root_hash=,data_blocks=8", "ROOT_HASH_MISSING", "" },
		{ "a", "SERIAL=x,verity=off", "KEY_UNKNOWN", "verity" },
		{ "a", VOLUME ",fstype=erofs", "KEY_REPEATED", "fstype" },
		{ "a", "x", "VALUE_INVALID", "device reference" },
		{ "a", "", "VALUE_INVALID", "device reference" },
		{ "", VOLUME, "VALUE_INVALID", "cannot be the name" },
		{ "a/b", VOLUME, "VALUE_INVALID", "cannot be the name" },
		{ "a b", VOLUME, "VALUE_INVALID", "cannot be the name" },
		{ "0123456789abcdef0123456789abcdef", VOLUME, "VALUE_INVALID", "cannot be" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct socle_error error = { "", "" };

		fake_verity_reset(0, 0);
		assert_true(socle_volume_mount(&memory, rows[i].name, rows[i].volume, "/run/a", 0,
					       &error) < 0);
		assert_string_equal(error.code, rows[i].code);
		assert_non_null(strstr(error.text, rows[i].words));
		assert_int_equal(fake_sys.calls, 0);
	}
	/* the longest name */
	struct socle_error error = { "", "" };
	assert_int_equal(socle_volume_mount(&memory, "0123456789abcdef0123456789abcde", VOLUME,
					    "/run/a", 0, &error),
			 0);
}

static void test_umount_fails(void **state)
{
	struct socle_error error = { "", "" };

	(void)state;
	fake_verity_reset(1, EBUSY);
	assert_int_equal(socle_volume_umount("a", "/run/a", &error), -EBUSY);
	assert_string_equal(error.code, "SYSTEM_CALL_FAILED");
	assert_null(strstr(fake_sys.log, "verity_close"));
	fake_verity_reset(0, 0);
	assert_int_equal(socle_volume_umount("../a", "/run/a", &error), -EINVAL);
	assert_int_equal(fake_sys.calls, 0);
}

static void test_version(void **state)
{
	(void)state;
	assert_string_equal(socle_version(), "0.1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mount),           cmocka_unit_test(test_signature),
		cmocka_unit_test(test_each_call_fails), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_umount_fails),    cmocka_unit_test(test_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
