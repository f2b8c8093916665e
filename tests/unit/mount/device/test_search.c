// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/io.h"
#include "mount/device/match.h"
#include "mount/device/search.h"
#include "tests/unit/fake_disk.h"
#include "tests/unit/fake_sysfs.h"
#include "verity/device.h"

static char opened[256]; /* the names of those that were, with a blank behind each */

/* A test's disks are files, which the real one refuses; the rest is product code. */
int device_node_open(int dir, const char *name, unsigned int major, unsigned int minor,
		     struct err *e)
{
	size_t used = strlen(opened);

	(void)major;
	(void)minor;
	(void)e;
	snprintf(opened + used, sizeof(opened) - used, "%s ", name);
	return openat(dir, name, O_RDONLY | O_CLOEXEC);
}

/* --- a machine: /sys, /dev and the kernel's end of the uevent socket ---------- */

static struct temp sys, dev;
static struct device_search search;
static int kernel;

static int setup(void **state)
{
	int ends[2];

	(void)state;
	temp_make(&sys);
	temp_make(&dev);
	put_dir(sys.fd, "class/block");
	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends), 0);
	assert_int_equal(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
	memset(&search, 0, sizeof(search));
	search.sysfs = sys.fd;
	search.dev = dev.fd;
	search.uevents = ends[0];
	kernel = ends[1];
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	temp_remove(&sys);
	temp_remove(&dev);
	close(search.uevents);
	close(kernel);
	return 0;
}

static void put_disk(const char *name, const char *number, const char *serial)
{
	sysfs_disk(sys.fd, name, number, "2048");
	sysfs_file(sys.fd, name, "serial", serial, strlen(serial));
}

static void put_erofs(const char *name, const char *number, const char *label, uint8_t uuid_byte)
{
	uint8_t *disk = calloc(1, DISK_SIZE);

	disk_erofs(disk, 0, label, uuid_byte);
	put_bytes(dev.fd, name, disk, DISK_SIZE);
	put_disk(name, number, "");
	free(disk);
}

/* A GPT disk with partitions NAME1, NAME2 …; number counts on from minor. */
static void put_gpt(const char *name, const char *partition_prefix, int minor, uint8_t id_byte)
{
	static const char *const labels[] = { "root", "hash" };
	uint8_t *disk = calloc(1, DISK_SIZE);
	char number[16], text[16], partition[32];

	disk_gpt(disk, labels, ARRAY_SIZE(labels), id_byte);
	put_bytes(dev.fd, name, disk, DISK_SIZE);
	free(disk);
	snprintf(number, sizeof(number), "259:%d", minor);
	put_disk(name, number, "");
	for (size_t i = 1; i <= ARRAY_SIZE(labels); i++) {
		snprintf(number, sizeof(number), "259:%d", minor + (int)i);
		snprintf(partition, sizeof(partition), "%s%zu", partition_prefix, i);
		snprintf(text, sizeof(text), "%zu", i);
		sysfs_partition(sys.fd, name, partition, text, number, "16");
	}
}

static void send_uevent(const char *subsystem, const char *name)
{
	char text[256];
	int n = snprintf(text, sizeof(text),
			 "add@/devices/x/%s%cACTION=add%cDEVPATH=/devices/x/"
			 "%s%cSUBSYSTEM=%s",
			 name, 0, 0, name, 0, subsystem);

	assert_true(send(kernel, text, (size_t)n + 1, 0) == n + 1);
}

/* Look for references, for as long as timeout_ms; the first one is layer-0's. */
#define WISHES_MAX 3
static struct device_wish wishes[WISHES_MAX];
static int64_t took_ms;

static int look_for(const char *const *texts, int timeout_ms, struct err *e)
{
	static struct devref refs[WISHES_MAX];
	int64_t start = clock_ms();
	size_t count = 0;
	int r;

	memset(e, 0, sizeof(*e));
	memset(wishes, 0, sizeof(wishes));
	opened[0] = '\0';
	for (; count < WISHES_MAX && texts[count]; count++) {
		expect_success(texts[count], devref_parse(texts[count], &refs[count], e), e);
		wishes[count].ref = &refs[count];
		snprintf(wishes[count].volume, sizeof(wishes[count].volume), "layer-%zu", count);
	}
	r = device_search_wait(&search, wishes, count, timeout_ms, e);
	took_ms = clock_ms() - start;
	return r;
}

#define LOOK_FOR(timeout_ms, e, ...)                                                               \
	look_for((const char *const[]){ __VA_ARGS__, NULL, NULL, NULL }, timeout_ms, e)

