// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/io.h"
#include "verity/adopt.h"
#include "verity/check.h"
#include "verity/dm.h"
#include "verity/kernel.h"
#include "verity/open.h"
#include "verity/superblock.h"
#include "verity/table.h"
#include "verity/trailer.h"

size_t volume_devices(const struct volume *v)
{
	size_t count = 1;

	count += v->hash.kind != DEVREF_NONE;
	count += v->fec.kind != DEVREF_NONE;
	return count;
}

size_t volume_wishes(const struct volume *v, struct device_wish *wishes, size_t count)
{
	const struct devref *const refs[VOLUME_DEVICES_MAX] = { &v->data, &v->hash, &v->fec };

	for (size_t i = 0; i < VOLUME_DEVICES_MAX; i++) {
		if (refs[i]->kind == DEVREF_NONE)
			continue;
		wishes[count].ref = refs[i];
		snprintf(wishes[count].volume, sizeof(wishes[count].volume), "%s", v->name);
		count++;
	}
	return count;
}

int volume_check_kernel(const struct volume *v, int sysfs, struct kernel_checked *checked,
			struct err *e)
{
	int r = 0;

	if (v->proof != VOLUME_RAW && !checked->verity)
		r = verity_kernel_check(e);
	if (!r && verity_signature_asked(&v->signature) && !checked->signatures)
		r = verity_kernel_check_signatures(sysfs, e);
	checked->verity |= v->proof != VOLUME_RAW;
	checked->signatures |= verity_signature_asked(&v->signature);
	return r;
}

/* The devices of one volume, as they were found. */
struct disks {
	const struct blockdev *data;
	const struct blockdev *hash;
	const struct blockdev *fec; /* NULL: none */
};

static struct disks find_disks(const struct volume *v, const struct device_wish *wishes)
{
	struct disks disks = { .data = &wishes[0].found, .hash = &wishes[0].found };
	size_t next = 1;

	if (v->hash.kind != DEVREF_NONE)
		disks.hash = &wishes[next++].found;
	if (v->fec.kind != DEVREF_NONE)
		disks.fec = &wishes[next].found;
	return disks;
}

static int too_small(const struct blockdev *b, uint64_t needed, const char *what, struct err *e)
{
	return err_set(e, FAIL_DEVICE_TOO_SMALL, ENOSPC, "%s has %llu bytes and %s %llu", b->name,
		       (unsigned long long)b->size_bytes, what, (unsigned long long)needed);
}

static int check_sizes(const struct verity_params *p, const struct disks *disks, struct err *e)
{
	struct verity_geometry g;
	int r = verity_geometry(p, &g, e);

	if (r)
		return r;
	if (disks->data->size_bytes < g.data_bytes)
		return too_small(disks->data, g.data_bytes, "its data needs", e);
	if (disks->hash->size_bytes < g.hash_end_bytes)
		return too_small(disks->hash, g.hash_end_bytes, "its hash tree ends at", e);
	return 0;
}

static const char *node_path(const struct blockdev *b, char *buf, size_t size)
{
	snprintf(buf, size, "/dev/%s", b->name);
	return buf;
}

#define NODE_PATH_SIZE (BLOCKDEV_NAME_SIZE + 5)

/* Where the description says more of a superblock than where it is, it must say so too. */
static int check_superblock(const struct volume *v, const struct verity_params *read, struct err *e)
{
	uint64_t data_bytes;

	if (v->tree_follows_data &&
	    (__builtin_mul_overflow(read->data_blocks, (uint64_t)read->data_block_size,
				    &data_bytes) ||
	     data_bytes != v->superblock_offset_bytes))
		return err_set(e, FAIL_VERITY_PARAMS_INVALID, EINVAL,
			       "the verity superblock has %llu data blocks of %u bytes, and stands "
			       "at %llu, where they do not end",
			       (unsigned long long)read->data_blocks, read->data_block_size,
			       (unsigned long long)v->superblock_offset_bytes);
	if (v->salt_given && (read->salt_size != v->verity.salt_size ||
			      memcmp(read->salt, v->verity.salt, read->salt_size)))
		return err_set(e, FAIL_VERITY_PARAMS_INVALID, EINVAL,
			       "the verity superblock has another salt than the description");
	return 0;
}

static int read_superblock(const struct volume *v, const struct disks *disks, int fd,
			   struct verity_params *ret, struct err *e)
{
	uint8_t bytes[VERITY_SUPERBLOCK_SIZE];
	ssize_t n = io_pread(fd, bytes, sizeof(bytes), v->superblock_offset_bytes);
	int r;

	if (n < 0)
		return err_result(e, FAIL_DEVICE_READ_FAILED, n, "read the superblock of /dev/%s",
				  disks->hash->name);
	if ((size_t)n != sizeof(bytes))
		return too_small(disks->hash, v->superblock_offset_bytes + sizeof(bytes),
				 "its superblock ends at", e);
	r = verity_superblock_read(bytes, v->superblock_offset_bytes, ret, NULL, e);
	if (r == -ENODATA)
		return err_set(e, FAIL_VERITY_PARAMS_INVALID, ENODATA,
			       "/dev/%s has no verity superblock", disks->hash->name);
	return r ? r : check_superblock(v, ret, e);
}

