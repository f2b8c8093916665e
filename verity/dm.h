/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef VERITY_DM_H
#define VERITY_DM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Device-mapper as the kernel's own interface has it, for devices of one target
 * of any type. Every call stands alone: it opens the control device, asks one
 * thing and closes it again, so there is no state to share and nothing to let
 * go of, and any number of threads may call.
 *
 * A table may carry a key: what goes to the kernel or comes from it is wiped on
 * both sides of each call, but for what a caller asked to have.
 *
 * Source: <linux/dm-ioctl.h> and the kernel's drivers/md/dm-ioctl.c.
 *
 * All return 0 or -errno: -ENOENT where there is no /dev/mapper/control, -ENXIO
 * where there is no device of the name, -EINVAL for an empty name, -ENAMETOOLONG
 * and -E2BIG for a text that does not fit; else what the kernel answered. What
 * was asked to be filled in is untouched on failure.
 */

#define DM_NAME_SIZE 128  /* of a device's name, with the closing NUL */
#define DM_UUID_SIZE 129  /* of its own identifier, with the closing NUL */
#define DM_LINE_SIZE 4096 /* of a target's table or status line, with the closing NUL */

/* What a device is made of. */
struct dm_target {
	uint64_t sectors; /* of 512 bytes, from 0 */
	const char *type; /* "verity", "crypt", "integrity" */
	const char *line; /* what stands behind the type in a table */
	bool read_only;
};

/* What device-mapper knows of a device. */
struct dm_state {
	char uuid[DM_UUID_SIZE]; /* what dm_create() was given, or empty */
	dev_t number;
	int open_count; /* mounts and other devices on it count as well */
	bool read_only;
	bool suspended;
	bool live;     /* it has a table */
	bool loaded;   /* another table waits for dm_resume() */
	bool deferred; /* it will be removed when nobody has it open any more */
};

/*
 * A device without a table, under a name that must be free (-EBUSY). uuid is
 * device-mapper's own identifier for it, or NULL. ret_number may be NULL. Who
 * stops before dm_resume() leaves a device that anybody may remove.
 */
int dm_create(const char *name, const char *uuid, dev_t *ret_number);

/* Load a table; it counts from dm_resume() on. -EINVAL: the target does not take the line. */
int dm_load(const char *name, const struct dm_target *target);

/*
 * Let the table that was loaded count. Where one was in force, what is on its
 * way through that is waited for, but nothing is flushed and no file system
 * frozen: a device that is written to is flushed by who writes.
 */
int dm_resume(const char *name);

/* All of the above. On failure there is no such device, unless there was one (-EBUSY). */
int dm_open(const char *name, const char *uuid, const struct dm_target *target, dev_t *ret_number);

/* -EBUSY where it is in use. */
int dm_remove(const char *name);

/* The same, at once or when the last who has it open closes it. */
int dm_remove_deferred(const char *name);

/* 1: *ret is filled; 0: there is no device of the name; -errno. */
int dm_state(const char *name, struct dm_state *ret);

/*
 * The line of a device whose only target is of a type: of its table, or of its
 * status. -ENODATA where it has no table or another target. ret_sectors may be
 * NULL.
 */
int dm_table(const char *name, const char *type, char *line, size_t size, uint64_t *ret_sectors);
int dm_status(const char *name, const char *type, char *line, size_t size);

/*
 * Call for each device whose name starts so; what is called may do anything to
 * the devices. It goes on while 0 is returned, and returns what was not. -E2BIG
 * where there are more than some 100,000 devices.
 */
int dm_each_device(const char *prefix, int (*each)(void *context, const char *name, dev_t number),
		   void *context);

/* 1: the kernel has a target type, of this version (major, minor, patch); 0: it has not. */
int dm_target_version(const char *type, unsigned int ret_version[3]);

#endif
