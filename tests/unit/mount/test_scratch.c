// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* From an empty disk to one that is mounted, and back from every step on the way. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/io.h"
#include "mount/device/writable.h"
#include "mount/fs/ext4_make.h"
#include "mount/scratch.h"
#include "mount/scratch_empty.h"
#include "tests/unit/fake_sys.h"
#include "verity/dm.h"

#define MIB 1048576ULL

/* --- the doubles: a disk, and device-mapper, whose devices have a file each ---------- */

static struct {
	int disk, mapped; /* what is on them */
	const char *status, *lacks;
	unsigned int devices; /* that device-mapper has */
} fake;

int device_open_writable(const char *path, unsigned int major, unsigned int minor, struct err *e)
{
	if (fake_sys_call("open %s %u:%u\n", path, major, minor))
		return err_errno(e, FAIL_SCRATCH_FAILED, "open %s for writing", path);
	return dup(strstr(path, "dm-") ? fake.mapped : fake.disk);
}

int device_node_open(int dev, const char *name, unsigned int major, unsigned int minor,
		     struct err *e)
{
	(void)dev;
	if (fake_sys_call("read %s %u:%u\n", name, major, minor))
		return err_errno(e, FAIL_DEVICE_READ_FAILED, "open %s", name);
	return dup(fake.disk);
}

int dm_target_version(const char *type, unsigned int ret_version[3])
{
	ret_version[0] = 1;
	if (fake_sys_call("version %s\n", type))
		return -errno;
	return !fake.lacks || strcmp(fake.lacks, type) != 0;
}

int dm_create(const char *name, const char *uuid, dev_t *ret_number)
{
	assert_null(uuid);
	if (fake_sys_call("create %s\n", name))
		return -errno;
	fake.devices++;
	*ret_number = makedev(253, 6);
	return 0;
}

int dm_load(const char *name, const struct dm_target *t)
{
	return fake_sys_call("load %s %llu %s %s\n", name, (unsigned long long)t->sectors, t->type,
			     t->line) ?
		       -errno :
		       0;
}

int dm_resume(const char *name)
{
	return fake_sys_call("resume %s\n", name) ? -errno : 0;
}

int dm_status(const char *name, const char *type, char *line, size_t size)
{
	if (fake_sys_call("status %s %s\n", name, type))
		return -errno;
	snprintf(line, size, "%s", fake.status);
	return 0;
}

int dm_open(const char *name, const char *uuid, const struct dm_target *t, dev_t *ret_number)
{
	assert_null(uuid);
	assert_false(t->read_only);
	if (fake_sys_call("open %s %llu %s %s\n", name, (unsigned long long)t->sectors, t->type,
			  t->line))
		return -errno;
	fake.devices++;
	*ret_number = makedev(253, 7);
	return 0;
}

int dm_remove_deferred(const char *name)
{
	fake.devices--;
	return fake_sys_call("remove %s\n", name) ? -errno : 0;
}

ssize_t getrandom(void *buffer, size_t size, unsigned int flags)
{
	(void)flags;
	memset(buffer, 'K', size);
	return (ssize_t)size;
}

/* --- opening ------------------------------------------------------------------------- */

static struct blockdev disk;

static struct upper upper(bool encrypted, bool integrity)
{
	return (struct upper){ .kind = UPPER_DISK, .encrypted = encrypted, .integrity = integrity };
}

static int empty_file(uint64_t size_bytes)
{
	int fd = memfd_create("disk", MFD_CLOEXEC);

	assert_int_equal(ftruncate(fd, (off_t)size_bytes), 0);
	return fd;
}

static void reset(unsigned int fail_call)
{
	close(fake.disk);
	close(fake.mapped);
	fake_sys_reset(fail_call, EIO);
	disk = (struct blockdev){
		.name = "vdb",
		.major = 254,
		.minor = 16,
		.size_bytes = 64 * MIB + 512,
		.sector_bytes = 512,
	};
	fake.disk = empty_file(disk.size_bytes);
	fake.mapped = empty_file(64 * MIB);
	fake.status = "0 120009 -";
	fake.lacks = NULL;
	fake.devices = 0;
}

