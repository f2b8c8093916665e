/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef TESTS_UNIT_FAKE_SYSFS_H
#define TESTS_UNIT_FAKE_SYSFS_H

#include <stddef.h>

/*
 * A folder laid out as /sys: devices under devices/pci0000:00/…/block/, and
 * links to them in class/block. Values are text as the kernel writes it,
 * without the newline; NULL leaves the file out.
 */
void sysfs_disk(int sysfs, const char *name, const char *dev, const char *sectors);
void sysfs_partition(int sysfs, const char *disk, const char *name, const char *number,
		     const char *dev, const char *sectors);

/* A file of a device, byte by byte: "serial", "device/vpd_pg80". */
void sysfs_file(int sysfs, const char *name, const char *file, const void *bytes, size_t size);

/* Take a device away again. */
void sysfs_remove(int sysfs, const char *name);

#endif
