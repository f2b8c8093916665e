// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/inspect/inspect.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image-build/base/json.h"
#include "image-build/base/refuse.h"
#include "image-build/inspect/archives.h"
#include "image-build/inspect/partitions.h"
#include "image-build/oci/docker_archive.h"
#include "image-build/oci/oci_source.h"
#include "lib/cleanup.h"
#include "verity/superblock.h"

struct inspection {
	const char *path;
	const struct inspect_options *options;
	bool found_tree;
};

static bool proof_is_wanted(const struct proof_wanted *wanted)
{
	return wanted->verify || wanted->root_hash;
}

/* What an image comes in, or NULL. */
static const char *image_source(const char *path)
{
	const char *found = NULL;
	struct oci_source s;
	char *text = NULL;
	size_t size;

	if (oci_source_open(&s, path, ".", NULL))
		return NULL;
	if (!oci_source_text(&s, "oci-layout", &text, &size, NULL))
		found = "OCI image layout";
	else if (docker_archive_is(&s))
		found = "docker archive";
	free(text);
	oci_source_close(&s);
	return found;
}

/* What kind of thing begins a slice. */
static int probe(const struct slice *x, enum image_kind *ret, uint8_t head[PROBE_BYTES],
		 struct err *e)
{
	ssize_t n = slice_read(x, head, PROBE_BYTES, 0);

	if (n < 0)
		return system_result(e, n, "read");
	*ret = probe_kind(head, (size_t)n);
	return 0;
}

/*
 * A file system, with or without a tree behind it. What is neither is looked
 * into where numbers say where its tree is.
 */
static int inspect_data(struct inspection *in, const struct slice *x, enum image_kind kind,
			const char *device, struct json_object *o, struct err *e)
{
	const struct proof_wanted *wanted = &in->options->wanted;
	struct filesystem fs = { .size_bytes = 0 };
	char type[40];
	bool found = false;
	int r = 0;

	if (filesystem_known(kind))
		r = filesystem_read(x, kind, &fs, o, e);
	else if (!wanted->given)
		return 0;
	if (!r)
		r = protection_read(x, &fs, wanted, device, o, &found, e);
	in->found_tree = in->found_tree || found;
	if (found) {
		snprintf(type, sizeof(type), "%s+verity", probe_name(kind));
		json_add_text(o, "type", type);
	}
	return r;
}

/* --- disks with partitions --------------------------------------------------------- */

static int inspect_partition(struct inspection *in, const struct slice *disk,
			     const struct partition *p, struct json_object *o, struct err *e)
{
	struct slice x = { disk->fd, disk->offset + p->offset, p->size };
	uint8_t head[PROBE_BYTES];
	enum image_kind kind;
	char device[64];
	int r;

	json_add_number(o, "number", p->number);
	if (*p->name)
		json_add_text(o, "name", p->name);
	json_add_text(o, "partuuid", p->uuid);
	json_add_text(o, "partition_type", p->type);
	json_add_number(o, "offset", p->offset);
	json_add_number(o, "size", p->size);
	snprintf(device, sizeof(device), "PARTUUID=%s", p->uuid);
	r = probe(&x, &kind, head, e);
	if (r)
		return r;
	json_add_text(o, "type", probe_name(kind));
	return inspect_data(in, &x, kind, device, o, e);
}

static int inspect_partitions(struct inspection *in, const struct slice *disk,
			      unsigned int sector_size, struct json_object *o, struct err *e)
{
	static struct partition list[PARTITIONS_MAX];
	struct json_object *array = json_object_new_array();
	unsigned int only = in->options->partition;
	size_t count = 0, seen = 0;
	int r = partitions_read(disk, sector_size, list, &count, e);

	json_add_number(o, "sector_size", sector_size);
	json_object_object_add(o, "partitions", array);
	for (size_t i = 0; !r && i < count; i++) {
		struct json_object *partition;

		if (only && list[i].number != only)
			continue;
		seen++;
		partition = json_object_new_object();
		json_object_array_add(array, partition);
		r = inspect_partition(in, disk, &list[i], partition, e);
		r = err_prefix(e, r, "partition %u: ", list[i].number);
	}
	if (!r && only && !seen)
		r = refuse(e, "it has no partition %u", only);
	return r;
}

