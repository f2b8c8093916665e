/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_DISK_INPUT_H
#define IMAGE_BUILD_DISK_INPUT_H

#include "image-build/disk/disk_format.h"

/*
 * The file systems that go into a disk. Each operand is a file with one, with a verity superblock
 * and tree behind it or not; or image.json of `layers' or `merge', which stands for its layers,
 * topmost first, whose root hashes must then be those that it tells. d->parts is allocated here,
 * whatever comes out; give it back.
 */
int disk_inputs_open(struct disk *d, struct err *e);
void disk_inputs_close(struct disk *d);

#endif
