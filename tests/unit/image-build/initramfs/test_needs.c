// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* What of a kernel a machine and a plan need. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image-build/initramfs/needs.h"
#include "tests/unit/sealed.h"

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
	{ { NULL },
	  ARCH_X86_64,
	  "(virtio-blk) (virtio-scsi) (virtio-pci) (virtio-mmio) "
	  "(virtio-console) ",
	  NULL },
	{ { NULL },
	  ARCH_AARCH64,
	  "(virtio-blk) (virtio-scsi) (virtio-pci) (virtio-mmio) "
	  "(virtio-console) ",
	  NULL },
	{ { NULL },
	  ARCH_S390X,
	  "(virtio-blk) (virtio-scsi) [virtio-pci] (virtio-ccw) "
	  "(virtio-console) ",
	  NULL },
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
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++) {
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

#define H64           "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define LAYER(device) "socle.layer=" device ",data_blocks=9,root_hash=" H64

static const struct {
	const char *cmdline, *expected;
} plans[] = {
	{ LAYER("SERIAL=a"), "verity erofs overlay " },
	{ LAYER("SERIAL=a") " socle.upper=none", "verity erofs " },
	{ LAYER("SERIAL=a") " " LAYER("SERIAL=b") " socle.upper=none", "verity erofs overlay " },
	{ LAYER("SERIAL=a") ",fstype=squashfs socle.upper=none", "verity squashfs " },
	{ LAYER("SERIAL=a") " socle.upper=disk:/dev/nvme0n1/PARTN=1",
	  "verity erofs overlay ext4 nvme partitions " },
	{ LAYER("SERIAL=a") " socle.upper=disk:CCW=0.0.0005,encrypted",
	  "verity erofs overlay virtio-ccw scratch " },
	{ LAYER("CCW=0.0.0005") " socle.upper=none", "verity erofs virtio-ccw " },
	{ LAYER("/dev/nvme0n1/PARTN=1") " socle.upper=none", "verity erofs nvme partitions " },
	{ LAYER("SERIAL=a") ",fec_device=SERIAL=b,fec_roots=2,fec_offset=0 socle.upper=none",
	  "verity fec erofs " },
	{ LAYER("SERIAL=a") H64 ",hash=sha512 socle.upper=none socle.report=/dev/hvc0",
	  "verity sha512 erofs virtio-console " },
	{ LAYER("SERIAL=a") " socle.upper=none socle.report=vsock:1234", "verity erofs vsock " },
	{ "dm-mod.create=\"dm-verity,,,ro,0 72 verity 1 /dev/vda1 /dev/vda2 4096 4096 9 0 "
	  "sha256 " H64 " " H64 "\" root=/dev/dm-0 rootflags=data=ordered,errors=remount-ro ro "
	  "rootfstype=ext4",
	  "verity ext4 virtio-blk " },
	{ "dm-mod.create=\"dm-verity,,,ro,0 72 verity 1 /dev/pmem0p1 /dev/pmem0p2 4096 4096 9 0 "
	  "sha256 " H64 " " H64 "\" root=/dev/dm-0 rootfstype=xfs",
	  "verity xfs pmem " },
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
	char *text = sealed_line(cmdline);

	expect_success(cmdline, plan_parse(text, 0, &plan, e), e);
	free(text);
	return needs_of_plan(needs, &plan, described, e);
}

static void test_plans(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(plans); i++) {
		struct needs needs = { 0 };
		struct err e = { .text = "" };
		char text[1024];

		expect_success(plans[i].cmdline, plan_needs(plans[i].cmdline, false, &needs, &e),
			       &e);
		print_needs(&needs, text, sizeof(text));
		if (strcmp(text, plans[i].expected))
			print_error("%s\n", plans[i].cmdline);
		assert_string_equal(text, plans[i].expected);
	}
}

#define S20 "0123456789abcdef0123"

/* A plan that names a disk by its driver, and a machine that was said to have other ones. */
static void test_plan_and_machine(void **state)
{
	struct needs needs = { .of[FEATURE_NVME] = NEED_YES };
	struct err e = { .text = "" };

	(void)state;
	expect_success("nvme", plan_needs(LAYER("/dev/nvme0n1"), true, &needs, &e), &e);
	expect_success("serial", plan_needs(LAYER("SERIAL=x"), true, &needs, &e), &e);
	expect_failure("vda", plan_needs(LAYER("/dev/vda"), true, &needs, &e), &e,
		       FAIL_VALUE_INVALID,
		       "the plan has /dev/vda, but the machine has no virtio-blk");
	expect_success("20 bytes", plan_needs(LAYER("SERIAL=" S20), true, &needs, &e), &e);
	expect_success("nobody knows", plan_needs(LAYER("SERIAL=" S20 "x"), false, &needs, &e), &e);
	expect_failure("21 bytes", plan_needs(LAYER("SERIAL=" S20 "x"), true, &needs, &e), &e,
		       FAIL_VALUE_INVALID,
		       "has 21 bytes, and the machine's disks have room for 20");
	needs.of[FEATURE_VIRTIO_SCSI] = NEED_YES;
	expect_success("SCSI", plan_needs(LAYER("SERIAL=" S20 "x"), true, &needs, &e), &e);
	expect_failure("ccw", plan_needs(LAYER("CCW=0.0.1"), true, &needs, &e), &e,
		       FAIL_VALUE_INVALID, "the machine has no virtio-ccw");
}

/* What the agent opens later, no plan knows. */
static void test_volumes(void **state)
{
	struct needs needs = { 0 };
	char text[1024];

	(void)state;
	needs_of_volumes(&needs);
	print_needs(&needs, text, sizeof(text));
	assert_string_equal(text, "verity [sha512] erofs overlay [erofs-files] [squashfs] [ext4] "
				  "[xfs] [partitions] [loop] [hotplug] [scratch] ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_machines),
		cmocka_unit_test(test_plans),
		cmocka_unit_test(test_volumes),
		cmocka_unit_test(test_plan_and_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
