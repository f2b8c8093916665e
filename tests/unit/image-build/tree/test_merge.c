// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include "image-build/tree/merge.h"
#include "image-build/tree/whiteouts.h"
#include "image-build/tree/resolve.h"
#include "tests/unit/image-build/image_tar.h"

#define ROOT        "/ 40755 0 0\n"
#define MEMBERS_MAX 6
#define STACK_MAX   3

/* Layers from the bottom up; the top one as overlayfs wants it, and all of them merged. */
static const struct {
	const char *label;
	struct member layers[STACK_MAX][MEMBERS_MAX];
	size_t count;
	const char *top, *merged;
	const char *words; /* of a refusal */
} cases[] = {
	{ "files of both",
	  { { { .name = "a", .data = "1" }, { .name = "b", .data = "1" } },
	    { { .name = "b", .data = "2" }, { .name = "c", .data = "2" } } },
	  2,
	  ROOT "/b 100644 0 0 \"2\"\n/c 100644 0 0 \"2\"\n",
	  ROOT "/a 100644 0 0 \"1\"\n/b 100644 0 0 \"2\"\n/c 100644 0 0 \"2\"\n",
	  NULL },
	{ "a directory over a directory sets attributes",
	  { { { .name = "d", .type = '5', .mode = 0700, .uid = 1 },
	      { .name = "d/a", .data = "1" } },
	    { { .name = "d", .type = '5', .mode = 0711, .uid = 2 },
	      { .name = "d/b", .data = "2" } } },
	  2,
	  ROOT "/d 40711 2 0\n/d/b 100644 0 0 \"2\"\n",
	  ROOT "/d 40711 2 0\n/d/a 100644 0 0 \"1\"\n/d/b 100644 0 0 \"2\"\n",
	  NULL },
	{ "an implied directory has the attributes below",
	  { { { .name = "./", .type = '5', .mode = 0711 },
	      { .name = "d",
		.type = '5',
		.mode = 0700,
		.uid = 5,
		.mtime = 8,
		.xattr = "user.key-of-ten=v" } },
	    { { .name = "x", .data = "1" } },
	    { { .name = "d/e/f", .data = "2" } } },
	  3,
	  "/ 40711 0 0\n/d 40700 5 8 {user.key-of-ten=v}\n/d/e 40755 0 0\n/d/e/f 100644 0 0 "
	  "\"2\"\n",
	  "/ 40711 0 0\n/d 40700 5 8 {user.key-of-ten=v}\n/d/e 40755 0 0\n/d/e/f 100644 0 0 \"2\"\n"
	  "/x 100644 0 0 \"1\"\n",
	  NULL },
	{ "a whiteout",
	  { { { .name = "d/a", .data = "1" }, { .name = "d/b", .data = "1" } },
	    { { .name = "d/.wh.a" } } },
	  2,
	  ROOT "/d 40755 0 0 {trusted.overlay.origin=}\n/d/a 20000 0 0 0:0\n",
	  ROOT "/d 40755 0 0\n/d/b 100644 0 0 \"1\"\n",
	  NULL },
	{ "a whiteout of nothing",
	  { { { .name = "x" } }, { { .name = "d/.wh.a" } } },
	  2,
	  ROOT "/d 40755 0 0 {trusted.overlay.origin=}\n/d/a 20000 0 0 0:0\n",
	  ROOT "/d 40755 0 0\n/x 100644 0 0 \"\"\n",
	  NULL },
	{ "a whiteout beside a file of its name: the file wins",
	  { { { .name = "a", .data = "1" } },
	    { { .name = "a", .data = "2" }, { .name = ".wh.a" } } },
	  2,
	  ROOT "/a 100644 0 0 \"2\"\n",
	  ROOT "/a 100644 0 0 \"2\"\n",
	  NULL },
	{ "a whiteout beside a directory of its name: nothing below shows",
	  { { { .name = "d", .type = '5', .mode = 0700, .uid = 3 },
	      { .name = "d/a", .data = "1" } },
	    { { .name = ".wh.d" }, { .name = "d/b", .data = "2" } } },
	  2,
	  ROOT "/d 40755 0 0 opaque {trusted.overlay.opaque=y}\n/d/b 100644 0 0 \"2\"\n",
	  ROOT "/d 40755 0 0\n/d/b 100644 0 0 \"2\"\n",
	  NULL },
	{ "opaque",
	  { { { .name = "d", .type = '5', .mode = 0700 }, { .name = "d/a/x", .data = "1" } },
	    { { .name = "d/.wh..wh..opq" },
	      { .name = "d/a", .type = '5' },
	      { .name = "d/.wh.b" } } },
	  2,
	  ROOT "/d 40700 0 0 opaque {trusted.overlay.opaque=y}\n/d/a 40755 0 0\n",
	  ROOT "/d 40700 0 0\n/d/a 40755 0 0\n",
	  NULL },
	{ "an implied directory beside an opaque one",
	  { { { .name = "e/g", .type = '5', .mode = 0700 } },
	    { { .name = "d/.wh..wh..opq" }, { .name = "e/g/f", .data = "2" } } },
	  2,
	  ROOT "/d 40755 0 0 opaque {trusted.overlay.opaque=y}\n/e 40755 0 0\n/e/g 40700 0 0\n"
	       "/e/g/f 100644 0 0 \"2\"\n",
	  ROOT "/d 40755 0 0\n/e 40755 0 0\n/e/g 40700 0 0\n/e/g/f 100644 0 0 \"2\"\n",
	  NULL },
	{ "opaque where there is nothing below",
	  { { { .name = "a" } }, { { .name = "d/.wh..wh..opq" }, { .name = "d/e", .data = "1" } } },
	  2,
	  ROOT "/d 40755 0 0 opaque {trusted.overlay.opaque=y}\n/d/e 100644 0 0 \"1\"\n",
	  ROOT "/a 100644 0 0 \"\"\n/d 40755 0 0\n/d/e 100644 0 0 \"1\"\n",
	  NULL },
	{ "deleted, then made again",
	  { { { .name = "d/e/foo", .data = "1" } },
	    { { .name = ".wh.d" } },
	    { { .name = "d/e/", .type = '5' } } },
	  3,
	  ROOT "/d 40755 0 0\n/d/e 40755 0 0\n",
	  ROOT "/d 40755 0 0\n/d/e 40755 0 0\n",
	  NULL },
	{ "hard links stay one inode",
	  { { { .name = "a", .data = "1" },
	      { .name = "b", .type = '1', .link = "a" },
	      { .name = "c", .type = '1', .link = "a" } },
	    { { .name = ".wh.a" } } },
	  2,
	  "/ 40755 0 0 {trusted.overlay.origin=}\n/a 20000 0 0 0:0\n",
	  ROOT "/b 100644 0 0 \"1\" =2\n/c 100644 0 0 \"1\" =2\n",
	  NULL },
	{ "links to a lower layer's file are copies of it",
	  { { { .name = "a",
		.data = "1",
		.mode = 04711,
		.uid = 6,
		.mtime = 3,
		.xattr = "user.key-of-ten=v" } },
	    { { .name = "b", .type = '1', .link = "a" },
	      { .name = "c", .type = '1', .link = "a" } },
	    { { .name = "a", .data = "2" } } },
	  3,
	  ROOT "/a 100644 0 0 \"2\"\n",
	  ROOT "/a 100644 0 0 \"2\"\n/b 104711 6 3 \"1\" =2 {user.key-of-ten=v}\n"
	       "/c 104711 6 3 \"1\" =2 {user.key-of-ten=v}\n",
	  NULL },
	{ "a hard link that is replaced",
	  { { { .name = "x", .data = "0" } },
	    { { .name = "d/l", .type = '1', .link = "x" }, { .name = "d", .data = "1" } } },
	  2,
	  ROOT "/d 100644 0 0 \"1\"\n",
	  ROOT "/d 100644 0 0 \"1\"\n/x 100644 0 0 \"0\"\n",
	  NULL },
	{ "a file over a directory, and back",
	  { { { .name = "d/a", .data = "1" }, { .name = "f", .data = "1" } },
	    { { .name = "d", .data = "2" },
	      { .name = "f/g", .data = "2" },
	      { .name = "f/", .type = '5' } } },
	  2,
	  ROOT "/d 100644 0 0 \"2\"\n/f 40755 0 0\n/f/g 100644 0 0 \"2\"\n",
	  ROOT "/d 100644 0 0 \"2\"\n/f 40755 0 0\n/f/g 100644 0 0 \"2\"\n",
	  NULL },
	{ "a link to nothing",
	  { { { .name = "b", .type = '1', .link = "a" } } },
	  1,
	  NULL,
	  NULL,
	  "neither" },
	{ "a link to what is deleted below",
	  { { { .name = "a" } },
	    { { .name = ".wh.a" } },
	    { { .name = "b", .type = '1', .link = "a" } } },
	  3,
	  NULL,
	  NULL,
	  "neither" },
	{ "a link into an opaque directory",
	  { { { .name = "d/a" } },
	    { { .name = "d/.wh..wh..opq" } },
	    { { .name = "b", .type = '1', .link = "d/a" } } },
	  3,
	  NULL,
	  NULL,
	  "neither" },
	{ "a link to a directory below",
	  { { { .name = "d/a" } }, { { .name = "b", .type = '1', .link = "d" } } },
	  2,
	  NULL,
	  NULL,
	  "directory" },
	{ "names below a file of a lower layer",
	  { { { .name = "lib" } }, { { .name = "lib/a" } } },
	  2,
	  NULL,
	  NULL,
	  "not a directory in the layers" },
	{ "through a link of a lower layer",
	  { { { .name = "usr/bin", .type = '5', .mode = 0711 },
	      { .name = "usr/bin/sh", .data = "1" },
	      { .name = "bin", .type = '2', .link = "/usr/bin" } },
	    { { .name = "bin/tool", .data = "2" }, { .name = "bin/.wh.sh" } } },
	  2,
	  ROOT "/usr 40755 0 0\n/usr/bin 40711 0 0 {trusted.overlay.origin=}\n"
	       "/usr/bin/sh 20000 0 0 0:0\n/usr/bin/tool 100644 0 0 \"2\"\n",
	  ROOT "/bin 120644 0 0 -> /usr/bin\n/usr 40755 0 0\n/usr/bin 40711 0 0\n"
	       "/usr/bin/tool 100644 0 0 \"2\"\n",
	  NULL },
	{ "opaque through a link of a lower layer",
	  { { { .name = "d/a" }, { .name = "l", .type = '2', .link = "d" } },
	    { { .name = "l/.wh..wh..opq" } } },
	  2,
	  ROOT "/d 40755 0 0 opaque {trusted.overlay.opaque=y}\n",
	  ROOT "/d 40755 0 0\n/l 120644 0 0 -> d\n",
	  NULL },
	{ "a link of a lower layer that is deleted first",
	  { { { .name = "d/a" }, { .name = "l", .type = '2', .link = "d" } },
	    { { .name = ".wh.l" }, { .name = "l/b", .data = "2" } } },
	  2,
	  ROOT "/l 40755 0 0 opaque {trusted.overlay.opaque=y}\n/l/b 100644 0 0 \"2\"\n",
	  ROOT "/d 40755 0 0\n/d/a 100644 0 0 \"\"\n/l 40755 0 0\n/l/b 100644 0 0 \"2\"\n",
	  NULL },
	{ "a link of a lower layer that is deleted between two names below it",
	  { { { .name = "d", .type = '5' }, { .name = "l", .type = '2', .link = "d" } },
	    { { .name = "l/a", .data = "1" },
	      { .name = ".wh.l" },
	      { .name = "l/b", .data = "2" } } },
	  2,
	  ROOT "/d 40755 0 0\n/d/a 100644 0 0 \"1\"\n"
	       "/l 40755 0 0 opaque {trusted.overlay.opaque=y}\n/l/b 100644 0 0 \"2\"\n",
	  ROOT "/d 40755 0 0\n/d/a 100644 0 0 \"1\"\n/l 40755 0 0\n/l/b 100644 0 0 \"2\"\n",
	  NULL },
	{ "a chain of hard links to a lower layer's file",
	  { { { .name = "a", .data = "1" }, { .name = "b", .type = '1', .link = "a" } },
	    { { .name = "c", .type = '1', .link = "a" },
	      { .name = "d", .type = '1', .link = "c" },
	      { .name = "e", .type = '1', .link = "b" } } },
	  2,
	  ROOT "/c 100644 0 0 \"1\" =3\n/d 100644 0 0 \"1\" =3\n/e 100644 0 0 \"1\" =3\n",
	  ROOT "/a 100644 0 0 \"1\" =2\n/b 100644 0 0 \"1\" =2\n/c 100644 0 0 \"1\" =3\n"
	       "/d 100644 0 0 \"1\" =3\n/e 100644 0 0 \"1\" =3\n",
	  NULL },
	{ "a whiteout, then a link, then a directory",
	  { { { .name = "a/a" }, { .name = "a/z" } },
	    { { .name = "a/", .type = '5' },
	      { .name = "a/.wh.a" },
	      { .name = "a", .type = '2', .link = "b" },
	      { .name = "a/", .type = '5' },
	      { .name = "a/n", .data = "1" } } },
	  2,
	  ROOT "/a 40755 0 0 opaque {trusted.overlay.opaque=y}\n/a/n 100644 0 0 \"1\"\n",
	  ROOT "/a 40755 0 0\n/a/n 100644 0 0 \"1\"\n",
	  NULL },
	{ "a link, then a whiteout, then a directory",
	  { { { .name = "a/a" }, { .name = "a/z" } },
	    { { .name = "a", .type = '2', .link = "b" },
	      { .name = "a/.wh.a" },
	      { .name = "a/.wh..wh..opq" },
	      { .name = "a/", .type = '5' },
	      { .name = "a/n", .data = "1" } } },
	  2,
	  ROOT "/a 40755 0 0 opaque {trusted.overlay.opaque=y}\n/a/n 100644 0 0 \"1\"\n",
	  ROOT "/a 40755 0 0\n/a/n 100644 0 0 \"1\"\n",
	  NULL },
	{ "a directory, then a hard link, then a directory",
	  { { { .name = "a/a" }, { .name = "h", .data = "0" } },
	    { { .name = "a/b" },
	      { .name = "a", .type = '1', .link = "h" },
	      { .name = "a/n", .type = '5' } } },
	  2,
	  NULL,
	  NULL,
	  "not a directory" },
	{ "a hard link to the directory that it is in, which was deleted",
	  { { { .name = "b/x" } },
	    { { .name = ".wh.b" }, { .name = "b/l", .type = '1', .link = "b" } } },
	  2,
	  NULL,
	  NULL,
	  "hard link to the directory" },
	{ "an opaque root",
	  { { { .name = "secret/key" }, { .name = "gone" } },
	    { { .name = ".wh..wh..opq" }, { .name = "n", .data = "1" } } },
	  2,
	  "/ 40755 0 0 opaque {trusted.overlay.opaque=y}\n/n 100644 0 0 \"1\"\n",
	  ROOT "/n 100644 0 0 \"1\"\n",
	  NULL },
};

