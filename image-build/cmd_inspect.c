// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* socle-image inspect: what a file is, and the verity parameters that it carries. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "image-build/command.h"
#include "image-build/initramfs/cpio_scan.h"
#include "image-build/base/json.h"
#include "image-build/bundle/image_json.h"
#include "image-build/base/memory.h"
#include "image-build/oci/oci_source.h"
#include "image-build/base/identify.h"
#include "image-build/base/refuse.h"
#include "image-build/disk/hash_tree.h"
#include "lib/cleanup.h"
#include "lib/hex.h"
#include "lib/io.h"
#include "lib/uuid.h"
#include "mount/fs/erofs.h"
#include "verity/superblock.h"

struct options {
	bool json;
	bool verify;
	const char *root_hash;
};

/* One command's findings; printed as text or as JSON from the same object. */
struct report {
	const struct options *options;
	const char *path;
	int fd;
	uint64_t size;
	uint8_t head[PROBE_BYTES];
	size_t head_size;
	struct json_object *o;
};

static void add_uuid(struct json_object *o, const char *key, const uint8_t uuid[UUID_SIZE])
{
	char text[UUID_TEXT_SIZE];

	uuid_text(uuid, text);
	json_add_text(o, key, text);
}

static void add_verity(struct report *r, const struct verity_params *p, const uint8_t *uuid)
{
	struct json_object *o = json_object_new_object();
	struct built_image image = { .verity = *p };
	char *layer auto_text = NULL, *line auto_text = NULL;

	json_add_verity(o, p);
	json_add_hex(o, "root_hash", p->root_hash, p->root_hash_size);
	add_uuid(o, "uuid", uuid);
	json_object_object_add(r->o, "verity", o);
	hex_encode(p->root_hash, SERIAL_DIGITS / 2, image.serial);
	layer = image_layer_text(&image);
	line = memory_printf("socle.layer=%s", layer);
	json_add_text(r->o, "serial", image.serial);
	json_add_text(r->o, "cmdline", line);
}

/* The root hash that the user knows must be the one that the file shows. */
static int check_root_hash(const struct options *o, const struct verity_params *p, struct err *e)
{
	uint8_t known[VERITY_DIGEST_MAX];
	int size;

	if (!o->root_hash)
		return 0;
	size = hex_decode(o->root_hash, known, sizeof(known));
	if (size != (int)verity_digest_size(p->hash_name))
		return refuse(e, "--root-hash: not %u bytes in hex",
			      verity_digest_size(p->hash_name));
	if (memcmp(known, p->root_hash, (size_t)size))
		return err_set(e, FAIL_ROOT_HASH_MISMATCH, EBADMSG,
			       "the top of its tree does not match --root-hash");
	return 0;
}

/*
 * Verity parameters from a superblock at an offset. *found says whether there is
 * one at all; a bad one is an error.
 */
static int inspect_verity(struct report *r, uint64_t offset, bool *found, struct err *e)
{
	uint8_t bytes[VERITY_SUPERBLOCK_SIZE], uuid[UUID_SIZE];
	struct verity_params p;
	int ret;

	*found = false;
	if (io_pread(r->fd, bytes, sizeof(bytes), offset) != (ssize_t)sizeof(bytes))
		return 0;
	ret = verity_superblock_read(bytes, offset, &p, uuid, e);
	if (ret == -ENODATA)
		return 0;
	*found = true;
	if (!ret && p.data_blocks > offset / p.data_block_size)
		ret = refuse(e,
			     "its verity superblock claims %" PRIu64
			     " data blocks, but only %" PRIu64 " are before it",
			     p.data_blocks, offset / p.data_block_size);
	if (!ret)
		ret = verity_root(r->fd, &p, e);
	if (!ret)
		ret = check_root_hash(r->options, &p, e);
	if (!ret)
		add_verity(r, &p, uuid);
	if (!ret && r->options->verify)
		ret = verity_check(r->fd, &p, e);
	if (!ret && r->options->verify)
		json_add_bool(r->o, "verified", true);
	return ret;
}

static int inspect_erofs(struct report *r, struct err *e)
{
	struct erofs_superblock sb;
	uint64_t at;
	bool found;
	int ret;

	if (erofs_superblock_read(r->head, r->head_size, &sb))
		return refuse(e, "its erofs superblock has impossible fields");
	if (sb.size_bytes > r->size)
		return refuse(e, "its erofs has %" PRIu64 " bytes, the file only %" PRIu64,
			      sb.size_bytes, r->size);
	json_add_number(r->o, "block_size", sb.block_size);
	json_add_number(r->o, "filesystem_bytes", sb.size_bytes);
	json_add_number(r->o, "inodes", sb.inodes);
	add_uuid(r->o, "uuid", sb.uuid);
	/* Where this program puts it, and where it may stand behind blocks of 512 bytes. */
	at = (sb.size_bytes + 4095) & ~4095ULL;
	ret = inspect_verity(r, at, &found, e);
	if (!ret && !found && at != sb.size_bytes)
		ret = inspect_verity(r, sb.size_bytes, &found, e);
	if (!ret && found)
		json_add_text(r->o, "type", "erofs+verity");
	return ret;
}