/* --- matching -------------------------------------------------------------------- */

static void test_match(void **state)
{
	static struct blockdev_set set;
	static const struct {
		const char *ref;
		size_t count;
		const char *first;
	} rows[] = {
		{ "/dev/vda", 1, "vda" },
		{ "/dev/vda1", 1, "vda1" },
		{ "/dev/vd", 0, NULL },
		{ "254:1", 1, "vda1" },
		{ "1:254", 0, NULL },
		{ "SERIAL=s1", 1, "vda" },
		{ "SERIAL=S1", 0, NULL },
		{ "SERIAL=s", 0, NULL },
		{ "PARTUUID=aa-01", 1, "vda1" },
		{ "PARTUUID=AA-01", 1, "vda1" },
		{ "PARTLABEL=root", 1, "vda1" },
		{ "PARTLABEL=ROOT", 0, NULL },
		{ "UUID=BB", 2, "vda1" }, /* two of one id */
		{ "UUID=bb", 2, "vda1" },
		{ "LABEL=sys", 1, "vdb" },
		{ "LABEL=Sys", 0, NULL },
		{ "UUID=aa-01", 0, NULL },
	};

	(void)state;
	set.count = 3;
	set.dev[0] = (struct blockdev){ .name = "vda", .major = 254, .serial = "s1" };
	set.dev[1] = (struct blockdev){ .name = "vda1",
					.major = 254,
					.minor = 1,
					.uuid = "bb",
					.partuuid = "Aa-01",
					.partlabel = "root" };
	set.dev[2] = (struct blockdev){
		.name = "vdb", .major = 254, .minor = 16, .uuid = "Bb", .label = "sys"
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct blockdev found = { .name = "untouched" };
		struct devref ref;
		struct err e = { 0 };

		expect_success(rows[i].ref, devref_parse(rows[i].ref, &ref, &e), &e);
		assert_int_equal(devref_match(&set, &ref, &found), rows[i].count);
		assert_string_equal(found.name, rows[i].count ? rows[i].first : "untouched");
	}
	assert_int_equal(devref_match(&set, &(struct devref){ .kind = DEVREF_NONE }, &set.dev[3]),
			 0);
}

#define BRIDGED "/pci0000:00/0000:00:02.0/0000:01:01.3/virtio3/"
#define SCSI    "/pci0000:00/0000:00:04.0/virtio1/host0/target0:0:1/0:0:1:7/"
#define CCW     "/css0/0.0.0002/0.0.0005/virtio2/"

/* Where a disk hangs, and the partitions of it. */
static const struct {
	const char *ref, *found; /* NULL: none */
} places[] = {
	{ "PCI=02/01.3", "vda" },
	{ "PCI=2/1.3", "vda" },
	{ "PCI=02.0/01.3", "vda" },
	{ "PCI=02/01", NULL },
	{ "PCI=01.3", NULL },
	{ "PCI=02", NULL },
	{ "PCI=02/01.3/00", NULL },
	{ "PCI=04", "sda" },
	{ "PCI=0000:01:01.3", "vda" },
	{ "PCI=0000:01:01.0", NULL },
	{ "PCI=1f.7/1F", "nvme0n1" },
	{ "PCI=C05B:00:1f.0", "nvme0n1" },
	{ "PCI=1f.7", NULL },
	/* the functions of a path, and what only begins as one does */
	{ "PCI=06.0", "vdp" },
	{ "PCI=06.0/07.0", NULL },
	/* the same slots on three root buses */
	{ "PCI=08/00", "vdq" },
	{ "PCI=20/08/00", "vdr" },
	{ "PCI=e0/08/00", "vds" },
	{ "PCI=e1/08/00", NULL },
	{ "PCI=20/08", NULL },
	{ "PCI=e0/00", NULL },
	{ "PCI=0000:21:00.0", "vdr" },
	{ "SCSI=1:7", "sda" },
	{ "SCSI=1:0", NULL },
	{ "SCSI=0:7", NULL },
	{ "CCW=0.0.0005", "dasda" },
	{ "CCW=0.0.000", NULL },
	{ "CCW=0.0.0002", "dasda" },
	{ "/dev/cciss/c0d0", "cciss/c0d0" },
	{ "/dev/cciss!c0d0", "cciss/c0d0" },
	{ "/dev/cciss/c0d", NULL },
	{ "SERIAL=a/PARTN=1", "vda1" },
	{ "SERIAL=a/PARTN=10", "vda10" },
	{ "SERIAL=a/PARTN=2", NULL },
	{ "/dev/vda1/PARTN=10", "vda10" },
	{ "/dev/vda/PARTN=10", "vda10" },
	{ "/dev/vda10/PARTN=10", "vda10" },
	{ "PCI=02/01.3/PARTN=1", "vda1" },
	{ "PARTUUID=id/PARTNROFF=9", "vda10" },
	{ "PARTUUID=id/PARTNROFF=0", "vda1" },
	{ "PARTUUID=id/PARTNROFF=1", NULL },
	{ "SCSI=1:7/PARTN=1", "sda1" },
};

