// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/disk/gpt_layers.h"

#include <stdio.h>
#include <string.h>

#include "image-build/base/digest.h"
#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"

void gpt_start(const struct disk *d, struct gpt *g)
{
	*g = (struct gpt){ .sector_size = (uint32_t)d->options->sector_size };
}

void gpt_reference(const struct gpt_entry *entry, char device[DISK_DEVICE_MAX])
{
	char text[UUID_TEXT_SIZE];

	uuid_text(entry->uuid, text);
	snprintf(device, DISK_DEVICE_MAX, "PARTUUID=%s", text);
}

int gpt_finish(struct disk *d, struct gpt *g, struct err *e)
{
	char text[UUID_TEXT_SIZE];

	disk_uuid(d, "socle disk", g->uuid);
	for (unsigned int i = 0; i < g->count; i++) {
		const struct gpt_entry *entry = &g->entries[i];

		uuid_text(entry->uuid, text);
		disk_report_partition(d, entry->name, text, entry->offset, entry->size);
	}
	return gpt_write(g, d->out.fd, e);
}

static void set_uuid(const struct disk_part *p, size_t index, uint8_t uuid[UUID_SIZE])
{
	struct digest root = { .size = p->verity.root_hash_size };
	char *label auto_text = memory_printf("socle layer %zu", index);

	memcpy(root.bytes, p->verity.root_hash, root.size);
	uuid_from_digest(label, &root, uuid);
}

static int add_layer(struct disk *d, struct gpt *g, size_t index, struct err *e)
{
	static const uint8_t none[UUID_SIZE];
	struct disk_part *p = &d->parts[index];
	struct gpt_entry *entry;
	uint64_t end = 0;
	int r = part_place_tree(p, part_data_bytes(p), true, &end, e);

	if (r)
		return r;
	entry = gpt_add(g, GPT_LINUX_DATA, none, "", end, e);
	if (!entry)
		return -E2BIG;
	r = part_write_sealed(p, d->out.fd, entry->offset, e);
	if (r)
		return r;
	set_uuid(p, index, entry->uuid);
	gpt_reference(entry, p->device);
	return 0;
}

int gpt_layers_write(struct disk *d,
		     void (*name_of)(const struct disk_part *p, size_t index,
				     char name[GPT_NAME_MAX + 1]),
		     struct err *e)
{
	struct gpt g;
	int r = 0;

	gpt_start(d, &g);
	for (size_t i = 0; !r && i < d->count; i++) {
		r = add_layer(d, &g, i, e);
		if (!r)
			name_of(&d->parts[i], i, g.entries[i].name);
	}
	return r ? r : gpt_finish(d, &g, e);
}
