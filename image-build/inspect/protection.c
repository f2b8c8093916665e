// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/inspect/protection.h"

#include <inttypes.h>
#include <string.h>

#include "image-build/base/json.h"
#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "image-build/bundle/image_json.h"
#include "image-build/disk/hash_tree.h"
#include "lib/hex.h"
#include "lib/uuid.h"
#include "verity/superblock.h"

#define SECTOR 512
#define CHUNK  (1 << 20)

/*
 * The first superblock's place behind the file system. Its producers put it at
 * the next data or hash block (ours, veritysetup's), or behind a tar that goes on
 * where its index ends (containerd's), so each sector is looked at.
 */
static int find_superblock(const struct slice *x, uint64_t from, uint64_t *ret, bool *found,
			   struct err *e)
{
	char *chunk auto_text = memory_zero(1, CHUNK);
	uint64_t at = (from + SECTOR - 1) / SECTOR * SECTOR;
	ssize_t n;

	*found = false;
	for (; (n = slice_read(x, chunk, CHUNK, at)) > 0; at += CHUNK)
		for (ssize_t i = 0; i + VERITY_SUPERBLOCK_SIZE <= n; i += SECTOR)
			if (!memcmp(chunk + i, "verity\0\0", 8)) {
				*ret = at + (uint64_t)i;
				*found = true;
				return 0;
			}
	return n < 0 ? system_result(e, n, "read") : 0;
}

static int read_superblock(const struct slice *x, uint64_t at, struct verity_params *p,
			   uint8_t uuid[UUID_SIZE], struct err *e)
{
	uint8_t bytes[VERITY_SUPERBLOCK_SIZE];
	ssize_t n = slice_read(x, bytes, sizeof(bytes), at);
	int r;

	if (n != (ssize_t)sizeof(bytes))
		return system_result(e, n, "read the verity superblock");
	r = verity_superblock_read(bytes, at, p, uuid, e);
	if (!r && p->data_blocks > at / p->data_block_size)
		r = refuse(e,
			   "its verity superblock claims %" PRIu64 " data blocks, but only %" PRIu64
			   " fit in front of it",
			   p->data_blocks, at / p->data_block_size);
	return r;
}

int protection_find(const struct slice *x, const struct filesystem *fs, struct verity_params *p,
		    uint8_t uuid[UUID_SIZE], bool *found, struct err *e)
{
	uint64_t at = 0;
	int r = find_superblock(x, fs->size_bytes, &at, found, e);

	if (!r && *found)
		r = read_superblock(x, at, p, uuid, e);
	if (!r && *found)
		r = verity_root(x, p, e);
	return r;
}

/* The root hash that the user knows must be the one that the file shows. */
static int hold_against(const char *known_text, const struct verity_params *p, struct err *e)
{
	uint8_t known[VERITY_DIGEST_MAX];
	int size = hex_decode(known_text, known, sizeof(known));

	if (size != (int)verity_digest_size(p->hash_name))
		return refuse(e, "--root-hash: not %u bytes in hex",
			      verity_digest_size(p->hash_name));
	if (memcmp(known, p->root_hash, (size_t)size))
		return err_set(e, FAIL_ROOT_HASH_MISMATCH, EBADMSG,
			       "the top of its tree does not match --root-hash");
	return 0;
}

int protection_judge(const struct filesystem *fs, const struct verity_params *p, struct err *e)
{
	uint64_t covered = p ? p->data_blocks * p->data_block_size : 0;

	if (fs->more_devices)
		return refuse(e,
			      "its file system needs %u more device%s, which a layer does not name",
			      fs->more_devices, fs->more_devices == 1 ? "" : "s");
	if (p && fs->size_bytes && p->data_block_size > fs->io_size)
		return refuse(e,
			      "its data blocks of %" PRIu32 " bytes are larger than the file "
			      "system's of %" PRIu32 ", so no kernel mounts it",
			      p->data_block_size, fs->io_size);
	if (p && covered < fs->size_bytes)
		return refuse(e,
			      "its hash tree covers %" PRIu64 " bytes, and the file system has "
			      "%" PRIu64,
			      covered, fs->size_bytes);
	return 0;
}

static void add_verity(struct json_object *o, const struct verity_params *p, const uint8_t *uuid)
{
	struct json_object *verity = json_object_new_object();
	char text[UUID_TEXT_SIZE];

	json_add_verity(verity, p);
	json_add_hex(verity, "root_hash", p->root_hash, p->root_hash_size);
	if (uuid) {
		uuid_text(uuid, text);
		json_add_text(verity, "uuid", text);
	}
	json_object_object_add(o, "verity", verity);
}

static void add_cmdline(struct json_object *o, const char *device, const struct verity_params *p)
{
	char serial[SERIAL_DIGITS + 1];
	char *reference auto_text = NULL, *layer auto_text = NULL, *line auto_text = NULL;

	hex_encode(p->root_hash, SERIAL_DIGITS / 2, serial);
	if (!device)
		json_add_text(o, "serial", serial);
	reference = device ? memory_text(device) : memory_printf("SERIAL=%s", serial);
	layer = image_layer_text(reference, p);
	line = memory_printf("socle.layer=%s", layer);
	json_add_text(o, "cmdline", line);
}

/* Prove what is wanted of a tree whose parameters are known, p's root hash included. */
static int prove(const struct slice *x, const struct verity_params *p,
		 const struct proof_wanted *wanted, struct json_object *o, struct err *e)
{
	int r = wanted->root_hash ? hold_against(wanted->root_hash, p, e) : 0;

	if (r || !wanted->verify)
		return r;
	r = verity_check(x, p, e);
	if (!r)
		json_add_bool(o, "verified", true);
	return r;
}

int protection_read(const struct slice *x, const struct filesystem *fs,
		    const struct proof_wanted *wanted, const char *device, struct json_object *o,
		    bool *found, struct err *e)
{
	struct err why = { .text = "" };
	struct verity_params p;
	uint8_t uuid[UUID_SIZE];
	int r = 0;

	*found = true;
	if (wanted->given)
		p = *wanted->given;
	else
		r = protection_find(x, fs, &p, uuid, found, e);
	if (r)
		return r;
	(void)protection_judge(fs, *found ? &p : NULL, &why);
	if (*found)
		add_verity(o, &p, wanted->given ? NULL : uuid);
	if (*why.text)
		json_add_text(o, "not_a_layer", why.text);
	else if (*found)
		add_cmdline(o, device, &p);
	if (*why.text && (wanted->verify || wanted->root_hash)) {
		*e = why;
		return -EINVAL;
	}
	return *found ? prove(x, &p, wanted, o, e) : 0;
}
