/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_DESCRIBE_PRINT_VOLUME_H
#define MOUNT_DESCRIBE_PRINT_VOLUME_H

#include "lib/out.h"
#include "mount/volume.h"

/*
 * One volume of a plan, at boot or at run time: its name and a fact a line, or a JSON
 * object. signatures is the pool that its signature is in. Pure.
 */

/* Enough for any. */
#define PRINT_VOLUME_SIZE 8192

void volume_print(struct out *o, const struct volume *v, const uint8_t *signatures);
void volume_print_json(struct out *o, const struct volume *v, const uint8_t *signatures);

#endif
