/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * A device-mapper with one device, socle-layer-0 of 4096 sectors: the functions of
 * libdevmapper, which win over the real ones.  What is done to it is in fake_sys.log.
 */
#ifndef TESTS_UNIT_FAKE_DM_H
#define TESTS_UNIT_FAKE_DM_H

#include <libdevmapper.h>
#include <stddef.h>

#include "verity/open.h"

/* The device's table after fake_dm_reset(). */
#define FAKE_DM_LINE "1 254:0 254:0 4096 4096 8 9 sha256 00ff -"

extern struct fake_dm {
	const char *type; /* of the device's target */
	char table[4096];
	const char *status;  /* "V", "C" */
	const char *refused; /* a word that the kernel does not know, or NULL */
	const char *targets; /* "verity", or another one */
	struct dm_info info;
	size_t tasks; /* that were made and not destroyed */
} fake_dm;

/* A good device again; the call of this number fails with EIO, 0: none does. */
const struct verity_device *fake_dm_reset(unsigned int fail_call);

#endif
