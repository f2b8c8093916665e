// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/disk/disk_parts.h"

#include <string.h>
#include <unistd.h>

#include "image-build/base/digest.h"
#include "image-build/base/json.h"
#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "image-build/base/write.h"
#include "image-build/disk/copy.h"
#include "image-build/disk/tree_write.h"
#include "lib/array.h"

uint64_t align_up(uint64_t n, uint64_t unit)
{
	return (n + unit - 1) / unit * unit;
}

uint64_t part_data_bytes(const struct disk_part *p)
{
	return p->verity.data_blocks * p->verity.data_block_size;
}

int part_place_tree(struct disk_part *p, uint64_t hash_at, bool superblock, uint64_t *ret_end,
		    struct err *e)
{
	struct verity_params *v = &p->verity;
	struct verity_geometry g;
	int r = 0;

	if (superblock)
		r = verity_hash_start(hash_at, v->hash_block_size, &v->hash_start_block);
	else
		v->hash_start_block = align_up(hash_at, v->hash_block_size) / v->hash_block_size;
	v->hash_start_given = true;
	p->superblock_at = hash_at;
	if (r)
		return refuse_limit(e, "%s: too large", p->path);
	r = verity_geometry(v, &g, e);
	if (!r)
		*ret_end = g.hash_end_bytes;
	return r;
}

int part_write_data(const struct disk_part *p, int fd, uint64_t at, struct err *e)
{
	return err_prefix(e, slice_copy(&p->data, fd, at, e), "%s: ", p->path);
}

/* One of our own is made of the root hash. */
static int put_superblock(const struct disk_part *p, int fd, uint64_t at, struct err *e)
{
	struct digest root = { .size = p->verity.root_hash_size };
	uint8_t bytes[VERITY_SUPERBLOCK_SIZE], uuid[UUID_SIZE];

	memcpy(root.bytes, p->verity.root_hash, root.size);
	uuid_from_digest("socle verity", &root, uuid);
	superblock_encode(&p->verity, p->sealed ? p->uuid : uuid, bytes);
	if (write_all_at(fd, bytes, sizeof(bytes), at + p->superblock_at))
		return system_failed(e, "write the verity superblock");
	return 0;
}

int part_write_tree(struct disk_part *p, int fd, uint64_t at, bool superblock, struct err *e)
{
	struct tree_place place = { .fd = fd, .offset = at };
	struct verity_params made = p->verity;
	int r = tree_write(&p->data, &made, &place, e);

	if (!r && p->sealed &&
	    memcmp(made.root_hash, p->verity.root_hash, p->verity.root_hash_size))
		r = err_set(e, FAIL_ROOT_HASH_MISMATCH, EBADMSG,
			    "its data do not match the hash tree behind them");
	if (r)
		return err_prefix(e, r, "%s: ", p->path);
	p->verity = made;
	return superblock ? put_superblock(p, fd, at, e) : 0;
}

int part_write_sealed(struct disk_part *p, int fd, uint64_t at, struct err *e)
{
	uint64_t end;
	int r = part_write_data(p, fd, at, e);

	if (!r)
		r = part_place_tree(p, part_data_bytes(p), true, &end, e);
	if (!r)
		r = part_write_tree(p, fd, at, true, e);
	return r;
}

int disk_not_input(const struct disk *d, const char *path, struct err *e)
{
	const struct disk_options *o = d->options;
	const char *const more[] = { o->uki, o->signature, o->certificate };
	int r = 0;

	for (size_t i = 0; !r && i < d->operands->count; i++)
		r = output_not_input(path, d->operands->at[i], e);
	for (size_t i = 0; !r && i < d->count; i++)
		r = output_not_input(path, d->parts[i].path, e);
	for (size_t i = 0; !r && i < ARRAY_SIZE(more); i++)
		r = output_not_input(path, more[i], e);
	return r;
}

int disk_file(struct disk *d, const char *suffix, struct output **ret, struct err *e)
{
	char *path auto_text = memory_printf("%s%s", d->options->output, suffix);
	struct output *o = &d->files[d->file_count];
	int r;

	if (d->file_count == DISK_FILES_MAX)
		abort();
	r = disk_not_input(d, path, e);
	if (!r)
		r = output_create(o, path, e);
	if (r)
		return r;
	d->file_count++;
	*ret = o;
	return 0;
}

int disk_text_file(struct disk *d, const char *suffix, const char *text, struct err *e)
{
	struct output *o;
	int r = disk_file(d, suffix, &o, e);

	if (!r && write_all(o->fd, text, strlen(text)))
		r = system_failed(e, "write %s", o->path);
	return r;
}

void disk_report_partition(struct disk *d, const char *name, const char *uuid, uint64_t offset,
			   uint64_t size)
{
	struct json_object *list, *o = json_object_new_object();

	if (!json_object_object_get_ex(d->report, "partitions", &list)) {
		list = json_object_new_array();
		json_object_object_add(d->report, "partitions", list);
	}
	json_add_number(o, "number", json_object_array_length(list) + 1);
	if (*name)
		json_add_text(o, "name", name);
	json_add_text(o, "partuuid", uuid);
	json_add_number(o, "offset", offset);
	json_add_number(o, "size", size);
	json_object_array_add(list, o);
}

void disk_uuid(const struct disk *d, const char *label, uint8_t uuid[UUID_SIZE])
{
	struct digest all;
	struct hasher h;

	hasher_start(&h, "sha256");
	for (size_t i = 0; i < d->count; i++)
		hasher_add(&h, d->parts[i].verity.root_hash, d->parts[i].verity.root_hash_size);
	hasher_finish(&h, &all);
	hasher_stop(&h);
	uuid_from_digest(label, &all, uuid);
}
