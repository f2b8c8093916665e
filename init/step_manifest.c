// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* The manifest on a disk, whose SHA-256 the command line carries. */
#include "init/plan/assemble.h"
#include "init/steps.h"
#include "lib/cleanup.h"
#include "lib/io.h"
#include "lib/sha256.h"
#include "verity/device.h"

/* text gets the bytes that the plan says, and a NUL. */
static int read_device(const struct boot *b, const struct blockdev *disk, char *text, struct err *e)
{
	size_t size = b->plan.manifest.size_bytes;
	auto_fd int fd = device_node_open(b->search.dev, disk->name, disk->major, disk->minor, e);
	ssize_t n;
	int r;

	if (fd < 0)
		return fd;
	r = assemble_check_disk(&b->plan, disk->size_bytes, e);
	if (r)
		return r;
	n = io_pread(fd, text, size, 0);
	if (n < 0 || (size_t)n < size)
		return err_result(e, FAIL_DEVICE_READ_FAILED, n, "read the manifest from %s",
				  disk->name);
	text[size] = '\0';
	return 0;
}

static int read_manifest(struct boot *b, char *text, struct err *e)
{
	struct device_wish wish = { .volume = "manifest", .ref = &b->plan.manifest.device };
	int r = device_search_open(&b->search, e);

	if (r)
		return r;
	r = device_search_wait(&b->search, &wish, 1, (int)b->plan.timeout_s * 1000, e);
	if (!r)
		r = read_device(b, &wish.found, text, e);
	device_search_close(&b->search);
	return r;
}

int step_manifest(struct boot *b, struct err *e)
{
	static char text[PLAN_MANIFEST_MAX + 1];
	uint8_t digest[SHA256_SIZE];
	int r;

	if (!b->plan.manifest.digest_size)
		return 0;
	r = read_manifest(b, text, e);
	if (r)
		return r;
	sha256(text, b->plan.manifest.size_bytes, digest);
	r = assemble_take_disk(&b->plan, text, digest, e);
	return r ? r : boot_settle(b, e);
}
