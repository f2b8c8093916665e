// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/disk/verity_format.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image-build/base/refuse.h"
#include "image-build/base/write.h"

static int check_size(int fd, uint64_t data_bytes, struct err *e)
{
	struct stat st;

	if (fstat(fd, &st))
		return system_failed(e, "look at the image");
	if ((uint64_t)st.st_size != data_bytes)
		return err_set(e, FAIL_VERITY_PARAMS_INVALID, EINVAL,
			       "the image has %" PRIu64
			       " bytes, but the data to protect is %" PRIu64 " bytes",
			       (uint64_t)st.st_size, data_bytes);
	return 0;
}

static int write_superblock(int fd, const struct verity_params *p, const uint8_t uuid[UUID_SIZE],
			    uint64_t at, struct err *e)
{
	uint8_t bytes[VERITY_SUPERBLOCK_SIZE];
	int r;

	superblock_encode(p, uuid, bytes);
	r = write_all_at(fd, bytes, sizeof(bytes), at);
	return r ? system_result(e, r, "write the verity superblock") : 0;
}

/* All that can be wrong is found before a byte is written; the geometry into *ret. */
static int prepare(int fd, struct verity_params *p, struct verity_geometry *ret, struct err *e)
{
	int r = verity_geometry(p, ret, e);

	if (!r && !p->data_blocks)
		r = refuse(e, "there is no data to make a hash tree of");
	if (!r)
		r = check_size(fd, ret->data_bytes, e);
	if (r)
		return r;
	if (verity_hash_start(ret->data_bytes, p->hash_block_size, &p->hash_start_block))
		return refuse_limit(e, "%" PRIu64 " bytes of data", ret->data_bytes);
	p->hash_start_given = true;
	return verity_geometry(p, ret, e);
}

int verity_format_open(struct tree_making *m, int fd, const struct verity_params *p,
		       const uint8_t uuid[UUID_SIZE], struct err *e)
{
	struct verity_params made = *p;
	struct verity_geometry g;
	int r = prepare(fd, &made, &g, e);

	if (!r)
		r = write_superblock(fd, &made, uuid, g.data_bytes, e);
	/* A disk is read in whole hash blocks; a tree of no levels ends behind 512 bytes. */
	if (!r && ftruncate(fd, (off_t)g.hash_end_bytes))
		r = system_failed(e, "extend the image to %" PRIu64 " bytes", g.hash_end_bytes);
	return r ? r :
		   tree_making_open(m, &(struct slice){ fd, 0, g.data_bytes }, &made,
				    &(struct tree_place){ .fd = fd }, e);
}

int verity_format(int fd, struct verity_params *p, const uint8_t uuid[UUID_SIZE], struct err *e)
{
	struct tree_making m;
	int r = verity_format_open(&m, fd, p, uuid, e);

	if (!r)
		r = tree_making_run(&m, e);
	if (!r)
		*p = m.p;
	return r;
}
