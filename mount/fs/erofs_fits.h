/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_FS_EROFS_FITS_H
#define MOUNT_FS_EROFS_FITS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"

/*
 * An erofs mounts whatever its size is, and so does one whose data are on
 * further devices that nobody has given, or that are given in another order:
 * what is not there is EIO when it is read, out of reach of any corruption
 * policy, and in another order files have other files' bytes. So all that is
 * looked at before the mount. What is no erofs after all is the kernel's to refuse.
 */

/*
 * Of a volume without further devices: MOUNT_FAILED where fd, the device, does
 * not hold the data of every further device. KERNEL_FEATURE_MISSING where this
 * kernel is known not to mount it (mount/fs/erofs_kernel.h).
 *
 * host_sized: the device is as long as a verity superblock says, and the host
 * can write that: VERITY_PARAMS_INVALID where it covers less than the file
 * system.
 */
int erofs_fits(int fd, bool host_sized, struct err *e);

/* Slots of one erofs; nydus, which numbers them with eight bits, makes no more. */
#define EROFS_SLOTS_MAX 254

/*
 * Of a volume whose further devices are open at device_fds, in the order in which they
 * will be given to the kernel: there are as many as the erofs on fd has slots, and
 * each has at least the blocks of its slot. Where mkfs.erofs made the slots, their
 * tags are the UUIDs of the file systems on those devices, as 32 hexadecimal digits:
 * then there is an erofs of that UUID and of exactly these blocks on each, and fd has
 * all blocks of its own. Tags of another kind (nydus': the digest of a compressed
 * layer) say nothing that could be read from a device. MOUNT_FAILED,
 * DEVICE_TOO_SMALL, DEVICE_READ_FAILED, KERNEL_FEATURE_MISSING.
 */
int erofs_slots_fit(int fd, const int *device_fds, size_t count, struct err *e);

#endif
