// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <stdio.h>

#include "image-build/base/limits.h"
#include "image-build/tree/layer.h"
#include "image-build/tree/resolve.h"
#include "tests/unit/image-build/image_tar.h"

#define ROOT        "/ 40755 0 0\n"
#define MEMBERS_MAX 8

/* What a layer's tar says, and the tree or the refusal that comes of it. */
static const struct {
	const char *label;
	struct member members[MEMBERS_MAX];
	const char *tree;
	enum fail_code code;
	const char *words;
} cases[] = {
	{ "empty", { { 0 } }, ROOT, 0, NULL },
	{ "root entry",
	  { { .name = "./", .type = '5', .mode = 0700, .uid = 4, .mtime = 9 } },
	  "/ 40700 4 9\n",
	  0,
	  NULL },
	{ "all types",
	  { { .name = "b", .type = '4', .major = 259, .minor = 70000 },
	    { .name = "c", .type = '3', .major = 1, .minor = 3 },
	    { .name = "f", .type = '6' },
	    { .name = "s", .type = '2', .link = "/x/../y" },
	    { .name = "u", .data = "text", .mode = 06755, .uid = 7, .mtime = 12 } },
	  ROOT "/b 60644 0 0 259:70000\n/c 20644 0 0 1:3\n/f 10644 0 0\n/s 120644 0 0 -> /x/../y\n"
	       "/u 106755 7 12 \"text\"\n",
	  0,
	  NULL },
	{ "implied directories",
	  { { .name = "a/b/c", .data = "x" } },
	  ROOT "/a 40755 0 0\n/a/b 40755 0 0\n/a/b/c 100644 0 0 \"x\"\n",
	  0,
	  NULL },
	{ "a directory's entry after its content",
	  { { .name = "a/b", .data = "x" }, { .name = "a/", .type = '5', .mode = 0711, .uid = 3 } },
	  ROOT "/a 40711 3 0\n/a/b 100644 0 0 \"x\"\n",
	  0,
	  NULL },
	{ "last one wins",
	  { { .name = "a", .data = "1" }, { .name = "a", .data = "2", .mode = 0600 } },
	  ROOT "/a 100600 0 0 \"2\"\n",
	  0,
	  NULL },
	{ "a file replaces a directory with all in it",
	  { { .name = "a/b/c", .data = "x" }, { .name = "a", .data = "f" } },
	  ROOT "/a 100644 0 0 \"f\"\n",
	  0,
	  NULL },
	{ "a directory replaces a file",
	  { { .name = "a", .data = "f" }, { .name = "a", .type = '5' }, { .name = "a/b" } },
	  ROOT "/a 40755 0 0\n/a/b 100644 0 0 \"\"\n",
	  0,
	  NULL },
	{ "hard links are one inode",
	  { { .name = "a", .data = "x" },
	    { .name = "b", .type = '1', .link = "a" },
	    { .name = "c", .type = '1', .link = "./b" } },
	  ROOT "/a 100644 0 0 \"x\" =3\n/b 100644 0 0 \"x\" =3\n/c 100644 0 0 \"x\" =3\n",
	  0,
	  NULL },
	{ "a link binds when it is read",
	  { { .name = "a", .data = "1" },
	    { .name = "b", .type = '1', .link = "a" },
	    { .name = "a", .data = "2" } },
	  ROOT "/a 100644 0 0 \"2\"\n/b 100644 0 0 \"1\"\n",
	  0,
	  NULL },
	{ "a link to itself does nothing",
	  { { .name = "a", .data = "1" }, { .name = "a", .type = '1', .link = "/a" } },
	  ROOT "/a 100644 0 0 \"1\"\n",
	  0,
	  NULL },
	{ "whiteouts, whatever their type",
	  { { .name = "d/.wh.a" },
	    { .name = "d/.wh.b", .type = '1', .link = "nowhere" },
	    { .name = "d/.wh.c", .type = '5' },
	    { .name = "d/.wh.d", .data = "text" },
	    { .name = ".wh..wh.plnk/1" } },
	  ROOT "/d 40755 0 0\n/d/a whiteout\n/d/b whiteout\n/d/c whiteout\n/d/d whiteout\n",
	  0,
	  NULL },
	{ "a device 0:0 cannot be content",
	  { { .name = "a", .type = '3' }, { .name = "b", .type = '1', .link = "a" } },
	  NULL,
	  FAIL_VALUE_INVALID,
	  "\"a\": a character device 0:0" },
	{ "a block device 0:0 can",
	  { { .name = "a", .type = '4' } },
	  ROOT "/a 60644 0 0 0:0\n",
	  0,
	  NULL },
	{ "opaque, with content in the marker",
	  { { .name = "d/.wh..wh..opq", .data = "text" }, { .name = "d/a", .data = "1" } },
	  ROOT "/d 40755 0 0 opaque\n/d/a 100644 0 0 \"1\"\n",
	  0,
	  NULL },
	{ "opaque stays when the directory's entry comes",
	  { { .name = "d/.wh..wh..opq" }, { .name = "d", .type = '5', .mode = 0700 } },
	  ROOT "/d 40700 0 0 opaque\n",
	  0,
	  NULL },
	{ "overlayfs' own attributes",
	  { { .name = "d", .type = '5', .xattr = "trusted.overlay.opaque=y" },
	    { .name = "e", .type = '5', .xattr = "user.overlay.opaque=y" },
	    { .name = "g", .xattr = "user.overlay.redirect=x" },
	    { .name = "f", .type = '5', .xattr = "trusted.overlay.origin=abc" } },
	  ROOT "/d 40755 0 0 opaque\n/e 40755 0 0 {user.overlay.opaque=y}\n/f 40755 0 0\n"
	       "/g 100644 0 0 \"\" {user.overlay.redirect=x}\n",
	  0,
	  NULL },
	{ "attributes",
	  { { .name = "a", .xattr = "security.selinux=system_u:x" } },
	  ROOT "/a 100644 0 0 \"\" {security.selinux=system_u:x}\n",
	  0,
	  NULL },
	{ "redirect",
	  { { .name = "a", .type = '5', .xattr = "trusted.overlay.redirect=x" } },
	  NULL,
	  FAIL_VALUE_INVALID,
	  "redirect" },
	{ "opaque that is not y",
	  { { .name = "a", .type = '5', .xattr = "trusted.overlay.opaque=x" } },
	  NULL,
	  FAIL_VALUE_INVALID,
	  "opaque" },
	{ "an attribute that erofs has no place for",
	  { { .name = "a", .xattr = "system.nfs4_acl=x23" } },
	  NULL,
	  FAIL_VALUE_INVALID,
	  "cannot be kept" },
	{ "..", { { .name = "a/../b" } }, NULL, FAIL_VALUE_INVALID, "\"..\"" },
	{ "link with ..",
	  { { .name = "a", .type = '1', .link = "../b" } },
	  NULL,
	  FAIL_VALUE_INVALID,
	  "\"..\"" },
	{ "below a file",
	  { { .name = "a" }, { .name = "a/b" } },
	  NULL,
	  FAIL_VALUE_INVALID,
	  "not a directory" },
	{ "below a link to what is not there",
	  { { .name = "a", .type = '2', .link = "/../b/./c" }, { .name = "a/d" } },
	  ROOT "/a 120644 0 0 -> /../b/./c\n/b 40755 0 0\n/b/c 40755 0 0\n/b/c/d 100644 0 0 \"\"\n",
	  0,
	  NULL },
	{ "below a link to a file",
	  { { .name = "f" }, { .name = "a", .type = '2', .link = "f" }, { .name = "a/d" } },
	  NULL,
	  FAIL_VALUE_INVALID,
	  "not a directory" },
	{ "below a link in a circle",
	  { { .name = "a", .type = '2', .link = "b" },
	    { .name = "b", .type = '2', .link = "a" },
	    { .name = "a/d" } },
	  NULL,
	  FAIL_VALUE_INVALID,
	  "more than 40 symbolic links" },
	{ "a hard link through a link, and one to a link",
	  { { .name = "d/f", .data = "1" },
	    { .name = "l", .type = '2', .link = "d" },
	    { .name = "h", .type = '1', .link = "l/f" },
	    { .name = "i", .type = '1', .link = "l" } },
	  ROOT "/d 40755 0 0\n/d/f 100644 0 0 \"1\" =2\n/h 100644 0 0 \"1\" =2\n"
	       "/i 120644 0 0 -> d =2\n/l 120644 0 0 -> d =2\n",
	  0,
	  NULL },
	{ "a link to a directory",
	  { { .name = "a/", .type = '5' }, { .name = "b", .type = '1', .link = "a" } },
	  NULL,
	  FAIL_VALUE_INVALID,
	  "directory" },
	{ "a link to what it replaces",
	  { { .name = "a/b" }, { .name = "a", .type = '1', .link = "a/b" } },
	  NULL,
	  FAIL_VALUE_INVALID,
	  "below itself" },
	{ "the root as a file",
	  { { .name = "./.", .data = "x" } },
	  NULL,
	  FAIL_VALUE_INVALID,
	  "root" },
	{ "the root as a link",
	  { { .name = ".", .type = '1', .link = "a" } },
	  NULL,
	  FAIL_VALUE_INVALID,
	  "root" },
	{ "device number",
	  { { .name = "a", .type = '3', .major = 4096 } },
	  NULL,
	  FAIL_LIMIT_EXCEEDED,
	  "4095" },
	{ "a link's target in a pax header alone",
	  { { .name = "a" }, { .name = "b", .type = '1', .link = "", .pax = "14 linkpath=a\n" } },
	  ROOT "/a 100644 0 0 \"\" =2\n/b 100644 0 0 \"\" =2\n",
	  0,
	  NULL },
	{ "a hard link to nothing",
	  { { .name = "b", .type = '1', .link = "" } },
	  NULL,
	  FAIL_VALUE_INVALID,
	  "without a target" },
	{ "whiteout of nothing", { { .name = "a/.wh." } }, NULL, FAIL_VALUE_INVALID, "whiteout" },
	{ "an attribute of another system",
	  { { .name = "a", .xattr = "com.apple.quarantine=x" } },
	  ROOT "/a 100644 0 0 \"\"\n",
	  0,
	  NULL },
	{ "an attribute of no name space's name",
	  { { .name = "a", .xattr = "security.=1234" } },
	  NULL,
	  FAIL_VALUE_INVALID,
	  "cannot be kept" },
	{ "an attribute without a name",
	  { { .name = "a", .pax = "19 SCHILY.xattr.=v\n" } },
	  NULL,
	  FAIL_VALUE_INVALID,
	  "\"\" cannot be kept" },
	{ "symbolic link to nothing",
	  { { .name = "a", .type = '2', .link = "" } },
	  NULL,
	  FAIL_VALUE_INVALID,
	  "target" },
};

