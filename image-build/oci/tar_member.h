/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_OCI_TAR_MEMBER_H
#define IMAGE_BUILD_OCI_TAR_MEMBER_H

#include "lib/err.h"

/*
 * A member of the tar that an image comes in, by its cleaned name, copied into a
 * file of its own in the directory scratch: a descriptor at its beginning.
 * Symbolic and hard links are followed inside of the tar, a few of them. -ENOENT
 * where it is not there; two members of this name are refused, since readers
 * differ in which of them counts.
 */
int tar_member_open(const char *path, const char *scratch, const char *name, struct err *e);

#endif
