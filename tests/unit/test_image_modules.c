// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Which modules are packed: for a plan, for a machine, and in an order that loads. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image-build/modules.h"
#include "image-build/needs.h"

/* --- which modules, in which order ----------------------------------------------- */

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
	expect_list("fast", &m, "dm_mod.ko\ndm_bufio.ko\ndm_verity.ko\nsimd.ko\n-sha256_ssse3.ko\n"
				"fast.ko\n");
	expect_success("named", modules_choose(&m, "sha256_ssse3", &e), &e);
	expect_success("a ring", modules_choose(&m, "one", &e), &e);
	expect_list("named", &m, "dm_mod.ko\ndm_bufio.ko\ndm_verity.ko\nsimd.ko\nsha256_ssse3.ko\n"
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
		{ FEATURE_XFS, false, "CONFIG_XFS_FS, neither as a module nor built in: it is "
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
	for (size_t i = 0; i < COUNT(rows); i++) {
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
		       "modules.dep has a line that is none");
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
	put_text(t.fd, "modules.dep", "a/nd_pmem.ko:\na/nfit.ko:\na/virtio_pmem.ko:\n"
				      "a/sha512.ko:\na/squashfs.ko:\n");
	put_text(t.fd, "modules.builtin", "");
	open_modules(&m, &t);
	expect_success("pmem", modules_choose_feature(&m, FEATURE_PMEM, ARCH_X86_64, false, &e),
		       &e);
	expect_success("sha512",
		       modules_choose_feature(&m, FEATURE_SHA512, ARCH_X86_64, false, &e), &e);
	expect_success("nobody knows whether",
		       modules_choose_feature(&m, FEATURE_SQUASHFS, ARCH_X86_64, true, &e), &e);
	expect_list("all", &m,
		    "nd_pmem.ko\n-virtio_pmem.ko\n-nfit.ko\nsha512.ko\n-squashfs.ko\n");
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
	for (size_t i = 0; i < COUNT(rows); i++) {
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

/* --- what a machine needs ------------------------------------------------------------ */

/* "name" for needed, "(name)" for assumed, "[name]" where it is there. */
static void print_needs(const struct needs *n, char *ret, size_t size)
{
	static const char *const before[] = { "", "[", "(", "" };
	static const char *const after[] = { "", "] ", ") ", " " };
	size_t used = 0;

	*ret = '\0';
	for (unsigned int i = 0; i < FEATURES; i++)
		if (n->of[i] != NEED_NO)
			used += (size_t)snprintf(ret + used, size - used, "%s%s%s",
						 before[n->of[i]], feature_infos[i].name,
						 after[n->of[i]]);
}

static const struct {
	const char *words[3];
	enum kernel_arch arch;
	const char *expected, *refusal;
} machines[] = {
	{ { NULL }, ARCH_X86_64, "(virtio-blk) (virtio-scsi) (virtio-pci) (virtio-mmio) "
				 "(virtio-console) ", NULL },
	{ { NULL }, ARCH_AARCH64, "(virtio-blk) (virtio-scsi) (virtio-pci) (virtio-mmio) "
				  "(virtio-console) ", NULL },
	{ { NULL }, ARCH_S390X, "(virtio-blk) (virtio-scsi) [virtio-pci] (virtio-ccw) "
				"(virtio-console) ", NULL },
	{ { NULL }, ARCH_UNKNOWN, "(virtio-blk) (virtio-scsi) (virtio-console) ", NULL },
	{ { "virtio-pci,virtio-blk" }, ARCH_X86_64, "virtio-blk virtio-pci ", NULL },
	{ { "virtio-mmio", "virtio-blk" }, ARCH_AARCH64, "virtio-blk virtio-mmio ", NULL },
	{ { "virtio-ccw,virtio-scsi" }, ARCH_S390X, "virtio-scsi virtio-ccw ", NULL },
	{ { "nvme" }, ARCH_X86_64, "nvme ", NULL },
	{ { "hyperv,nvme" }, ARCH_X86_64, "nvme hyperv ", NULL },
	{ { "xen" }, ARCH_X86_64, "xen ", NULL },
	{ { "pmem" }, ARCH_S390X, NULL, "--machine pmem: not on s390x" },
	{ { "virtio-ccw" }, ARCH_X86_64, NULL, "--machine virtio-ccw: not on x86_64" },
	{ { "virtio-blk" }, ARCH_X86_64, NULL, "--machine virtio-blk: on which bus" },
	{ { "nvme,virtio-console" }, ARCH_X86_64, NULL, "virtio-console: on which bus" },
	{ { "verity" }, ARCH_X86_64, NULL, "--machine verity: not one of virtio-pci" },
	{ { "nvme," }, ARCH_X86_64, NULL, "--machine : not one of" },
	{ { "vax" }, ARCH_X86_64, NULL, "--machine vax: not one of" },
};

static void test_machines(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(machines); i++) {
		struct option_list words = { 0 };
		struct needs needs = { 0 };
		struct err e = { .text = "" };
		char text[1024];
		int r;

		while (words.count < 3 && machines[i].words[words.count]) {
			words.at[words.count] = machines[i].words[words.count];
			words.count++;
		}
		r = needs_of_machine(&needs, &words, machines[i].arch, &e);
		if (machines[i].refusal) {
			expect_failure(machines[i].refusal, r, &e, FAIL_VALUE_INVALID,
				       machines[i].refusal);
			continue;
		}
		expect_success(machines[i].expected, r, &e);
		print_needs(&needs, text, sizeof(text));
		assert_string_equal(text, machines[i].expected);
	}
}

/* --- what a plan needs --------------------------------------------------------------- */

#define H64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define LAYER(device) "socle.layer=" device ",data_blocks=9,root_hash=" H64

static const struct {
	const char *cmdline, *expected;
} plans[] = {
	{ LAYER("SERIAL=a"), "verity erofs overlay " },
	{ LAYER("SERIAL=a") " socle.upper=none", "verity erofs " },
	{ LAYER("SERIAL=a") " " LAYER("SERIAL=b") " socle.upper=none", "verity erofs overlay " },
	{ LAYER("SERIAL=a") ",fstype=squashfs socle.upper=none", "verity squashfs " },
	{ LAYER("CCW=0.0.0005") " socle.upper=none", "verity erofs virtio-ccw " },
	{ LAYER("/dev/nvme0n1/PARTN=1") " socle.upper=none", "verity erofs nvme partitions " },
	{ LAYER("SERIAL=a") ",fec_device=SERIAL=b,fec_roots=2,fec_offset=0 socle.upper=none",
	  "verity fec erofs " },
	{ LAYER("SERIAL=a") H64 ",hash=sha512 socle.upper=none socle.report=/dev/hvc0",
	  "verity sha512 erofs virtio-console " },
	{ LAYER("SERIAL=a") " socle.upper=none socle.report=vsock:1234", "verity erofs vsock " },
	{ "dm-mod.create=\"dm-verity,,,ro,0 72 verity 1 /dev/vda1 /dev/vda2 4096 4096 9 0 sha256 "
	  H64 " " H64 "\" root=/dev/dm-0 rootflags=data=ordered,errors=remount-ro ro "
	  "rootfstype=ext4", "verity ext4 virtio-blk " },
	{ "dm-mod.create=\"dm-verity,,,ro,0 72 verity 1 /dev/pmem0p1 /dev/pmem0p2 4096 4096 9 0 "
	  "sha256 " H64 " " H64 "\" root=/dev/dm-0 rootfstype=xfs", "verity xfs pmem " },
	{ "roothash=" H64 " rootfstype=erofs systemd.verity_root_options=root-hash-signature=/s",
	  "verity signature erofs partitions " },
	{ "roothash=" H64, "verity [erofs] [squashfs] [ext4] [xfs] partitions " },
	{ "roothash=" H64 " systemd.volatile=overlay",
	  "verity [erofs] overlay [squashfs] [ext4] [xfs] partitions " },
	{ "root=/dev/xvda1 rootfstype=ext4", "ext4 xen " },
	{ "kata.extension.coco.verity_params=root_hash=" H64 ",salt=" H64
	  ",data_blocks=9,data_block_size=4096,hash_block_size=4096",
	  "verity erofs partitions extensions " },
};

static int plan_needs(const char *cmdline, bool described, struct needs *needs, struct err *e)
{
	static struct boot_plan plan;
	char text[2048];

	assert_true(strlen(cmdline) < sizeof(text));
	strcpy(text, cmdline);
	expect_success(cmdline, plan_parse(text, 0, &plan, e), e);
	return needs_of_plan(needs, &plan, described, e);
}

static void test_plans(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(plans); i++) {
		struct needs needs = { 0 };
		struct err e = { .text = "" };
		char text[1024];

		expect_success(plans[i].cmdline,
			       plan_needs(plans[i].cmdline, false, &needs, &e), &e);
		print_needs(&needs, text, sizeof(text));
		if (strcmp(text, plans[i].expected))
			print_error("%s\n", plans[i].cmdline);
		assert_string_equal(text, plans[i].expected);
	}
}

/* A plan that names a disk by its driver, and a machine that was said to have other ones. */
static void test_plan_and_machine(void **state)
{
	struct needs needs = { .of[FEATURE_NVME] = NEED_YES };
	struct err e = { .text = "" };

	(void)state;
	expect_success("nvme", plan_needs(LAYER("/dev/nvme0n1"), true, &needs, &e), &e);
	expect_success("serial", plan_needs(LAYER("SERIAL=x"), true, &needs, &e), &e);
	expect_failure("vda", plan_needs(LAYER("/dev/vda"), true, &needs, &e), &e,
		       FAIL_VALUE_INVALID, "the plan has /dev/vda, and the machine no virtio-blk");
	expect_failure("ccw", plan_needs(LAYER("CCW=0.0.1"), true, &needs, &e), &e,
		       FAIL_VALUE_INVALID, "the machine no virtio-ccw");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_absent),
		cmocka_unit_test(test_lists_that_are_none),
		cmocka_unit_test(test_alternatives),
		cmocka_unit_test(test_soft_dependencies),
		cmocka_unit_test(test_machines),
		cmocka_unit_test(test_plans),
		cmocka_unit_test(test_plan_and_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
