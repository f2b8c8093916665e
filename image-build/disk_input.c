// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/disk_input.h"

#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image-build/base/identify.h"
#include "image-build/base/limits.h"
#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "image-build/disk/hash_tree.h"
#include "image-build/inspect/filesystem.h"
#include "image-build/inspect/protection.h"
#include "image-build/oci/document.h"
#include "lib/hex.h"
#include "lib/io.h"

#define BLOCK 4096 /* bytes; of data and hash, where the file system allows it */

/* What is known of a file before it is read. */
struct wish {
	const char *path;
	const char *root_hash; /* in hex, that it must have; or NULL */
};

static int open_file(const char *path, struct slice *ret, struct err *e)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	off_t size;

	if (fd < 0)
		return system_failed(e, "open %.200s", path);
	size = fstat(fd, &st) || (!S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode)) ?
		       -1 :
		       lseek(fd, 0, SEEK_END);
	if (size <= 0) {
		close(fd);
		return refuse(e, "%.200s: %s", path,
			      size ? "neither a file nor a block device" : "empty");
	}
	*ret = (struct slice){ .fd = fd, .size = (uint64_t)size };
	return 0;
}

static int read_filesystem(struct disk_part *p, struct filesystem *fs, struct err *e)
{
	struct json_object *said = json_object_new_object();
	uint8_t head[PROBE_BYTES];
	ssize_t n = slice_read(&p->file, head, sizeof(head), 0);
	enum image_kind kind;
	int r;

	if (n < 0)
		return system_result(e, n, "read");
	kind = probe_kind(head, (size_t)n);
	r = filesystem_known(kind) ? filesystem_read(&p->file, kind, fs, said, e) :
				     refuse(e, "no file system (%s)", probe_name(kind));
	json_object_put(said);
	if (r)
		return r;
	snprintf(p->fstype, sizeof(p->fstype), "%s", probe_name(kind));
	p->io_size = fs->io_size;
	return 0;
}

/* A tree that is there tells where the data end; else it is the end of the file. */
static int read_protection(struct disk_part *p, const struct filesystem *fs, bool tarfs,
			   struct err *e)
{
	struct filesystem alone = *fs;
	int r = protection_find(&p->file, fs, &p->verity, p->uuid, &p->sealed, e);

	if (r)
		return r;
	p->data = p->file;
	if (p->sealed)
		p->data.size = p->verity.data_blocks * p->verity.data_block_size;
	p->devices = fs->more_devices;
	if (tarfs)
		alone.more_devices = 0;
	return protection_judge(&alone, p->sealed ? &p->verity : NULL, e);
}

static int hold_against(const struct disk_part *p, const char *root_hash, struct err *e)
{
	char text[2 * VERITY_DIGEST_MAX + 1];

	if (!p->sealed)
		return refuse(e, "image.json tells its root hash, but it has no hash tree");
	hex_encode(p->verity.root_hash, p->verity.root_hash_size, text);
	if (strcmp(text, root_hash))
		return err_set(e, FAIL_ROOT_HASH_MISMATCH, EBADMSG,
			       "its root hash is not the one that image.json tells");
	return 0;
}

/* --- what tree it is to have ---------------------------------------------------------- */

static int set_salt(struct disk_part *p, const struct salt_choice *salt, struct err *e)
{
	struct digest content;
	int r;

	if (salt->kind != SALT_CONTENT) {
		p->verity.salt_size = salt->kind == SALT_GIVEN ? salt->size : 0;
		memcpy(p->verity.salt, salt->bytes, p->verity.salt_size);
		return 0;
	}
	r = digest_file(p->data.fd, p->data.size, p->path, &content, e);
	if (r)
		return r;
	p->verity.salt_size = (uint16_t)content.size;
	memcpy(p->verity.salt, content.bytes, content.size);
	return 0;
}

/* A tree of our own choice. What the image had has been read; it must have been right. */
static int choose_tree(struct disk_part *p, const struct salt_choice *salt, bool equal_blocks,
		       struct err *e)
{
	struct verity_params *v = &p->verity;
	int r = p->sealed ? verity_check(&p->file, v, e) : 0;

	if (r)
		return r;
	p->sealed = false;
	verity_params_init(v);
	v->data_block_size = p->io_size < BLOCK ? p->io_size : BLOCK;
	v->hash_block_size = equal_blocks ? v->data_block_size : BLOCK;
	v->data_blocks = (p->data.size + v->data_block_size - 1) / v->data_block_size;
	return set_salt(p, salt, e);
}

