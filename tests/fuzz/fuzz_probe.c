// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * Any disk: what libblkid finds on it, put where it belongs. The bytes are the
 * start of a disk of 64 KiB, where a GPT and all four superblocks have room.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mount/device/probe.h"
#include "verity/device.h"
#include "tests/fuzz/fuzz.h"

#define DISK_SIZE 65536

/* The disk is a file, which the real one refuses; the rest is product code. */
static int disk_fd = -1;

int device_node_open(int dir, const char *name, unsigned int major, unsigned int minor,
		     struct err *e)
{
	(void)major;
	(void)minor;
	(void)dir;
	(void)name;
	(void)e;
	return dup(disk_fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct blockdev_set set;
	char type[FSTYPE_SIZE] = "";
	struct err e = { 0 };

	if (size > DISK_SIZE)
		size = DISK_SIZE;
	disk_fd = memfd_create("disk", MFD_CLOEXEC);
	REQUIRE(!ftruncate(disk_fd, DISK_SIZE) && pwrite(disk_fd, data, size, 0) == (ssize_t)size);
	REQUIRE(probe_fstype(disk_fd, type, &e) ? e.code != FAIL_NONE : type[0] != '\0');
	memset(&set, 0, sizeof(set));
	set.count = 3;
	strcpy(set.dev[0].name, "vda");
	for (unsigned int i = 1; i < set.count; i++) {
		strcpy(set.dev[i].disk, "vda");
		set.dev[i].partition = i;
	}
	probe_partitions(-1, &set);
	probe_filesystems(-1, &set);
	REQUIRE(set.dev[2].table_read && set.dev[2].filesystem_read);
	close(disk_fd);
	return 0;
}