static int setup(void **state)
{
	(void)state;
	fake.disk = fake.mapped = -1;
	return 0;
}

#define READ_DISK "open /dev/vdb 254:16\nread /dev/vdb 254:16\n"

static const char plain_calls[] = READ_DISK "open /dev/vdb 254:16\n";
static const char encrypted_calls[] =
	"version crypt\n" READ_DISK "add_logon_key socle:socle-upper size=64\n"
	"open socle-upper 131064 crypt aes-xts-plain64 :64:logon:socle:socle-upper 0 254:16 8 "
	"1 sector_size:4096\n"
	"revoke_key 78\n"
	"unlink_key 78\n"
	"open /dev/dm-7 253:7\n";
static const char integrity_calls[] =
	"version crypt\n"
	"version integrity\n" READ_DISK "create socle-upper-integrity\n"
	"load socle-upper-integrity 8 integrity 254:16 8 32 D 3 block_size:4096 journal_sectors:1 "
	"fix_padding\n"
	"resume socle-upper-integrity\n"
	"status socle-upper-integrity integrity\n"
	"load socle-upper-integrity 120008 integrity 254:16 8 32 D 3 block_size:4096 "
	"journal_sectors:1 fix_padding\n"
	"resume socle-upper-integrity\n"
	"add_logon_key socle:socle-upper size=96\n"
	"open socle-upper 120008 crypt capi:authenc(hmac(sha256),xts(aes))-plain64 "
	":96:logon:socle:socle-upper 0 253:6 0 2 integrity:32:aead sector_size:4096\n"
	"revoke_key 78\n"
	"unlink_key 78\n"
	"open /dev/dm-7 253:7\n";

static const struct kind {
	bool encrypted, integrity;
	const char *calls;
	size_t devices;
	uint64_t blocks; /* of the file system */
} kinds[] = {
	{ false, false, plain_calls, 0, 64 * 256 },
	{ true, false, encrypted_calls, 1, 131064 / 8 },
	{ true, true, integrity_calls, 2, 120008 / 8 },
};

static void expect_filesystem(int fd, const struct kind *k)
{
	uint8_t block[EXT4_BLOCK_SIZE];

	assert_int_equal(io_pread(fd, block, sizeof(block), 0), sizeof(block));
	assert_true(ext4_is_ours(block, SCRATCH_LABEL));
	assert_int_equal(block[1028] | block[1029] << 8, k->blocks & 0xffff);
}

static void test_kinds(void **state)
{
	size_t fds;

	(void)state;
	reset(0);
	fds = open_fds();
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		const struct kind *k = &kinds[i];
		const struct upper u = upper(k->encrypted, k->integrity);
		uint8_t block[2 * SCRATCH_MARK_SIZE], mark[2 * SCRATCH_MARK_SIZE] = { 0 };
		struct scratch s;
		struct err e = { 0 };

		reset(0);
		expect_success("open", scratch_open(&disk, &u, "socle-upper", &s, &e), &e);
		assert_string_equal(fake_sys.log, k->calls);
		assert_int_equal(fake.devices, k->devices);
		assert_int_equal(scratch_devices(&u), k->devices);
		expect_filesystem(k->encrypted ? fake.mapped : fake.disk, k);
		assert_string_equal(s.device.name, k->encrypted ? "socle-upper" : "");
		assert_string_equal(s.device.path, k->encrypted ? "/dev/dm-7" : "/dev/vdb");
		assert_int_equal(s.device.minor, k->encrypted ? 7 : 16);
		assert_string_equal(s.integrity, k->integrity ? "socle-upper-integrity" : "");
		if (!k->encrypted)
			continue;
		/* The mark is all that the host finds in the clear. */
		scratch_mark(mark);
		assert_int_equal(io_pread(fake.disk, block, sizeof(block), 0), sizeof(block));
		assert_memory_equal(block, mark, sizeof(block));
		fake_sys_reset(0, 0);
		expect_success("defer", scratch_defer(&s, &e), &e);
		assert_string_equal(fake_sys.log,
				    k->integrity ?
					    "remove socle-upper\nremove socle-upper-integrity\n" :
					    "remove socle-upper\n");
	}
	assert_int_equal(open_fds(), fds);
}

