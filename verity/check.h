/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef VERITY_CHECK_H
#define VERITY_CHECK_H

#include "verity/device.h"
#include "verity/params.h"

/*
 * Prove an open device before anything is mounted from it: read its first data
 * block and require device-mapper's status V. uevents is lib/uevent.h's socket,
 * open since before the device was; it tells which block did not match.
 * ROOT_HASH_MISMATCH, HASH_TREE_CORRUPT, DATA_CORRUPT or DEVICE_READ_FAILED.
 */
int verity_prove(const struct mapped_device *dev, const struct verity_params *p, int uevents,
		 struct err *e);

/*
 * After any failure above the device: has the kernel seen a bad block on it?
 * If so the recorded failure becomes the verity failure that caused it, and
 * the return value is 1; else 0 and e is untouched.
 */
int verity_diagnose(const struct mapped_device *dev, const struct verity_params *p, int uevents,
		    struct err *e);

#endif
