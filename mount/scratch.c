// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/io.h"
#include "lib/text.h"
#include "mount/device/writable.h"
#include "mount/fs/ext4_make.h"
#include "mount/fs/fsmount.h"
#include "mount/scratch_empty.h"
#include "mount/scratch_key.h"
#include "verity/dm.h"

#define SECTOR        512 /* device-mapper's */
#define BLOCK         4096
#define BLOCK_SECTORS (BLOCK / SECTOR)
#define TAG_SIZE      32 /* bytes for each block: SHA-256's */

/* A device to put the next layer on. */
struct ground {
	unsigned int major, minor;
	uint64_t start, sectors; /* of device-mapper's sectors: what is used of it */
};

/* A kind of encryption. What the kernel's words mean is in its dm-crypt.rst. */
struct cipher {
	const char *name;
	size_t key_size; /* bytes */
	const char *options;
};

static const struct cipher plain_cipher = { "aes-xts-plain64", 64, "1 sector_size:4096" };
/* 64 bytes of it for the cipher, 32 for the tags. */
static const struct cipher integrity_cipher = { "capi:authenc(hmac(sha256),xts(aes))-plain64", 96,
						"2 integrity:32:aead sector_size:4096" };

size_t scratch_devices(const struct upper *u)
{
	return u->kind == UPPER_DISK ? (size_t)u->encrypted + u->integrity : 0;
}

static bool overlap(const struct blockdev *a, const struct blockdev *b)
{
	return !strcmp(a->name, b->name) || !strcmp(a->name, b->disk) ||
	       (*a->disk && !strcmp(a->disk, b->name));
}

int scratch_refuse_shared(const struct blockdev *disk, const struct device_wish *wishes,
			  size_t count, struct err *e)
{
	for (size_t i = 0; i < count; i++)
		if (overlap(disk, &wishes[i].found))
			return err_set(e, FAIL_SCRATCH_FAILED, EBUSY,
				       "the scratch disk %s is also where %s is", disk->name,
				       wishes[i].volume);
	return 0;
}

/* What the kernel has no target for is said by name before the disk is touched. */
static int check_kernel(const struct upper *u, struct err *e)
{
	static const struct {
		const char *type, *name;
	} targets[] = {
		{ "crypt", "dm-crypt (CONFIG_DM_CRYPT)" },
		{ "integrity", "dm-integrity (CONFIG_DM_INTEGRITY)" },
	};
	unsigned int version[3];

	for (size_t i = 0; i < scratch_devices(u); i++) {
		int r = dm_target_version(targets[i].type, version);

		if (r < 0)
			return err_result(e, FAIL_SCRATCH_FAILED, r, "ask device-mapper for %s",
					  targets[i].name);
		if (!r)
			return err_set(e, FAIL_KERNEL_FEATURE_MISSING, ENODEV,
				       "the kernel lacks %s", targets[i].name);
	}
	return 0;
}

/* Through the page cache; all of it is read, so ahead as well. */
static int refuse_used(const struct mapped_device *disk, uint64_t size_bytes, struct err *e)
{
	auto_fd int fd = device_node_open(AT_FDCWD, disk->path, disk->major, disk->minor, e);

	if (fd < 0)
		return fd;
	(void)posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	return scratch_refuse_used(fd, size_bytes, e);
}

/* Everything that is on the disk is given up here, and nowhere else. */
static int prepare_disk(const struct mapped_device *disk, const struct upper *u,
			uint64_t size_bytes, struct err *e)
{
	_Alignas(BLOCK) uint8_t block[BLOCK];
	auto_fd int fd = device_open_writable(disk->path, disk->major, disk->minor, e);
	int r = fd < 0 ? fd : refuse_used(disk, size_bytes, e);

	if (r || !u->encrypted)
		return r;
	scratch_mark(block);
	r = io_pwrite(fd, block, BLOCK, 0);
	if (!r) {
		/* dm-integrity formats what begins with zeros, and believes what does not. */
		memset(block, 0, BLOCK);
		r = io_pwrite(fd, block, BLOCK, BLOCK);
	}
	return r ? err_result(e, FAIL_SCRATCH_FAILED, r, "write its start") : 0;
}

static int load(const char *name, const char *line, uint64_t sectors, struct err *e)
{
	const struct dm_target target = { .sectors = sectors, .type = "integrity", .line = line };
	int r = dm_load(name, &target);

	if (!r)
		r = dm_resume(name);
	return r ? err_result(e, FAIL_SCRATCH_FAILED, r, "open dm-integrity on it") : 0;
}

/* How much room the tags leave is known when it has been formatted: "0 65432 -". */
static int ask_sectors(const char *name, uint64_t most, uint64_t *ret, struct err *e)
{
	char status[DM_LINE_SIZE], *rest = status, *word;
	int r = dm_status(name, "integrity", status, sizeof(status));
	uint64_t sectors;

	if (r)
		return err_result(e, FAIL_SCRATCH_FAILED, r, "ask dm-integrity for its size");
	(void)strsep(&rest, " ");
	word = strsep(&rest, " ");
	if (!word || parse_u64(word, most, &sectors))
		return err_set(e, FAIL_SCRATCH_FAILED, EINVAL,
			       "dm-integrity has another size than its disk allows");
	*ret = sectors - sectors % BLOCK_SECTORS;
	return 0;
}

