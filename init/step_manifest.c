// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* The manifest on a disk, whose SHA-256 the command line carries. */
#include <errno.h>
#include <string.h>

#include "init/tell/log.h"
#include "init/plan/manifest.h"
#include "init/steps.h"
#include "lib/cleanup.h"
#include "lib/io.h"
#include "lib/sha256.h"
#include "verity/device.h"

static int read_device(const struct device_search *s, const struct blockdev *b, char *text,
		       size_t size, struct err *e)
{
	auto_fd int fd = device_node_open(s->dev, b->name, b->major, b->minor, e);
	ssize_t n;

	if (fd < 0)
		return fd;
	if (b->size_bytes < size)
		return err_set(e, FAIL_DEVICE_TOO_SMALL, ENOSPC,
			       "%s has %llu bytes and the manifest "
			       "%zu",
			       b->name, (unsigned long long)b->size_bytes, size);
	n = io_pread(fd, text, size, 0);
	if (n < 0)
		return err_result(e, FAIL_DEVICE_READ_FAILED, n, "read the manifest from %s",
				  b->name);
	if ((size_t)n < size)
		return err_set(e, FAIL_DEVICE_READ_FAILED, EIO, "%s ends within the manifest",
			       b->name);
	text[size] = '\0';
	return 0;
}

static int check_digest(const struct plan_manifest *m, const char *text, struct err *e)
{
	uint8_t digest[SHA256_SIZE];
	int r = sha256(text, m->size_bytes, digest);

	if (r)
		return err_result(e, FAIL_KERNEL_FEATURE_MISSING, r,
				  "the kernel cannot hash (CONFIG_CRYPTO_USER_API_HASH)");
	if (memcmp(digest, m->sha256, sizeof(digest)))
		return err_set(
			e, FAIL_MANIFEST_MISMATCH, EBADMSG,
			"the manifest on the disk has another SHA-256 than the command line says");
	return 0;
}

static int read_manifest(struct boot *b, char *text, struct err *e)
{
	const struct plan_manifest *m = &b->plan.manifest;
	struct device_wish wish = { .volume = "manifest", .ref = &m->device };
	int r = device_search_open(&b->search, e);

	if (r)
		return r;
	r = device_search_wait(&b->search, &wish, 1, (int)b->plan.timeout_s * 1000, e);
	if (!r)
		r = read_device(&b->search, &wish.found, text, m->size_bytes, e);
	device_search_close(&b->search);
	return r ? r : check_digest(m, text, e);
}

int step_manifest(struct boot *b, struct err *e)
{
	static char text[PLAN_MANIFEST_MAX + 1];
	int r;

	if (!b->plan.manifest.digest_size)
		return 0;
	r = read_manifest(b, text, e);
	if (!r)
		r = manifest_parse(text, b->plan.manifest.size_bytes, &b->plan, e);
	return r ? r : boot_settle(b, e);
}
