// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/describe/storage_disk.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lib/array.h"
#include "lib/text.h"

#define HEX "0123456789abcdefABCDEF"

/*
 * A prefix makes a reference of ours of the source, which must have no other
 * characters: nothing in it is an escape or a suffix of a reference.
 */
static const struct driver {
	const char *name, *prefix, *characters;
	const char *node; /* or how a source begins that is a node in /dev; NULL: never */
} drivers[] = {
	{ "blk", "PCI=", HEX "./", "/dev/" },
	{ "erofs.multi-layer", "PCI=", HEX "./", "/dev/" },
	{ "scsi", "SCSI=", "0123456789:", NULL },
	{ "blk-ccw", "CCW=", HEX ".", NULL },
	{ "mmioblk", NULL, NULL, "/dev/" },
	{ "nvdimm", NULL, NULL, "/dev/pmem" },
};

static bool is_node(const struct driver *d, const char *source)
{
	return d->node && text_behind(source, d->node) && text_is_path(source) &&
	       !strchr(source, '\\') && !strchr(source, '=') && !text_behind(source, "/dev/disk/");
}

static bool is_address(const struct driver *d, const char *source)
{
	return d->prefix && *source && strspn(source, d->characters) == strlen(source);
}

int storage_disk(const char *driver, const char *source, struct devref *ret, struct err *e)
{
	char text[DEVREF_VALUE_SIZE + 8];

	for (size_t i = 0; i < ARRAY_SIZE(drivers); i++) {
		const struct driver *d = &drivers[i];
		bool node = is_node(d, source);
		int n;

		if (strcmp(driver, d->name))
			continue;
		n = snprintf(text, sizeof(text), "%s%s",
			     node      ? "" :
			     d->prefix ? d->prefix :
					 "",
			     source);
		if ((!node && !is_address(d, source)) || (size_t)n >= sizeof(text))
			return err_set(e, FAIL_DESCRIPTION_INVALID, EINVAL,
				       "\"%.80s\" is not a disk of the driver %s", source, driver);
		return devref_parse(text, ret, e);
	}
	return err_set(e, FAIL_DESCRIPTION_UNSUPPORTED, EOPNOTSUPP,
		       "the driver \"%.40s\" is not one of a disk, or not known here", driver);
}
