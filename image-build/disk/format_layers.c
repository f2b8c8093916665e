// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * One disk with many layers, for socle-init: each is a partition, found by its PARTUUID.
 * A command line has room for some ten of them, a boot manifest for all.
 */
#include <stdio.h>

#include "image-build/base/json.h"
#include "image-build/base/memory.h"
#include "image-build/disk/gpt_layers.h"
#include "mount/fs/layers.h"

static void name_of(const struct disk_part *p, size_t index, char name[GPT_NAME_MAX + 1])
{
	(void)p;
	snprintf(name, GPT_NAME_MAX + 1, "layer-%zu", index);
}

static struct json_object *layer_object(const struct disk_part *p)
{
	struct json_object *o = json_object_new_object();

	json_add_text(o, "device", p->device);
	json_add_verity(o, &p->verity);
	/* An empty one is none here, too. */
	if (!p->verity.salt_size)
		json_object_object_del(o, "salt");
	json_add_hex(o, "root_hash", p->verity.root_hash, p->verity.root_hash_size);
	return o;
}

/* What /etc/socle/manifest.json is to be: see init/plan/manifest.h. */
static char *manifest_text(const struct disk *d)
{
	struct json_object *o = json_object_new_object(), *list = json_object_new_array();
	char *text;

	json_add_number(o, "version", 1);
	for (size_t i = 0; i < d->count; i++)
		json_object_array_add(list, layer_object(&d->parts[i]));
	json_object_object_add(o, "layers", list);
	text = memory_printf("%s\n",
			     json_object_to_json_string_ext(
				     o, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(o);
	return text;
}

static int write_layers(struct disk *d, struct err *e)
{
	char *text auto_text = NULL;
	int r = gpt_layers_write(d, name_of, e);

	if (r)
		return r;
	text = manifest_text(d);
	return disk_text_file(d, ".manifest.json", text, e);
}

const struct disk_format format_layers = {
	.name = "layers",
	.summary = "one disk with a partition for each layer, the first one topmost",
	.takes = DISK_SALT | DISK_SECTOR_SIZE,
	.parts_max = LAYERS_MAX,
	.write = write_layers,
};
