// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/scratch_empty.h"

#include <errno.h>
#include <string.h>

#include "lib/io.h"
#include "mount/fs/ext4_make.h"

#define BLOCK SCRATCH_MARK_SIZE

static const char mark[] = "socle: a scratch disk, encrypted with a key that only a guest had\n";

void scratch_mark(uint8_t block[SCRATCH_MARK_SIZE])
{
	memset(block, 0, BLOCK);
	memcpy(block, mark, sizeof(mark));
}

static int read_block(int fd, uint64_t offset_bytes, uint8_t block[BLOCK], struct err *e)
{
	ssize_t n = io_pread(fd, block, BLOCK, offset_bytes);

	if (n == BLOCK)
		return 0;
	return err_result(e, FAIL_DEVICE_READ_FAILED, n, "read %d bytes at %llu", BLOCK,
			  (unsigned long long)offset_bytes);
}

static int refuse_bytes(int fd, uint64_t from, uint64_t to, struct err *e)
{
	static const uint8_t zeros[BLOCK];
	uint8_t block[BLOCK];
	int r = 0;

	for (uint64_t at = from; !r && at < to; at += BLOCK) {
		size_t i = 0;

		r = read_block(fd, at, block, e);
		if (r || !memcmp(block, zeros, BLOCK))
			continue;
		while (!block[i])
			i++;
		r = err_set(e, FAIL_SCRATCH_FAILED, EEXIST,
			    "it is not empty: byte %llu is not 0. Zeros in its first and last %d "
			    "bytes would make it a scratch disk",
			    (unsigned long long)(at + i), SCRATCH_EDGE_SIZE);
	}
	return r;
}

int scratch_refuse_used(int fd, uint64_t size_bytes, struct err *e)
{
	uint8_t block[BLOCK], marked[BLOCK];
	int r = read_block(fd, 0, block, e);

	if (r)
		return r;
	scratch_mark(marked);
	if (!memcmp(block, marked, BLOCK) || ext4_is_ours(block, SCRATCH_LABEL))
		return 0;
	r = refuse_bytes(fd, 0, SCRATCH_EDGE_SIZE, e);
	/* The end need not be that of a block. */
	return r ? r : refuse_bytes(fd, size_bytes - SCRATCH_EDGE_SIZE, size_bytes, e);
}
