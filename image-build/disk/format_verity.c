// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * File system and hash tree on one device, which is what `layers' and `merge' make, or in
 * two files; with parity where it is wanted.
 */
#include <stdio.h>
#include <unistd.h>

#include "image-build/base/refuse.h"
#include "image-build/disk/disk_parts.h"
#include "image-build/disk/fec_write.h"
#include "lib/hex.h"

static bool has_superblock(const struct disk *d)
{
	return !d->options->no_superblock;
}

/* The parity, from a place of a file on. */
static int write_parity(struct disk *d, int hash_fd, uint64_t hash_end, int fd, uint64_t at,
			struct err *e)
{
	struct disk_part *p = &d->parts[0];
	struct slice hash_device = { .fd = hash_fd, .size = hash_end };
	uint64_t size = 0;
	int r;

	p->verity.fec_roots = (uint32_t)d->options->fec_roots;
	p->verity.fec_start_bytes = at;
	r = fec_size(&p->verity, &size, e);
	if (!r)
		r = fec_write(&p->data, &hash_device, &p->verity, fd, at, e);
	if (!r && ftruncate(fd, (off_t)(at + size)))
		r = system_failed(e, "extend the disk");
	return err_prefix(e, r, "%s: ", p->path);
}

/*
 * Each file is a disk, and its serial number says which: hash and fec are what is
 * behind that of the data.
 */
static void refer(struct disk_part *p, const char *hash, const char *fec)
{
	char serial[SERIAL_DIGITS + 1];
	int n;

	hex_encode(p->verity.root_hash, SERIAL_DIGITS / 2, serial);
	n = snprintf(p->device, sizeof(p->device), "SERIAL=%s", serial);
	if (hash)
		n += snprintf(p->device + n, sizeof(p->device) - (size_t)n,
			      ",hash_device=SERIAL=%s%s", serial, hash);
	if (p->verity.fec_roots)
		snprintf(p->device + n, sizeof(p->device) - (size_t)n, ",fec_device=SERIAL=%s%s",
			 serial, fec);
}

static int write_verity(struct disk *d, struct err *e)
{
	struct disk_part *p = &d->parts[0];
	uint64_t end = 0;
	int fd = d->out.fd;
	int r = part_place_tree(p, part_data_bytes(p), has_superblock(d), &end, e);

	if (!r)
		r = part_write_data(p, fd, 0, e);
	if (!r)
		r = part_write_tree(p, fd, 0, has_superblock(d), e);
	if (!r && ftruncate(fd, (off_t)end))
		r = system_failed(e, "extend the disk");
	if (!r && d->options->fec_roots)
		r = write_parity(d, fd, end, fd, end, e);
	if (!r)
		refer(p, NULL, "");
	return r;
}

static int write_hash_file(struct disk *d, struct err *e)
{
	struct disk_part *p = &d->parts[0];
	struct output *hash, *fec;
	uint64_t end = 0;
	int r = part_place_tree(p, 0, has_superblock(d), &end, e);

	if (!r)
		r = disk_file(d, ".hash", &hash, e);
	if (!r)
		r = part_write_data(p, d->out.fd, 0, e);
	if (!r)
		r = part_write_tree(p, hash->fd, 0, has_superblock(d), e);
	if (!r &&
	    (ftruncate(hash->fd, (off_t)end) || ftruncate(d->out.fd, (off_t)part_data_bytes(p))))
		r = system_failed(e, "extend the disk");
	if (!r && d->options->fec_roots) {
		r = disk_file(d, ".fec", &fec, e);
		if (!r)
			r = write_parity(d, hash->fd, end, fec->fd, 0, e);
	}
	if (!r)
		refer(p, "-hash", "-fec");
	return r;
}

const struct disk_format format_verity = {
	.name = "verity",
	.summary = "a file system with its hash tree behind it",
	.takes = DISK_SALT | DISK_NO_SUPERBLOCK | DISK_FEC,
	.parts_max = 1,
	.write = write_verity,
};

const struct disk_format format_hash_file = {
	.name = "hash-file",
	.summary = "a file system, and its hash tree in a file of its own",
	.takes = DISK_SALT | DISK_NO_SUPERBLOCK | DISK_FEC,
	.parts_max = 1,
	.write = write_hash_file,
};
