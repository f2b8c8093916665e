// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "verity/kernel.h"

#include <errno.h>
#include <linux/if_alg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "verity/libdm.h"

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

static bool has_hash(const char *name)
{
	struct sockaddr_alg address = { .salg_family = AF_ALG, .salg_type = "hash" };
	auto_fd int fd = socket(AF_ALG, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	snprintf((char *)address.salg_name, sizeof(address.salg_name), "%s", name);
	return fd >= 0 && !bind(fd, (struct sockaddr *)&address, sizeof(address));
}

/* The kernel says ENOENT for "not this hash" and for "no hashes here": another one tells. */
static int missing_hash(const char *name, struct err *e)
{
	const char *option = "the hash";
	char both[96], why[64];

	snprintf(why, sizeof(why), "it cannot hash with %.20s", name);
	for (size_t i = 0; i < ARRAY_SIZE(hashes); i++)
		if (!strcmp(hashes[i].name, name))
			option = hashes[i].option;
	for (size_t i = 0; i < ARRAY_SIZE(hashes); i++)
		if (strcmp(hashes[i].option, option) && has_hash(hashes[i].name))
			return missing(e, option, why);
	snprintf(both, sizeof(both), "CONFIG_CRYPTO_USER_API_HASH or %s", option);
	return missing(e, both, why);
}

static int has_target(struct dm_task *task, const char *name)
{
	const struct dm_versions *v = dm_task_get_versions(task);

	while (v && strcmp(v->name, name)) {
		if (!v->next)
			return 0;
		v = (const void *)((const char *)v + v->next);
	}
	return v != NULL;
}

static int check_target(struct err *e)
{
	auto_task struct dm_task *task = verity_dm_task(DM_DEVICE_LIST_VERSIONS, NULL);

	if (!task || !dm_task_run(task))
		return missing(e, "CONFIG_BLK_DEV_DM", "device-mapper does not answer");
	if (!has_target(task, "verity"))
		return missing(e, "CONFIG_DM_VERITY", "device-mapper has no verity target");
	return 0;
}

int verity_kernel_check(const char *hash_name, struct err *e)
{
	int r = check_target(e);

	/* libcryptsetup hashes through the kernel, so it needs AF_ALG with this hash. */
	return r || has_hash(hash_name) ? r : missing_hash(hash_name, e);
}
