// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/disk/verity_format.h"

#include <errno.h>
#include <inttypes.h>
#include <libcryptsetup.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/uuid.h"

/* struct crypt_device *cd auto_crypt = NULL; is freed where its block ends. */
#define auto_crypt __attribute__((cleanup(crypt_cleanup)))

static void crypt_cleanup(struct crypt_device **cd)
{
	crypt_free(*cd);
}

/* The last complaint of libcryptsetup, without a newline; "" where it had none. */
struct complaint {
	char text[ERR_TEXT_SIZE / 2];
};

/* Kept, and not printed. */
static void keep_complaint(int level, const char *message, void *data)
{
	struct complaint *c = data;

	if (level == CRYPT_LOG_ERROR)
		snprintf(c->text, sizeof(c->text), "%.*s", (int)strcspn(message, "\n"), message);
}

static int check_size(const char *path, uint64_t data_bytes, struct err *e)
{
	struct stat st;

	if (stat(path, &st))
		return err_errno(e, FAIL_SYSTEM_CALL_FAILED, "%s", path);
	if ((uint64_t)st.st_size != data_bytes)
		return err_set(e, FAIL_VERITY_PARAMS_INVALID, EINVAL,
			       "%s: %" PRIu64 " bytes, but the data to protect is %" PRIu64
			       " bytes",
			       path, (uint64_t)st.st_size, data_bytes);
	return 0;
}

/* A disk is read in whole hash blocks; a tree of no levels ends behind 512 bytes. */
static int pad(const char *path, uint64_t size, struct err *e)
{
	if (truncate(path, (off_t)size))
		return err_errno(e, FAIL_SYSTEM_CALL_FAILED, "extend %s to %" PRIu64 " bytes", path,
				 size);
	return 0;
}

/* libcryptsetup's half: superblock and tree into the file, root hash into p. */
static int create_hash(const char *path, uint64_t data_bytes, struct verity_params *p,
		       const uint8_t uuid[UUID_SIZE], struct err *e)
{
	struct complaint complaint = { "" };
	struct crypt_device *cd auto_crypt = NULL;
	char uuid_string[UUID_TEXT_SIZE];
	size_t size = sizeof(p->root_hash);
	struct crypt_params_verity params = {
		.hash_name = p->hash_name,
		.data_device = path,
		.salt = (const char *)p->salt,
		.salt_size = p->salt_size,
		.hash_type = p->hash_type,
		.data_block_size = p->data_block_size,
		.hash_block_size = p->hash_block_size,
		.data_size = p->data_blocks,
		.hash_area_offset = data_bytes,
		.flags = CRYPT_VERITY_CREATE_HASH,
	};
	int r;

	uuid_text(uuid, uuid_string);
	r = crypt_init_data_device(&cd, path, path);
	if (!r) {
		crypt_set_log_callback(cd, keep_complaint, &complaint);
		r = crypt_format(cd, CRYPT_VERITY, NULL, NULL, uuid_string, NULL, 0, &params);
	}
	if (!r)
		r = crypt_volume_key_get(cd, CRYPT_ANY_SLOT, (char *)p->root_hash, &size, NULL, 0);
	if (r < 0)
		return err_set(e, FAIL_SYSTEM_CALL_FAILED, -r, "hash tree of %s: %s", path,
			       complaint.text[0] ? complaint.text : strerror(-r));
	p->root_hash_size = (uint8_t)size;
	return 0;
}

int verity_format(const char *path, struct verity_params *p, const uint8_t uuid[UUID_SIZE],
		  struct err *e)
{
	struct verity_params made = *p;
	struct verity_geometry geometry;
	int r;

	r = verity_geometry(&made, &geometry, e);
	if (!r)
		r = check_size(path, geometry.data_bytes, e);
	if (r)
		return r;
	r = verity_hash_start(geometry.data_bytes, made.hash_block_size, &made.hash_start_block);
	made.hash_start_given = true;
	if (!r)
		r = verity_geometry(&made, &geometry, e);
	if (!r)
		r = create_hash(path, geometry.data_bytes, &made, uuid, e);
	if (!r)
		r = pad(path, geometry.hash_end_bytes, e);
	if (r)
		return r;
	*p = made;
	return 0;
}
