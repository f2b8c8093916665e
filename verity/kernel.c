// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include <stdint.h>

#include "verity/kernel.h"

#include <errno.h>
#include <linux/if_alg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "lib/cleanup.h"
#include "verity/dm.h"

static int missing(struct err *e, const char *option, const char *why)
{
	return err_set(e, FAIL_KERNEL_FEATURE_MISSING, ENOTSUP, "the kernel lacks %s: %s", option,
		       why);
}

/* libcryptsetup hashes through the kernel, so it needs AF_ALG with this hash. */
static int check_hash(const char *hash_name, struct err *e)
{
	struct sockaddr_alg address = { .salg_family = AF_ALG, .salg_type = "hash" };
	auto_fd int fd = socket(AF_ALG, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return missing(e, "CONFIG_CRYPTO_USER_API_HASH", "there are no AF_ALG sockets");
	snprintf((char *)address.salg_name, sizeof(address.salg_name), "%s", hash_name);
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)))
		return missing(e, "CONFIG_CRYPTO_USER_API_HASH or the hash itself", hash_name);
	return 0;
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
	auto_task struct dm_task *task = dm_new_task(DM_DEVICE_LIST_VERSIONS, NULL);

	if (!task || !dm_task_run(task))
		return missing(e, "CONFIG_BLK_DEV_DM", "device-mapper does not answer");
	if (!has_target(task, "verity"))
		return missing(e, "CONFIG_DM_VERITY", "device-mapper has no verity target");
	return 0;
}

int verity_kernel_check(const char *hash_name, struct err *e)
{
	int r = check_target(e);

	return r ? r : check_hash(hash_name, e);
}
