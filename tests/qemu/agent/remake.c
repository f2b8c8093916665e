// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/qemu/agent/remake.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/hex.h"
#include "lib/io.h"
#include "tests/qemu/agent/json.h"
#include "image-build/disk/verity_format.h"
#include "verity/superblock.h"

#define COPY  "/run/remade"
#define BLOCK 4096

/* The superblock stands right behind the data, at the start of a block. */
static int find_superblock(int disk, uint64_t *ret_offset, struct verity_params *ret,
			   uint8_t uuid[UUID_SIZE])
{
	uint8_t bytes[VERITY_SUPERBLOCK_SIZE];
	struct err e;

	for (uint64_t at = 0; io_pread(disk, bytes, sizeof(bytes), at) == sizeof(bytes);
	     at += BLOCK)
		if (!verity_superblock_read(bytes, at, ret, uuid, &e) &&
		    ret->data_blocks * ret->data_block_size == at) {
			*ret_offset = at;
			return 0;
		}
	return -ENODATA;
}

static int copy_data(int disk, uint64_t size)
{
	static char block[BLOCK];
	auto_fd int copy = open(COPY, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	int r = copy < 0 ? -errno : 0;

	for (uint64_t at = 0; !r && at < size; at += BLOCK)
		if (io_pread(disk, block, BLOCK, at) != BLOCK ||
		    pwrite(copy, block, BLOCK, (off_t)at) != BLOCK)
			r = -EIO;
	return r;
}

/* How many bytes of the copy are the disk's: all of them, if all is well. */
static uint64_t same_bytes(int disk, int copy)
{
	static char a[BLOCK], b[BLOCK];
	uint64_t at = 0;
	ssize_t n;

	while ((n = io_pread(copy, a, BLOCK, at)) > 0) {
		if (io_pread(disk, b, (size_t)n, at) != n || memcmp(a, b, (size_t)n))
			break;
		at += (uint64_t)n;
	}
	return at;
}

void do_remake(const char *device)
{
	auto_fd int disk = open(device, O_RDONLY | O_CLOEXEC), copy = -1;
	char hash[2 * VERITY_DIGEST_MAX + 1];
	uint8_t uuid[UUID_SIZE];
	struct verity_params p;
	struct err e = { 0 };
	struct stat st = { 0 };
	uint64_t size;
	int r = disk < 0 ? -errno : find_superblock(disk, &size, &p, uuid);

	if (!r)
		r = copy_data(disk, size);
	if (!r)
		r = verity_format(COPY, &p, uuid, &e);
	if (!r) {
		copy = open(COPY, O_RDONLY | O_CLOEXEC);
		r = copy < 0 || fstat(copy, &st) ? -errno : 0;
	}
	errno = -r;
	json_result(r);
	json_text("error", e.text);
	if (r)
		return;
	hex_encode(p.root_hash, p.root_hash_size, hash);
	json_text("root_hash", hash);
	json_number("bytes", (uint64_t)st.st_size);
	json_number("same", same_bytes(disk, copy));
}
