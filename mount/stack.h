/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_STACK_H
#define MOUNT_STACK_H

#include "mount/fs/layers.h"
#include "mount/upper.h"
#include "mount/volume.h"

/*
 * What one request mounts on one target: lower layers, and what is written to on
 * top of them. A plain value: a description in one of the field's forms leads to
 * it (mount/describe/), it is printed by a dry run, and mount/runtime/ follows it.
 */

/* Layers and the further devices of their file systems together. */
#define STACK_VOLUMES_MAX 384

#define STACK_SIGNATURES_MAX 327680 /* bytes of all together: 2,580 for each layer */

struct stack {
	/*
	 * Topmost layer first; behind each volume its further devices (volume.devices
	 * of them, in slot order). Named volume-0, volume-1 … in this order.
	 */
	size_t count;
	struct volume volume[STACK_VOLUMES_MAX];
	/*
	 * Or, in the place of volumes, directories of the caller's, topmost first: an
	 * image that was unpacked in the guest. The texts are the caller's.
	 */
	size_t directories;
	const char *directory[LAYERS_MAX];
	struct upper upper;
	size_t signatures_used;                   /* bytes of them */
	uint8_t signatures[STACK_SIGNATURES_MAX]; /* the pool of the volumes' signatures */
};

/* Nothing in it. */
void stack_init(struct stack *s);

/*
 * A further volume, initialised with its name; the device-mapper name stays empty.
 * LIMIT_EXCEEDED above STACK_VOLUMES_MAX.
 */
int stack_add(struct stack *s, struct volume **ret, struct err *e);

/* How many layers there are: volumes that are no device of another one, or directories. */
size_t stack_layers(const struct stack *s);

/* A single layer without an upper, which is mounted as it is. */
bool stack_is_alone(const struct stack *s);

/* What volume of the stack follows i and all of its devices. */
static inline size_t stack_next(const struct stack *s, size_t i)
{
	return i + 1 + s->volume[i].devices;
}

#endif
