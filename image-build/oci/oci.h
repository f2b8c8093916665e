/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_OCI_OCI_H
#define IMAGE_BUILD_OCI_OCI_H

#include "image-build/oci/oci_image.h"
#include "image-build/oci/oci_source.h"

/*
 * From an image layout to the list of one image's layers. Every document is
 * checked against the digest and size that led to it before it is read.
 * Sources: OCI image-spec, image-index.md, manifest.md, config.md. Where there is
 * no index.json it is read as image-build/oci/docker_archive.h does.
 */

/*
 * Which image of the layout: ref may be NULL (there must be only one then),
 * platform is "os/architecture" or "os/architecture/variant", which the image must
 * then be for; NULL: this machine's where there is a choice, and a lone image as it is.
 */
int oci_load(const struct oci_source *s, const char *ref, const char *platform,
	     struct oci_image *ret, struct err *e);

#endif
