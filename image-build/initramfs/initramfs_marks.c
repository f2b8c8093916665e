// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* What shows the guest that all of this initramfs was unpacked. */
#include "image-build/initramfs/initramfs.h"

#include "image-build/base/memory.h"
#include "image-build/initramfs/cpio.h"
#include "init/plan/marks.h"

/* Of the archive without marks: no other archive that is unpacked with it has the same. */
static int digest_archive(const struct tree *t, struct digest *ret, struct err *e)
{
	struct hasher h;
	struct sink s;
	int r;

	hasher_start(&h, "sha256");
	r = sink_open(&s, -1, COMPRESSION_NONE, e);
	s.hasher = &h;
	if (!r)
		r = cpio_write(t, NULL, &s, e);
	if (!r)
		hasher_finish(&h, ret);
	sink_close(&s);
	hasher_stop(&h);
	return r;
}

int initramfs_add_marks(struct initramfs_build *b, struct err *e)
{
	char digest[DIGEST_TEXT_SIZE];
	char *text auto_text = NULL;
	struct digest d;
	int r = digest_archive(&b->tree, &d, e);

	if (r)
		return r;
	digest_text(&d, digest);
	text = memory_printf("%s\n", digest);
	r = initramfs_add_text(b, &MARK_BEGUN[1], text, e);
	if (!r)
		r = initramfs_add_text(b, &MARK_COMPLETE[1], text, e);
	b->last = r ? NULL : tree_find(&b->tree, &MARK_COMPLETE[1]);
	return r;
}
