// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/runtime/verify.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/io.h"
#include "lib/uevent.h"
#include "mount/runtime/parts.h"
#include "verity/check.h"
#include "verity/dm.h"
#include "verity/table_read.h"

#define HOLD_MS    10000
#define CHUNK_SIZE (1U << 20) /* bytes read at once */

struct verifying {
	struct parts parts;
	int (*progress)(uint64_t done_bytes, uint64_t all_bytes, void *data);
	void *data;
	uint64_t done_bytes, all_bytes;
	int uevents;
	char chunk[CHUNK_SIZE];
};

/* One layer: its table, and the device through which it is read. */
struct layer {
	const char *name;
	char line[VERITY_TABLE_SIZE];
	uint64_t sectors;
	struct verity_table table;
	struct mapped_device device;
};

/*
 * The layer's table but for its policy and its signature. The kernel has verified that
 * when the layer was mounted, and of the same root hash; the bytes are not kept.
 */
static int take_table(const char *line, char *ret, size_t size)
{
	char plain[VERITY_TABLE_SIZE];
	int r = verity_table_set_policy(line, 0, "", plain, sizeof(plain));

	return r ? r : verity_table_drop_option(plain, "root_hash_sig_key_desc", ret, size);
}

/* 1; 0: nothing proves it. */
static int read_layer(const char *name, struct layer *ret, struct err *e)
{
	char line[VERITY_TABLE_SIZE];
	int r = dm_table(name, "verity", line, sizeof(line), &ret->sectors);

	if (r == -ENODATA)
		return 0;
	if (!r)
		r = take_table(line, ret->line, sizeof(ret->line));
	if (r)
		return err_result(e, FAIL_SYSTEM_CALL_FAILED, r, "read the table of %s", name);
	ret->name = name;
	r = verity_table_read(line, &ret->table, e);
	return r ? r : 1;
}

static int open_failed(const struct layer *l, int r, struct err *e)
{
	if (r == -ENOKEY)
		return err_set(e, FAIL_SIGNATURE_MISSING, ENOKEY,
			       "%s cannot be opened once more: the kernel demands a signature for "
			       "each root hash, and none is kept",
			       l->name);
	return err_result(e, FAIL_VERITY_OPEN_FAILED, r, "open %s once more", l->name);
}

/* A descriptor of it. The device goes when that is closed, whoever closes it. */
static int open_again(const struct target *t, struct layer *l, struct err *e)
{
	const struct dm_target target = {
		.sectors = l->sectors,
		.type = "verity",
		.line = l->line,
		.read_only = true,
	};
	char name[MAPPED_NAME_SIZE];
	dev_t number;
	int fd, r;

	parts_verify_name(t, name);
	r = dm_open(name, NULL, &target, &number);
	if (r)
		return open_failed(l, r, e);
	l->device = mapped_device(name, number);
	fd = device_node_open(AT_FDCWD, l->device.path, l->device.major, l->device.minor, e);
	r = dm_remove_deferred(name);
	if (fd >= 0 && r) {
		(void)err_result(e, FAIL_SYSTEM_CALL_FAILED, r, "mark %s for removal", name);
		cleanup_fd(&fd);
		(void)dm_remove(name);
		return r;
	}
	return fd;
}

static int read_blocks(struct verifying *v, const struct layer *l, int fd, struct err *e)
{
	uint64_t size = l->sectors * 512, at = 0;

	(void)posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	while (at < size) {
		size_t want = size - at < CHUNK_SIZE ? (size_t)(size - at) : CHUNK_SIZE;
		ssize_t n = io_pread(fd, v->chunk, want, at);

		if (n != (ssize_t)want)
			return err_result(e, FAIL_DEVICE_READ_FAILED, n < 0 ? n : -EIO,
					  "read %s at byte %llu", l->name, (unsigned long long)at);
		at += want;
		v->done_bytes += want;
		/* It was proved; nobody wants it twice in memory. */
		(void)posix_fadvise(fd, 0, (off_t)at, POSIX_FADV_DONTNEED);
		if (v->progress && v->progress(v->done_bytes, v->all_bytes, v->data))
			return err_set(e, FAIL_SYSTEM_CALL_FAILED, ECANCELED, "stopped");
	}
	return 0;
}

/* Devices are numbered as volumes are. */
static int about_volume(const struct target *t, const char *name, int r, struct err *e)
{
	char volume[ERR_VOLUME_SIZE];

	snprintf(volume, sizeof(volume), "volume-%.16s", name + strlen(t->prefix));
	return err_volume(e, r, volume);
}

static int verify_layer(struct verifying *v, const struct target *t, const char *name,
			struct err *e)
{
	struct layer l = { .name = name };
	int r = read_layer(name, &l, e);
	int fd = r > 0 ? open_again(t, &l, e) : -1;

	if (r <= 0 || fd < 0)
		return r <= 0 ? r : fd;
	r = read_blocks(v, &l, fd, e);
	if (r && r != -ECANCELED && verity_diagnose(&l.device, &l.table.params, v->uevents, e))
		r = err_prefix(e, -EBADMSG, "%s on %s: ", name, l.table.data);
	close(fd);
	/* The kernel removes it in its own time, and the next layer's has the same name. */
	parts_drop_verify(t);
	return r;
}

static int add_sizes(struct verifying *v, struct err *e)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < v->parts.count; i++) {
		struct layer l;

		r = read_layer(v->parts.part[i].name, &l, e);
		if (r > 0)
			v->all_bytes += l.sectors * 512;
	}
	return r < 0 ? r : 0;
}

static int verify_all(struct verifying *v, const struct target *t, struct err *e)
{
	int r;

	parts_drop_verify(t);
	r = parts_find(t, &v->parts, e);
	if (!r)
		r = add_sizes(v, e);
	if (!r && !v->all_bytes)
		return err_set(e, FAIL_VALUE_INVALID, ENOENT,
			       "nothing that is proved is mounted on %.200s", t->path);
	for (size_t i = 0; !r && i < v->parts.count; i++)
		r = about_volume(t, v->parts.part[i].name,
				 verify_layer(v, t, v->parts.part[i].name, e), e);
	return r;
}

int runtime_verify(const char *path,
		   int (*progress)(uint64_t done_bytes, uint64_t all_bytes, void *data), void *data,
		   struct err *e)
{
	struct verifying *v = calloc(1, sizeof(*v));
	struct target target;
	int fd = -1, r = v ? target_open(path, false, &target, e) :
			     err_set(e, FAIL_SYSTEM_CALL_FAILED, ENOMEM, "out of memory");

	if (!r)
		r = fd = target_hold(&target, HOLD_MS, e);
	if (r >= 0) {
		v->progress = progress;
		v->data = data;
		v->uevents = uevent_open();
		r = v->uevents < 0 ? err_result(e, FAIL_SYSTEM_CALL_FAILED, v->uevents,
						"open the uevent socket") :
				     verify_all(v, &target, e);
		cleanup_fd(&v->uevents);
		target_release(&target, &fd);
	}
	free(v);
	return r;
}
