// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Asking for the kernel's features. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if_alg.h>
#include <string.h>
#include <sys/socket.h>

#include "tests/unit/fake_dm.h"
#include "verity/kernel.h"

static int alg_errno;          /* of a socket; 0: there are some */
static const char *alg_hashes; /* that can be had */

int socket(int domain, int type, int protocol)
{
	(void)type;
	(void)protocol;
	assert_int_equal(domain, AF_ALG);
	errno = alg_errno;
	return errno ? -1 : open("/dev/null", O_RDONLY | O_CLOEXEC);
}

int bind(int fd, const struct sockaddr *address, socklen_t size)
{
	const struct sockaddr_alg *alg = (const void *)address;

	(void)fd;
	assert_int_equal(address->sa_family, AF_ALG);
	assert_true(size > 24);
	assert_string_equal((const char *)alg->salg_type, "hash");
	errno = ENOENT;
	return strstr(alg_hashes, (const char *)alg->salg_name) ? 0 : -1;
}

/* The missing option is named before anything is opened. */
static void test_kernel_features(void **state)
{
	static const struct {
		const char *label;
		unsigned int fail_call;
		const char *targets;
		int alg_errno;
		const char *alg_hashes, *hash;
		const char *words; /* NULL: it has them all */
	} rows[] = {
		{ "all", 0, "verity", 0, "sha256 sha512", "sha512", NULL },
		{ "no device-mapper", 1, "verity", 0, "sha256", "sha256",
		  "the kernel lacks CONFIG_BLK_DEV_DM," },
		{ "no verity", 0, "verity2", 0, "sha256", "sha256",
		  "the kernel lacks CONFIG_DM_VERITY, or its module" },
		{ "no AF_ALG", 0, "verity", EAFNOSUPPORT, "sha256", "sha256",
		  "lacks CONFIG_CRYPTO_USER_API_HASH or CONFIG_CRYPTO_SHA256," },
		{ "no hashes", 0, "verity", 0, "", "sha512",
		  "lacks CONFIG_CRYPTO_USER_API_HASH or CONFIG_CRYPTO_SHA512," },
		{ "not sha512", 0, "verity", 0, "sha256", "sha512",
		  "the kernel lacks CONFIG_CRYPTO_SHA512, or its module is not in the "
		  "initramfs: it cannot hash with sha512" },
		{ "not sha384", 0, "verity", 0, "sha256", "sha384",
		  "the kernel lacks CONFIG_CRYPTO_SHA512, " },
		{ "not sha256", 0, "verity", 0, "sha512", "sha256",
		  "the kernel lacks CONFIG_CRYPTO_SHA256, " },
	};
	size_t fds = open_fds();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct err e = { 0 };
		int r;

		(void)fake_dm_reset(rows[i].fail_call);
		fake_dm.targets = rows[i].targets;
		alg_errno = rows[i].alg_errno;
		alg_hashes = rows[i].alg_hashes;
		r = verity_kernel_check(rows[i].hash, &e);
		if (rows[i].words)
			expect_failure(rows[i].label, r, &e, FAIL_KERNEL_FEATURE_MISSING,
				       rows[i].words);
		else
			expect_success(rows[i].label, r, &e);
		assert_int_equal(fake_dm.tasks, 0);
		assert_int_equal(open_fds(), fds);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernel_features),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