static int inspect_initramfs(struct report *r, struct err *e)
{
	struct json_object *list = json_object_new_array();
	struct cpio_facts facts;
	void *bytes = mmap(NULL, r->size, PROT_READ, MAP_PRIVATE, r->fd, 0);
	int ret;

	if (bytes == MAP_FAILED) {
		json_object_put(list);
		return system_failed(e, "map");
	}
	ret = cpio_scan(bytes, r->size, &facts, e);
	munmap(bytes, r->size);
	for (size_t i = 0; !ret && i < facts.count; i++) {
		struct json_object *o = json_object_new_object();

		json_add_text(o, "compression", facts.segments[i].compression);
		json_add_number(o, "offset", facts.segments[i].offset);
		json_add_number(o, "entries", facts.segments[i].entries);
		json_add_number(o, "content_bytes", facts.segments[i].content_bytes);
		json_object_array_add(list, o);
	}
	if (ret) {
		json_object_put(list);
		return ret;
	}
	json_add_text(r->o, "type", "initramfs");
	json_add_bool(r->o, "init", facts.has_init);
	json_object_object_add(r->o, "archives", list);
	return 0;
}

static bool is_layout(const char *path)
{
	struct oci_source s;
	char *text = NULL;
	size_t size;
	bool found;

	if (oci_source_open(&s, path, ".", NULL))
		return false;
	found = !oci_source_text(&s, "oci-layout", &text, &size, NULL);
	free(text);
	oci_source_close(&s);
	return found;
}

static int inspect_kind(struct report *r, struct err *e)
{
	enum image_kind kind = probe_kind(r->head, r->head_size);
	struct err why = { .text = "" };

	json_add_text(r->o, "type", probe_name(kind));
	switch (kind) {
	case IMAGE_EROFS:
		return inspect_erofs(r, e);
	case IMAGE_VERITY:
		/* Its data is elsewhere: nothing can be computed. */
		return verity_superblock_read(r->head, 0, &(struct verity_params){ 0 }, NULL, e);
	case IMAGE_CPIO:
		return inspect_initramfs(r, e);
	case IMAGE_GZIP:
	case IMAGE_ZSTD:
	case IMAGE_XZ:
		/* A compressed something is not an error. */
		(void)inspect_initramfs(r, &why);
		return 0;
	case IMAGE_TAR:
		if (is_layout(r->path))
			json_add_text(r->o, "type", "OCI image layout (tar)");
		return 0;
	case IMAGE_EXT4:
	case IMAGE_SQUASHFS:
	case IMAGE_XFS:
	case IMAGE_GPT:
	case IMAGE_MBR:
	case IMAGE_ELF:
	case IMAGE_KERNEL:
	case IMAGE_UNKNOWN:
		break;
	}
	return 0;
}

static int inspect(struct report *r, struct err *e)
{
	int fd auto_fd = open(r->path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st))
		return system_failed(e, "open");
	r->fd = fd;
	if (S_ISDIR(st.st_mode)) {
		json_add_text(r->o, "type", is_layout(r->path) ? "OCI image layout" : "directory");
		return 0;
	}
	r->size = (uint64_t)st.st_size;
	if (S_ISBLK(st.st_mode))
		r->size = (uint64_t)lseek(fd, 0, SEEK_END);
	json_add_number(r->o, "size", r->size);
	n = io_pread(fd, r->head, sizeof(r->head), 0);
	if (n < 0)
		return system_result(e, n, "read");
	r->head_size = (size_t)n;
	return inspect_kind(r, e);
}

/* "key: value" lines; an object's and an array's members are set in. */
static void print_value(const char *key, struct json_object *value, int depth)
{
	printf("%*s%s:", depth * 2, "", key);
	if (json_object_is_type(value, json_type_object)) {
		printf("\n");
		json_object_object_foreach(value, inner, v) print_value(inner, v, depth + 1);
	} else if (json_object_is_type(value, json_type_array)) {
		printf("\n");
		for (size_t i = 0; i < json_object_array_length(value); i++)
			print_value("-", json_object_array_get_idx(value, i), depth + 1);
	} else {
		printf(" %s\n", json_object_get_string(value));
	}
}

static void print_report(const struct report *r)
{
	if (r->options->json) {
		printf("%s\n",
		       json_object_to_json_string_ext(r->o,
						      JSON_C_TO_STRING_PRETTY |
							      JSON_C_TO_STRING_SPACED |
							      JSON_C_TO_STRING_NOSLASHESCAPE));
		return;
	}
	json_object_object_foreach(r->o, key, value) print_value(key, value, 0);
}

static const struct option_row options[] = {
	{ "--json", NULL, offsetof(struct options, json), option_flag, false, "print JSON" },
	{ "--verify", NULL, offsetof(struct options, verify), option_flag, false,
	  "recompute every hash; fail with the first block that does not match" },
	{ "--root-hash", "HEX", offsetof(struct options, root_hash), option_text, false,
	  "compare with this root hash, not with the one in the file" },
	{ .name = NULL },
};

static int run(int argc, char **argv)
{
	struct options o = { .json = false };
	struct report r = { .options = &o, .fd = -1 };
	struct err e = { .text = "" };
	int status = option_parse(&command_inspect, argc, argv, &o, &r.path);

	if (status)
		return status;
	r.o = json_object_new_object();
	json_add_text(r.o, "file", r.path);
	status = inspect(&r, &e) ? STATUS_FAILED : STATUS_OK;
	if (!status && (o.verify || o.root_hash) &&
	    !json_object_object_get_ex(r.o, "verity", NULL)) {
		(void)refuse(&e, "no verity superblock behind its data, so nothing to verify");
		status = STATUS_FAILED;
	}
	print_report(&r);
	json_object_put(r.o);
	if (status) {
		err_prefix(&e, "%.200s: ", r.path);
		return command_failed(&e);
	}
	return status;
}

const struct command command_inspect = {
	.name = "inspect",
	.summary = "Say what an image is, and the verity parameters behind it",
	.operands = "<file or directory>",
	.details = "The root hash shown is computed from the top block of the tree that the file\n"
		   "holds; it proves nothing before it is compared with one that is trusted.",
	.options = options,
	.run = run,
};