static int set_tree(const struct disk *d, struct disk_part *p, struct err *e)
{
	static const struct salt_choice zero = { .kind = SALT_GIVEN, .size = 32 },
					none = { .kind = SALT_NONE },
					content = { .kind = SALT_CONTENT };
	bool given = d->options->given & DISK_SALT;

	switch (d->format->salt) {
	case DISK_SALT_ZERO:
		return choose_tree(p, given ? &d->options->salt : &zero, true, e);
	case DISK_SALT_NONE:
		return choose_tree(p, &none, false, e);
	case DISK_SALT_OWN:
		break;
	}
	if (p->sealed && !given)
		return 0;
	/* Parity wants blocks of one size. */
	return choose_tree(p, given ? &d->options->salt : &content, d->options->fec_roots, e);
}

static int read_part(const struct disk *d, struct disk_part *p, const struct wish *w, struct err *e)
{
	struct filesystem fs;
	int r;

	if (d->format->tarfs && d->count > 1)
		return 0;
	r = read_filesystem(p, &fs, e);
	if (!r)
		r = read_protection(p, &fs, d->format->tarfs, e);
	if (!r && w->root_hash)
		r = hold_against(p, w->root_hash, e);
	return r ? r : set_tree(d, p, e);
}

static int add_part(struct disk *d, const struct wish *w, struct err *e)
{
	struct disk_part *p = &d->parts[d->count];
	int r;

	if (d->count == d->format->parts_max)
		return refuse_limit(e, "format %s takes at most %zu file system%s", d->format->name,
				    d->format->parts_max, d->format->parts_max == 1 ? "" : "s");
	*p = (struct disk_part){ .path = memory_text(w->path), .file = { .fd = -1 } };
	d->count++;
	r = open_file(p->path, &p->file, e);
	if (!r)
		r = err_prefix(e, read_part(d, p, w, e), "%.200s: ", p->path);
	return r;
}

/* --- image.json ------------------------------------------------------------------------- */

static int add_layer(struct disk *d, struct json_object *layer, const char *directory,
		     struct err *e)
{
	const char *file = document_text(layer, "file", PATH_MAX);
	struct json_object *verity = document_member(layer, "verity", json_type_object);
	const char *root = document_text(verity, "root_hash", 2 * VERITY_DIGEST_MAX + 1);
	char *path auto_text = NULL;

	if (!file || !*file || strchr(file, '/') || !root || !*root)
		return refuse(e, "no file with a root hash");
	path = memory_printf("%s/%s", directory, file);
	return add_part(d, &(struct wish){ path, root }, e);
}

static int add_layers(struct disk *d, const char *path, struct json_object *document, struct err *e)
{
	struct json_object *list = document_member(document, "layers", json_type_array);
	char *copy auto_text = memory_text(path);
	const char *directory = dirname(copy);
	size_t count = list ? json_object_array_length(list) : 0;
	int r = count ? 0 : refuse(e, "%.200s: no image.json: it has no layers", path);

	for (size_t i = 0; !r && i < count; i++)
		r = err_prefix(e, add_layer(d, json_object_array_get_idx(list, i), directory, e),
			       "layer %zu: ", i);
	return r;
}

/* Whether it begins like a JSON object, and the whole of it then. */
static int read_document(const char *path, struct json_object **ret, struct err *e)
{
	struct slice file = { .fd = -1 };
	char *text auto_text = NULL;
	char first = 0;
	ssize_t n;
	int r = open_file(path, &file, e);

	*ret = NULL;
	if (r)
		return r;
	if (slice_read(&file, &first, 1, 0) == 1 && first == '{' && file.size <= LIMIT_JSON_BYTES) {
		text = memory_zero(1, (size_t)file.size + 1);
		n = slice_read(&file, text, (size_t)file.size, 0);
		r = n == (ssize_t)file.size ?
			    document_parse(text, (size_t)n, path, json_type_object, ret, e) :
			    system_result(e, n, "read %.200s", path);
	}
	close(file.fd);
	return r;
}

static int add_operand(struct disk *d, const char *path, struct err *e)
{
	struct json_object *document = NULL;
	int r = read_document(path, &document, e);

	if (!r)
		r = document ? add_layers(d, path, document, e) :
			       add_part(d, &(struct wish){ path, NULL }, e);
	json_object_put(document);
	return r;
}

int disk_inputs_open(struct disk *d, struct err *e)
{
	const struct option_list *operands = d->operands;
	int r = 0;

	d->parts = memory_zero(DISK_PARTS_MAX + 1, sizeof(*d->parts));
	for (size_t i = 0; !r && i < operands->count; i++)
		r = add_operand(d, operands->at[i], e);
	return r;
}

void disk_inputs_close(struct disk *d)
{
	for (size_t i = 0; d->parts && d->parts[i].path; i++) {
		if (d->parts[i].file.fd >= 0)
			close(d->parts[i].file.fd);
		free(d->parts[i].path);
	}
	free(d->parts);
	d->parts = NULL;
}
