// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <linux/dm-ioctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mount/arm_all.h"
#include "mount/mount.h"
#include "tests/unit/fake_disk.h"
#include "tests/unit/fake_verity.h"
#include "verity/device.h"

#define HASH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* --- which devices a volume needs ---------------------------------------------- */

static struct volume volume;
static uint8_t signatures[512];
static struct device_wish wishes[VOLUME_DEVICES_MAX + 2];

static void make_volume(const char *hash_device, const char *fec_device)
{
	struct err e = { 0 };

	volume_init(&volume, "layer-3", "socle-layer-3");
	memset(wishes, 0, sizeof(wishes));
	strcpy(volume.fstype, "erofs");
	assert_int_equal(devref_parse("/dev/vda", &volume.data, &e), 0);
	if (hash_device)
		assert_int_equal(devref_parse(hash_device, &volume.hash, &e), 0);
	if (fec_device)
		assert_int_equal(devref_parse(fec_device, &volume.fec, &e), 0);
	/* 129 blocks of data, 3 of the tree */
	assert_int_equal(verity_params_set(&volume.verity, "data_blocks", "129", &e), 0);
	assert_int_equal(verity_params_set(&volume.verity, "root_hash", HASH, &e), 0);
	if (hash_device)
		assert_int_equal(verity_params_set(&volume.verity, "hash_start", "1", &e), 0);
	assert_int_equal(verity_params_finish(&volume.verity, !hash_device, &e), 0);
}

static void test_wishes(void **state)
{
	(void)state;
	make_volume(NULL, NULL);
	assert_int_equal(volume_wishes(&volume, wishes, 0), 1);
	assert_ptr_equal(wishes[0].ref, &volume.data);
	assert_string_equal(wishes[0].volume, "layer-3");
	make_volume("/dev/vdb", NULL);
	assert_int_equal(volume_wishes(&volume, wishes, 2), 4);
	assert_null(wishes[0].ref);
	assert_ptr_equal(wishes[2].ref, &volume.data);
	assert_ptr_equal(wishes[3].ref, &volume.hash);
	make_volume(NULL, "/dev/vdc");
	assert_int_equal(volume_wishes(&volume, wishes, 0), 2);
	assert_ptr_equal(wishes[1].ref, &volume.fec);
	make_volume("/dev/vdb", "/dev/vdc");
	assert_int_equal(volume_wishes(&volume, wishes, 1), 4);
	assert_ptr_equal(wishes[3].ref, &volume.fec);
	assert_string_equal(wishes[3].volume, "layer-3");
}

/* --- opening --------------------------------------------------------------------- */

static void found(size_t wish, const char *name, uint64_t size_bytes)
{
	strcpy(wishes[wish].found.name, name);
	wishes[wish].found.size_bytes = size_bytes;
	wishes[wish].found.major = 254;
	wishes[wish].found.minor = 16 * (unsigned int)wish;
}

static void test_open(void **state)
{
	struct open_volume open;
	struct err e = { 0 };

	(void)state;
	make_volume(NULL, NULL);
	found(0, "vdq", 1 << 20);
	fake_verity_reset(0, 0);
	expect_success("one device", volume_open(&volume, signatures, wishes, -1, &open, &e), &e);
	assert_string_equal(fake_sys.log, "verity_open socle-layer-3 data=254:0 hash=254:0 "
					  "fec=0:0 blocks=129\n"
					  "verity_prove socle-layer-3\n");
	assert_ptr_equal(open.volume, &volume);
	assert_string_equal(open.device.path, "/dev/dm-0");

	make_volume("/dev/x", "/dev/y");
	found(0, "nvme0n1p1", 1 << 20);
	found(1, "cciss/c0d0", 1 << 20);
	found(2, "sda", 512);
	fake_verity_reset(0, 0);
	expect_success("three", volume_open(&volume, signatures, wishes, -1, &open, &e), &e);
	assert_string_equal(fake_sys.log, "verity_open socle-layer-3 data=254:0 "
					  "hash=254:16 fec=254:32 blocks=129\n"
					  "verity_prove socle-layer-3\n");

	make_volume(NULL, "/dev/y");
	found(0, "vda", 1 << 20);
	found(1, "vdb", 512);
	fake_verity_reset(0, 0);
	expect_success("two", volume_open(&volume, signatures, wishes, -1, &open, &e), &e);
	assert_non_null(strstr(fake_sys.log, "hash=254:0 fec=254:16"));
}

