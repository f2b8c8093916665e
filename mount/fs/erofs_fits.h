/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_FS_EROFS_FITS_H
#define MOUNT_FS_EROFS_FITS_H

#include <stdbool.h>

#include "lib/err.h"

/*
 * An erofs mounts whatever its size is, and so does one whose data are on
 * further devices that nobody has given: what is not there is EIO when it is
 * read, out of reach of any corruption policy. So, before the mount: MOUNT_FAILED
 * where fd, the device, does not hold the data of every further device.
 *
 * host_sized: the device is as long as a verity superblock says, and the host
 * can write that: VERITY_PARAMS_INVALID where it covers less than the file
 * system. What is no erofs after all is the kernel's to refuse.
 */
int erofs_fits(int fd, bool host_sized, struct err *e);

#endif
