/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_RUNTIME_WORK_H
#define MOUNT_RUNTIME_WORK_H

#include "mount/describe/describe.h"
#include "mount/open.h"
#include "mount/runtime/mark.h"
#include "mount/runtime/target.h"
#include "mount/scratch.h"

#define WORK_WISHES_MAX (STACK_VOLUMES_MAX * VOLUME_DEVICES_MAX + 1)

#define PLACE_SIZE 80 /* bytes of a path below a stage, with the NUL */

/* Where the parts of a stack are while it is put together. */
struct places {
	size_t count;
	char lower[LAYERS_MAX + 1][PLACE_SIZE];
	const char *lowerdirs[LAYERS_MAX + 1];
	char upper[PLACE_SIZE];
	char upperdir[UPPER_PATH_SIZE + 8], workdir[UPPER_PATH_SIZE + 8];
	char merged[PLACE_SIZE];
	char source[sizeof(((struct target *)0)->prefix) + MARK_SIZE];
};

/*
 * One mount of a stack, from what was described to the end. It is large, so a caller
 * allocates it, all zero.
 */
struct work {
	const char *step; /* of the failure line: as far as it has come */
	struct stack stack;
	enum verity_corruption on_corruption;
	int timeout_ms;
	struct target target;
	struct device_search search;
	struct device_wish wishes[WORK_WISHES_MAX];
	size_t first_wish[STACK_VOLUMES_MAX]; /* a volume's own start here */
	size_t disk_wish;                     /* the scratch disk's */
	char mark[MARK_SIZE];                 /* the overlay's; empty: there is none */
	struct open_volume open[STACK_VOLUMES_MAX];
	size_t open_count;
	struct scratch scratch;
	struct places places;
};

/*
 * Follow the stack: find its disks, open and prove them, stack them, put them on the
 * target. What the policy says has been asked. Nothing stays after a failure; e's
 * volume is set where it is about one.
 */
int work_mount(struct work *w, const char *target, struct err *e);

/* Its parts, in this order; each leaves to the caller what there was before it. */
int work_find_disks(struct work *w, struct err *e);
int work_open(struct work *w, struct err *e);
int work_stack(struct work *w, struct err *e);

#endif
