// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * The disk that nydus-snapshotter's image_block and image_block_with_verity describe to
 * Kata: an erofs in one file, the tars of a tarfs at their addresses behind it,
 * then a tree without superblock or salt. Source: nydus,
 * service/src/block_device.rs, utils/src/verity.rs; nydus-snapshotter,
 * pkg/snapshot/mount_option.go.
 */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "image-build/base/digest.h"
#include "image-build/base/json.h"
#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "image-build/disk/copy.h"
#include "image-build/disk/disk_parts.h"
#include "image-build/disk/tree_write.h"
#include "lib/hex.h"
#include "mount/fs/erofs.h"

#define HASH_BLOCK 4096

static int read_device(const struct disk_part *p, const struct erofs_superblock *sb,
		       unsigned int index, struct erofs_device *ret, struct err *e)
{
	uint8_t entry[EROFS_DEVICE_SIZE];
	uint64_t at = sb->device_table_bytes + (uint64_t)index * sizeof(entry);

	if (slice_read(&p->data, entry, sizeof(entry), at) != (ssize_t)sizeof(entry) ||
	    erofs_device_read(entry, sb, ret))
		return refuse(e, "%s: entry %u of its device table cannot be read", p->path,
			      index + 1);
	return 0;
}

/* What is short of a whole block is not part of the file system. */
static int put_device(struct disk *d, const struct erofs_superblock *sb, unsigned int index,
		      uint64_t *end, struct err *e)
{
	const struct disk_part *p = &d->parts[index + 1];
	struct erofs_device device;
	struct slice whole = p->file;
	int r = read_device(&d->parts[0], sb, index, &device, e);

	if (r)
		return r;
	whole.size = whole.size / sb->block_size * sb->block_size;
	if (device.blocks * sb->block_size != whole.size)
		return refuse(e,
			      "%s: %" PRIu64 " blocks, but the device table says %" PRIu64
			      " for device %u",
			      p->path, whole.size / sb->block_size, device.blocks, index + 1);
	if (device.start_bytes < *end)
		return refuse(e, "%s: device %u of its table overlaps the one before it",
			      d->parts[0].path, index + 1);
	*end = device.start_bytes + whole.size;
	return slice_copy(&whole, d->out.fd, device.start_bytes, e);
}

/* Index and tars; ret is the end of the last. */
static int put_devices(struct disk *d, uint64_t *ret, struct err *e)
{
	const struct disk_part *p = &d->parts[0];
	uint8_t start[EROFS_SUPERBLOCK_OFFSET + EROFS_SUPERBLOCK_SIZE];
	ssize_t n = slice_read(&p->data, start, sizeof(start), 0);
	struct erofs_superblock sb;
	int r = 0;

	*ret = p->data.size;
	if (n != (ssize_t)sizeof(start) || erofs_superblock_read(start, sizeof(start), &sb))
		return refuse(e, "%s: not an erofs", p->path);
	if (p->devices + 1 != d->count)
		return refuse(e, "%s needs %u further files, its devices, and %zu are given",
			      p->path, p->devices, d->count - 1);
	for (unsigned int i = 0; !r && i < p->devices; i++)
		r = put_device(d, &sb, i, ret, e);
	return r;
}

/* Free slots of the tree hold what its producer left there: the hash of a block of zeros. */
static void set_spare(uint8_t digest[SHA256_SIZE])
{
	static const uint8_t zeros[HASH_BLOCK];
	struct hasher h;
	struct digest of;

	hasher_start(&h, "sha256");
	hasher_add(&h, zeros, sizeof(zeros));
	hasher_finish(&h, &of);
	hasher_stop(&h);
	memcpy(digest, of.bytes, SHA256_SIZE);
}

static int put_tree(struct disk *d, uint64_t size, struct err *e)
{
	struct disk_part *p = &d->parts[0];
	struct verity_params made;
	struct slice data = { .fd = d->out.fd, .size = size };
	uint8_t spare[SHA256_SIZE];
	struct tree_place place = { .fd = d->out.fd, .spare = spare };
	uint64_t end = 0;
	int r;

	verity_params_init(&made);
	made.data_block_size = p->io_size < HASH_BLOCK ? p->io_size : HASH_BLOCK;
	made.data_blocks = (size + made.data_block_size - 1) / made.data_block_size;
	p->verity = made;
	set_spare(spare);
	r = part_place_tree(p, part_data_bytes(p), false, &end, e);
	if (!r)
		r = tree_write(&data, &p->verity, &place, e);
	if (!r && ftruncate(d->out.fd, (off_t)end))
		r = system_failed(e, "extend the disk");
	return r;
}

static struct json_object *verity_object(const struct verity_params *v)
{
	struct json_object *o = json_object_new_object();

	json_add_text(o, "hashtype", v->hash_name);
	json_add_hex(o, "hash", v->root_hash, v->root_hash_size);
	json_add_number(o, "blocknum", v->data_blocks);
	json_add_number(o, "blocksize", v->data_block_size);
	json_add_number(o, "hashsize", v->hash_block_size);
	json_add_number(o, "offset", v->hash_start_block * v->hash_block_size);
	return o;
}

static int put_volume(struct disk *d, bool verity, struct err *e)
{
	struct json_object *o = json_object_new_object(), *options = json_object_new_array();
	char *text auto_text = NULL;

	json_add_text(o, "volume_type", "image_raw_block");
	json_add_text(o, "source", d->options->source ? d->options->source : d->options->output);
	json_add_text(o, "fs_type", "erofs");
	json_object_array_add(options, json_object_new_string("ro"));
	json_object_object_add(o, "options", options);
	if (verity)
		json_object_object_add(o, "dm_verity", verity_object(&d->parts[0].verity));
	text = memory_text(
		json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN |
							  JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(o);
	return disk_text_file(d, ".volume.json", text, e);
}

static int write_nydus(struct disk *d, struct err *e)
{
	bool verity = !d->options->no_verity;
	struct disk_part *p = &d->parts[0];
	uint64_t end = 0;
	int r = 0;

	if (strcmp(p->fstype, "erofs"))
		r = refuse(e, "%s: nydus' disks are erofs", p->path);
	if (!r)
		r = part_write_data(p, d->out.fd, 0, e);
	if (!r)
		r = put_devices(d, &end, e);
	if (!r && ftruncate(d->out.fd, (off_t)align_up(end, p->io_size)))
		r = system_failed(e, "extend the disk");
	if (!r && verity)
		r = put_tree(d, end, e);
	/* The tars are no volumes of their own. */
	d->count = 1;
	return r ? r : put_volume(d, verity, e);
}

const struct disk_format format_nydus = {
	.name = "nydus",
	.summary = "nydus' image_block_with_verity: an erofs, then its tars, if it is a tarfs",
	.takes = DISK_SOURCE | DISK_NO_VERITY,
	.parts_max = DISK_PARTS_MAX,
	.tarfs = true,
	.salt = DISK_SALT_NONE,
	.write = write_nydus,
};