static void test_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err e = { .text = "" };
		struct layer l;
		int r = read_members(&l, cases[i].members, &e);

		if (cases[i].code) {
			expect_failure(cases[i].label, r, &e, cases[i].code, cases[i].words);
		} else if (cases[i].tree) {
			char *text = tree_text(&l.tree);

			expect_success(cases[i].label, r, &e);
			if (strcmp(text, cases[i].tree))
				fail_msg("%s:\n%s\nexpected:\n%s", cases[i].label, text,
					 cases[i].tree);
			free(text);
		}
		layer_free(&l);
	}
}

/* Twenty bytes with NULs and a newline, byte for byte. */
static void test_binary_xattr(void **state)
{
	static const char value[20] = "\x01\0\0\x02\0\x20\n=\0\0\0\0\0\0\0\0\0\0\0\xff";
	static const char key[] = "54 SCHILY.xattr.security.capability=";
	static const struct member file[] = { { .name = "ping", .mode = 04755 }, { .name = NULL } };
	struct bytes b = { .at = NULL };
	uint8_t header[512], record[512] = { 0 };
	struct err e = { .text = "" };
	const struct xattr *x;
	struct layer l;
	struct member pax[] = { { .name = "ping", .type = 'x' }, { .name = NULL } };
	unsigned int sum = 256;

	(void)state;
	tar_add(&b, pax);
	memcpy(header, b.at, sizeof(header));
	bytes_free(&b);
	/* The record's length, and the sum that goes with it. */
	snprintf((char *)header + 124, 12, "%011o", 57);
	for (size_t i = 0; i < sizeof(header); i++)
		sum += i < 148 || i >= 156 ? header[i] : 0;
	snprintf((char *)header + 148, 8, "%06o", sum);
	memcpy(record, key, sizeof(key) - 1);
	memcpy(record, "57", 2);
	memcpy(record + sizeof(key) - 1, value, sizeof(value));
	record[56] = '\n';
	assert_int_equal(sizeof(key) - 1 + sizeof(value) + 1, 57);
	bytes_add(&b, header, sizeof(header));
	bytes_add(&b, record, sizeof(record));
	tar_add(&b, file);
	tar_end(&b, 2);
	expect_success("read", read_tar(&l, &b, &e), &e);
	x = inode_xattr(tree_find(&l.tree, "ping")->inode, "security.capability");
	assert_non_null(x);
	assert_int_equal(x->size, sizeof(value));
	assert_memory_equal(x->value, value, sizeof(value));
	layer_free(&l);
	bytes_free(&b);
}