/* Too short is said before the kernel sees a table, with both numbers. */
static void test_sizes(void **state)
{
	static const struct {
		const char *hash_device;
		uint64_t data_bytes, hash_bytes;
		const char *words; /* NULL: large enough */
	} rows[] = {
		{ NULL, (130 + 3) * 4096, 0, NULL },
		{ NULL, (130 + 3) * 4096 - 512, 0,
		  "dev0 has 544256 bytes and its hash tree ends at 544768" },
		{ NULL, 129 * 4096 - 512, 0, "dev0 has 527872 bytes and its data needs 528384" },
		{ NULL, 512, 0, "dev0 has 512 bytes and its data needs 528384" },
		{ "/dev/x", 129 * 4096, 4 * 4096, NULL },
		{ "/dev/x", 129 * 4096 - 512, 4 * 4096, "dev0 has 527872 bytes and its data" },
		{ "/dev/x", 129 * 4096, 4 * 4096 - 512,
		  "dev1 has 15872 bytes and its hash tree ends at 16384" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct open_volume open = { .volume = NULL };
		struct err e = { 0 };
		int r;

		make_volume(rows[i].hash_device, NULL);
		found(0, "dev0", rows[i].data_bytes);
		found(1, "dev1", rows[i].hash_bytes);
		fake_verity_reset(0, 0);
		r = volume_open(&volume, signatures, wishes, -1, &open, &e);
		if (!rows[i].words) {
			expect_success("size", r, &e);
			continue;
		}
		expect_failure("size", r, &e, FAIL_DEVICE_TOO_SMALL, rows[i].words);
		assert_string_equal(e.volume, "layer-3");
		assert_int_equal(fake_sys.calls, 0);
		assert_null(open.volume);
	}
}

/* Sizes that no arithmetic holds are no sizes that fit. */
static void test_sizes_overflow(void **state)
{
	struct open_volume open = { .volume = NULL };
	struct err e = { 0 };

	(void)state;
	make_volume(NULL, NULL);
	found(0, "vda", UINT64_MAX);
	volume.verity.data_blocks = UINT64_MAX / 2;
	fake_verity_reset(0, 0);
	expect_failure("overflow", volume_open(&volume, signatures, wishes, -1, &open, &e), &e,
		       FAIL_VERITY_PARAMS_INVALID, "exceed 2^63 bytes");
	assert_int_equal(fake_sys.calls, 0);
}

static void test_open_fails(void **state)
{
	struct open_volume open = { .volume = NULL };
	struct err e = { 0 };
	char removed[80];

	(void)state;
	make_volume(NULL, NULL);
	found(0, "vda", 1 << 20);
	fake_verity_reset(1, EINVAL);
	expect_failure("open", volume_open(&volume, signatures, wishes, -1, &open, &e), &e,
		       FAIL_VERITY_OPEN_FAILED, "open");
	assert_string_equal(e.volume, "layer-3");
	assert_int_equal(fake_sys.calls, 1);
	/* what is not proved does not stay open */
	fake_verity_reset(2, EBADMSG);
	expect_failure("check", volume_open(&volume, signatures, wishes, -1, &open, &e), &e,
		       FAIL_ROOT_HASH_MISMATCH, "vda: the top does not match");
	assert_string_equal(e.volume, "layer-3");
	snprintf(removed, sizeof(removed), "verity_prove socle-layer-3\ndm %#x socle-layer-3\n",
		 (unsigned int)DM_DEV_REMOVE);
	assert_non_null(strstr(fake_sys.log, removed));
	assert_null(open.volume);
	/* an offset, such as PARTNROFF=, may have led to another partition */
	make_volume("/dev/y", NULL);
	found(0, "vda2", 1 << 20);
	found(1, "vda4", 1 << 20);
	fake_verity_reset(2, EBADMSG);
	expect_failure("check", volume_open(&volume, signatures, wishes, -1, &open, &e), &e,
		       FAIL_ROOT_HASH_MISMATCH,
		       "data on vda2, hash tree on vda4: the top does not match");
}

/* --- a signature -------------------------------------------------------------------- */

static void sign(const char *text)
{
	/* it is not the pool's first */
	struct verity_signature_pool pool = { signatures, sizeof(signatures), 100 };
	struct err e = { 0 };

	make_volume(NULL, NULL);
	found(0, "vda", 1 << 20);
	expect_success(text, verity_signature_parse(text, &pool, &volume.signature, &e), &e);
}

/* It is there whenever the kernel is given a table, wherever it comes from. */
static void test_signature(void **state)
{
	struct open_volume open;
	struct err e = { 0 };
	struct temp t;
	char path[128];

	(void)state;
	temp_make(&t);
	put_bytes(t.fd, "p7s", "\x30\x01\x00", 3);
	snprintf(path, sizeof(path), "%s/p7s", t.path);
	for (unsigned int i = 0; i < 2; i++) {
		sign(i ? path : "base64:MAEA");
		fake_verity_reset(0, 0);
		expect_success("open", volume_open(&volume, signatures, wishes, -1, &open, &e), &e);
		assert_non_null(strstr(fake_sys.log, "blocks=129 signature=3\n"));
		expect_success("arm", volumes_arm(&open, 1, VERITY_ON_CORRUPTION_EIO, &e), &e);
		assert_non_null(strstr(fake_sys.log, "verity_arm socle-layer-3 2 signature=3\n"));
	}
	/* gone before the second load */
	unlinkat(t.fd, "p7s", 0);
	expect_failure("arm", volumes_arm(&open, 1, VERITY_ON_CORRUPTION_EIO, &e), &e,
		       FAIL_SIGNATURE_INVALID, "No such file");
	assert_string_equal(e.volume, "layer-3");
	/* and before the first: no table is loaded without */
	fake_verity_reset(0, 0);
	expect_failure("open", volume_open(&volume, signatures, wishes, -1, &open, &e), &e,
		       FAIL_SIGNATURE_INVALID, "No such file");
	assert_int_equal(fake_sys.calls, 0);
	/* a device that is there already is not one whose signature was verified */
	sign("base64:MAEA");
	volume.adopt = true;
	fake_verity_reset(0, 0);
	fake_adopts = 1;
	expect_success("no adoption", volume_open(&volume, signatures, wishes, -1, &open, &e), &e);
	assert_null(strstr(fake_sys.log, "verity_adopt"));
	temp_remove(&t);
}

/* --- adopting what the kernel opened -------------------------------------------------- */

static void test_adopt(void **state)
{
	struct open_volume open = { .volume = NULL };
	struct err e = { 0 };

	(void)state;
	make_volume(NULL, NULL);
	volume.adopt = true;
	found(0, "vda", 1 << 20);
	wishes[0].found.major = 254;
	wishes[0].found.minor = 1;
	fake_verity_reset(0, 0);
	fake_adopts = 1;
	expect_success("there", volume_open(&volume, signatures, wishes, -1, &open, &e), &e);
	assert_string_equal(fake_sys.log, "verity_adopt socle-layer-3 254:1 254:1\n"
					  "verity_prove socle-layer-3\n");
	fake_verity_reset(0, 0);
	fake_adopts = 0;
	expect_success("not there", volume_open(&volume, signatures, wishes, -1, &open, &e), &e);
	assert_non_null(strstr(fake_sys.log, "verity_open socle-layer-3"));
	fake_verity_reset(1, EEXIST);
	expect_failure("another", volume_open(&volume, signatures, wishes, -1, &open, &e), &e,
		       FAIL_VERITY_OPEN_FAILED, "adopt");
	assert_int_equal(fake_sys.calls, 1);
}

/* --- nothing proves it -------------------------------------------------------------- */

static void test_raw(void **state)
{
	struct open_volume open = { .volume = NULL };
	struct err e = { 0 };

	(void)state;
	make_volume(NULL, NULL);
	volume.proof = VOLUME_RAW;
	strcpy(volume.fstype, "ext4");
	strcpy(volume.options, "data=ordered,,errors=remount-ro");
	found(0, "cciss/c0d0p1", 512);
	wishes[0].found.major = 8;
	wishes[0].found.minor = 17;
	fake_verity_reset(0, 0);
	expect_success("raw", volume_open(&volume, signatures, wishes, -1, &open, &e), &e);
	assert_int_equal(fake_sys.calls, 0);
	assert_string_equal(open.device.path, "/dev/cciss/c0d0p1");
	assert_int_equal(open.device.major, 8);
	assert_int_equal(open.device.minor, 17);
	expect_success("read-only", volume_mount(&open, "/sysroot", true, &e), &e);
	assert_string_equal(fake_sys.log, "fsopen ext4\n"
					  "fsconfig string source /dev/cciss/c0d0p1\n"
					  "fsconfig flag ro -\n"
					  "fsconfig string data ordered\n"
					  "fsconfig string errors remount-ro\n"
					  "fsconfig create - -\n"
					  "fsmount 0x1\n"
					  "move_mount /sysroot\n");
	volume.writable = true;
	fake_verity_reset(0, 0);
	expect_success("writable", volume_mount(&open, "/sysroot", true, &e), &e);
	assert_null(strstr(fake_sys.log, "flag ro"));
	assert_non_null(strstr(fake_sys.log, "fsmount 0\n"));
	/* and nothing is armed or diagnosed, alone or among others */
	fake_verity_reset(0, 0);
	fake_bad_device = "";
	assert_int_equal(volume_diagnose(&open, -1, &e), 0);
	expect_success("arm", volumes_arm(&open, 1, VERITY_ON_CORRUPTION_PANIC, &e), &e);
	assert_int_equal(fake_sys.calls, 0);
}

/* --- many at once ----------------------------------------------------------------- */

/* All tables are loaded before the first is swapped, and a failure says whose it is. */
static void test_arm_many(void **state)
{
	static const char all[] = "verity_arm a 1\nverity_arm b 1\nverity_arm d 1\n"
				  "verity_swap a\nverity_swap b\nverity_swap d\n";
	static const char *const names[] = { "a", "b", "c", "d" };
	static const char *const failed[] = { "a", "b", "d", "a", "b", "d" };
	static struct volume volumes[4];
	static struct open_volume open[4];
	struct err e = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(open); i++) {
		volume_init(&volumes[i], names[i], names[i]);
		open[i].volume = &volumes[i];
		strcpy(open[i].device.name, names[i]);
	}
	volumes[2].proof = VOLUME_RAW;
	fake_verity_reset(0, 0);
	expect_success("all", volumes_arm(open, 4, VERITY_ON_CORRUPTION_RESTART, &e), &e);
	assert_string_equal(fake_sys.log, all);
	assert_string_equal(e.volume, "");
	for (unsigned int call = 1; call <= ARRAY_SIZE(failed); call++) {
		fake_verity_reset(call, EIO);
		expect_failure("one", volumes_arm(open, 4, VERITY_ON_CORRUPTION_RESTART, &e), &e,
			       FAIL_VERITY_OPEN_FAILED, call < 4 ? "arm" : "swap");
		assert_string_equal(e.volume, failed[call - 1]);
		/* no swap behind a load that failed; but none of the swaps waits for another */
		assert_int_equal(fake_sys.calls, call < 4 ? call : 6);
	}
	/* none has anything to swap */
	fake_verity_reset(0, 0);
	fake_armed = true;
	expect_success("armed", volumes_arm(open, 4, VERITY_ON_CORRUPTION_EIO, &e), &e);
	assert_null(strstr(fake_sys.log, "swap"));
	expect_failure("too many",
		       volumes_arm(open, VOLUMES_ARM_MAX + 1, VERITY_ON_CORRUPTION_EIO, &e), &e,
		       FAIL_LIMIT_EXCEEDED, "more than 512 volumes");
}

