/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef VERITY_OPEN_H
#define VERITY_OPEN_H

#include "lib/err.h"
#include "verity/device.h"
#include "verity/params.h"
#include "verity/signature.h"

/* Where the parts are: paths of device nodes. fec may be NULL. */
struct verity_parts {
	const char *data;
	const char *hash;
	const char *fec;
};

/*
 * Open a verity device read-only under a name that must be free. The parameters
 * must have passed verity_params_finish(); nothing is read from a superblock.
 * Whatever the corruption policy will be, reads of bad blocks fail with EIO
 * until verity_arm(), so that a failure of the boot can be told.
 * signature is NULL where none is asked for, and else what
 * verity_signature_load() gave: then the kernel opens nothing that it does not
 * vouch for. SIGNATURE_REJECTED, SIGNATURE_MISSING where the kernel takes none
 * without (dm_verity.require_signatures=1), and VERITY_OPEN_FAILED carry
 * libcryptsetup's own words.
 */
int verity_open(const char *name, const struct verity_parts *parts, const struct verity_params *p,
		const struct verity_signature *signature, struct verity_device *ret, struct err *e);

/* Close it again; for failures on the way and for tests. 0 or -errno. */
int verity_close(const char *name);

/* Let go of what the libraries keep open between devices. */
void verity_release(void);

#endif
