/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_INSPECT_LIST_FILES_H
#define IMAGE_BUILD_INSPECT_LIST_FILES_H

#include <json-c/json.h>
#include <stdbool.h>

#include "image-build/base/slice.h"
#include "lib/err.h"

/*
 * Every name of an erofs on standard output, a line each and parents first: mode, owner,
 * size or device, time, how its data is stored, path, target; attributes on lines of their
 * own. As JSON it is an object a line. Bytes of a name that cannot be printed are shown as
 * \xHH, and so is a backslash.
 */
int list_files(const struct slice *x, bool json, struct err *e);

/*
 * The same of each erofs that inspect_path() found in the file fd: the whole of it, or
 * those of its partitions that are in the report.
 */
int list_found_files(int fd, struct json_object *report, bool json, struct err *e);

#endif