static int read_trailer(const struct disks *disks, int fd, struct verity_params *ret, struct err *e)
{
	uint64_t size = disks->hash->size_bytes, at = size - VERITY_TRAILER_BEHIND;
	uint8_t bytes[VERITY_TRAILER_SIZE];
	ssize_t n;

	if (size < VERITY_TRAILER_BEHIND)
		return too_small(disks->hash, VERITY_TRAILER_BEHIND, "its trailer needs", e);
	n = io_pread(fd, bytes, sizeof(bytes), at);
	if (n != (ssize_t)sizeof(bytes))
		return err_result(e, FAIL_DEVICE_READ_FAILED, n, "read the trailer of /dev/%s",
				  disks->hash->name);
	return verity_trailer_read(bytes, at, ret, e);
}

/* The host can write what is read here; the root hash, which it cannot, proves it or not. */
static int complete_from_superblock(const struct volume *v, const struct disks *disks,
				    struct verity_params *p, struct err *e)
{
	struct verity_params read = *p;
	char path[NODE_PATH_SIZE];
	auto_fd int fd = device_node_open(AT_FDCWD, node_path(disks->hash, path, sizeof(path)),
					  disks->hash->major, disks->hash->minor, e);
	int r;

	if (fd < 0)
		return fd;
	r = v->trailer ? read_trailer(disks, fd, &read, e) :
			 read_superblock(v, disks, fd, &read, e);
	if (r)
		return r;
	memcpy(read.root_hash, p->root_hash, sizeof(read.root_hash));
	read.root_hash_size = p->root_hash_size;
	read.fec_roots = p->fec_roots;
	read.fec_start_bytes = p->fec_start_bytes;
	read.ignore_zero_blocks = p->ignore_zero_blocks;
	r = verity_params_finish(&read, v->hash.kind == DEVREF_NONE, e);
	if (!r)
		*p = read;
	return r;
}

static dev_t number_of(const struct blockdev *b)
{
	return makedev(b->major, b->minor);
}

static struct verity_parts numbers_of(const struct disks *disks)
{
	return (struct verity_parts){
		.data = number_of(disks->data),
		.hash = number_of(disks->hash),
		.fec = disks->fec ? number_of(disks->fec) : 0,
		.hash_bytes = disks->hash->size_bytes,
	};
}

static int open_or_adopt(const struct volume *v, const struct disks *disks, struct open_volume *o,
			 struct err *e)
{
	const struct verity_parts numbers = numbers_of(disks);
	struct verity_signature buf;
	const struct verity_signature *signature;
	int r = verity_signature_load(&v->signature, o->signatures, &buf, &signature, e);

	/* No signature was verified for a device that is there already. */
	if (!r && v->adopt && !signature)
		r = verity_adopt(v->dm_name, &numbers, &o->params, &o->device, e);
	return r ? (r > 0 ? 0 : r) :
		   verity_open(v->dm_name, v->dm_mark, &numbers, &o->params, signature, &o->device,
			       e);
}

static int open_verity(const struct volume *v, const struct disks *disks, int uevents,
		       struct open_volume *o, struct err *e)
{
	int r = 0;

	if (v->proof == VOLUME_SUPERBLOCK)
		r = complete_from_superblock(v, disks, &o->params, e);
	if (!r)
		r = check_sizes(&o->params, disks, e);
	if (!r)
		r = open_or_adopt(v, disks, o, e);
	if (r)
		return r;
	r = verity_prove(&o->device, &o->params, uevents, e);
	if (!r)
		return 0;
	(void)dm_remove(v->dm_name);
	/* A reference by place or offset may have led to another disk than was meant. */
	if (disks->hash == disks->data)
		return err_prefix(e, r, "%s: ", disks->data->name);
	return err_prefix(e, r, "data on %s, hash tree on %s: ", disks->data->name,
			  disks->hash->name);
}

static void take_raw(const struct blockdev *b, struct mapped_device *ret)
{
	ret->major = b->major;
	ret->minor = b->minor;
	node_path(b, ret->path, sizeof(ret->path));
}

int volume_open(const struct volume *v, const uint8_t *signatures, const struct device_wish *wishes,
		int uevents, struct open_volume *ret, struct err *e)
{
	struct disks disks = find_disks(v, wishes);
	struct open_volume o = {
		.volume = v,
		.signatures = signatures,
		.params = v->verity,
	};
	int r = 0;

	if (v->proof == VOLUME_RAW)
		take_raw(disks.data, &o.device);
	else
		r = open_verity(v, &disks, uevents, &o, e);
	if (!r)
		*ret = o;
	return err_volume(e, r, v->name);
}

int volume_diagnose(const struct open_volume *o, int uevents, struct err *e)
{
	if (o->volume->proof == VOLUME_RAW || !verity_diagnose(&o->device, &o->params, uevents, e))
		return 0;
	return err_volume(e, 1, o->volume->name);
}