static int inspect_disk(struct inspection *in, const struct slice *disk, enum image_kind kind,
			const uint8_t head[PROBE_BYTES], struct json_object *o, struct err *e)
{
	const struct inspect_options *options = in->options;
	bool large = kind == IMAGE_GPT && memcmp(head + 512, "EFI PART", 8);

	if (!options->partition && (options->wanted.given || options->wanted.root_hash))
		return refuse(e, "it has partitions; choose one with --partition");
	return inspect_partitions(in, disk, large ? 4096 : 512, o, e);
}

/* --- files ------------------------------------------------------------------------- */

/* A hash device of its own: its data is elsewhere, so nothing can be computed. */
static int inspect_hash_device(const struct slice *x, const uint8_t *head, struct json_object *o,
			       struct err *e)
{
	struct json_object *verity;
	struct verity_params p;
	int r = 0;

	if (x->size < VERITY_SUPERBLOCK_SIZE)
		return refuse(e, "its verity superblock is cut short");
	r = verity_superblock_read(head, 0, &p, NULL, e);
	if (r)
		return r;
	verity = json_object_new_object();
	json_add_verity(verity, &p);
	json_object_object_add(o, "verity", verity);
	return 0;
}

static void inspect_tar(const struct inspection *in, struct json_object *o)
{
	const char *source = in->options->wanted.given ? NULL : image_source(in->path);
	char type[40];

	if (!source)
		return;
	snprintf(type, sizeof(type), "%s (tar)", source);
	json_add_text(o, "type", type);
}

static int inspect_file(struct inspection *in, const struct slice *x, struct json_object *o,
			struct err *e)
{
	uint8_t head[PROBE_BYTES];
	enum image_kind kind;
	int r = probe(x, &kind, head, e);

	if (r)
		return r;
	json_add_text(o, "type", probe_name(kind));
	if (kind != IMAGE_GPT && kind != IMAGE_MBR && in->options->partition)
		return refuse(e, "it has no partitions");
	switch (kind) {
	case IMAGE_GPT:
	case IMAGE_MBR:
		return inspect_disk(in, x, kind, head, o, e);
	case IMAGE_VERITY:
		return inspect_hash_device(x, head, o, e);
	case IMAGE_CPIO:
		return archives_read(x, o, e);
	case IMAGE_GZIP:
	case IMAGE_ZSTD:
	case IMAGE_XZ:
	case IMAGE_LZ4:
		r = archives_read(x, o, e);
		/* A compressed something else is not an error. */
		return r == -ENODATA ? 0 : r;
	case IMAGE_TAR:
		inspect_tar(in, o);
		break;
	case IMAGE_EROFS:
	case IMAGE_EXT4:
	case IMAGE_SQUASHFS:
	case IMAGE_XFS:
	case IMAGE_ELF:
	case IMAGE_KERNEL:
	case IMAGE_UNKNOWN:
		break;
	}
	return inspect_data(in, x, kind, NULL, o, e);
}

static int size_of(int fd, const struct stat *st, uint64_t *ret, struct err *e)
{
	off_t end = S_ISBLK(st->st_mode) ? lseek(fd, 0, SEEK_END) : st->st_size;

	if (end < 0)
		return system_failed(e, "find its size");
	*ret = (uint64_t)end;
	return 0;
}

int inspect_path(const char *path, const struct inspect_options *options, struct json_object *o,
		 struct err *e)
{
	struct inspection in = { .path = path, .options = options };
	int fd auto_fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct slice x = { .fd = fd };
	struct stat st;
	int r;

	if (fd < 0 || fstat(fd, &st))
		return system_failed(e, "open");
	if (S_ISDIR(st.st_mode)) {
		const char *source = image_source(path);

		json_add_text(o, "type", source ? source : "directory");
		r = 0;
	} else if (!S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode)) {
		return refuse(e, "neither a file nor a block device nor a directory");
	} else {
		r = size_of(fd, &st, &x.size, e);
		if (!r) {
			json_add_number(o, "size", x.size);
			r = inspect_file(&in, &x, o, e);
		}
	}
	if (!r && proof_is_wanted(&options->wanted) && !in.found_tree)
		r = refuse(e, "no verity superblock behind its data; --verify=LAYER verifies a "
			      "tree without");
	return r;
}
