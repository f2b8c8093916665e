// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <string.h>

#include "mount/upper.h"

static void test_taken(void **state)
{
	static const struct {
		const char *text, *size, *directory, *disk;
		enum upper_kind kind;
		bool encrypted, integrity;
	} cases[] = {
		{ "none", "", "", "", UPPER_NONE, false, false },
		{ "tmpfs", "", "", "", UPPER_TMPFS, false, false },
		{ "tmpfs,size=25%", "25%", "", "", UPPER_TMPFS, false, false },
		{ "dir:/a/b", "", "/a/b", "", UPPER_DIRECTORY, false, false },
		{ "disk:SERIAL=s", "", "", "s", UPPER_DISK, false, false },
		{ "disk:SERIAL=s,encrypted", "", "", "s", UPPER_DISK, true, false },
		{ "disk:SERIAL=s,encrypt", "", "", "s", UPPER_DISK, true, false },
		{ "disk:SERIAL=s,encrypted,integrity", "", "", "s", UPPER_DISK, true, true },
		{ "disk:SERIAL=s,encrypt,integrity", "", "", "s", UPPER_DISK, true, true },
		{ "disk:SERIAL=a\\x2cencrypted", "", "", "a,encrypted", UPPER_DISK, false, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct upper u;
		struct err e = { 0 };

		memset(&u, 0xff, sizeof(u));
		expect_success(cases[i].text, upper_parse(cases[i].text, &u, &e), &e);
		assert_int_equal(u.kind, cases[i].kind);
		assert_string_equal(u.size, cases[i].size);
		assert_string_equal(u.directory, cases[i].directory);
		assert_string_equal(u.disk.value, cases[i].disk);
		assert_int_equal(u.encrypted, cases[i].encrypted);
		assert_int_equal(u.integrity, cases[i].integrity);
		/* The words of a plan are those of the text. */
		assert_memory_equal(upper_kind_words[u.kind], cases[i].text,
				    strlen(upper_kind_words[u.kind]));
	}
}

static void test_refused(void **state)
{
	static const char *const texts[] = {
		"",
		"None",
		"none,",
		"tmpfs,",
		"tmpfs,size=",
		"tmpfs,size=0",
		"disk:FILE=/run/one",
		"tmpfs,size=1m,size=1m",
		"dir:",
		"dir:a",
		"dir:/a/../b",
		"disk:",
		"disk:,encrypted",
		"disk:x",
		"disk:SERIAL=",
		"disk:SERIAL=s,",
		"disk:SERIAL=s,integrity",
		"disk:SERIAL=s,integrity,encrypted",
		"disk:SERIAL=s,encrypted,",
		"disk:SERIAL=s,encrypted,encrypted",
		"disk:SERIAL=s,encrypted,integrity,",
		"disk:SERIAL=s,Encrypted",
		"DISK:SERIAL=s",
	};
	static char large[UPPER_PATH_SIZE + DEVREF_TEXT_SIZE];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct upper u = { .kind = UPPER_DIRECTORY };
		struct err e = { 0 };

		expect_failure(texts[i], upper_parse(texts[i], &u, &e), &e, FAIL_VALUE_INVALID, "");
		assert_int_equal(u.kind, UPPER_DIRECTORY);
	}
	for (size_t i = 0; i < 2; i++) {
		struct upper u;
		struct err e = { 0 };

		memset(large, 'a', sizeof(large) - 1);
		memcpy(large, i ? "disk:SERIAL=" : "dir:/", i ? 12 : 5);
		expect_failure("large", upper_parse(large, &u, &e), &e, FAIL_VALUE_INVALID, "");
	}
}

/* Printed and read again it is the same. */
static void test_printed(void **state)
{
	static const char *const texts[] = {
		"none",
		"tmpfs",
		"tmpfs,size=50%",
		"dir:/run/a,b",
		"disk:/dev/vdb",
		"disk:SERIAL=x,encrypted",
		"disk:SERIAL=a\\x2cb/PARTN=2,encrypted,integrity",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		char text[UPPER_TEXT_SIZE];
		struct err e = { 0 };
		struct upper u;

		expect_success(texts[i], upper_parse(texts[i], &u, &e), &e);
		assert_string_equal(upper_print(&u, text), texts[i]);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_taken),
		cmocka_unit_test(test_printed),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