/* A superblock that the host has put there: dm-integrity would believe it. */
static void test_old_superblock_is_wiped(void **state)
{
	const struct upper u = upper(true, true);
	uint8_t mark[SCRATCH_MARK_SIZE], block[SCRATCH_MARK_SIZE];
	static const uint8_t zeros[SCRATCH_MARK_SIZE];
	struct scratch s;
	struct err e = { 0 };

	(void)state;
	reset(0);
	scratch_mark(mark);
	assert_int_equal(io_pwrite(fake.disk, mark, sizeof(mark), 0), 0);
	assert_int_equal(io_pwrite(fake.disk, "integrt", 8, 4096), 0);
	expect_success("used", scratch_open(&disk, &u, "socle-upper", &s, &e), &e);
	assert_int_equal(io_pread(fake.disk, block, sizeof(block), 4096), sizeof(block));
	assert_memory_equal(block, zeros, sizeof(block));
}

/* Nothing stays open, no key stays in the keyring, and no sentence has it. */
static void test_each_call_fails(void **state)
{
	size_t fds;

	(void)state;
	reset(0);
	fds = open_fds();
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		const struct upper u = upper(kinds[i].encrypted, kinds[i].integrity);
		unsigned int calls = 0;

		for (const char *at = kinds[i].calls; (at = strchr(at, '\n')); at++)
			calls++;
		for (unsigned int call = 1; call <= calls; call++) {
			struct scratch s = { .integrity = "untouched" };
			struct err e = { 0 };
			int r;

			reset(call);
			r = scratch_open(&disk, &u, "socle-upper", &s, &e);
			/* What fails when a key is given up has done no harm. */
			if (strstr(fake_sys.log, "revoke_key") && !r)
				continue;
			assert_int_equal(r, -EIO);
			assert_memory_equal(e.text, "scratch disk vdb: ", 18);
			assert_string_equal(s.integrity, "untouched");
			assert_int_equal(fake.devices, 0);
			assert_null(strstr(e.text, "KKK"));
			assert_int_equal(!strstr(fake_sys.log, "crypt aes") &&
						 !strstr(fake_sys.log, "crypt capi"),
					 !strstr(fake_sys.log, "revoke_key"));
			assert_int_equal(open_fds(), fds);
		}
	}
}

static void test_refused(void **state)
{
	static const struct {
		uint64_t size_bytes, sector_bytes;
		const char *lacks, *status, *words;
		enum fail_code code;
	} cases[] = {
		{ SCRATCH_MIN - 512, 512, NULL, NULL,
		  "33553920 bytes in sectors of 512, at least 33554432", FAIL_SCRATCH_FAILED },
		{ 64 * MIB, 8192, NULL, NULL, "in sectors of 8192", FAIL_SCRATCH_FAILED },
		{ 64 * MIB, 512, "crypt", NULL, "the kernel lacks dm-crypt (CONFIG_DM_CRYPT)",
		  FAIL_KERNEL_FEATURE_MISSING },
		{ 64 * MIB, 512, "integrity", NULL,
		  "the kernel lacks dm-integrity (CONFIG_DM_INTEGRITY)",
		  FAIL_KERNEL_FEATURE_MISSING },
		{ 64 * MIB, 512, NULL, "0 131065 -", "another size", FAIL_SCRATCH_FAILED },
		{ 64 * MIB, 512, NULL, "0 x -", "another size", FAIL_SCRATCH_FAILED },
		{ 64 * MIB, 512, NULL, "", "another size", FAIL_SCRATCH_FAILED },
		{ 64 * MIB, 512, NULL, "0 80 -", "too few for a file system", FAIL_SCRATCH_FAILED },
	};
	const struct upper u = upper(true, true);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct scratch s;
		struct err e = { 0 };

		reset(0);
		disk.size_bytes = cases[i].size_bytes;
		disk.sector_bytes = cases[i].sector_bytes;
		fake.lacks = cases[i].lacks;
		fake.status = cases[i].status ? cases[i].status : fake.status;
		expect_failure(cases[i].words, scratch_open(&disk, &u, "socle-upper", &s, &e), &e,
			       cases[i].code, cases[i].words);
		assert_int_equal(fake.devices, 0);
		if (!cases[i].status)
			assert_null(strstr(fake_sys.log, "/dev/vdb"));
	}
}