/* Decomposed and invalid names from a pax header come through as they are. */
static void test_pax_names(void **state)
{
	static const struct member members[] = {
		{ .name = "x", .data = "1", .pax = "15 path=cafe\xcc\x81\n" },
		{ .name = "y",
		  .type = '1',
		  .link = "z",
		  .pax = "13 path=\xff\xfe\x80/\n"
			 "19 linkpath=cafe\xcc\x81\n" },
		{ .name = NULL },
	};
	struct err e = { .text = "" };
	struct layer l;

	(void)state;
	expect_success("read", read_members(&l, members, &e), &e);
	assert_non_null(tree_find(&l.tree, "cafe\xcc\x81"));
	assert_non_null(tree_find(&l.tree, "\xff\xfe\x80"));
	assert_ptr_equal(tree_find(&l.tree, "\xff\xfe\x80")->inode,
			 tree_find(&l.tree, "cafe\xcc\x81")->inode);
	layer_free(&l);
}

/* Nanoseconds are kept where a pax header has them, and times before 1970. */
static void test_times(void **state)
{
	static const struct member members[] = {
		{ .name = "a", .pax = "30 mtime=1700000000.123456789\n" },
		{ .name = "b", .pax = "12 mtime=-7\n" },
		{ .name = NULL },
	};
	struct err e = { .text = "" };
	const struct inode *a, *b;
	struct layer l;

	(void)state;
	expect_success("read", read_members(&l, members, &e), &e);
	a = tree_find(&l.tree, "a")->inode;
	b = tree_find(&l.tree, "b")->inode;
	assert_true(a->mtime_sec == 1700000000 && a->mtime_nsec == 123456789);
	assert_true(b->mtime_sec == -7 && b->mtime_nsec == 0);
	layer_free(&l);
}

