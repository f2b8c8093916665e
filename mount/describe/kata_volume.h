/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef MOUNT_DESCRIBE_KATA_VOLUME_H
#define MOUNT_DESCRIBE_KATA_VOLUME_H

#include <stdbool.h>

#include "mount/describe/given.h"

/*
 * KataVirtualVolume, the JSON by which nydus-snapshotter tells Kata of a disk:
 *
 *	{"volume_type":"layer_raw_block","source":"/…/x.layer.disk","fs_type":"erofs",
 *	 "options":["ro"],"dm_verity":{"hashtype":"sha256","hash":"…","blocknum":1044,
 *	 "blocksize":512,"hashsize":4096,"offset":536576}}
 *
 * Sources: Kata, src/libs/kata-types/src/{mount,dmverity}.rs; nydus-snapshotter,
 * snapshot/mount_option.go. Both ignore members that they do not know. Pure.
 */

/* Bytes of one volume's JSON in base64, decoded; those of an image of 127 layers have 500. */
#define KATA_VOLUME_SIZE 32768

/*
 * One volume in base64, as in the mount option io.katacontainers.volume=, behind those that
 * are in the stack. Layers come topmost first; all else is alone in its stack.
 */
int kata_volume_add(const char *base64, const struct describe_given *given, struct stack *s,
		    struct err *e);

/* Several in base64, one a line. */
int kata_volume_add_lines(const char *text, const struct describe_given *given, struct stack *s,
			  struct err *e);

/* May a text be a JSON object in base64? No other form begins like that. */
bool kata_volume_is_base64(const char *text);

#endif
