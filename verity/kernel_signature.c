// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "verity/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* A parameter that drivers/md/dm-verity-verify-sig.c has: it is there with the option. */
#define PARAMETER "module/dm_verity/parameters/require_signatures"

/* What the option selects (keys, certificates, PKCS#7, RSA) comes with it. */
int verity_kernel_check_signatures(int sysfs, struct err *e)
{
	if (!faccessat(sysfs, PARAMETER, F_OK, 0))
		return 0;
	return err_set(
		e, FAIL_KERNEL_FEATURE_MISSING, ENOTSUP,
		"the kernel lacks CONFIG_DM_VERITY_VERIFY_ROOTHASH_SIG: it cannot verify "
		"the signature of a root hash (socle-image kernel-check --feature signature)");
}
