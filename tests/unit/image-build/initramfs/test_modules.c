// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Which modules are packed, in an order that loads. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image-build/initramfs/modules.h"

#define DEP                                                                                        \
	"kernel/b/dm-verity.ko: kernel/b/dm-bufio.ko kernel/b/dm-mod.ko\n"                         \
	"kernel/b/dm-bufio.ko: kernel/b/dm-mod.ko\n"                                               \
	"kernel/b/dm-mod.ko.xz:\n"                                                                 \
	"kernel/c/sha256-ssse3.ko: kernel/c/simd.ko\n"                                             \
	"kernel/c/simd.ko.zst:\n"                                                                  \
	"kernel/d/one.ko: kernel/d/two.ko\n"                                                       \
	"kernel/d/two.ko: kernel/d/one.ko\n"                                                       \
	"kernel/d/lost.ko: kernel/d/nowhere.ko\n"                                                  \
	"kernel/d/fast.ko: kernel/c/simd.ko\n"                                                     \
	"kernel/e/erofs.ko: kernel/e/libcrc32c.ko\n"                                               \
	"kernel/e/libcrc32c.ko:\n"                                                                 \
	"kernel/e/crc32c_generic.ko:\n"

static void open_modules(struct modules *m, const struct temp *t)
{
	struct err e = { .text = "" };

	expect_success("open", modules_open(m, t->path, &e), &e);
}

static void expect_list(const char *label, const struct modules *m, const char *expected)
{
	char *list = modules_list(m);

	if (strcmp(list, expected))
		print_error("%s\n", label);
	assert_string_equal(list, expected);
	free(list);
}

static void test_order(void **state)
{
	struct err e = { .text = "" };
	struct modules m;
	struct temp t;

	(void)state;
	temp_make(&t);
	put_text(t.fd, "modules.dep", DEP);
	put_text(t.fd, "modules.builtin",
		 "kernel/sha256.ko\nkernel/algif_hash.ko\nkernel/squashfs.ko\n");
	open_modules(&m, &t);
	expect_success("verity", modules_choose_feature(&m, FEATURE_VERITY, ARCH_X86_64, false, &e),
		       &e);
	expect_success("again", modules_choose(&m, "dm-mod", &e), &e);
	expect_success("built in", modules_choose(&m, "squashfs", &e), &e);
	expect_list("verity", &m,
		    "dm_mod.ko\ndm_bufio.ko\ndm_verity.ko\n-simd.ko\n-sha256_ssse3.ko\n");
	/* Needed by one that must load, it must load after all. */
	expect_success("fast", modules_choose(&m, "fast.ko.xz", &e), &e);
	expect_list("fast", &m,
		    "dm_mod.ko\ndm_bufio.ko\ndm_verity.ko\nsimd.ko\n-sha256_ssse3.ko\n"
		    "fast.ko\n");
	expect_success("named", modules_choose(&m, "sha256_ssse3", &e), &e);
	expect_success("a ring", modules_choose(&m, "one", &e), &e);
	expect_list("named", &m,
		    "dm_mod.ko\ndm_bufio.ko\ndm_verity.ko\nsimd.ko\nsha256_ssse3.ko\n"
		    "fast.ko\ntwo.ko\none.ko\n");
	expect_failure("unknown", modules_choose(&m, "nope", &e), &e, FAIL_VALUE_INVALID, "nope");
	expect_failure("lost", modules_choose(&m, "lost", &e), &e, FAIL_VALUE_INVALID, "nowhere");
	modules_close(&m);
	temp_remove(&t);
}

/* What is neither there nor built in is a refusal, with what it is for. */
static void test_absent(void **state)
{
	static const struct {
		enum feature feature;
		bool if_there;
		const char *words; /* NULL: accepted */
	} rows[] = {
		{ FEATURE_EROFS, false, NULL },
		{ FEATURE_XFS, false,
		  "CONFIG_XFS_FS, neither as a module nor built in: it is "
		  "needed for Kata's root as xfs" },
		{ FEATURE_XFS, true, NULL },
		{ FEATURE_SHA512, false, "CONFIG_CRYPTO_SHA512" },
		{ FEATURE_PMEM, false, "CONFIG_BLK_DEV_PMEM" },
		{ FEATURE_VERITY, false, "CONFIG_CRYPTO_SHA256" },
	};
	struct modules m;
	struct temp t;

	(void)state;
	temp_make(&t);
	put_text(t.fd, "modules.dep", DEP);
	put_text(t.fd, "modules.builtin", "");
	open_modules(&m, &t);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct err e = { .text = "" };
		int r = modules_choose_feature(&m, rows[i].feature, ARCH_X86_64, rows[i].if_there,
					       &e);

		if (rows[i].words)
			expect_failure(rows[i].words, r, &e, FAIL_VALUE_INVALID, rows[i].words);
		else
			expect_success("accepted", r, &e);
	}
	modules_close(&m);
	unlinkat(t.fd, "modules.builtin", 0);
	temp_remove(&t);
}

