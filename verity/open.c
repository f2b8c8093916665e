// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "verity/open.h"

#include <errno.h>
#include <libcryptsetup.h>
#include <stdio.h>
#include <string.h>

#include "verity/dm.h"

static void cleanup_crypt(struct crypt_device **cd)
{
	crypt_free(*cd);
}

#define auto_crypt __attribute__((cleanup(cleanup_crypt)))

/* libcryptsetup's last complaint, without its newline, for the sentence. */
static char complaint[ERR_TEXT_SIZE / 2];

static void keep_complaint(int level, const char *message, void *data)
{
	(void)data;
	if (level != CRYPT_LOG_ERROR)
		return;
	snprintf(complaint, sizeof(complaint), "%s", message);
	complaint[strcspn(complaint, "\n")] = '\0';
}

static int open_failed(struct err *e, int r)
{
	return err_set(e, FAIL_VERITY_OPEN_FAILED, -r, "%s (%s)",
		       complaint[0] ? complaint : "libcryptsetup gives no reason", strerror(-r));
}

/*
 * CRYPT_VERITY_NO_HEADER without CRYPT_VERITY_CREATE_HASH writes nothing: it
 * only tells libcryptsetup the parameters that a superblock would have held.
 */
static int set_parameters(struct crypt_device *cd, const struct verity_parts *parts,
			  const struct verity_params *p)
{
	struct crypt_params_verity params = {
		.hash_name = p->hash_name,
		.data_device = parts->data,
		.fec_device = parts->fec,
		.fec_roots = p->fec_roots,
		.fec_area_offset = p->fec_start_bytes,
		.salt = (const char *)p->salt,
		.salt_size = p->salt_size,
		.hash_type = p->hash_type,
		.data_block_size = p->data_block_size,
		.hash_block_size = p->hash_block_size,
		.data_size = p->data_blocks,
		.hash_area_offset = p->hash_start_block * p->hash_block_size,
		.flags = CRYPT_VERITY_NO_HEADER,
	};

	return crypt_format(cd, CRYPT_VERITY, NULL, NULL, NULL, NULL, 0, &params);
}

/* The number that device-mapper gave, asked for by the name that was just made. */
static int read_number(const char *name, struct verity_device *ret)
{
	auto_task struct dm_task *task = dm_new_task(DM_DEVICE_INFO, name);
	struct dm_info info = { 0 };

	if (!task || !dm_task_run(task) || !dm_task_get_info(task, &info) || !info.exists ||
	    !info.read_only)
		return -ENODEV;
	dm_set_device(ret, name, &info);
	return 0;
}

static int activate(const char *name, const struct verity_parts *parts,
		    const struct verity_params *p)
{
	auto_crypt struct crypt_device *cd = NULL;
	uint32_t flags = CRYPT_ACTIVATE_READONLY |
			 CRYPT_ACTIVATE_SHARED | /* a disk may carry more than one volume */
			 (p->ignore_zero_blocks ? CRYPT_ACTIVATE_IGNORE_ZERO_BLOCKS : 0);
	int r = crypt_init(&cd, parts->hash);

	if (r >= 0)
		r = set_parameters(cd, parts, p);
	if (r >= 0)
		r = crypt_activate_by_volume_key(cd, name, (const char *)p->root_hash,
						 p->root_hash_size, flags);
	return r;
}

int verity_open(const char *name, const struct verity_parts *parts, const struct verity_params *p,
		struct verity_device *ret, struct err *e)
{
	int r;

	if (strlen(name) >= VERITY_NAME_SIZE)
		return err_set(e, FAIL_VERITY_OPEN_FAILED, ENAMETOOLONG, "the name %s is too long",
			       name);
	complaint[0] = '\0';
	crypt_set_log_callback(NULL, keep_complaint, NULL);
	r = activate(name, parts, p);
	if (r < 0)
		return open_failed(e, r);
	r = read_number(name, ret);
	if (r < 0) {
		(void)verity_close(name);
		return err_set(e, FAIL_VERITY_OPEN_FAILED, -r,
			       "device-mapper does not know %s, or not as read-only", name);
	}
	return 0;
}

void verity_release(void)
{
	/* device-mapper's control node, which is not close-on-exec */
	dm_lib_release();
}

int verity_close(const char *name)
{
	return crypt_deactivate(NULL, name);
}