static void put_disks(struct blockdev_set *set)
{
	set->count = 6;
	set->dev[0] = (struct blockdev){ .name = "vda", .serial = "a", .address = BRIDGED };
	set->dev[1] = (struct blockdev){
		.name = "vda1", .disk = "vda", .partition = 1, .partuuid = "id", .address = BRIDGED
	};
	set->dev[2] = (struct blockdev){
		.name = "vda10", .disk = "vda", .partition = 10, .address = BRIDGED
	};
	set->dev[3] = (struct blockdev){ .name = "sda", .address = SCSI };
	set->dev[4] =
		(struct blockdev){ .name = "sda1", .disk = "sda", .partition = 1, .address = SCSI };
	set->dev[5] = (struct blockdev){ .name = "dasda", .address = CCW };
	set->dev[set->count++] = (struct blockdev){ .name = "cciss/c0d0", .address = "/virtual/" };
	set->dev[set->count++] = (struct blockdev){
		.name = "nvme0n1",
		.address = "/pci10000:00/10000:00:1f.7/c05b:00:1f.0/",
	};
	set->dev[set->count++] = (struct blockdev){
		.name = "vdp",
		.address = "/pci0000:00/0000:00:06.0/0000:00:07.0x/000:00:7.0/0:0:07.0/",
	};
	set->dev[set->count++] = (struct blockdev){
		.name = "vdq",
		.address = "/pci0000:00/0000:00:08.0/0000:01:00.0/virtio4/",
	};
	set->dev[set->count++] = (struct blockdev){
		.name = "vdr",
		.address = "/pci0000:20/0000:20:08.0/0000:21:00.0/virtio5/",
	};
	set->dev[set->count++] = (struct blockdev){
		.name = "vds",
		.address =
			"/platform/4010000000.pcie/pci0000:e0/0000:e0:08.0/0000:e1:00.0/virtio6/",
	};
}

static void test_match_by_place(void **state)
{
	static struct blockdev_set set;

	(void)state;
	put_disks(&set);
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		struct blockdev found = { .name = "untouched" };
		struct devref ref;
		struct err e = { 0 };

		expect_success(places[i].ref, devref_parse(places[i].ref, &ref, &e), &e);
		if (devref_match(&set, &ref, &found) != (places[i].found != NULL) ||
		    strcmp(found.name, places[i].found ? places[i].found : "untouched"))
			fail_msg("%s: found %s", places[i].ref, found.name);
	}
	/* those behind the count were here once */
	set.dev[set.count] = set.dev[0];
	set.dev[set.count].partuuid[0] = 'i';
	set.dev[set.count].partuuid[1] = 'd';
	set.dev[set.count + 1] = set.dev[1];
	for (size_t i = 0; i < 2; i++) {
		static const struct devref partition = { .kind = DEVREF_SERIAL,
							 .value = "a",
							 .partition = 1 };

		assert_int_equal(devref_match(&set, &partition, &set.dev[20]), 1);
		set.dev[set.count] = set.dev[1];
	}
	/* two hosts with a disk of one address */
	set.dev[set.count++] = (struct blockdev){
		.name = "sdb",
		.address = "/pci0000:00/0000:00:05.0/host1/target1:0:1/1:0:1:7/",
	};
	assert_int_equal(devref_match(&set,
				      &(struct devref){
					      .kind = DEVREF_SCSI, .major = 1, .minor = 7 },
				      &set.dev[20]),
			 2);
}

