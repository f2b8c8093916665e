/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_ARM_ALL_H
#define MOUNT_ARM_ALL_H

#include "mount/open.h"

#define VOLUMES_ARM_MAX 512 /* volumes of one call */

/*
 * As verity_arm() for many, whose tables are swapped at the same time, with a
 * volume's name in e; nothing for a raw volume. A signature in a file is read
 * once more, so the file must still be there. Where one fails, of the others
 * some may be armed. LIMIT_EXCEEDED above VOLUMES_ARM_MAX.
 */
int volumes_arm(const struct open_volume *open, size_t count, enum verity_corruption policy,
		struct err *e);

#endif