/* --- mounting ---------------------------------------------------------------------- */

/* An erofs with what a mount looks at; "/dev/dm-5" is this one. */
static int erofs_fd = -1;

static void make_disk(const uint8_t *disk, size_t size)
{
	if (erofs_fd < 0)
		erofs_fd = memfd_create("erofs", MFD_CLOEXEC);
	assert_int_equal(ftruncate(erofs_fd, 0), 0);
	assert_int_equal(pwrite(erofs_fd, disk, size, 0), size);
}

static struct open_volume an_open_volume(const char *fstype)
{
	struct open_volume open = {
		.volume = &volume,
		.device = { .name = "socle-layer-3",
			    .major = 253,
			    .minor = 5,
			    .path = "/dev/dm-5" },
	};

	uint8_t disk[8192] = { 0 };

	disk_erofs(disk, 0, "", 1);
	make_disk(disk, sizeof(disk));
	make_volume(NULL, NULL);
	strcpy(volume.fstype, fstype);
	return open;
}

static void test_mount(void **state)
{
	struct open_volume open = an_open_volume("squashfs");
	struct err e = { 0 };

	(void)state;
	fake_verity_reset(0, 0);
	fake_xattr_errno = EOPNOTSUPP; /* an image without attributes: nobody asks */
	expect_success("layer", volume_mount(&open, "/layers/3", false, &e), &e);
	assert_string_equal(fake_sys.log, "fsopen squashfs\n"
					  "fsconfig string source /dev/dm-5\n"
					  "fsconfig flag ro -\n"
					  "fsconfig create - -\n"
					  "fsmount 0x7\n" /* ro, nosuid, nodev */
					  "move_mount /layers/3\n");
	fake_verity_reset(0, 0);
	expect_success("root", volume_mount(&open, "/sysroot", true, &e), &e);
	assert_non_null(strstr(fake_sys.log, "fsmount 0x1\nmove_mount /sysroot\n"));
}