/* Without a journal: after a crash nobody reads it again. */
static int open_integrity(struct scratch *s, const char *above, struct ground *on, struct err *e)
{
	char name[sizeof(s->integrity)], line[128];
	uint64_t sectors;
	dev_t number;
	int r;

	snprintf(name, sizeof(name), "%s-integrity", above);
	r = dm_create(name, NULL, &number);
	if (r)
		return err_result(e, FAIL_SCRATCH_FAILED, r, "create the device %s", name);
	strcpy(s->integrity, name);
	snprintf(line, sizeof(line),
		 "%u:%u %llu %d D 3 block_size:%d journal_sectors:1 fix_padding", on->major,
		 on->minor, (unsigned long long)on->start, TAG_SIZE, BLOCK);
	r = load(name, line, BLOCK_SECTORS, e);
	if (!r)
		r = ask_sectors(name, on->sectors, &sectors, e);
	if (!r)
		r = load(name, line, sectors, e);
	if (!r)
		*on = (struct ground){ major(number), minor(number), 0, sectors };
	return r;
}

static int open_crypt(const char *name, const struct cipher *cipher, struct ground *on,
		      struct err *e)
{
	char key_name[MAPPED_NAME_SIZE + 8], line[384];
	const struct dm_target target = { on->sectors, "crypt", line, false };
	dev_t number;
	int key, r;

	snprintf(key_name, sizeof(key_name), "socle:%s", name);
	snprintf(line, sizeof(line), "%s :%zu:logon:%s 0 %u:%u %llu %s", cipher->name,
		 cipher->key_size, key_name, on->major, on->minor, (unsigned long long)on->start,
		 cipher->options);
	r = scratch_key_add(key_name, cipher->key_size, &key, e);
	if (r)
		return r;
	r = dm_open(name, NULL, &target, &number);
	scratch_key_drop(key);
	if (r)
		return err_result(e, FAIL_SCRATCH_FAILED, r, "open dm-crypt on it with %s",
				  cipher->name);
	*on = (struct ground){ major(number), minor(number), 0, on->sectors };
	return 0;
}

static int open_encrypted(struct ground *on, const struct upper *u, const char *name,
			  struct scratch *s, struct err *e)
{
	int r = 0;

	/* Behind the mark; what is left over at the end is less than a block. */
	on->start = BLOCK_SECTORS;
	on->sectors -= BLOCK_SECTORS;
	if (u->integrity)
		r = open_integrity(s, name, on, e);
	if (!r)
		r = open_crypt(name, u->integrity ? &integrity_cipher : &plain_cipher, on, e);
	if (r)
		return r;
	s->device = mapped_device(name, makedev(on->major, on->minor));
	return 0;
}

static int make_filesystem(const struct scratch *s, uint64_t size_bytes, struct err *e)
{
	const struct mapped_device *d = &s->device;
	auto_fd int fd = device_open_writable(d->path, d->major, d->minor, e);
	uint8_t random[EXT4_RANDOM_SIZE];
	int r = fd < 0 ? fd : scratch_random(random, sizeof(random), e);

	return r ? r : ext4_make(fd, size_bytes, SCRATCH_LABEL, random, e);
}

static int check_size(const struct blockdev *disk, struct err *e)
{
	if (disk->size_bytes >= SCRATCH_MIN && disk->sector_bytes <= BLOCK)
		return 0;
	return err_set(e, FAIL_SCRATCH_FAILED, ENOSPC,
		       "%llu bytes in sectors of %llu, at least %d in sectors of at most %d are "
		       "needed",
		       (unsigned long long)disk->size_bytes, (unsigned long long)disk->sector_bytes,
		       SCRATCH_MIN, BLOCK);
}

int scratch_open(const struct blockdev *disk, const struct upper *u, const char *name,
		 struct scratch *ret, struct err *e)
{
	struct scratch s = { .device = { .major = disk->major, .minor = disk->minor } };
	struct ground on = {
		.major = disk->major,
		.minor = disk->minor,
		.sectors = disk->size_bytes / BLOCK * BLOCK_SECTORS,
	};
	int r = check_size(disk, e);

	snprintf(s.device.path, sizeof(s.device.path), "/dev/%s", disk->name);
	if (!r)
		r = check_kernel(u, e);
	if (!r)
		r = prepare_disk(&s.device, u, disk->size_bytes, e);
	if (!r && u->encrypted)
		r = open_encrypted(&on, u, name, &s, e);
	if (!r)
		r = make_filesystem(&s, on.sectors * SECTOR, e);
	if (r)
		scratch_close(&s);
	else
		*ret = s;
	return err_prefix(e, r, "scratch disk %s: ", disk->name);
}

int scratch_mount(const struct scratch *s, const char *target, struct err *e)
{
	/*
	 * What a crash would lose is lost anyway, so no write waits for the disk; and
	 * inode tables are not filled, which the kernel reads no part of before it
	 * has written it.
	 */
	const struct fs_option options[] = {
		{ "source", s->device.path },
		{ "nobarrier", NULL },
		{ "noinit_itable", NULL },
	};
	const struct fs_mount m = {
		.type = "ext4",
		.options = options,
		.option_count = ARRAY_SIZE(options),
		.target = target,
		.code = FAIL_SCRATCH_FAILED,
	};

	return fs_mount(&m, e);
}

int scratch_defer(const struct scratch *s, struct err *e)
{
	const char *const names[] = { s->device.name, s->integrity };
	int first = 0;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		int r = *names[i] ? dm_remove_deferred(names[i]) : 0;

		if (r && !first)
			first = err_result(e, FAIL_SCRATCH_FAILED, r, "mark %s for removal",
					   names[i]);
	}
	return first;
}

void scratch_close(const struct scratch *s)
{
	(void)scratch_defer(s, NULL);
}
