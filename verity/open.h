/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef VERITY_OPEN_H
#define VERITY_OPEN_H

#include "lib/err.h"
#include "verity/device.h"
#include "verity/params.h"
#include "verity/signature.h"
#include "verity/table.h"

/*
 * Open a verity device read-only under a name that must be free; mark is told with its
 * UUID (dm_state()), 32 characters at most, or empty. The parameters
 * must have passed verity_params_finish(); nothing is read from a superblock.
 * Whatever the corruption policy will be, reads of bad blocks fail with EIO
 * until verity_arm(), so that a failure of the boot can be told.
 * signature is NULL where none is asked for, and else what
 * verity_signature_load() gave: then the kernel opens nothing that it does not
 * vouch for. It is closed by dm_remove(). SIGNATURE_REJECTED, SIGNATURE_MISSING where the kernel
 * takes none without (dm_verity.require_signatures=1), KERNEL_FEATURE_MISSING where it cannot hash
 * so, and else VERITY_OPEN_FAILED with what its log says of it.
 */
int verity_open(const char *name, const char *mark, const struct verity_parts *parts,
		const struct verity_params *p, const struct verity_signature *signature,
		struct mapped_device *ret, struct err *e);

/*
 * Where others look for a device: /dev/mapper/NAME, a link to its node as udev
 * makes it. For what lives as long as the guest; the link stays when the device
 * is closed. SYSTEM_CALL_FAILED.
 */
int verity_link(const struct mapped_device *dev, struct err *e);

/* The name of the key that a signature is handed to the kernel in. */
#define VERITY_KEY_SIZE (MAPPED_NAME_SIZE + sizeof("socle:"))
void verity_key_name(const char *name, char ret[VERITY_KEY_SIZE]);

#endif