static void test_mount_fails(void **state)
{
	struct open_volume open = an_open_volume("erofs");
	size_t fds = open_fds();

	(void)state;
	for (unsigned int call = 1; call <= 6; call++) {
		struct err e = { 0 };

		fake_verity_reset(call, EIO);
		expect_failure("call", volume_mount(&open, "/layers/3", false, &e), &e,
			       FAIL_MOUNT_FAILED, "erofs");
		assert_string_equal(e.volume, "layer-3");
		assert_int_equal(fake_sys.calls, call);
		assert_int_equal(open_fds(), fds);
	}
}

/* An erofs that cannot show attributes would bring deleted files back. */
static void test_erofs_attributes(void **state)
{
	static const struct {
		int errnum;
		enum fail_code code;
	} rows[] = {
		{ 0, FAIL_NONE },           { ENODATA, FAIL_NONE },
		{ ERANGE, FAIL_NONE },      { EOPNOTSUPP, FAIL_KERNEL_FEATURE_MISSING },
		{ EIO, FAIL_MOUNT_FAILED }, { EBADMSG, FAIL_MOUNT_FAILED },
	};
	struct open_volume open = an_open_volume("erofs");

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct err e = { 0 };
		int r;

		fake_verity_reset(0, 0);
		fake_xattr_errno = rows[i].errnum;
		r = volume_mount(&open, "/layers/3", false, &e);
		if (rows[i].code == FAIL_NONE)
			expect_success("erofs", r, &e);
		else
			expect_failure("erofs", r, &e, rows[i].code, "");
		/* It was mounted when that was found out. */
		assert_int_equal(strstr(fake_sys.log, "umount /layers/3 flags=0\n") != NULL,
				 rows[i].code != FAIL_NONE);
	}
}

