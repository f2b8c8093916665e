/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#ifndef IMAGE_BUILD_OCI_OCI_SOURCE_H
#define IMAGE_BUILD_OCI_OCI_SOURCE_H

#include <stddef.h>

#include "lib/err.h"

/*
 * The files of an OCI image layout or a docker archive, wherever they are: a
 * directory, or a tar that is not compressed. Source: OCI image-spec, image-layout.md.
 */
struct oci_source {
	const char *path;    /* as the user wrote it; callers put it before a message */
	const char *scratch; /* a directory for temporary files */
	int directory;       /* -1 for a tar */
};

int oci_source_open(struct oci_source *ret, const char *path, const char *scratch, struct err *e);
void oci_source_close(struct oci_source *s);

/* A whole small file and its closing NUL, allocated. */
int oci_source_text(const struct oci_source *s, const char *name, char **ret, size_t *ret_size,
		    struct err *e);

/*
 * A file by its cleaned name, open for reading from its beginning; nothing of it
 * is checked. -ENOENT where it is not there. In a tar, links are followed, and a
 * name that two members have is refused.
 */
int oci_source_file(const struct oci_source *s, const char *name, struct err *e);

#endif
