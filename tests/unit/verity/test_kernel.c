// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Asking for the kernel's features. */
#include "tests/unit/unit.h"

#include <errno.h>

#include "tests/unit/fake_dm.h"
#include "verity/kernel.h"

/* The missing option is named before anything is opened. */
static void test_kernel_features(void **state)
{
	static const struct {
		const char *label;
		unsigned int fail_call;
		const char *target;
		const char *words; /* NULL: it has them all */
	} rows[] = {
		{ "all", 0, "verity", NULL },
		{ "no device-mapper", 1, "verity", "the kernel lacks CONFIG_BLK_DEV_DM," },
		{ "no verity", 0, "verity2", "the kernel lacks CONFIG_DM_VERITY, or its module" },
		{ "nothing", 0, NULL, "the kernel lacks CONFIG_DM_VERITY, or its module" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct err e = { 0 };
		int r;

		(void)fake_dm_reset(rows[i].fail_call);
		fake_dm.targets[1] = rows[i].target;
		r = verity_kernel_check(&e);
		if (rows[i].words)
			expect_failure(rows[i].label, r, &e, FAIL_KERNEL_FEATURE_MISSING,
				       rows[i].words);
		else
			expect_success(rows[i].label, r, &e);
	}
}

static void test_hashes(void **state)
{
	static const struct {
		const char *hash, *words;
	} rows[] = {
		{ "sha256", "the kernel lacks CONFIG_CRYPTO_SHA256, or its module is not in the "
			    "initramfs: it cannot hash with sha256" },
		{ "sha384", "the kernel lacks CONFIG_CRYPTO_SHA512, " },
		{ "sha512", "the kernel lacks CONFIG_CRYPTO_SHA512, " },
	};
	struct err e;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		expect_failure(rows[i].hash, verity_kernel_lacks_hash(rows[i].hash, &e), &e,
			       FAIL_KERNEL_FEATURE_MISSING, rows[i].words);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernel_features),
		cmocka_unit_test(test_hashes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
