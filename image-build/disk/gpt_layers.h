/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_DISK_GPT_LAYERS_H
#define IMAGE_BUILD_DISK_GPT_LAYERS_H

#include "image-build/disk/disk_parts.h"
#include "image-build/disk/gpt.h"

/* A GPT as the options want it, with nothing in it. */
void gpt_start(const struct disk *d, struct gpt *g);

/* Write the table; its partitions are those of the report. */
int gpt_finish(struct disk *d, struct gpt *g, struct err *e);

/* A text for "PARTUUID=…". */
void gpt_reference(const struct gpt_entry *entry, char device[DISK_DEVICE_MAX]);

/*
 * A disk with a partition for each part in turn, named as name_of() says: data, superblock and
 * tree. Ids are made of the root hash and of the place, so that a layer that is there twice has
 * two.
 */
int gpt_layers_write(struct disk *d,
		     void (*name_of)(const struct disk_part *p, size_t index,
				     char name[GPT_NAME_MAX + 1]),
		     struct err *e);

#endif
