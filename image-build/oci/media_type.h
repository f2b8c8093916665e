/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_OCI_MEDIA_TYPE_H
#define IMAGE_BUILD_OCI_MEDIA_TYPE_H

#include <stdbool.h>

#include "image-build/base/blob.h"
#include "lib/err.h"

/* OCI's names and Docker's older ones. Sources: image-spec media-types.md; distribution's schema2.
 */
bool media_type_is_index(const char *type);
bool media_type_is_manifest(const char *type);

/* How a layer of this type is packed; unknown and encrypted ones are refused by name. */
int media_type_layer(const char *type, enum compression *ret, struct err *e);

/* A foreign layer: a layout may be complete without its blob. */
bool media_type_may_be_absent(const char *type);

const char *media_type_docker_layer(enum compression compression);

#endif
