// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <string.h>

#include "mount/fs/erofs_kernel.h"

static void test_before(void **state)
{
	static const struct {
		const char *release;
		uint32_t page_size, block_size;
		unsigned int devices;
		bool flat;
		const char *words; /* NULL: it can */
	} rows[] = {
		{ "6.3.0", 4096, 512, 0, false, "blocks of 512 bytes where pages have 4096" },
		{ "6.4.0", 4096, 512, 1, true, NULL },
		{ "6.1.0-34-amd64", 65536, 4096, 0, false, "needs Linux 6.4 or newer" },
		{ "6.3.9", 4096, 4096, 1, true, "and this is 6.3.9" },
		{ "6.3.9", 4096, 4096, 1, false, NULL },
		{ "6.3.9", 4096, 4096, 0, true, NULL },
		{ "10.0", 4096, 512, 1, true, NULL },
		{ "6.12.48+deb13-amd64", 4096, 8192, 0, false, "blocks of 8192 bytes" },
		{ "6.12.48", 16384, 16384, 0, false, NULL },
		{ "", 4096, 512, 1, true, NULL },
		{ "6", 4096, 512, 1, true, NULL },
		{ "six.one", 4096, 512, 1, true, NULL },
		{ "5.19-rc1", 4096, 512, 1, true, "5.19-rc1" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct erofs_superblock sb = {
			.block_size = rows[i].block_size,
			.extra_devices = rows[i].devices,
		};
		const struct erofs_machine m = {
			.release = rows[i].release,
			.page_size = rows[i].page_size,
		};
		struct err e = { 0 };
		int r = erofs_kernel_can(&sb, rows[i].flat, &m, &e);

		if (rows[i].words)
			expect_failure(rows[i].release, r, &e, FAIL_KERNEL_FEATURE_MISSING,
				       rows[i].words);
		else
			expect_success(rows[i].release, r, &e);
	}
}

static void test_after(void **state)
{
	static const struct {
		const char *release;
		uint32_t incompat;
		const char *words; /* NULL: nothing is known to be missing */
	} rows[] = {
		{ "6.12.48", 0x80, "omits \".\", which needs Linux 6.15" },
		{ "6.12.48", 0x181, "metabox), which needs Linux 6.17 or newer" },
		{ "6.16.0", 0x181, "metabox" },
		{ "6.17.0", 0x181, NULL },
		{ "6.12.48", 0x7f, NULL },
		{ "6.12.48", 0x80000000, NULL },
		{ "6.3.0", 0x40, "6.4" },
		{ "5.10.0", 0x4, "5.15" },
		{ "unknown", 0x180, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct erofs_superblock sb = { .incompat = rows[i].incompat };
		struct err e = { 0 };
		int r = erofs_kernel_lacks(&sb, rows[i].release, &e);

		if (rows[i].words)
			expect_failure(rows[i].release, r, &e, FAIL_KERNEL_FEATURE_MISSING,
				       rows[i].words);
		else
			expect_success(rows[i].release, r, &e);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_before),
		cmocka_unit_test(test_after),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
