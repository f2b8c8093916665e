// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * What containerd's erofs snapshotter keeps of a layer: the blob, and a sidecar with the
 * root hash and the place of the superblock. Source: containerd,
 * internal/dmverity/dmverity.go, plugins/diff/erofs/dmverity_linux.go.
 */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "image-build/base/json.h"
#include "image-build/base/memory.h"
#include "image-build/base/refuse.h"
#include "image-build/disk/disk_parts.h"
#include "lib/hex.h"

static int write_containerd(struct disk *d, struct err *e)
{
	struct disk_part *p = &d->parts[0];
	char root[2 * VERITY_DIGEST_MAX + 1];
	char *sidecar auto_text = NULL;
	uint64_t end = 0;
	int r = 0;

	if (strcmp(p->fstype, "erofs"))
		r = refuse(e, "%s: containerd's layers are erofs", p->path);
	if (!r)
		r = part_write_sealed(p, d->out.fd, 0, e);
	if (!r)
		r = part_place_tree(p, part_data_bytes(p), true, &end, e);
	if (!r && ftruncate(d->out.fd, (off_t)end))
		r = system_failed(e, "extend the blob");
	if (r)
		return r;
	hex_encode(p->verity.root_hash, p->verity.root_hash_size, root);
	sidecar = memory_printf("{\"roothash\":\"%s\",\"hashoffset\":%" PRIu64 "}", root,
				part_data_bytes(p));
	return disk_text_file(d, ".dmverity", sidecar, e);
}

const struct disk_format format_containerd = {
	.name = "containerd",
	.summary = "a layer of containerd's erofs snapshotter, and its .dmverity",
	.takes = DISK_SALT,
	.parts_max = 1,
	.salt = DISK_SALT_ZERO,
	.write = write_containerd,
};
