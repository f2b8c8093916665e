/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_DESCRIBE_SOCLE_LINES_H
#define MOUNT_DESCRIBE_SOCLE_LINES_H

#include "mount/stack.h"

/*
 * Our own form of a description at run time, in the words of socle-init(8): a volume a
 * line, topmost first, as behind socle.layer=,
 *
 *	DEVICE,root_hash=HEX,data_blocks=N,...
 *
 * or, read by form_socle, JSON as in a manifest, where a layer's "devices" are the
 * further devices of an erofs, in slot order, each with a verity of its own:
 *
 *	{ "version": 1,
 *	  "layers": [ { "device": "SERIAL=…", "root_hash": "…", "data_blocks": 12,
 *	                "devices": [ { "device": "SERIAL=…", "root_hash": "…", … } ] } ],
 *	  "upper": "tmpfs" }
 *
 * A volume of which nothing but the disk and the file system is said has no verity. Pure.
 */

int socle_add_lines(const char *text, struct stack *s, struct err *e);

#endif
