/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_DESCRIBE_TEMPLATE_H
#define MOUNT_DESCRIBE_TEMPLATE_H

#include "lib/err.h"

/*
 * What containerd's mount manager puts in the place of "{{ ... }}" in a mount's
 * options: where entry N of the list is mounted, or several of them as overlayfs wants
 * its layers. Source: containerd, core/mount/manager/format.go. Here they are only held
 * against the list that they stand in. Pure.
 */

/* The entries of a list, by their numbers; last is not counted among them. */
struct mount_list {
	size_t first_lower, lowers;
	const char *writable; /* the source of a disk that is written to, entry 0; or NULL */
};

/* "{{ mount N }}" of the only lower, or "{{ overlay A B }}" of the first and the last one. */
int template_lowers(const char *text, const struct mount_list *list, struct err *e);

/* "{{ mount 0 }}/..." of the writable disk, or a path without any template. */
int template_upper(const char *text, const struct mount_list *list, struct err *e);

#endif
