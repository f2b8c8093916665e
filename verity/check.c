// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "verity/check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/uevent.h"
#include "verity/device.h"
#include "verity/dm.h"
#include "verity/table.h"

/* enum verity_block_type in the kernel's drivers/md/dm-verity.h */
#define BLOCK_TYPE_DATA     0
#define BLOCK_TYPE_METADATA 1

/* A host that makes events without end gets no more attention than this. */
#define MESSAGES_MAX 65536

/* A bad block, as the kernel's uevent names it. */
struct bad_block {
	unsigned int type;
	unsigned long long number;
};

/*
 * Take the waiting uevents and keep the first bad block of this device: 1 if
 * there was one. The kernel sends it before the read fails, so no wait.
 */
static int find_bad_block(int uevents, const struct mapped_device *dev, struct bad_block *ret)
{
	struct uevent u;
	char minor[16];
	int found = 0, left = MESSAGES_MAX, r;

	snprintf(minor, sizeof(minor), "%u", dev->minor);
	while (left-- && (r = uevent_next(uevents, &u)) != 0) {
		const char *is_minor, *text;
		struct bad_block b;

		if (r == -ENOBUFS)
			continue;
		if (r < 0)
			break;
		is_minor = uevent_get(&u, "MINOR");
		text = uevent_get(&u, "DM_VERITY_ERR_BLOCK_NR");
		if (found || !text || !is_minor || strcmp(is_minor, minor))
			continue;
		if (sscanf(text, "%u,%llu", &b.type, &b.number) != 2)
			continue;
		*ret = b;
		found = 1;
	}
	return found;
}

/* Device-mapper's one-letter verdict: 'V', 'C', or 0 if it cannot be read. */
static char read_status(const struct mapped_device *dev)
{
	char status[VERITY_TABLE_SIZE];

	return dm_status(dev->name, "verity", status, sizeof(status)) ? 0 : status[0];
}

/*
 * The block that every path through the tree starts from: the first one of the
 * tree, or the only data block of a device that needs no tree.
 */
static bool is_top(const struct verity_params *p, const struct bad_block *bad)
{
	struct verity_geometry g;

	if (verity_geometry(p, &g, NULL))
		return false;
	if (!g.levels)
		return bad->type == BLOCK_TYPE_DATA;
	return bad->type == BLOCK_TYPE_METADATA && bad->number == p->hash_start_block;
}

static int say_bad_block(const struct verity_params *p, const struct bad_block *bad, struct err *e)
{
	if (is_top(p, bad))
		return err_set(e, FAIL_ROOT_HASH_MISMATCH, EBADMSG,
			       "the top of the tree (%s block %llu) does not match the root hash",
			       bad->type == BLOCK_TYPE_DATA ? "data" : "hash", bad->number);
	if (bad->type == BLOCK_TYPE_METADATA)
		return err_set(e, FAIL_HASH_TREE_CORRUPT, EBADMSG,
			       "hash block %llu does not match the block above it", bad->number);
	return err_set(e, FAIL_DATA_CORRUPT, EBADMSG, "data block %llu does not match its hash",
		       bad->number);
}

int verity_diagnose(const struct mapped_device *dev, const struct verity_params *p, int uevents,
		    struct err *e)
{
	struct bad_block bad;

	/* The status first: another device's uevents are not this one's to take. */
	if (read_status(dev) != 'C')
		return 0;
	if (find_bad_block(uevents, dev, &bad))
		(void)say_bad_block(p, &bad, e);
	else
		(void)err_set(
			e, FAIL_DATA_CORRUPT, EBADMSG,
			"the kernel found a block that does not match, and did not say which");
	return 1;
}

/* The kernel proves a block whole, whatever part of it is asked for. */
static int read_first_block(const struct mapped_device *dev, const struct verity_params *p,
			    struct err *e)
{
	char start[4096];
	size_t size = p->data_block_size < sizeof(start) ? p->data_block_size : sizeof(start);
	auto_fd int fd = device_node_open(AT_FDCWD, dev->path, dev->major, dev->minor, e);
	ssize_t n;

	if (fd < 0)
		return fd;
	n = pread(fd, start, size, 0);
	if (n < 0)
		return err_errno(e, FAIL_DEVICE_READ_FAILED, "read the first block of %s",
				 dev->path);
	if ((size_t)n != size)
		return err_set(e, FAIL_DEVICE_READ_FAILED, EIO,
			       "the first block of %s is cut short", dev->path);
	return 0;
}

int verity_prove(const struct mapped_device *dev, const struct verity_params *p, int uevents,
		 struct err *e)
{
	int r = read_first_block(dev, p, e);
	char verdict;

	if (r)
		return verity_diagnose(dev, p, uevents, e) ? -EBADMSG : r;
	verdict = read_status(dev);
	if (verdict == 'V')
		return 0;
	if (verity_diagnose(dev, p, uevents, e))
		return -EBADMSG;
	return err_set(e, FAIL_DEVICE_READ_FAILED, EIO, "%s has verity status '%c', not 'V'",
		       dev->path, verdict ? verdict : '-');
}