/* The links of /sys/class/block, as kernels write them. */
static void test_addresses(void **state)
{
	static const struct {
		const char *link, *name, *address;
	} rows[] = {
		{ "../../devices" BRIDGED "block/vda", "vda", BRIDGED },
		{ "../../devices" SCSI "block/sda", "sda", SCSI },
		{ "../../devices" CCW "block/vdb", "vdb", CCW },
		{ "../../devices/pci0000:00/0000:00:04.0/nvme/nvme0/nvme0n1", "nvme0n1",
		  "/pci0000:00/0000:00:04.0/" },
		{ "../../devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1", "nvme0n2", "" },
		/* not as any kernel writes them */
		{ "../../virtio0/block/vdc", "vdc", "" },
		{ "../../x/block/vdd/devices/vdd", "vdd", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct blockdev b;
		char path[256];

		snprintf(path, sizeof(path), "%s/dev", rows[i].link + strlen("../../"));
		put_text(sys.fd, path, "8:0\n");
		snprintf(path, sizeof(path), "%s/size", rows[i].link + strlen("../../"));
		put_text(sys.fd, path, "8\n");
		snprintf(path, sizeof(path), "class/block/%s", rows[i].name);
		put_link(sys.fd, path, rows[i].link);
		assert_int_equal(blockdev_read(sys.fd, rows[i].name, &b), 0);
		assert_string_equal(b.address, rows[i].address);
	}
}

/* --- looking for devices ---------------------------------------------------------- */

/* By what a disk is, not by what it is called. */
static void test_all_there(void **state)
{
	struct err e;
	size_t fds;

	(void)state;
	put_disk("vda", "254:0", "layer-1");
	put_disk("vdb", "254:16", "01234567890123456789");
	put_erofs("sda", "8:0", "system", 0xab);
	put_gpt("nvme0n1", "nvme0n1p", 0, 0x77);
	fds = open_fds();
	expect_success("names", LOOK_FOR(0, &e, "/dev/nvme0n1p2", "8:0", "/dev/vda"), &e);
	assert_string_equal(wishes[0].found.name, "nvme0n1p2");
	assert_string_equal(wishes[1].found.name, "sda");
	expect_success("serials", LOOK_FOR(0, &e, "SERIAL=01234567890123456789", "SERIAL=layer-1"),
		       &e);
	assert_string_equal(wishes[0].found.name, "vdb");
	assert_string_equal(wishes[1].found.name, "vda");
	expect_success("ids",
		       LOOK_FOR(0, &e, "PARTLABEL=hash",
				"PARTUUID=00000077-0000-0000-0000-000000000001",
				"UUID=ABABABAB-ABAB-ABAB-ABAB-ABABABABABAB"),
		       &e);
	assert_string_equal(wishes[0].found.name, "nvme0n1p2");
	assert_string_equal(wishes[1].found.name, "nvme0n1p1");
	assert_string_equal(wishes[2].found.name, "sda");
	expect_success("twice the same", LOOK_FOR(0, &e, "LABEL=system", "/dev/sda"), &e);
	assert_string_equal(wishes[0].found.name, "sda");
	assert_string_equal(wishes[1].found.name, "sda");
	assert_int_equal(open_fds(), fds);
}

/* A disk is read where only its own bytes can answer, and then once. */
static void test_what_is_read(void **state)
{
	static const struct {
		const char *ref, *opened;
	} rows[] = {
		{ "/dev/sda", "" },
		{ "SERIAL=one", "" },
		{ "/dev/vdb/PARTN=1", "" },
		{ "PARTLABEL=hash", "vdb " },
		{ "PARTUUID=00000077-0000-0000-0000-000000000002", "vdb " },
		{ "LABEL=system", "vdb sda vda vdb vdb1 vdb2 " },
		{ "UUID=abababab-abab-abab-abab-abababababab", "vdb sda vda vdb vdb1 vdb2 " },
	};
	struct err e;

	(void)state;
	put_disk("vda", "254:0", "one");
	put_text(dev.fd, "vda", "no disk");
	put_gpt("vdb", "vdb", 0, 0x77);
	put_text(dev.fd, "vdb1", "nothing");
	put_text(dev.fd, "vdb2", "nothing");
	put_erofs("sda", "8:0", "system", 0xab);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		expect_success(rows[i].ref, LOOK_FOR(0, &e, rows[i].ref), &e);
		assert_string_equal(opened, rows[i].opened);
	}
}

