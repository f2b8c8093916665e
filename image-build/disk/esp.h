/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_DISK_ESP_H
#define IMAGE_BUILD_DISK_ESP_H

#include <stdint.h>

#include "image-build/base/slice.h"
#include "lib/err.h"

/*
 * An EFI system partition that has one program, \EFI\BOOT\NAME, which a firmware
 * starts where it knows of no other. FAT32, one sector a cluster, as large as it
 * must be. Source: Microsoft's FAT specification 1.03 (fatgen103);
 * UEFI specification, 3.5.1.1 and 13.3.
 */
struct esp {
	uint32_t sector_size; /* bytes; 512 or 4096 */
	uint64_t offset;      /* bytes; where the partition starts on its disk */
	uint32_t volume_id;
	const char *name; /* of the program, 8 characters: BOOTX64 is "BOOTX64 " */
	struct slice program;
};

/*
 * A program's header must be that of an EFI program for a machine, by its number of
 * the PE specification: 0x8664 x86-64, 0xaa64 arm64.
 */
int esp_check_program(const struct slice *program, unsigned int machine, struct err *e);

/* Bytes of the whole partition; LIMIT_EXCEEDED for a program of 4 GiB and more. */
int esp_size(const struct esp *esp, uint64_t *ret, struct err *e);

/* Write it into the disk; its free clusters are left as holes. */
int esp_write(const struct esp *esp, int fd, struct err *e);

#endif
