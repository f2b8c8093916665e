/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_OCI_DOCKER_ARCHIVE_H
#define IMAGE_BUILD_OCI_DOCKER_ARCHIVE_H

#include <stdbool.h>

#include "image-build/oci/oci_image.h"
#include "image-build/oci/oci_source.h"

/*
 * What `docker save` and `podman save` write: manifest.json names for each image
 * its configuration, its tags and the files of its layers, the bottom first.
 * Nothing in it proves anything; the configuration's diff_ids prove the layers,
 * and its own digest goes into image.json. Source: the Docker image
 * specification, v1.2, "Combined Image JSON + Filesystem Changeset Format".
 */
#define DOCKER_ARCHIVE_LIST "manifest.json" /* Docker's word, not OCI's image manifest */

/* Whether there is such a list. */
bool docker_archive_is(const struct oci_source *s);

/* As oci_load(); ref is one of the tags, "localhost/tool:1". */
int docker_archive_load(const struct oci_source *s, const char *ref, const char *platform,
			struct oci_image *ret, struct err *e);

#endif