static void test_not_found_says_what_is_there(void **state)
{
	struct err e;

	(void)state;
	expect_failure("none", LOOK_FOR(0, &e, "SERIAL=layer-0"), &e, FAIL_DEVICE_NOT_FOUND,
		       "no device matched SERIAL=layer-0 within 0 s; present: none");
	expect_failure("the first of two", LOOK_FOR(0, &e, "/dev/x", "/dev/y"), &e,
		       FAIL_DEVICE_NOT_FOUND, "no device matched /dev/x within");
	assert_string_equal(e.volume, "layer-0");
	put_disk("vda", "254:0", "other\x1b[2J");
	put_gpt("vdb", "vdb", 0, 0x77);
	expect_failure("second", LOOK_FOR(100, &e, "/dev/vda", "PARTLABEL=absent"), &e,
		       FAIL_DEVICE_NOT_FOUND,
		       "no device matched PARTLABEL=absent within 1 s; present: "
		       "vda(1048576 bytes, serial=other?[2J) vdb(1048576 bytes) vdb1(8192 bytes, "
		       "PARTUUID=00000077-0000-0000-0000-000000000001) vdb2(8192 bytes, ");
	assert_string_equal(e.volume, "layer-1");
	assert_true(took_ms >= 100 && took_ms < 20000);
}

/* What makes a disk answer to nothing, though it is there. */
static void test_not_found_says_why(void **state)
{
	uint8_t *disk = calloc(1, DISK_SIZE);
	struct err e;

	(void)state;
	/* no medium, or a backing file of no bytes */
	sysfs_disk(sys.fd, "vda", "254:0", "0");
	expect_failure("empty", LOOK_FOR(0, &e, "/dev/vda"), &e, FAIL_DEVICE_NOT_FOUND,
		       "no device matched /dev/vda within 0 s; present: vda(0 bytes)");
	/* 21 bytes are one more than virtio-blk has */
	expect_failure("21", LOOK_FOR(0, &e, "SERIAL=0123456789abcdef01234"), &e,
		       FAIL_DEVICE_NOT_FOUND,
		       " (virtio-blk shows 20 bytes of a serial number, this one is longer); ");
	expect_failure("20", LOOK_FOR(0, &e, "SERIAL=0123456789abcdef0123"), &e,
		       FAIL_DEVICE_NOT_FOUND, "0123 within 0 s; present");
	expect_failure("21 of a label", LOOK_FOR(0, &e, "LABEL=0123456789abcdef01234"), &e,
		       FAIL_DEVICE_NOT_FOUND, "01234 within 0 s; present");
	/* a GPT for 4096 bytes on a disk of 512, and the reverse */
	memcpy(disk + 4096, "EFI PART", 8);
	put_bytes(dev.fd, "sda", disk, DISK_SIZE);
	put_disk("sda", "8:0", "");
	memcpy(disk + 512, "EFI PART", 8);
	memset(disk + 4096, 0, 8);
	put_bytes(dev.fd, "sdb", disk, DISK_SIZE);
	put_disk("sdb", "8:16", "");
	sysfs_file(sys.fd, "sdb", "queue/logical_block_size", "4096\n", 5);
	put_bytes(dev.fd, "sdc", disk, DISK_SIZE);
	put_disk("sdc", "8:32", "");
	/* who has no table of their own are not read: a partition, and what has no bytes */
	memcpy(disk + 4096, "EFI PART", 8);
	sysfs_partition(sys.fd, "sdc", "sdc1", "1", "8:33", "16");
	put_bytes(dev.fd, "sdc1", disk, DISK_SIZE);
	put_bytes(dev.fd, "vda", disk, DISK_SIZE);
	free(disk);
	expect_failure(
		"GPT", LOOK_FOR(0, &e, "PARTUUID=x"), &e, FAIL_DEVICE_NOT_FOUND,
		"present: sda(1048576 bytes, a GPT of another sector size) "
		"sdb(1048576 bytes, a GPT of another sector size) sdc(1048576 bytes) vda(0 bytes) "
		"sdc1(8192 bytes)");
	expect_failure("partition", LOOK_FOR(0, &e, "/dev/sda/PARTN=1"), &e, FAIL_DEVICE_NOT_FOUND,
		       "sda(1048576 bytes, a GPT of another");
	expect_failure("not virtio-blk alone", LOOK_FOR(0, &e, "SERIAL=0123456789abcdef01234"), &e,
		       FAIL_DEVICE_NOT_FOUND, "01234 within 0 s; present");
}