static void put_le(uint8_t *at, size_t size, uint64_t value)
{
	for (; size--; value >>= 8)
		*at++ = (uint8_t)value;
}

/* Data that no device here holds would be EIO when they are read. */
static void test_erofs_devices(void **state)
{
	static const struct {
		size_t bytes;
		unsigned int devices, blocks, start;
		const char *words; /* NULL: mounted */
	} rows[] = {
		/* a tar behind its index */
		{ 8192, 1, 1, 1, NULL },
		{ 8191, 1, 1, 1, "data on 1 further device, and the volume names none" },
		{ 8192, 1, 2, 1, "data on 1 further device" },
		/* no address: they are elsewhere */
		{ 8192, 1, 1, 0, "data on 1 further device" },
		{ 8192, 1, 0, 0, "data on 1 further device" },
		{ 8192, 2, 1, 1, "data on 2 further devices" },
		{ 8192, 0, 9, 9, NULL },
		/* the table is cut off */
		{ 2048 + 127, 1, 1, 1, "table of devices" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct open_volume open = an_open_volume("erofs");
		uint8_t disk[8192] = { 0 };
		struct err e = { 0 };
		int r;

		disk_erofs(disk, 0, "", 1);
		put_le(disk + 1024 + 80, 4, 8);
		put_le(disk + 1024 + 86, 2, rows[i].devices);
		put_le(disk + 1024 + 88, 2, 2048 / 128);
		put_le(disk + 2048 + 64, 4, rows[i].blocks);
		put_le(disk + 2048 + 68, 4, rows[i].start);
		make_disk(disk, rows[i].bytes);
		fake_verity_reset(0, 0);
		r = volume_mount(&open, "/layers/3", false, &e);
		if (!rows[i].words) {
			expect_success("erofs", r, &e);
			continue;
		}
		assert_true(r < 0);
		assert_non_null(strstr(e.text, rows[i].words));
		assert_string_equal(e.volume, "layer-3");
		assert_int_equal(fake_sys.calls, 0);
		/* an unproved root may name devices: the kernel counts them */
		volume.proof = VOLUME_RAW;
		strcpy(volume.options, "device=/dev/vdb");
		expect_success("device=", volume_mount(&open, "/layers/3", false, &e), &e);
	}
}

/* A superblock of verity is the host's: one that covers less is refused, given numbers are not. */
static void test_erofs_size(void **state)
{
	struct open_volume open = an_open_volume("erofs");
	uint8_t disk[8192] = { 0 };
	struct err e = { 0 };

	(void)state;
	disk_erofs(disk, 0, "", 1);
	disk[1024 + 36] = 3;
	make_disk(disk, sizeof(disk));
	fake_verity_reset(0, 0);
	expect_success("given", volume_mount(&open, "/layers/3", false, &e), &e);
	volume.proof = VOLUME_SUPERBLOCK;
	expect_failure("superblock", volume_mount(&open, "/layers/3", false, &e), &e,
		       FAIL_VERITY_PARAMS_INVALID,
		       "covers 8192 bytes and the file system has 12288");
	disk[1024 + 36] = 2;
	make_disk(disk, sizeof(disk));
	expect_success("whole", volume_mount(&open, "/layers/3", false, &e), &e);
	/* what it is then, the kernel says */
	disk[1024] = 0;
	make_disk(disk, sizeof(disk));
	expect_success("no erofs", volume_mount(&open, "/layers/3", false, &e), &e);
	make_disk(disk, 1024 + 127);
	expect_failure("cut", volume_mount(&open, "/layers/3", false, &e), &e,
		       FAIL_DEVICE_READ_FAILED, "read the erofs' superblock");
}

/* The descriptor of a file of a folder, and the path that leads to it. */
static int path_of(int dir, const char *name, char *path, size_t size)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	snprintf(path, size, "/proc/self/fd/%d", fd);
	return fd;
}

