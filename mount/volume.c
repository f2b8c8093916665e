// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include <stddef.h>

#include "mount/volume.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>

#include "lib/cleanup.h"
#include "mount/fsmount.h"
#include "verity/check.h"

size_t volume_wishes(const struct volume *v, struct device_wish *wishes, size_t count)
{
	const struct devref *const refs[VOLUME_DEVICES_MAX] = { &v->data, &v->hash, &v->fec };

	for (size_t i = 0; i < VOLUME_DEVICES_MAX; i++) {
		if (refs[i]->kind == DEVREF_NONE)
			continue;
		wishes[count].ref = refs[i];
		snprintf(wishes[count].volume, sizeof(wishes[count].volume), "%s", v->name);
		count++;
	}
	return count;
}

static int too_small(const struct blockdev *b, uint64_t needed, const char *what, struct err *e)
{
	return err_set(e, FAIL_DEVICE_TOO_SMALL, ENOSPC, "%s has %llu bytes and %s %llu", b->name,
		       (unsigned long long)b->size_bytes, what, (unsigned long long)needed);
}

static int check_sizes(const struct volume *v, const struct blockdev *data,
		       const struct blockdev *hash, struct err *e)
{
	struct verity_geometry g;
	int r = verity_geometry(&v->verity, &g, e);

	if (r)
		return r;
	if (data->size_bytes < g.data_bytes)
		return too_small(data, g.data_bytes, "its data needs", e);
	if (hash->size_bytes < g.hash_end_bytes)
		return too_small(hash, g.hash_end_bytes, "its hash tree ends at", e);
	return 0;
}

/* The device's node in /dev; sysfs writes '!' where a name has '/'. */
static const char *node_path(const struct blockdev *b, char *buf, size_t size)
{
	snprintf(buf, size, "/dev/%s", b->name);
	for (char *c = buf; *c; c++)
		if (*c == '!')
			*c = '/';
	return buf;
}

#define NODE_PATH_SIZE (BLOCKDEV_NAME_SIZE + 5)

static int open_and_check(const struct volume *v, const struct verity_parts *parts, int uevents,
			  struct open_volume *ret, struct err *e)
{
	struct open_volume o = { .volume = v };
	char name[VERITY_NAME_SIZE];
	int r;

	snprintf(name, sizeof(name), "socle-%s", v->name);
	r = verity_open(name, parts, &v->verity, &o.verity, e);
	if (r)
		return r;
	r = verity_prove(&o.verity, &v->verity, uevents, e);
	if (r) {
		(void)verity_close(name);
		return r;
	}
	*ret = o;
	return 0;
}

int volume_open(const struct volume *v, const struct device_wish *wishes, int uevents,
		struct open_volume *ret, struct err *e)
{
	char data[NODE_PATH_SIZE], hash[NODE_PATH_SIZE], fec[NODE_PATH_SIZE];
	const struct blockdev *data_dev = &wishes[0].found, *hash_dev = data_dev;
	struct verity_parts parts = { 0 };
	size_t next = 1;
	int r;

	if (v->hash.kind != DEVREF_NONE)
		hash_dev = &wishes[next++].found;
	if (v->fec.kind != DEVREF_NONE)
		parts.fec = node_path(&wishes[next].found, fec, sizeof(fec));
	parts.data = node_path(data_dev, data, sizeof(data));
	parts.hash = node_path(hash_dev, hash, sizeof(hash));
	r = check_sizes(v, data_dev, hash_dev, e);
	if (!r)
		r = open_and_check(v, &parts, uevents, ret, e);
	if (r)
		err_volume(e, v->name);
	return r;
}

/* The type that the plan names, or what the proved bytes say. */
static int find_fstype(const struct open_volume *o, char type[FSTYPE_SIZE], struct err *e)
{
	auto_fd int fd = -1;
	struct stat st;

	if (o->volume->fstype[0]) {
		strcpy(type, o->volume->fstype);
		return 0;
	}
	fd = open(o->verity.path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_errno(e, FAIL_DEVICE_READ_FAILED, "open %s", o->verity.path);
	if (fstat(fd, &st) || st.st_rdev != makedev(o->verity.major, o->verity.minor))
		return err_set(e, FAIL_DEVICE_READ_FAILED, ENODEV, "%s is another device now",
			       o->verity.path);
	return probe_fstype(fd, type, e);
}

/*
 * A kernel whose erofs has no extended attributes would lose the marks of
 * opaque directories, and deleted files would come back. Other file systems
 * answer the same where an image merely has none, so they are not asked.
 */
static int require_xattrs(const char *target, const char *type, struct err *e)
{
	char value;

	if (strcmp(type, "erofs") ||
	    getxattr(target, "trusted.overlay.opaque", &value, sizeof(value)) >= 0 ||
	    errno == ENODATA || errno == ERANGE)
		return 0;
	if (errno == EOPNOTSUPP)
		return err_set(e, FAIL_KERNEL_FEATURE_MISSING, EOPNOTSUPP,
			       "the kernel lacks CONFIG_EROFS_FS_XATTR: deleted files would "
			       "come back");
	return err_errno(e, FAIL_MOUNT_FAILED, "read an extended attribute of %s", target);
}

int volume_mount(const struct open_volume *o, const char *target, bool as_root, struct err *e)
{
	char type[FSTYPE_SIZE];
	const struct fs_option options[] = { { "source", o->verity.path }, { "ro", NULL } };
	const struct fs_mount m = {
		.type = type,
		.options = options,
		.option_count = sizeof(options) / sizeof(options[0]),
		.attributes = MOUNT_ATTR_RDONLY |
			      (as_root ? 0 : MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV),
		.target = target,
		.code = FAIL_MOUNT_FAILED,
	};
	int r = find_fstype(o, type, e);

	if (!r)
		r = fs_mount(&m, e);
	if (!r)
		r = require_xattrs(target, type, e);
	if (r)
		err_volume(e, o->volume->name);
	return r;
}
