// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/mount.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <string.h>
#include <sys/xattr.h>

#include "lib/cleanup.h"
#include "lib/io.h"
#include "lib/sys.h"
#include "mount/device/probe.h"
#include "mount/fs/erofs_fits.h"
#include "mount/fs/fsmount.h"
#include "mount/fs/explain.h"
#include "verity/device.h"

static int open_device(const struct open_volume *o, struct err *e)
{
	return device_node_open(AT_FDCWD, o->device.path, o->device.major, o->device.minor, e);
}

/* The type that the plan names, or what the proved bytes say. */
static int find_fstype(const struct open_volume *o, int fd, char type[FSTYPE_SIZE], struct err *e)
{
	if (!o->volume->fstype[0])
		return probe_fstype(fd, type, e);
	strcpy(type, o->volume->fstype);
	return 0;
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

/* What failed is not mounted, whoever goes on afterwards. */
static int keep_if_usable(const char *target, const char *type, struct err *e)
{
	int r = require_xattrs(target, type, e);

	if (r)
		(void)sys_umount(target, 0);
	return r;
}

/* Its further devices against its table of them, which the kernel does not look at. */
static int check_slots(const struct open_volume *o, int fd, struct err *e)
{
	int slots[EROFS_SLOTS_MAX], r = 0;
	unsigned int count = o->volume->devices, opened = 0;

	if (count > EROFS_SLOTS_MAX)
		return err_set(e, FAIL_LIMIT_EXCEEDED, E2BIG, "more than %d further devices",
			       EROFS_SLOTS_MAX);
	for (; !r && opened < count; opened++) {
		slots[opened] = open_device(&o[1 + opened], e);
		r = slots[opened] < 0 ? slots[opened] : 0;
	}
	if (!r)
		r = erofs_slots_fit(fd, slots, count, e);
	while (opened--)
		cleanup_fd(&slots[opened]);
	return r;
}

/* With devices among the options of an unproved volume, the kernel counts them itself. */
static int check_erofs(const struct open_volume *o, int fd, const char *type, struct err *e)
{
	if (strcmp(type, "erofs") || strstr(o->volume->options, "device="))
		return o->volume->devices ?
			       err_set(e, FAIL_VALUE_INVALID, EINVAL,
				       "only an erofs can have further devices, and they are not "
				       "among its options") :
			       0;
	return o->volume->devices ? check_slots(o, fd, e) :
				    erofs_fits(fd, o->volume->proof == VOLUME_SUPERBLOCK, e);
}

#define OPTIONS_MAX (EROFS_SLOTS_MAX + 24)

/* "a=b,c" as options behind those that are there; text is written to. */
static int add_options(char *text, struct fs_option *options, size_t *count, struct err *e)
{
	char *word;

	while ((word = strsep(&text, ","))) {
		char *value = strchr(word, '=');

		if (!*word)
			continue;
		if (*count == OPTIONS_MAX)
			return err_set(e, FAIL_LIMIT_EXCEEDED, E2BIG,
				       "there are more than %d mount options", OPTIONS_MAX);
		if (value)
			*value++ = '\0';
		options[(*count)++] = (struct fs_option){ word, value };
	}
	return 0;
}

static int mount_as(const struct open_volume *o, const char *type, const char *target, bool as_root,
		    struct err *e)
{
	struct fs_option options[OPTIONS_MAX] = { { "source", o->device.path } };
	char words[VOLUME_OPTIONS_SIZE];
	struct fs_mount m = {
		.type = type,
		.options = options,
		.option_count = 1,
		.attributes = (o->volume->writable ? 0 : MOUNT_ATTR_RDONLY) |
			      (as_root ? 0 : MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV),
		.target = target,
		.code = FAIL_MOUNT_FAILED,
	};
	int r;

	if (!o->volume->writable)
		options[m.option_count++] = (struct fs_option){ "ro", NULL };
	for (unsigned int i = 0; i < o->volume->devices; i++)
		options[m.option_count++] = (struct fs_option){ "device", o[1 + i].device.path };
	strcpy(words, o->volume->options);
	r = add_options(words, options, &m.option_count, e);
	return r ? r : fs_mount(&m, e);
}

/* The kernel refused it: why? */
static int explain(const struct open_volume *o, int fd, const char *type, int r, struct err *e)
{
	uint8_t start[KERNEL_START_SIZE];
	ssize_t n = io_pread(fd, start, sizeof(start), 0);
	const struct refused_mount m = {
		.type = type,
		.device = strrchr(o->device.path, '/') + 1,
		.block_size = o->volume->proof == VOLUME_RAW ? 0 : o->params.data_block_size,
		.start = start,
		.size = n < 0 ? 0 : (size_t)n,
	};

	return kernel_explain_mount(&m, r, e);
}

/* One descriptor for all of it: the kernel drops what it has read when the last one goes. */
int volume_mount(const struct open_volume *o, const char *target, bool as_root, struct err *e)
{
	auto_fd int fd = open_device(o, e);
	char type[FSTYPE_SIZE];
	int r = fd < 0 ? fd : find_fstype(o, fd, type, e);

	if (!r)
		r = check_erofs(o, fd, type, e);
	if (!r) {
		r = mount_as(o, type, target, as_root, e);
		r = r ? explain(o, fd, type, r, e) : keep_if_usable(target, type, e);
	}
	return err_volume(e, r, o->volume->name);
}
