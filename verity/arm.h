/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef VERITY_ARM_H
#define VERITY_ARM_H

#include "verity/device.h"
#include "verity/params.h"
#include "verity/signature.h"

/*
 * Load the corruption policy into an open device, mounted or not, by giving it
 * the same table once more with the policy's words in the place of any that it
 * has. Where the kernel knows them (6.12 and later) the policy covers I/O errors
 * of the disk below, too. A table that is right already is left alone. The
 * kernel verifies a signature at each load, so signature is verity_open()'s once
 * more.
 *
 * In two halves, since the second one waits: the kernel swaps the tables when
 * nobody can be reading through the old one any more, and for that it waits for
 * some ticks of its clock. Devices that are swapped at the same time wait
 * together. verity_arm_load() returns 1 where there is something to swap, 0 where
 * not, or VERITY_OPEN_FAILED; verity_arm_swap() returns 0 or -errno, for which
 * verity_arm_failed() has the sentence.
 */
int verity_arm_load(const struct mapped_device *dev, enum verity_corruption policy,
		    const struct verity_signature *signature, struct err *e);
int verity_arm_swap(const struct mapped_device *dev);
int verity_arm_failed(const struct mapped_device *dev, int r, struct err *e);

/* Both, of one device. */
int verity_arm(const struct mapped_device *dev, enum verity_corruption policy,
	       const struct verity_signature *signature, struct err *e);

#endif