/* A global header is no file, and a tar of nothing else is an empty layer. */
static void test_global_header(void **state)
{
	static const struct member members[] = {
		{ .name = "pax_global_header", .type = 'g', .data = "14 comment=ab\n" },
		{ .name = NULL },
	};
	struct err e = { .text = "" };
	struct layer l;
	char *text;

	(void)state;
	expect_success("read", read_members(&l, members, &e), &e);
	text = tree_text(&l.tree);
	assert_string_equal(text, ROOT);
	free(text);
	layer_free(&l);
}

/* How a tar may end, and what may stand behind its end. */
static void test_ends(void **state)
{
	static const struct member members[] = { { .name = "a", .data = "1" }, { .name = NULL } };
	static const struct {
		const char *label;
		size_t blocks;    /* of zeroes */
		size_t cut;       /* bytes taken off */
		const char *tail; /* what follows */
		const char *words;
	} ends[] = {
		{ "two blocks", 2, 0, NULL, NULL },
		{ "one block", 1, 0, NULL, NULL },
		{ "none", 0, 0, NULL, NULL },
		{ "many", 100, 0, NULL, NULL },
		{ "not whole blocks", 2, 100, NULL, NULL },
		{ "garbage", 2, 0, "x", "not zero" },
		{ "garbage behind one block", 1, 0, "x", "not zero" },
		{ "cut in the padding", 0, 100, NULL, NULL },
		{ "cut in the data", 0, 512, NULL, "cut short in a file" },
		{ "cut in the header", 0, 700, NULL, "cut short in a header" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		struct bytes b = { .at = NULL };
		struct err e = { .text = "" };
		struct layer l;
		int r;

		tar_add(&b, members);
		tar_end(&b, ends[i].blocks);
		b.size -= ends[i].cut;
		if (ends[i].tail)
			bytes_add(&b, ends[i].tail, strlen(ends[i].tail));
		r = read_tar(&l, &b, &e);
		if (ends[i].words)
			expect_failure(ends[i].label, r, &e, FAIL_VALUE_INVALID, ends[i].words);
		else
			expect_success(ends[i].label, r, &e);
		layer_free(&l);
		bytes_free(&b);
	}
}

/* Three names and entries, or more. The root is no name, and a directory without an entry is one.
 */
static const struct {
	struct member members[MEMBERS_MAX];
	const char *words; /* of a refusal */
} crowds[] = {
	{ { { .name = "a" }, { .name = "b" }, { .name = "c" } }, NULL },
	{ { { .name = "./", .type = '5' }, { .name = "a" }, { .name = "b" } }, NULL },
	{ { { .name = "a/b/c" } }, NULL },
	{ { { .name = "a/.wh.b" }, { .name = "a/.wh.c" } }, NULL },
	{ { { .name = "a" }, { .name = "a" }, { .name = "a" } }, NULL },
	{ { { .name = "a/b/c" }, { .name = "a", .data = "1" }, { .name = "d" } }, NULL },
	{ { { .name = ".wh..wh.x" }, { .name = "a" }, { .name = "b" }, { .name = "c" } }, NULL },
	{ { { .name = "a" }, { .name = "b" }, { .name = "c" }, { .name = "d" } },
	  "more than 3 entries" },
	{ { { .name = "a" }, { .name = "a" }, { .name = "a" }, { .name = "a" } },
	  "more than 3 entries" },
	{ { { .name = "a/b/c/d" } }, "entry \"a/b/c/d\": more than 3 names" },
	{ { { .name = "a" }, { .name = "b/c/d" } }, "entry \"b/c/d\": more than 3 names" },
	{ { { .name = "a/b/c" }, { .name = "a/.wh.d" } }, "entry \"a/d\": more than 3 names" },
	{ { { .name = "a/b/c/.wh..wh..opq" }, { .name = "a/d" } },
	  "entry \"a/d\": more than 3 names" },
};

static void test_limits(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(crowds); i++) {
		struct bytes b = { .at = NULL };
		struct err e = { .text = "" };
		struct layer l;
		int r;

		tar_add(&b, crowds[i].members);
		tar_end(&b, 2);
		layer_init(&l);
		assert_int_equal(l.max_names, LIMIT_ENTRIES);
		l.max_names = 3;
		r = add_changes(&l, &b, &e);
		if (!r)
			r = resolve_layer(&l, 0, &e);
		if (crowds[i].words)
			expect_failure(crowds[i].words, r, &e, FAIL_LIMIT_EXCEEDED,
				       crowds[i].words);
		else
			expect_success("as many as may be", r, &e);
		layer_free(&l);
		bytes_free(&b);
	}
}

/* Whatever one byte is changed to, there is an answer. */
static void test_every_byte(void **state)
{
	static const struct member members[] = {
		{ .name = "a/b", .data = "1", .xattr = "user.some-name=v" },
		{ .name = "c", .type = '1', .link = "a/b" },
		{ .name = NULL },
	};
	static const uint8_t values[] = { 0, '1', 'S', 'x', 0xff };
	struct bytes b = { .at = NULL };

	(void)state;
	tar_add(&b, members);
	for (size_t i = 0; i < b.size; i++)
		for (size_t j = 0; j < sizeof(values); j++) {
			struct err e = { .text = "" };
			uint8_t before = b.at[i];
			struct layer l;
			int r;

			b.at[i] = values[j];
			r = read_tar(&l, &b, &e);
			assert_true(!r || (r < 0 && e.text[0]));
			layer_free(&l);
			b.at[i] = before;
		}
	bytes_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),         cmocka_unit_test(test_binary_xattr),
		cmocka_unit_test(test_pax_names),     cmocka_unit_test(test_times),
		cmocka_unit_test(test_global_header), cmocka_unit_test(test_ends),
		cmocka_unit_test(test_every_byte),    cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
