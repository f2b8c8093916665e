// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void test_codes_have_names(void **state)
{
	(void)state;
	for (unsigned int a = 0; a < FAIL_CODES; a++) {
		assert_true(strlen(fail_name((enum fail_code)a)) > 3);
		for (unsigned int b = 0; b < a; b++)
			assert_string_not_equal(fail_name((enum fail_code)a),
						fail_name((enum fail_code)b));
	}
	assert_string_equal(fail_name(FAIL_NONE), "NONE");
	assert_string_equal(fail_name(FAIL_ROOT_HASH_MISMATCH), "ROOT_HASH_MISMATCH");
	assert_string_equal(fail_name(FAIL_CODES), "NONE");
}

static void test_set_returns_and_records(void **state)
{
	struct err e = { 0 };
	char text[64];

	(void)state;
	assert_int_equal(err_set(&e, FAIL_LIMIT_EXCEEDED, E2BIG, "%d is %s", 7, "many"), -E2BIG);
	assert_int_equal(e.code, FAIL_LIMIT_EXCEEDED);
	assert_string_equal(e.text, "7 is many");
	assert_string_equal(e.volume, "");

	errno = ENOENT;
	assert_int_equal(err_errno(&e, FAIL_MOUNT_FAILED, "open %s", "x"), -ENOENT);
	assert_string_equal(e.text, "open x: No such file or directory");

	/* A failure is never reported as a success. */
	errno = 0;
	assert_int_equal(err_errno(&e, FAIL_MOUNT_FAILED, "open"), -EIO);
	snprintf(text, sizeof(text), "open: %s", strerror(EIO)); /* each libc has its words */
	assert_string_equal(e.text, text);

	assert_int_equal(err_result(&e, FAIL_NO_ROOT, -ENOENT, "open %s", "x"), -ENOENT);
	assert_string_equal(e.text, "open x: No such file or directory");
	assert_int_equal(e.code, FAIL_NO_ROOT);
	for (ssize_t count = 0; count < 3; count++) {
		assert_int_equal(err_result(&e, FAIL_NO_ROOT, count, "open"), -EIO);
		assert_string_equal(e.text, text);
	}
}

static void test_nobody_listens(void **state)
{
	(void)state;
	errno = EPERM;
	assert_int_equal(err_errno(NULL, FAIL_MOUNT_FAILED, "x"), -EPERM);
	assert_int_equal(err_set(NULL, FAIL_MOUNT_FAILED, EBUSY, "x"), -EBUSY);
	assert_int_equal(err_result(NULL, FAIL_MOUNT_FAILED, -ENXIO, "x"), -ENXIO);
	assert_int_equal(err_prefix(NULL, -EBUSY, "x"), -EBUSY);
	assert_int_equal(err_volume(NULL, -EBUSY, "x"), -EBUSY);
}

/* A host's serial number must not write a second line or colours on a console. */
static void test_only_printable_bytes(void **state)
{
	struct err e = { 0 };

	(void)state;
	for (unsigned int byte = 1; byte < 256; byte++) {
		char expected[] = "<?>";

		if (byte >= 0x20 && byte <= 0x7e)
			expected[1] = (char)byte;
		err_set(&e, FAIL_VALUE_INVALID, EINVAL, "<%c>", (int)byte);
		assert_string_equal(e.text, expected);
		err_volume(&e, -EINVAL, (char[]){ '<', (char)byte, '>', '\0' });
		assert_string_equal(e.volume, expected);
		e.text[0] = '\0';
		err_prefix(&e, -EINVAL, "<%c>", (int)byte);
		assert_string_equal(e.text, expected);
	}
}

/* What succeeded says nothing, whatever a failure before it has said. */
static void test_only_of_a_failure(void **state)
{
	struct err e = { 0 };

	(void)state;
	err_set(&e, FAIL_VALUE_INVALID, EINVAL, "x");
	assert_int_equal(err_prefix(&e, 0, "y"), 0);
	assert_int_equal(err_volume(&e, 0, "y"), 0);
	assert_string_equal(e.text, "x");
	assert_string_equal(e.volume, "");
}

static void fill(char *text, size_t length)
{
	memset(text, 'x', length);
	text[length] = '\0';
}

static void test_long_texts_are_cut(void **state)
{
	char text[2 * ERR_TEXT_SIZE];
	struct err e = { 0 };

	(void)state;
	for (size_t length = ERR_TEXT_SIZE - 4; length < ERR_TEXT_SIZE + 4; length++) {
		size_t kept = length < ERR_TEXT_SIZE ? length : ERR_TEXT_SIZE - 1;

		fill(text, length);
		err_set(&e, FAIL_VALUE_INVALID, EINVAL, "%s", text);
		assert_int_equal(strlen(e.text), kept);
		errno = EIO;
		err_errno(&e, FAIL_VALUE_INVALID, "%s", text);
		assert_int_equal(strlen(e.text), ERR_TEXT_SIZE - 1);
	}
	fill(text, 100);
	err_volume(&e, -EINVAL, text);
	assert_int_equal(strlen(e.volume), ERR_VOLUME_SIZE - 1);
}

static void test_prefix(void **state)
{
	static const size_t lengths[] = {
		0, 1, 5, ERR_TEXT_SIZE - 2, ERR_TEXT_SIZE - 1, ERR_TEXT_SIZE, 2 * ERR_TEXT_SIZE - 1
	};
	char before[2 * ERR_TEXT_SIZE], expected[4 * ERR_TEXT_SIZE], old[ERR_TEXT_SIZE];
	struct err e = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++)
		for (size_t j = 0; j < ARRAY_SIZE(lengths); j++) {
			fill(before, lengths[i]);
			err_set(&e, FAIL_NO_ROOT, EINVAL, "%s", before);
			memcpy(old, e.text, sizeof(old));
			fill(before, lengths[j]);
			snprintf(expected, sizeof(expected), "%s%s", before, old);
			expected[ERR_TEXT_SIZE - 1] = '\0';
			assert_int_equal(err_prefix(&e, -EINVAL, "%s", before), -EINVAL);
			assert_string_equal(e.text, expected);
			assert_int_equal(e.code, FAIL_NO_ROOT);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_codes_have_names),
		cmocka_unit_test(test_set_returns_and_records),
		cmocka_unit_test(test_nobody_listens),
		cmocka_unit_test(test_only_printable_bytes),
		cmocka_unit_test(test_long_texts_are_cut),
		cmocka_unit_test(test_prefix),
		cmocka_unit_test(test_only_of_a_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