/* A disk that holds something keeps every byte. */
static void test_used_disk(void **state)
{
	const struct upper u = upper(true, false);
	struct scratch s;
	struct err e = { 0 };
	char bytes[4] = "";

	(void)state;
	reset(0);
	assert_int_equal(io_pwrite(fake.disk, "data", 4, 0), 0);
	expect_failure("used", scratch_open(&disk, &u, "socle-upper", &s, &e), &e,
		       FAIL_SCRATCH_FAILED, "scratch disk vdb: it is not empty: byte 0 is not 0");
	assert_string_equal(fake_sys.log, "version crypt\n" READ_DISK);
	assert_int_equal(io_pread(fake.disk, bytes, 4, 0), 4);
	assert_memory_equal(bytes, "data", 4);
}

static void test_shared(void **state)
{
	static const struct {
		const char *name, *disk, *other, *other_disk;
		bool shared;
	} cases[] = {
		{ "vdb", "", "vda", "", false },         { "vdb", "", "vdb", "", true },
		{ "vdb", "", "vdb1", "vdb", true },      { "vdb1", "vdb", "vdb", "", true },
		{ "vdb1", "vdb", "vdb2", "vdb", false }, { "vdb1", "vdb", "vdb1", "vdb", true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct device_wish wishes[2] = { { .found.name = "sda" }, { .volume = "layer-0" } };
		struct blockdev b = { 0 };
		struct err e = { 0 };
		int r;

		strcpy(b.name, cases[i].name);
		strcpy(b.disk, cases[i].disk);
		strcpy(wishes[1].found.name, cases[i].other);
		strcpy(wishes[1].found.disk, cases[i].other_disk);
		r = scratch_refuse_shared(&b, wishes, 2, &e);
		if (cases[i].shared)
			expect_failure(cases[i].name, r, &e, FAIL_SCRATCH_FAILED,
				       "also where layer-0 is");
		else
			expect_success(cases[i].name, r, &e);
	}
}

static void test_mount(void **state)
{
	const struct scratch s = { .device = { .path = "/dev/dm-7" } };
	struct err e = { 0 };

	(void)state;
	reset(0);
	expect_success("mount", scratch_mount(&s, "/upper", &e), &e);
	assert_string_equal(fake_sys.log, "fsopen ext4\n"
					  "fsconfig string source /dev/dm-7\n"
					  "fsconfig flag nobarrier -\n"
					  "fsconfig flag noinit_itable -\n"
					  "fsconfig create - -\n"
					  "fsmount 0\n"
					  "move_mount /upper\n");
	reset(5);
	expect_failure("mount", scratch_mount(&s, "/upper", &e), &e, FAIL_SCRATCH_FAILED,
		       "mount ext4 on /upper");
}

static void test_defer_fails(void **state)
{
	const struct scratch s = { .device = { .name = "a" }, .integrity = "b" };
	struct err e = { 0 };

	(void)state;
	for (unsigned int call = 1; call <= 2; call++) {
		reset(call);
		expect_failure("defer", scratch_defer(&s, &e), &e, FAIL_SCRATCH_FAILED,
			       call == 1 ? "mark a for removal" : "mark b for removal");
		assert_string_equal(fake_sys.log, "remove a\nremove b\n");
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_old_superblock_is_wiped),
		cmocka_unit_test(test_each_call_fails),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_used_disk),
		cmocka_unit_test(test_shared),
		cmocka_unit_test(test_mount),
		cmocka_unit_test(test_defer_fails),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
