/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_RUNTIME_MARK_H
#define MOUNT_RUNTIME_MARK_H

#include "mount/device/search.h"
#include "mount/stack.h"

/*
 * By what a stack that is mounted is known again. The kernel keeps the marks: a volume's
 * in the UUID of its device, that of the rest in the source of the overlay. Each is the
 * beginning of a SHA-256, 128 bits, so nobody makes two requests that have the same.
 *
 * A disk counts by its number, a file or directory by its file system and inode, however
 * it was named: they stay the same for as long as it is mounted.
 */

#define MARK_SIZE 33 /* hexadecimal digits, and the closing NUL */

/*
 * Of all that a plan says of a volume, its signature, what follows corruption, and the
 * disks that were found for it, in volume_wishes()'s order. Files are asked for.
 */
void mark_volume(const struct volume *v, const uint8_t *signatures,
		 const struct device_wish *wishes, enum verity_corruption on_corruption,
		 char ret[MARK_SIZE]);

/* Of a stack's upper, with the disk that was found for it, and of its directories. */
void mark_overlay(const struct stack *s, const struct device_wish *disk, char ret[MARK_SIZE]);

#endif