static void test_lists_that_are_none(void **state)
{
	struct err e = { .text = "" };
	struct modules m;
	struct temp t;

	(void)state;
	temp_make(&t);
	put_text(t.fd, "modules.dep", DEP);
	expect_failure("one", modules_open(&m, t.path, &e), &e, FAIL_SYSTEM_CALL_FAILED,
		       "modules.builtin (is this a directory like");
	put_text(t.fd, "modules.builtin", "");
	put_text(t.fd, "modules.dep", "kernel/../../etc/shadow:\n");
	expect_failure("a way out", modules_open(&m, t.path, &e), &e, FAIL_VALUE_INVALID,
		       "modules.dep has an invalid line");
	unlinkat(t.fd, "modules.dep", 0);
	expect_failure("other", modules_open(&m, t.path, &e), &e, FAIL_SYSTEM_CALL_FAILED,
		       "modules.dep (is this a directory like");
	temp_remove(&t);
}

/* One of several will do, so none of them is sure to load; and the newest of several names. */
static void test_alternatives(void **state)
{
	struct err e = { .text = "" };
	struct modules m;
	struct temp t;

	(void)state;
	temp_make(&t);
	put_text(t.fd, "modules.dep",
		 "a/nd_pmem.ko:\na/nfit.ko:\na/virtio_pmem.ko:\n"
		 "a/sha512.ko:\na/squashfs.ko:\n");
	put_text(t.fd, "modules.builtin", "");
	open_modules(&m, &t);
	expect_success("pmem", modules_choose_feature(&m, FEATURE_PMEM, ARCH_X86_64, false, &e),
		       &e);
	expect_success("sha512", modules_choose_feature(&m, FEATURE_SHA512, ARCH_X86_64, false, &e),
		       &e);
	expect_success("nobody knows whether",
		       modules_choose_feature(&m, FEATURE_SQUASHFS, ARCH_X86_64, true, &e), &e);
	expect_list("all", &m, "nd_pmem.ko\n-virtio_pmem.ko\n-nfit.ko\nsha512.ko\n-squashfs.ko\n");
	modules_close(&m);
	temp_remove(&t);
}

/* What a module asks for by name when it is loaded, by all the ways that depmod tells it. */
static void test_soft_dependencies(void **state)
{
	static const struct {
		const char *label, *softdep, *alias, *modinfo, *list;
	} rows[] = {
		{ "none", NULL, NULL, NULL, "libcrc32c.ko\nerofs.ko\n" },
		{ "a name", "# text\nsoftdep libcrc32c pre: crc32c-generic\n", NULL, NULL,
		  "-crc32c_generic.ko\nlibcrc32c.ko\nerofs.ko\n" },
		{ "an alias", "softdep libcrc32c pre: crc32c\n",
		  "alias pci:v00001* simd\nalias crc32c crc32c_generic\n", NULL,
		  "-crc32c_generic.ko\nlibcrc32c.ko\nerofs.ko\n" },
		{ "built in", "softdep libcrc32c pre: crc32c\n", "alias crc32c crc32c_generic\n",
		  "crc32c_generic.alias=crc32c", "libcrc32c.ko\nerofs.ko\n" },
		{ "post", "softdep libcrc32c post: crc32c_generic\n", NULL, NULL,
		  "libcrc32c.ko\nerofs.ko\n" },
		{ "both", "softdep libcrc32c post: simd pre: crc32c_generic\n", NULL, NULL,
		  "-crc32c_generic.ko\nlibcrc32c.ko\nerofs.ko\n" },
		{ "another's", "softdep fast pre: crc32c_generic\n", NULL, NULL,
		  "libcrc32c.ko\nerofs.ko\n" },
		{ "nobody has it", "softdep libcrc32c pre: nobody\n", "alias nobody nowhere\n",
		  NULL, "libcrc32c.ko\nerofs.ko\n" },
		{ "broken", "softdep\nsoftdep x\nsoftdep libcrc32c\n", "alias\nalias x\n", "",
		  "libcrc32c.ko\nerofs.ko\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct err e = { .text = "" };
		struct modules m;
		struct temp t;

		temp_make(&t);
		put_text(t.fd, "modules.dep", DEP);
		put_text(t.fd, "modules.builtin", "");
		if (rows[i].softdep)
			put_text(t.fd, "modules.softdep", rows[i].softdep);
		if (rows[i].alias)
			put_text(t.fd, "modules.alias", rows[i].alias);
		if (rows[i].modinfo)
			put_text(t.fd, "modules.builtin.modinfo", rows[i].modinfo);
		open_modules(&m, &t);
		expect_success(rows[i].label, modules_choose(&m, "erofs", &e), &e);
		expect_list(rows[i].label, &m, rows[i].list);
		modules_close(&m);
		temp_remove(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_absent),
		cmocka_unit_test(test_lists_that_are_none),
		cmocka_unit_test(test_alternatives),
		cmocka_unit_test(test_soft_dependencies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
