// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Mounting what is open, and the overlay. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "tests/unit/fake_boot.h"
#include "tests/unit/fake_verity.h"
#include "verity/device.h"

#define MOUNT_OF(i)                                                                                \
	"mkdir /layers/" i " 0755\n"                                                               \
	"fsopen squashfs\n"                                                                        \
	"fsconfig string source /dev/dm-" i "\n"                                                   \
	"fsconfig flag ro -\n"                                                                     \
	"fsconfig create - -\n"                                                                    \
	"fsmount 0x7\n"                                                                            \
	"move_mount /layers/" i "\n"

static const char two_layers[] =
	"mkdir /sysroot 0755\n"
	"mkdir /layers 0755\n" MOUNT_OF("0")
		MOUNT_OF("1") "mkdir /upper 0755\n"
			      "fsopen tmpfs\n"
			      "fsconfig string source socle-upper\n"
			      "fsconfig string mode 0755\n"
			      "fsconfig string size 25%\n"
			      "fsconfig create - -\n"
			      "fsmount 0\n"
			      "move_mount /upper\n"
			      "mkdir /upper/upper 0755\n"
			      "mkdir /upper/work 0755\n"
			      "setxattr /upper/upper trusted.overlay.socle y\n"
			      "removexattr /upper/upper trusted.overlay.socle\n"
			      "fsopen overlay\n"
			      "fsconfig string source socle\n"
			      "fsconfig string lowerdir+ /layers/0\n"
			      "fsconfig string lowerdir+ /layers/1\n"
			      "fsconfig string upperdir /upper/upper\n"
			      "fsconfig string workdir /upper/work\n"
			      "fsconfig create - -\n"
			      "fsmount 0\n"
			      "move_mount /sysroot\n"
			      "umount /layers/0 flags=0x2\n"
			      "umount /layers/1 flags=0x2\n"
			      "umount /upper flags=0x2\n";
#define TWO_LAYERS_CALLS 40