/* Two disks with one name, or a disk that clones another's table. */
static void test_ambiguous(void **state)
{
	struct err e;

	(void)state;
	put_disk("vda", "254:0", "layer-0");
	put_disk("vdb", "254:16", "layer-0");
	expect_failure("serial", LOOK_FOR(60000, &e, "/dev/vda", "SERIAL=layer-0", "/dev/later"),
		       &e, FAIL_DEVICE_AMBIGUOUS,
		       "2 devices match SERIAL=layer-0; present: vda(1048576 bytes, serial="
		       "layer-0) vdb(1048576 bytes, serial=layer-0)");
	assert_string_equal(e.volume, "layer-1");
	assert_true(took_ms < 20000);
	put_gpt("sda", "sda", 0, 0x77);
	put_gpt("sdb", "sdb", 16, 0x77);
	put_gpt("sdc", "sdc", 32, 0x78);
	expect_failure("clone", LOOK_FOR(0, &e, "PARTUUID=00000077-0000-0000-0000-000000000002"),
		       &e, FAIL_DEVICE_AMBIGUOUS, "2 devices match PARTUUID=");
	expect_failure("name", LOOK_FOR(0, &e, "PARTLABEL=root"), &e, FAIL_DEVICE_AMBIGUOUS,
		       "3 devices match PARTLABEL=root");
	expect_success("the other id",
		       LOOK_FOR(0, &e, "PARTUUID=00000078-0000-0000-0000-000000000002"), &e);
	assert_string_equal(wishes[0].found.name, "sdc2");
}

/* --- waiting ------------------------------------------------------------------------ */

/* The host's side, in a process of its own, some time after the guest began to wait. */
static pid_t meanwhile(void (*act)(void))
{
	pid_t child = fork();

	assert_true(child >= 0);
	if (child)
		return child;
	usleep(100000);
	act();
	_exit(0);
}