static unsigned int opened; /* devices, since a test began to count */

/* A test's devices are files, which the real one refuses; their number is 0:0. */
int device_node_open(int dev, const char *path, unsigned int major, unsigned int minor,
		     struct err *e)
{
	bool is_erofs = !strcmp(path, "/dev/dm-5"), is_raw = !strncmp(path, "/dev/cciss/", 11);
	int fd = is_erofs ? dup(erofs_fd) :
		 is_raw   ? memfd_create("disk", MFD_CLOEXEC) :
			    openat(dev, path, O_RDONLY | O_CLOEXEC);

	opened++;
	if (fd < 0)
		return err_errno(e, FAIL_DEVICE_READ_FAILED, "open %s", path);
	if (is_erofs || is_raw || (!major && !minor))
		return fd;
	close(fd);
	return err_set(e, FAIL_DEVICE_READ_FAILED, ENODEV, "%s is not device", path);
}

/* No type is named: what the proved bytes say, of the device with that number only. */
static void test_probed_type(void **state)
{
	struct open_volume open = an_open_volume("");
	uint8_t *disk = calloc(1, DISK_SIZE);
	struct err e = { 0 };
	struct temp t;
	size_t fds;
	int fd, zero;

	(void)state;
	temp_make(&t);
	disk_ext4(disk, 0, "", 1);
	put_bytes(t.fd, "d", disk, DISK_SIZE);
	put_bytes(t.fd, "zero", disk, 1024);
	free(disk);
	zero = path_of(t.fd, "zero", open.device.path, sizeof(open.device.path));
	fd = path_of(t.fd, "d", open.device.path, sizeof(open.device.path));
	fds = open_fds();
	/* a file's device number is 0:0 */
	fake_verity_reset(0, 0);
	expect_failure("another", volume_mount(&open, "/layers/3", false, &e), &e,
		       FAIL_DEVICE_READ_FAILED, "is not device");
	assert_int_equal(fake_sys.calls, 0);
	open.device.major = open.device.minor = 0;
	expect_success("ext4", volume_mount(&open, "/layers/3", false, &e), &e);
	assert_memory_equal(fake_sys.log, "fsopen ext4\n", 12);
	snprintf(open.device.path, sizeof(open.device.path), "/proc/self/fd/%d", zero);
	fake_verity_reset(0, 0);
	expect_failure("nothing", volume_mount(&open, "/layers/3", false, &e), &e,
		       FAIL_FILESYSTEM_UNKNOWN, "there is no erofs");
	assert_string_equal(e.volume, "layer-3");
	assert_int_equal(fake_sys.calls, 0);
	strcpy(open.device.path, "/nowhere");
	expect_failure("absent", volume_mount(&open, "/layers/3", false, &e), &e,
		       FAIL_DEVICE_READ_FAILED, "open /nowhere");
	assert_int_equal(open_fds(), fds);
	close(fd);
	close(zero);
	temp_remove(&t);
}

