/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_INSPECT_ARCHIVES_H
#define IMAGE_BUILD_INSPECT_ARCHIVES_H

#include <json-c/json.h>

#include "image-build/base/slice.h"
#include "lib/err.h"

/* The archives of an initramfs, packed or not, into o; as cpio_scan() where it is none. */
int archives_read(const struct slice *file, struct json_object *o, struct err *e);

#endif
