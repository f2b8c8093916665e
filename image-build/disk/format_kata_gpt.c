// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * The disk in which Kata's runtime shows the layers of a container to its agent, and the
 * Storage messages about it. Source: kata-containers,
 * src/libs/kata-types/src/gpt_disk.rs, src/runtime-rs/crates/resource/src/rootfs/erofs_rootfs.rs,
 * src/agent/src/storage/multi_layer_erofs.rs. Kata itself writes no second table;
 * this disk has it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "image-build/base/json.h"
#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "image-build/disk/gpt_layers.h"
#include "lib/hex.h"
#include "mount/fs/layers.h"

#define AGENT_BLOCK 4096 /* bytes; what the agent takes for granted */

static void name_of(const struct disk_part *p, size_t index, char name[GPT_NAME_MAX + 1])
{
	char serial[SERIAL_DIGITS + 1];

	hex_encode(p->verity.root_hash, SERIAL_DIGITS / 2, serial);
	snprintf(name, GPT_NAME_MAX + 1, "erofs-%zu-s%s", index, serial);
}

static void add_option(struct json_object *options, char *text)
{
	json_object_array_add(options, json_object_new_string(text));
	free(text);
}

static void add_hex_option(struct json_object *options, const char *key, const uint8_t *bytes,
			   size_t size)
{
	char text[2 * VERITY_SALT_MAX + 1];

	hex_encode(bytes, size, text);
	add_option(options, memory_printf("X-kata.dmverity.%s=%s", key, text));
}

static struct json_object *options_of(const struct disk_part *p, size_t index)
{
	const struct verity_params *v = &p->verity;
	struct json_object *options = json_object_new_array();

	add_option(options, memory_text("X-kata.overlay-lower"));
	add_option(options, memory_text("X-kata.multi-layer=true"));
	add_option(options, memory_text("X-kata.gpt-partitioned=true"));
	add_option(options, memory_printf("X-kata.partition-number=%zu", index + 1));
	add_option(options, memory_text("X-kata.dmverity-enabled=true"));
	add_hex_option(options, "roothash", v->root_hash, v->root_hash_size);
	add_option(options,
		   memory_printf("X-kata.dmverity.hashoffset=%" PRIu64, part_data_bytes(p)));
	add_option(options, memory_text("X-kata.dmverity.no-superblock=false"));
	if (v->salt_size)
		add_hex_option(options, "salt", v->salt, v->salt_size);
	if (v->data_block_size != AGENT_BLOCK)
		add_option(options,
			   memory_printf("X-kata.dmverity.blocksize=%" PRIu32, v->data_block_size));
	if (v->hash_block_size != AGENT_BLOCK)
		add_option(options,
			   memory_printf("X-kata.dmverity.hashsize=%" PRIu32, v->hash_block_size));
	return options;
}

static struct json_object *storage_of(const struct disk *d, size_t index)
{
	struct json_object *o = json_object_new_object();

	json_add_text(o, "driver", "blk");
	json_object_object_add(o, "driver_options", json_object_new_array());
	json_add_text(o, "source", d->options->source);
	json_add_text(o, "fstype", "erofs");
	json_object_object_add(o, "options", options_of(&d->parts[index], index));
	json_add_text(o, "mount_point", "/run/kata-containers/container/rootfs");
	json_object_object_add(o, "fs_group", NULL);
	json_add_bool(o, "shared", false);
	return o;
}

/* The agent is told nothing of these. */
static int check_parts(const struct disk *d, struct err *e)
{
	for (size_t i = 0; i < d->count; i++) {
		const struct disk_part *p = &d->parts[i];

		if (strcmp(p->fstype, "erofs"))
			return refuse(e, "%s: Kata's layers are erofs", p->path);
		if (strcmp(p->verity.hash_name, "sha256") || p->verity.hash_type != 1)
			return refuse(e,
				      "%s: its tree is of %s, format %" PRIu32
				      "; Kata's are of sha256, format 1",
				      p->path, p->verity.hash_name, p->verity.hash_type);
	}
	return 0;
}

static int write_kata_gpt(struct disk *d, struct err *e)
{
	struct json_object *list;
	char *text auto_text = NULL;
	int r = check_parts(d, e);

	if (!r)
		r = gpt_layers_write(d, name_of, e);
	if (r || !d->options->source)
		return r;
	list = json_object_new_array();
	for (size_t i = 0; i < d->count; i++)
		json_object_array_add(list, storage_of(d, i));
	text = memory_printf("%s\n", json_object_to_json_string_ext(
					     list, JSON_C_TO_STRING_PRETTY |
							   JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(list);
	return disk_text_file(d, ".storages.json", text, e);
}

const struct disk_format format_kata_gpt = {
	.name = "kata-gpt",
	.summary = "Kata's disk of a container: GPT, a partition for each layer, topmost first",
	.takes = DISK_SALT | DISK_SECTOR_SIZE | DISK_SOURCE,
	.parts_max = LAYERS_MAX,
	.write = write_kata_gpt,
};
