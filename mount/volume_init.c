// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* What a plan needs of a volume; no device is touched and no library is called. */
#include "mount/volume.h"

#include <stdio.h>
#include <string.h>

const char *const probe_fstypes[] = { "erofs", "squashfs", "ext4", "xfs", NULL };

void volume_init(struct volume *v, const char *name, const char *dm_name)
{
	memset(v, 0, sizeof(*v));
	snprintf(v->name, sizeof(v->name), "%s", name);
	snprintf(v->dm_name, sizeof(v->dm_name), "%s", dm_name);
	verity_params_init(&v->verity);
}