/* Volumes of these tests have no device, and nobody looks at a squashfs. */
int device_node_open(int dev, const char *name, unsigned int major, unsigned int minor,
		     struct err *e)
{
	(void)dev;
	(void)name;
	(void)major;
	(void)minor;
	(void)e;
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/* --- the double of a scratch disk -------------------------------------------------- */

int scratch_open(const struct blockdev *disk, const struct upper *u, const char *name,
		 struct scratch *ret, struct err *e)
{
	if (fake_sys_call("scratch_open %s %s%s%s\n", disk->name, name,
			  u->encrypted ? " encrypted" : "", u->integrity ? " integrity" : ""))
		return err_errno(e, FAIL_SCRATCH_FAILED, "open");
	strcpy(ret->device.path, "/dev/dm-9");
	return 0;
}

int scratch_mount(const struct scratch *s, const char *target, struct err *e)
{
	return fake_sys_call("scratch_mount %s %s\n", s->device.path, target) ?
		       err_errno(e, FAIL_SCRATCH_FAILED, "mount") :
		       0;
}

static void make_scratch_boot(void)
{
	make_boot(1, UPPER_DISK, true);
	boot.plan.upper.encrypted = boot.plan.upper.integrity = true;
	boot.scratch_wish = &boot.wishes[9];
	strcpy(boot.wishes[9].found.name, "vdz");
}

/* In the place of the tmpfs, also above one layer. */
static void test_scratch_disk(void **state)
{
	static const char calls[] =
		"mkdir /sysroot 0755\n"
		"mkdir /layers 0755\n" MOUNT_OF(
			"0") "mkdir /upper 0755\n"
			     "scratch_open vdz socle-upper encrypted integrity\n"
			     "scratch_mount /dev/dm-9 /upper\n"
			     "mkdir /upper/upper 0755\n"
			     "mkdir /upper/work 0755\n"
			     "setxattr /upper/upper trusted.overlay.socle y\n";
	struct err e = { 0 };

	(void)state;
	make_scratch_boot();
	fake_verity_reset(0, 0);
	expect_success("disk", step_mounts(&boot, &e), &e);
	assert_memory_equal(fake_sys.log, calls, sizeof(calls) - 1);
	assert_non_null(strstr(fake_sys.log, "upperdir /upper/upper\n"));
	assert_non_null(
		strstr(fake_sys.log, "umount /layers/0 flags=0x2\numount /upper flags=0x2\n"));
	for (unsigned int call = 11; call <= 12; call++) {
		make_scratch_boot();
		fake_verity_reset(call, EIO);
		expect_failure("disk", step_mounts(&boot, &e), &e, FAIL_SCRATCH_FAILED, "");
		assert_string_equal(e.volume, "upper");
		assert_int_equal(fake_sys.calls, call);
	}
}

static void test_mounts(void **state)
{
	struct err e = { 0 };

	(void)state;
	make_boot(2, UPPER_TMPFS, true);
	strcpy(boot.plan.upper.size, "25%");
	fake_verity_reset(0, 0);
	expect_success("two layers", step_mounts(&boot, &e), &e);
	assert_string_equal(fake_sys.log, two_layers);
	assert_int_equal(fake_sys.calls, TWO_LAYERS_CALLS);
	/* one layer is a root by itself */
	make_boot(1, UPPER_NONE, true);
	fake_verity_reset(0, 0);
	expect_success("one layer", step_mounts(&boot, &e), &e);
	assert_string_equal(fake_sys.log, "mkdir /sysroot 0755\n"
					  "fsopen squashfs\n"
					  "fsconfig string source /dev/dm-0\n"
					  "fsconfig flag ro -\n"
					  "fsconfig create - -\n"
					  "fsmount 0x1\n"
					  "move_mount /sysroot\n");
	/* two without an upper are a read-only overlay */
	make_boot(2, UPPER_NONE, true);
	fake_verity_reset(0, 0);
	expect_success("no upper", step_mounts(&boot, &e), &e);
	assert_int_equal(lines_with("upper"), 0);
	assert_non_null(strstr(fake_sys.log, "lowerdir+ /layers/1\nfsconfig create - -\n"
					     "fsmount 0x1\nmove_mount /sysroot\numount /layers/0"));
}

/* /usr has a volume of its own, behind those of the layers; a root of a tmpfs takes a layer's. */
static void test_usr(void **state)
{
	static const char usr[] = "fsopen squashfs\n"
				  "fsconfig string source /dev/dm-1\n"
				  "fsconfig flag ro -\n"
				  "fsconfig create - -\n"
				  "fsmount 0x1\n"
				  "move_mount /sysroot/usr\n";
	struct err e = { 0 };

	(void)state;
	make_boot(2, UPPER_NONE, true);
	boot.plan.layers = 1;
	boot.plan.has_usr = true;
	fake_verity_reset(0, 0);
	expect_success("usr", step_mounts(&boot, &e), &e);
	assert_string_equal(strstr(fake_sys.log, "move_mount /sysroot\n") + 20, usr);
	for (unsigned int call = 8; call <= 13; call++) {
		fake_verity_reset(call, EIO);
		expect_failure("usr", step_mounts(&boot, &e), &e, FAIL_MOUNT_FAILED, "squashfs");
		assert_int_equal(fake_sys.calls, call);
	}
}

static void test_root_of_a_tmpfs(void **state)
{
	const char *at;
	struct err e = { 0 };

	(void)state;
	make_boot(1, UPPER_NONE, true);
	boot.plan.root = PLAN_ROOT_TMPFS;
	fake_verity_reset(0, 0);
	expect_success("tmpfs", step_mounts(&boot, &e), &e);
	at = strstr(fake_sys.log, "mkdir /sysroot/usr 0755\nmkdir /layers 0755\nfsopen squashfs\n");
	assert_non_null(at);
	at = strstr(at, "move_mount /layers\nmount /layers/usr /sysroot/usr ");
	assert_non_null(at);
	at = strstr(at, "umount /layers flags=0x2\nmkdir /sysroot/etc 0755\n");
	assert_non_null(at);
	for (unsigned int call = 1, calls = fake_sys.calls; call <= calls; call++) {
		fake_verity_reset(call, EIO);
		assert_int_equal(step_mounts(&boot, &e), -EIO);
		assert_int_equal(fake_sys.calls, call);
	}
	/* without a layer, /usr is another volume's */
	make_boot(1, UPPER_NONE, true);
	boot.plan.root = PLAN_ROOT_TMPFS;
	boot.plan.layers = 0;
	boot.plan.has_usr = true;
	fake_verity_reset(0, 0);
	expect_success("usr alone", step_mounts(&boot, &e), &e);
	assert_null(strstr(fake_sys.log, "/layers"));
	assert_non_null(strstr(fake_sys.log, "move_mount /sysroot/usr\nmkdir /sysroot/etc"));
}

static void test_each_mount_call_fails(void **state)
{
	size_t fds = open_fds();

	(void)state;
	for (unsigned int call = 1; call <= TWO_LAYERS_CALLS; call++) {
		struct err e = { 0 };

		make_boot(2, UPPER_TMPFS, true);
		strcpy(boot.plan.upper.size, "25%");
		fake_verity_reset(call, EIO);
		if (step_mounts(&boot, &e) != -EIO || e.code == FAIL_NONE || !e.text[0])
			fail_msg("call %u: %s %s", call, fail_name(e.code), e.text);
		assert_int_equal(fake_sys.calls, call);
		assert_memory_equal(fake_sys.log, two_layers, fake_sys.used);
		assert_int_equal(open_fds(), fds);
	}
}

/* A mount that fails on a bad block is the block's failure, and its layer's. */
static void test_bad_block_is_told(void **state)
{
	struct err e = { 0 };

	(void)state;
	make_boot(3, UPPER_TMPFS, true);
	fake_verity_reset(5, EIO);
	fake_bad_device = "socle-layer-2";
	expect_failure("bad block", step_mounts(&boot, &e), &e, FAIL_DATA_CORRUPT,
		       "a block does not match");
	assert_string_equal(e.volume, "layer-2");
}

/* Every layer has its own device and its own mount, up to the limit. */
static void test_as_many_of_each(void **state)
{
	static const size_t counts[] = { 1, 9, LAYERS_MAX };
	struct err e = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		const char *first;

		make_boot(counts[i], UPPER_TMPFS, false);
		fake_verity_reset(0, 0);
		expect_success("verity", step_verity(&boot, &e), &e);
		assert_int_equal(lines_with("verity_open"), counts[i]);
		assert_int_equal(lines_with("verity_prove"), counts[i]);
		fake_sys_reset(0, 0);
		expect_success("mounts", step_mounts(&boot, &e), &e);
		assert_int_equal(lines_with("fsopen squashfs"), counts[i]);
		assert_int_equal(lines_with("source /dev/dm-"), counts[i]);
		assert_int_equal(lines_with("lowerdir+ /layers/"), counts[i]);
		assert_int_equal(lines_with("umount /layers/"), counts[i]);
		/* the topmost is the first */
		first = strstr(fake_sys.log, "lowerdir+ ");
		assert_memory_equal(first, "lowerdir+ /layers/0\n", 20);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mounts),
		cmocka_unit_test(test_scratch_disk),
		cmocka_unit_test(test_usr),
		cmocka_unit_test(test_root_of_a_tmpfs),
		cmocka_unit_test(test_each_mount_call_fails),
		cmocka_unit_test(test_bad_block_is_told),
		cmocka_unit_test(test_as_many_of_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
