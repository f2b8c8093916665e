// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * Kata's guest image and its extensions: an MBR, the file system in partition 1, its tree
 * without a superblock in partition 2. Source: kata-containers,
 * tools/osbuilder/image-builder/image_builder.sh, nsdax.gpl.c;
 * docs/design/composable-vm-images.md.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "image-build/base/json.h"
#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "image-build/disk/disk_parts.h"
#include "image-build/disk/mbr.h"
#include "image-build/disk/pfn.h"
#include "lib/hex.h"
#include "lib/le.h"

#define ALIGNMENT     (1ULL << 20)   /* bytes; where partitions start */
#define DAX_ALIGNMENT (128ULL << 20) /* bytes; what memory is plugged in units of */

/* One line for the runtime's configuration; the same words are in root_hash_*.txt. */
static char *verity_params_text(const struct verity_params *v)
{
	char root[2 * VERITY_DIGEST_MAX + 1], salt[2 * VERITY_SALT_MAX + 1];

	hex_encode(v->root_hash, v->root_hash_size, root);
	hex_encode(v->salt, v->salt_size, salt);
	return memory_printf("root_hash=%s,salt=%s,data_blocks=%" PRIu64 ",data_block_size=%" PRIu32
			     ",hash_block_size=%" PRIu32,
			     root, salt, v->data_blocks, v->data_block_size, v->hash_block_size);
}

/* What the runtime cannot say, it takes for granted. */
static int check_part(const struct disk_part *p, struct err *e)
{
	if (!p->verity.salt_size)
		return refuse(e, "%s: Kata's parameters need a salt: choose one with --salt",
			      p->path);
	if (strcmp(p->verity.hash_name, "sha256") || p->verity.hash_type != 1)
		return refuse(e,
			      "%s: its tree is of %s, format %" PRIu32
			      "; Kata's are of sha256, format 1",
			      p->path, p->verity.hash_name, p->verity.hash_type);
	return 0;
}

static void report(struct disk *d, const struct mbr *m, uint64_t header)
{
	static const char *const names[] = { "file system", "hash tree" };

	for (unsigned int i = 0; i < 2; i++) {
		char uuid[24];

		snprintf(uuid, sizeof(uuid), "%08" PRIx32 "-%02u", m->signature, i + 1);
		disk_report_partition(d, names[i], uuid, header + m->entries[i].offset,
				      m->entries[i].size);
	}
	snprintf(d->parts[0].device, DISK_DEVICE_MAX,
		 "PARTUUID=%08" PRIx32 "-01,hash_device=PARTUUID=%08" PRIx32 "-02", m->signature,
		 m->signature);
}

/*
 * As a disk all of it counts, so the first table has the partitions where they are;
 * as persistent memory the kernel shows what lies behind the header, and the table there
 * has them as they are seen then.
 */
static int write_tables(struct disk *d, struct mbr *m, uint64_t header, struct err *e)
{
	uint8_t uuid[UUID_SIZE];
	uint64_t unit = header ? DAX_ALIGNMENT : ALIGNMENT;
	uint64_t size = align_up(header + m->entries[1].offset + m->entries[1].size, unit);
	struct mbr outer = *m;
	int r;

	m->signature = outer.signature = (uint32_t)le_get(d->parts[0].verity.root_hash, 4);
	if (ftruncate(d->out.fd, (off_t)size))
		return system_failed(e, "extend the disk");
	r = mbr_write(m, d->out.fd, header, e);
	if (r || !header)
		return r;
	for (size_t i = 0; i < outer.count; i++)
		outer.entries[i].offset += header;
	disk_uuid(d, "socle pfn", uuid);
	r = mbr_write(&outer, d->out.fd, 0, e);
	if (!r)
		r = pfn_write(d->out.fd, size, uuid, e);
	return r;
}

static int write_disk(struct disk *d, uint64_t header, struct err *e)
{
	struct disk_part *p = &d->parts[0];
	struct mbr m = { .count = 2 };
	uint64_t end = 0;
	int r = check_part(p, e);

	if (!r)
		r = part_place_tree(p, 0, false, &end, e);
	if (r)
		return r;
	/* A single data block is its own tree: an empty partition there is none. */
	m.entries[0] = (struct mbr_entry){ ALIGNMENT, part_data_bytes(p) };
	m.entries[1].offset = align_up(ALIGNMENT + m.entries[0].size, ALIGNMENT);
	m.entries[1].size = end ? end : p->verity.hash_block_size;
	r = part_write_data(p, d->out.fd, header + m.entries[0].offset, e);
	if (!r)
		r = part_write_tree(p, d->out.fd, header + m.entries[1].offset, false, e);
	if (!r)
		r = write_tables(d, &m, header, e);
	if (!r)
		report(d, &m, header);
	return r;
}

static int write_kata(struct disk *d, struct err *e)
{
	uint64_t header = d->options->dax_header ? PFN_HEADER_BYTES : 0;
	char *params auto_text = NULL, *line auto_text = NULL;
	int r = write_disk(d, header, e);

	if (r)
		return r;
	params = verity_params_text(&d->parts[0].verity);
	line = memory_printf("%s\n", params);
	json_add_text(d->report, "kernel_verity_params", params);
	return disk_text_file(d, ".root_hash.txt", line, e);
}

/* What both runtimes and the guest's scripts take. */
static int check_name(const char *name, struct err *e)
{
	size_t size = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				   "0123456789_-");

	if (!size || name[size])
		return refuse(e, "--name: \"%.40s\" is not a name of letters, digits, _ and -",
			      name);
	return 0;
}

static int write_extension(struct disk *d, struct err *e)
{
	char *params auto_text = NULL, *line auto_text = NULL, *key auto_text = NULL,
		     *serial auto_text = NULL;
	const char *name = d->options->name;
	int r = check_name(name, e);

	if (!r && strcmp(d->parts[0].fstype, "erofs"))
		r = refuse(e, "%s: an extension is an erofs", d->parts[0].path);
	if (!r)
		r = write_disk(d, 0, e);
	if (r)
		return r;
	params = verity_params_text(&d->parts[0].verity);
	line = memory_printf("%s\n", params);
	key = memory_printf("kata.extension.%s.verity_params=%s", name, params);
	/* virtio-blk has room for 20 bytes. */
	serial = memory_printf("extension-%.10s", name);
	json_add_text(d->report, "extension", name);
	json_add_text(d->report, "serial", serial);
	json_add_text(d->report, "verity_params", params);
	json_add_text(d->report, "kernel_parameter", key);
	if (strlen(name) > 10)
		fprintf(stderr,
			"socle-image: warning: the name %s is longer than the 10 bytes "
			"that a virtio-blk serial number has room for; Kata's own guest "
			"does not find such a disk\n",
			name);
	return disk_text_file(d, ".root_hash.txt", line, e);
}

const struct disk_format format_kata = {
	.name = "kata",
	.summary = "Kata's guest image: MBR, file system, tree without a superblock",
	.takes = DISK_SALT | DISK_DAX_HEADER,
	.parts_max = 1,
	.write = write_kata,
};

const struct disk_format format_kata_extension = {
	.name = "kata-extension",
	.summary = "a guest extension of Kata: the same, with the name that --name gives it",
	.takes = DISK_SALT | DISK_NAME,
	.needs = DISK_NAME,
	.parts_max = 1,
	.write = write_extension,
};
