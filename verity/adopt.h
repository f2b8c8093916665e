/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef VERITY_ADOPT_H
#define VERITY_ADOPT_H

#include "verity/device.h"
#include "verity/params.h"
#include "verity/table.h"

/*
 * Take over a device that the kernel itself opened before us (dm-mod.create=).
 * parts are the devices that its table must name.
 * 1: it is there, read-only, and its table is the one that p asks for; a
 * corruption policy that it came with is put off until verity_arm(). 0: there is
 * none of that name; VERITY_OPEN_FAILED where there is one with another
 * table, which is never replaced.
 */
int verity_adopt(const char *name, const struct verity_parts *parts, const struct verity_params *p,
		 struct mapped_device *ret, struct err *e);

#endif
