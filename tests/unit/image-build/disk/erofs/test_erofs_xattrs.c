// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <stdlib.h>

#include "image-build/disk/erofs/erofs_xattrs.h"

/*
 * Two attributes, byte by byte. Readers in user space neither ask the filter nor mind
 * words of zeroes between entries; the kernel does. Of xxh32("overlay.opaque",
 * 0x25bbe08f + 4) and xxh32("a", 0x25bbe08f + 1) the lowest five bits are 20 and 21.
 */
static const uint8_t expected[] = {
	/* header: the filter, how many are shared, reserved */
	0xff,
	0xff,
	0xcf,
	0xff,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	/* trusted.overlay.opaque=y */
	14,
	4,
	1,
	0,
	'o',
	'v',
	'e',
	'r',
	'l',
	'a',
	'y',
	'.',
	'o',
	'p',
	'a',
	'q',
	'u',
	'e',
	'y',
	0,
	/* user.a=bcd */
	1,
	1,
	3,
	0,
	'a',
	'b',
	'c',
	'd',
};

static void test_bytes(void **state)
{
	struct inode *inode = inode_hold(inode_new(S_IFDIR | 0755));
	uint8_t bytes[sizeof(expected)] = { 0 };
	struct err e = { .text = "" };
	uint32_t size = 0;

	(void)state;
	inode_set_xattr(inode, "user.a", "bcd", 3);
	inode_set_xattr(inode, "trusted.overlay.opaque", "y", 1);
	expect_success("size", erofs_xattrs_size(inode, &size, &e), &e);
	assert_int_equal(size, sizeof(expected));
	erofs_xattrs_put(inode, bytes);
	assert_memory_equal(bytes, expected, sizeof(expected));
	inode_release(inode);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
