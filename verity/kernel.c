// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "verity/kernel.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/array.h"
#include "verity/dm.h"

static int missing(struct err *e, const char *option, const char *why)
{
	return err_set(e, FAIL_KERNEL_FEATURE_MISSING, ENOTSUP,
		       "the kernel lacks %s, or its module is not in the initramfs: %s", option,
		       why);
}

static const struct hash {
	const char *name, *option;
} hashes[] = {
	{ "sha256", "CONFIG_CRYPTO_SHA256" },
	{ "sha384", "CONFIG_CRYPTO_SHA512" },
	{ "sha512", "CONFIG_CRYPTO_SHA512" },
};

int verity_kernel_lacks_hash(const char *hash_name, struct err *e)
{
	const char *option = "the hash";
	char why[64];

	snprintf(why, sizeof(why), "it cannot hash with %.20s", hash_name);
	for (size_t i = 0; i < ARRAY_SIZE(hashes); i++)
		if (!strcmp(hashes[i].name, hash_name))
			option = hashes[i].option;
	return missing(e, option, why);
}

int verity_kernel_check(struct err *e)
{
	unsigned int version[3];
	int r = dm_target_version("verity", version);

	if (r < 0)
		return missing(e, "CONFIG_BLK_DEV_DM", "device-mapper does not answer");
	if (!r)
		return missing(e, "CONFIG_DM_VERITY", "device-mapper has no verity target");
	return 0;
}
