/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_DESCRIBE_MOUNT_TOP_H
#define MOUNT_DESCRIBE_MOUNT_TOP_H

#include <stdbool.h>

#include "mount/describe/hostile_json.h"
#include "mount/describe/template.h"
#include "mount/stack.h"

/*
 * The last mount of a list of containerd's, which puts its layers together: an overlay,
 * or for a View of one layer a bind mount. Pure.
 */

/* One mount of a list. */
struct mount_entry {
	const char *type, *source;
	struct json_object *options; /* an array, or NULL */
};

/* Its directories: of the host, or templates; NULL where they are not given. */
struct overlay_options {
	const char *lower, *upper, *work;
};

/* ro, and X-*, which are words of a runtime to itself; but none about verity. */
bool mount_option_harmless(const char *option);

/* One option of an overlay: KEY_REPEATED, DESCRIPTION_INVALID. */
int overlay_option_read(const char *option, const struct mount_list *list,
			struct overlay_options *ret, struct err *e);

/* That it takes all layers of the list; and whether something is written to, on a tmpfs. */
int mount_top_read(const struct mount_entry *entry, const struct mount_list *list, struct stack *s,
		   struct err *e);

#endif
