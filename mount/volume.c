// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* What a plan needs of a volume; no device is touched and no library is called. */
#include "mount/volume.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/text.h"

void volume_init(struct volume *v, const char *name, const char *dm_name)
{
	memset(v, 0, sizeof(*v));
	snprintf(v->name, sizeof(v->name), "%s", name);
	snprintf(v->dm_name, sizeof(v->dm_name), "%s", dm_name);
	verity_params_init(&v->verity);
}

/* They change how proved bytes are read, never which. */
static const char *const harmless_options[] = {
	"acl",    "barrier",    "cache_strategy", "data",   "errors", "noacl",      "nobarrier",
	"noload", "norecovery", "nouser_xattr",   "nouuid", "ro",     "user_xattr", NULL,
};

static int check_options(const char *options, struct err *e)
{
	while (*options) {
		size_t word = strcspn(options, ","), name = strcspn(options, "=,");

		if (word && text_find(harmless_options, options, name) < 0)
			return err_set(
				e, FAIL_VALUE_INVALID, EINVAL,
				"the mount option %.*s is not allowed for a verified file system",
				(int)(name < 60 ? name : 60), options);
		options += word + (options[word] == ',');
	}
	return 0;
}

int volume_finish(struct volume *v, struct err *e)
{
	if ((v->fec.kind != DEVREF_NONE) != (v->verity.fec_roots != 0))
		return err_set(e, FAIL_VERITY_PARAMS_INVALID, EINVAL,
			       "a FEC device and the number of its roots must be given together");
	if (check_options(v->options, e))
		return -EINVAL;
	if (v->proof == VOLUME_SUPERBLOCK)
		return verity_params_check_root_hash(&v->verity, e);
	return verity_params_finish(&v->verity, v->hash.kind == DEVREF_NONE, e);
}
