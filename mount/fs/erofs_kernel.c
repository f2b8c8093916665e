// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "mount/fs/erofs_kernel.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/array.h"
#include "lib/text.h"

#define VERSION(major, minor) ((major)*1000U + (minor))

/* 0: unknown. */
static unsigned int read_version(const char *release)
{
	size_t dot = strcspn(release, "."), digits;
	uint64_t major, minor;

	if (!release[dot] || parse_u64_part(release, dot, 999, &major))
		return 0;
	release += dot + 1;
	digits = strspn(release, "0123456789");
	return parse_u64_part(release, digits, 999, &minor) ?
		       0 :
		       VERSION((unsigned int)major, (unsigned int)minor);
}

static int missing(struct err *e, const char *what, const char *since, const char *release)
{
	return err_set(e, FAIL_KERNEL_FEATURE_MISSING, EOPNOTSUPP,
		       "the erofs %s, which needs Linux %s or newer, and this is %.40s", what,
		       since, release);
}

int erofs_kernel_can(const struct erofs_superblock *sb, bool flat,
		     const struct erofs_machine *machine, struct err *e)
{
	unsigned int version = read_version(machine->release);
	char what[80];

	if (sb->block_size > machine->page_size)
		return err_set(e, FAIL_KERNEL_FEATURE_MISSING, EOPNOTSUPP,
			       "the erofs has blocks of %u bytes and the kernel's pages have %u: "
			       "it mounts none that are larger",
			       sb->block_size, machine->page_size);
	if (!version || version >= VERSION(6, 4))
		return 0;
	snprintf(what, sizeof(what), "has blocks of %u bytes where pages have %u", sb->block_size,
		 machine->page_size);
	if (sb->block_size < machine->page_size)
		return missing(e, what, "6.4", machine->release);
	if (flat && sb->extra_devices)
		return missing(e, "has the data of its further devices on the first one", "6.4",
			       machine->release);
	return 0;
}

/* fs/erofs/erofs_fs.h, EROFS_FEATURE_INCOMPAT_*; some bits mean two things. */
static const struct {
	uint32_t bit;
	unsigned int version;
	const char *since, *what;
} features[] = {
	{ 0x4, VERSION(5, 15), "5.15", "keeps files in chunks" },
	{ 0x8, VERSION(5, 16), "5.16", "has further devices or two compressions" },
	{ 0x10, VERSION(5, 17), "5.17", "keeps ends of compressed files with their inodes" },
	{ 0x20, VERSION(6, 1), "6.1", "keeps parts of files together (fragments, dedupe)" },
	{ 0x40, VERSION(6, 4), "6.4", "has long prefixes of extended attributes" },
	{ 0x80, VERSION(6, 15), "6.15", "has block numbers of 48 bits or omits \".\"" },
	{ 0x100, VERSION(6, 17), "6.17", "compresses its metadata (metabox)" },
};

int erofs_kernel_lacks(const struct erofs_superblock *sb, const char *release, struct err *e)
{
	unsigned int version = read_version(release);

	for (size_t i = ARRAY_SIZE(features); version && i-- > 0;)
		if (sb->incompat & features[i].bit && version < features[i].version)
			return missing(e, features[i].what, features[i].since, release);
	return 0;
}
