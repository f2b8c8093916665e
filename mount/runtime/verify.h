/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_RUNTIME_VERIFY_H
#define MOUNT_RUNTIME_VERIFY_H

#include <stdint.h>

#include "lib/err.h"

/*
 * As socle_verify(). The blocks are read through a device "socle.ID.verify" that is
 * made for each layer in turn with the layer's own table but for its policy: a bad
 * block is an error here, whatever it would be for the container. What the page cache
 * of the mount holds does not count; the disk does.
 */
int runtime_verify(const char *path,
		   int (*progress)(uint64_t done_bytes, uint64_t all_bytes, void *data), void *data,
		   struct err *e);

#endif
