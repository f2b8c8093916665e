// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "image-build/oci/media_type.h"

#include <string.h>

#include "image-build/base/refuse.h"
#include "lib/array.h"

#define OCI    "application/vnd.oci.image."
#define DOCKER "application/vnd.docker."

static const struct {
	const char *type;
	enum compression compression;
} layers[] = {
	{ OCI "layer.v1.tar", COMPRESSION_NONE },
	{ OCI "layer.v1.tar+gzip", COMPRESSION_GZIP },
	{ OCI "layer.v1.tar+zstd", COMPRESSION_ZSTD },
	{ OCI "layer.nondistributable.v1.tar", COMPRESSION_NONE },
	{ OCI "layer.nondistributable.v1.tar+gzip", COMPRESSION_GZIP },
	{ OCI "layer.nondistributable.v1.tar+zstd", COMPRESSION_ZSTD },
	{ DOCKER "image.rootfs.foreign.diff.tar", COMPRESSION_NONE },
	{ DOCKER "image.rootfs.foreign.diff.tar.gzip", COMPRESSION_GZIP },
	{ DOCKER "image.rootfs.diff.tar", COMPRESSION_NONE },
	{ DOCKER "image.rootfs.diff.tar.gzip", COMPRESSION_GZIP },
	{ DOCKER "image.rootfs.diff.tar.zstd", COMPRESSION_ZSTD },
};

bool media_type_is_index(const char *type)
{
	return !strcmp(type, OCI "index.v1+json") ||
	       !strcmp(type, DOCKER "distribution.manifest.list.v2+json");
}

bool media_type_is_manifest(const char *type)
{
	return !strcmp(type, OCI "manifest.v1+json") ||
	       !strcmp(type, DOCKER "distribution.manifest.v2+json");
}

int media_type_layer(const char *type, enum compression *ret, struct err *e)
{
	for (size_t i = 0; i < ARRAY_SIZE(layers); i++)
		if (!strcmp(type, layers[i].type)) {
			*ret = layers[i].compression;
			return 0;
		}
	if (strstr(type, "encrypted"))
		return refuse(e, "media type %.90s: it is encrypted; decrypt the image first",
			      type);
	return refuse(e, "media type %.90s is not a known kind of layer", type);
}

bool media_type_may_be_absent(const char *type)
{
	return strstr(type, ".nondistributable.") || strstr(type, ".foreign.");
}

const char *media_type_docker_layer(enum compression compression)
{
	if (compression == COMPRESSION_GZIP)
		return DOCKER "image.rootfs.diff.tar.gzip";
	if (compression == COMPRESSION_ZSTD)
		return DOCKER "image.rootfs.diff.tar.zstd";
	return DOCKER "image.rootfs.diff.tar";
}