static void end_of(pid_t child)
{
	int status;

	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void attach_the_disk(void)
{
	send_uevent("pci", "0000:00:06.0");
	send_uevent("block", "vdz"); /* and it is not there */
	put_disk("vdb", "254:16", "layer-0");
	send_uevent("block", "vdb");
}

/* A disk that comes after the start, in time. */
static void test_later(void **state)
{
	pid_t child = meanwhile(attach_the_disk);
	struct err e;
	char text[8];

	(void)state;
	put_disk("vda", "254:0", "other");
	put_text(sys.fd, "bus/pci/rescan", "");
	expect_success("later", LOOK_FOR(60000, &e, "SERIAL=layer-0", "/dev/vda"), &e);
	end_of(child);
	assert_string_equal(wishes[0].found.name, "vdb");
	assert_true(took_ms < 20000);
	/* and no bus was asked, for half of the time was not over */
	assert_int_equal(io_read_text(sys.fd, "bus/pci/rescan", text, sizeof(text)), 0);
}

/* Another bus speaks, and a block device of no size; neither ends the wait early. */
static void send_noise(void)
{
	for (int i = 0; i < 20; i++) {
		send_uevent("block", "vdb");
		send_uevent("pci", "vdb");
		send(kernel, "no uevent", 9, 0);
		send(kernel, "SUBSYSTEM=block", 16, 0);
		send(kernel, "SUBSYSTEM=block\0DEVPATH=vdb", 28, 0);
		send(kernel, "SUBSYSTEM=block\0DEVPATH=/", 26, 0);
	}
}

static void test_noise(void **state)
{
	pid_t child = meanwhile(send_noise);
	struct err e;

	(void)state;
	sysfs_disk(sys.fd, "vdb", "254:16", "0");
	expect_failure("noise", LOOK_FOR(600, &e, "/dev/vdb"), &e, FAIL_DEVICE_NOT_FOUND,
		       "present: vdb(0 bytes)");
	end_of(child);
	assert_true(took_ms >= 600 && took_ms < 20000);
}

static void send_without_end(void)
{
	int64_t end = clock_ms() + 20000;

	while (clock_ms() < end && send(kernel, "SUBSYSTEM=block\0DEVPATH=/vdb", 29, 0) > 0)
		;
}

/* A host that never stops to talk does not put the end off. */
static void test_flood_is_bounded(void **state)
{
	pid_t child = meanwhile(send_without_end);
	struct err e;
	int status;

	(void)state;
	expect_failure("flood", LOOK_FOR(500, &e, "/dev/vda"), &e, FAIL_DEVICE_NOT_FOUND,
		       "within 1 s; present: none");
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	assert_true(took_ms >= 500 && took_ms < 15000);
}

static void attach_a_twin(void)
{
	put_disk("vdb", "254:16", "layer-0");
	put_disk("vdc", "254:32", "layer-1");
	send_uevent("block", "vdc"); /* of vdb nothing is said */
}

/* The second answer comes while another disk is waited for. */
static void test_ambiguous_later(void **state)
{
	pid_t child = meanwhile(attach_a_twin);
	struct err e;

	(void)state;
	put_disk("vda", "254:0", "layer-0");
	expect_failure("twin", LOOK_FOR(60000, &e, "SERIAL=layer-0", "SERIAL=layer-1"), &e,
		       FAIL_DEVICE_AMBIGUOUS, "2 devices match SERIAL=layer-0");
	end_of(child);
	assert_string_equal(e.volume, "layer-0");
}

static void swap_disks(void)
{
	sysfs_remove(sys.fd, "vda");
	put_disk("vdb", "254:16", "layer-1");
	send_uevent("block", "vdb");
}

static void test_gone_while_waiting(void **state)
{
	pid_t child = meanwhile(swap_disks);
	struct err e;

	(void)state;
	put_disk("vda", "254:0", "layer-0");
	expect_failure("gone", LOOK_FOR(60000, &e, "SERIAL=layer-0", "SERIAL=layer-1"), &e,
		       FAIL_DEVICE_NOT_FOUND, "no device matched SERIAL=layer-0");
	end_of(child);
	assert_string_equal(e.volume, "layer-0");
}

/* Buses without hotplug events are asked, once half of the time is over. */
static void test_rescan(void **state)
{
	size_t fds = open_fds();
	char text[16];
	struct err e;

	(void)state;
	put_text(sys.fd, "bus/pci/rescan", "");
	put_text(sys.fd, "class/scsi_host/host0/scan", "");
	put_text(sys.fd, "class/scsi_host/host11/scan", "");
	put_disk("vda", "254:0", "layer-0");
	expect_success("there", LOOK_FOR(100, &e, "/dev/vda"), &e);
	assert_int_equal(io_read_text(sys.fd, "bus/pci/rescan", text, sizeof(text)), 0);
	assert_true(LOOK_FOR(100, &e, "/dev/vdb") < 0);
	io_read_text(sys.fd, "bus/pci/rescan", text, sizeof(text));
	assert_string_equal(text, "1");
	io_read_text(sys.fd, "class/scsi_host/host0/scan", text, sizeof(text));
	assert_string_equal(text, "- - -");
	io_read_text(sys.fd, "class/scsi_host/host11/scan", text, sizeof(text));
	assert_string_equal(text, "- - -");
	assert_int_equal(open_fds(), fds);
}

/* Once, whatever comes afterwards. */
/* A host is asked for an address that is missing, and not for all that it may have. */
static void test_scsi_address(void **state)
{
	char path[128], text[64];
	ssize_t n;
	struct err e;
	int fd;

	(void)state;
	put_text(sys.fd, "class/scsi_host/host0/scan", "");
	put_dir(sys.fd, "class/scsi_host/host1");
	snprintf(path, sizeof(path), "%s/class/scsi_host/host1/scan", sys.path);
	assert_int_equal(mkfifo(path, 0600), 0);
	fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	put_disk("vda", "254:0", "layer-0");
	expect_success("there", LOOK_FOR(100, &e, "/dev/vda"), &e);
	assert_true(read(fd, text, sizeof(text)) < 0);
	/* at once: long before half of the time is over; and again then */
	assert_true(LOOK_FOR(300, &e, "SCSI=3:7", "SCSI=0:16383/PARTN=2") < 0);
	n = read(fd, text, sizeof(text) - 1);
	assert_int_equal(n, 2 * (5 + 9));
	text[n] = '\0';
	assert_string_equal(text, "0 3 70 0 163830 3 70 0 16383");
	/* what has no address needs all of them, at half of the time */
	assert_true(LOOK_FOR(100, &e, "SCSI=3:7", "/dev/vda", "/dev/vdb") < 0);
	n = read(fd, text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = '\0';
	assert_string_equal(text, "0 3 70 3 7- - -");
	io_read_text(sys.fd, "class/scsi_host/host0/scan", text, sizeof(text));
	assert_memory_equal(text, "- - -", 5);
	close(fd);
}

/* A file is no device: nobody waits for it, nor answers for it. */
static void test_file(void **state)
{
	struct err e;

	(void)state;
	put_disk("vda", "254:0", "layer-0");
	expect_success("file", LOOK_FOR(60000, &e, "FILE=/run/one", "/dev/vda"), &e);
	assert_true(took_ms < 20000);
	assert_string_equal(wishes[0].found.name, "");
	assert_string_equal(wishes[1].found.name, "vda");
}

static void test_rescan_is_asked_once(void **state)
{
	char path[128], text[16];
	struct err e;
	int fd;

	(void)state;
	put_dir(sys.fd, "bus/pci");
	snprintf(path, sizeof(path), "%s/bus/pci/rescan", sys.path);
	assert_int_equal(mkfifo(path, 0600), 0);
	fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	assert_true(LOOK_FOR(200, &e, "/dev/vdb") < 0);
	assert_int_equal(read(fd, text, sizeof(text)), 1);
	close(fd);
}

static void attach_too_many(void)
{
	for (int i = 0; i <= BLOCKDEV_MAX; i++) {
		char name[16], number[16];

		snprintf(name, sizeof(name), "vd%d", i);
		snprintf(number, sizeof(number), "254:%d", i);
		put_disk(name, number, "");
	}
	for (int i = 0; i <= BLOCKDEV_MAX; i++) {
		char name[16];

		snprintf(name, sizeof(name), "vd%d", i);
		send_uevent("block", name);
	}
}

/* What uevents bring is held to the same limit as what is there at the start. */
static void test_too_many_come(void **state)
{
	pid_t child = meanwhile(attach_too_many);
	struct err e;

	(void)state;
	expect_failure("many", LOOK_FOR(60000, &e, "/dev/sda"), &e, FAIL_LIMIT_EXCEEDED,
		       "more than");
	end_of(child);
	assert_true(took_ms < 20000);
}

static void test_machine_that_breaks(void **state)
{
	struct err e;

	(void)state;
	close(search.uevents);
	search.uevents = -1;
	expect_failure("no socket", LOOK_FOR(100, &e, "/dev/vda"), &e, FAIL_SYSTEM_CALL_FAILED,
		       "read uevents: Bad file descriptor");
	search.sysfs = -1;
	expect_failure("no sysfs", LOOK_FOR(100, &e, "/dev/vda"), &e, FAIL_SYSTEM_CALL_FAILED,
		       "open /sys/class/block");
}

/* --- the descriptors ------------------------------------------------------------------ */

static void test_open_and_close(void **state)
{
	static struct device_search s;
	size_t fds = open_fds();
	struct err e = { 0 };

	(void)state;
	if (device_search_open(&s, &e)) {
		assert_int_equal(s.sysfs, -1);
		assert_int_equal(s.dev, -1);
		assert_int_equal(s.uevents, -1);
		assert_int_equal(open_fds(), fds);
		skip();
	}
	assert_int_equal(open_fds(), fds + 3);
	device_search_close(&s);
	assert_int_equal(open_fds(), fds);
	assert_int_equal(s.uevents, -1);
	device_search_close(&s);
	assert_int_equal(open_fds(), fds);
}

/* A machine whose mounts are not there yet is told by what it lacks. */
static void run_open(void *shared)
{
	static struct device_search s;
	struct err *e = shared;
	size_t fds;
	int r;

	fds = (size_t)dup(0);
	close((int)fds);
	r = device_search_open(&s, e);
	if (r != -ENOENT || s.sysfs != -1 || s.dev != -1 || s.uevents != -1 ||
	    (size_t)dup(0) != fds)
		strcpy(e->text, "not refused as it should be");
}

static void fill_nothing(int dir)
{
	(void)dir;
}

static void fill_sys(int dir)
{
	put_dir(dir, "sys");
}

static void test_open_without_mounts(void **state)
{
	struct err *e = shared_memory(sizeof(*e));

	(void)state;
	if (in_own_root(fill_nothing, run_open, e))
		skip();
	expect_failure("/sys", -1, e, FAIL_SYSTEM_CALL_FAILED, "open /sys: No such file");
	assert_int_equal(in_own_root(fill_sys, run_open, e), 0);
	expect_failure("/dev", -1, e, FAIL_SYSTEM_CALL_FAILED, "open /dev: No such file");
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_match),
		TEST(test_match_by_place),
		TEST(test_addresses),
		TEST(test_all_there),
		TEST(test_not_found_says_what_is_there),
		TEST(test_not_found_says_why),
		TEST(test_ambiguous),
		TEST(test_what_is_read),
		TEST(test_later),
		TEST(test_noise),
		TEST(test_flood_is_bounded),
		TEST(test_ambiguous_later),
		TEST(test_gone_while_waiting),
		TEST(test_rescan),
		TEST(test_scsi_address),
		TEST(test_file),
		TEST(test_rescan_is_asked_once),
		TEST(test_too_many_come),
		TEST(test_machine_that_breaks),
		cmocka_unit_test(test_open_and_close),
		cmocka_unit_test(test_open_without_mounts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
