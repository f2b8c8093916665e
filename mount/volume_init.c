// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* What a plan needs of a volume; no device is touched and no library is called. */
#include "mount/volume.h"

#include <errno.h>
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

int volume_finish(struct volume *v, struct err *e)
{
	if ((v->fec.kind != DEVREF_NONE) != (v->verity.fec_roots != 0))
		return err_set(e, FAIL_VERITY_PARAMS_INVALID, EINVAL,
			       "a FEC device and its roots go together");
	if (v->proof == VOLUME_SUPERBLOCK)
		return verity_params_check_root_hash(&v->verity, e);
	return verity_params_finish(&v->verity, v->hash.kind == DEVREF_NONE, e);
}