/* What is read to find the type is read through the descriptor of what is looked at next. */
static void test_opened_once(void **state)
{
	struct open_volume open = an_open_volume("");
	struct err e = { 0 };

	(void)state;
	fake_verity_reset(0, 0);
	opened = 0;
	expect_success("erofs", volume_mount(&open, "/layers/3", false, &e), &e);
	assert_memory_equal(fake_sys.log, "fsopen erofs\n", 13);
	fake_verity_reset(1, EINVAL);
	assert_true(volume_mount(&open, "/layers/3", false, &e) < 0);
	assert_int_equal(opened, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wishes),      cmocka_unit_test(test_open),
		cmocka_unit_test(test_sizes),       cmocka_unit_test(test_sizes_overflow),
		cmocka_unit_test(test_open_fails),  cmocka_unit_test(test_signature),
		cmocka_unit_test(test_adopt),       cmocka_unit_test(test_raw),
		cmocka_unit_test(test_arm_many),    cmocka_unit_test(test_mount),
		cmocka_unit_test(test_mount_fails), cmocka_unit_test(test_erofs_attributes),
		cmocka_unit_test(test_probed_type), cmocka_unit_test(test_erofs_devices),
		cmocka_unit_test(test_erofs_size),  cmocka_unit_test(test_opened_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