static void check_text(const char *label, const struct tree *t, const char *expected)
{
	char *text = tree_text(t);

	if (strcmp(text, expected))
		fail_msg("%s:\n%s\nexpected:\n%s", label, text, expected);
	free(text);
}

static int read_and_resolve(size_t i, struct layer *layers, struct err *e)
{
	const struct member *members[STACK_MAX];

	for (size_t n = 0; n < cases[i].count; n++)
		members[n] = cases[i].layers[n];
	return read_layers(layers, cases[i].count, members, e);
}

static void test_layers(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct layer layers[STACK_MAX];
		struct err e = { .text = "" };
		int r = read_and_resolve(i, layers, &e);

		if (cases[i].words) {
			expect_failure(cases[i].label, r, &e, FAIL_VALUE_INVALID, cases[i].words);
		} else {
			expect_success(cases[i].label, r, &e);
			overlay_encode(&layers[cases[i].count - 1].tree);
			check_text(cases[i].label, &layers[cases[i].count - 1].tree, cases[i].top);
		}
		for (size_t n = 0; n < cases[i].count; n++)
			layer_free(&layers[n]);
	}
}

static void test_merged(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct layer layers[STACK_MAX];
		struct err e = { .text = "" };
		int r = read_and_resolve(i, layers, &e);

		if (!cases[i].words) {
			expect_success(cases[i].label, r, &e);
			merge_layers(layers, cases[i].count);
			check_text(cases[i].label, &layers[0].tree, cases[i].merged);
		}
		for (size_t n = 0; n < cases[i].count; n++)
			layer_free(&layers[n]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layers),
		cmocka_unit_test(test_merged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
