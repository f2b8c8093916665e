// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/*
 * Disks of hypervisors that no test can boot on, laid out as their drivers show
 * them in sysfs: Hyper-V's VMBus (hv_storvsc, pci-hyperv), Xen (xen-blkfront),
 * persistent memory, and NVMe with several paths.
 */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

#include "mount/device/match.h"

#define VMBUS       "devices/LNXSYSTM:00/LNXSYBUS:00/ACPI0004:00/VMBUS:00/"
#define STORVSC     VMBUS "f8b3781a-1e82-4818-a1c3-63d806ec15bb/host0/target0:0:0/"
#define STORVSC_2   VMBUS "f8b3781b-1e82-4818-a1c3-63d806ec15bb/host1/target1:0:1/"
#define HYPERV_NVME VMBUS "7ad35d50-c05b-47ab-b3a0-56a9a845852b/pcic05b:00/c05b:00:00.0/nvme/nvme0/"
#define PATHS       "devices/virtual/nvme-subsystem/nvme-subsys1/"
#define NFIT        "devices/LNXSYSTM:00/LNXSYBUS:00/ACPI0012:00/ndbus0/region0/pfn0.1/block/"
#define VIRTIO_PMEM "devices/pci0000:00/0000:00:04.0/virtio1/ndbus1/region1/namespace1.0/block/"

static const struct {
	const char *folder, *name, *dev, *partition;
	const char *serial_file, *serial; /* below the folder of the device's driver */
	size_t serial_size;
} devices[] = {
	{ STORVSC "0:0:0:0/block/sda", "sda", "8:0", NULL, STORVSC "0:0:0:0/vpd_pg80",
	  "\0\x80\0\x20"
	  "600224801234567890abcdef12345678",
	  36 },
	{ STORVSC "0:0:0:0/block/sda/sda1", "sda1", "8:1", "1", NULL, NULL, 0 },
	{ STORVSC "0:0:0:0/block/sda/sda14", "sda14", "8:14", "14", NULL, NULL, 0 },
	{ STORVSC "0:0:0:1/block/sdb", "sdb", "8:16", NULL, NULL, NULL, 0 },
	{ STORVSC_2 "1:0:1:0/block/sdc", "sdc", "8:32", NULL, NULL, NULL, 0 },
	{ HYPERV_NVME "nvme0n1", "nvme0n1", "259:0", NULL, HYPERV_NVME "serial",
	  "SN: 0000001         \n", 21 },
	{ HYPERV_NVME "nvme0n1/nvme0n1p2", "nvme0n1p2", "259:2", "2", NULL, NULL, 0 },
	{ PATHS "nvme1n1", "nvme1n1", "259:3", NULL, PATHS "serial", "vol0123456789abcdef\n", 20 },
	{ PATHS "nvme1n1/nvme1n1p1", "nvme1n1p1", "259:4", "1", NULL, NULL, 0 },
	{ "devices/vbd-51712/block/xvda", "xvda", "202:0", NULL, NULL, NULL, 0 },
	{ "devices/vbd-51712/block/xvda/xvda2", "xvda2", "202:2", "2", NULL, NULL, 0 },
	/* a disk of that name, not a partition: the oldest images have it so */
	{ "devices/vbd-51729/block/xvdb1", "xvdb1", "202:17", NULL, NULL, NULL, 0 },
	{ NFIT "pmem0", "pmem0", "259:5", NULL, NULL, NULL, 0 },
	{ NFIT "pmem0/pmem0p1", "pmem0p1", "259:6", "1", NULL, NULL, 0 },
	{ NFIT "pmem0/pmem0p2", "pmem0p2", "259:7", "2", NULL, NULL, 0 },
	{ VIRTIO_PMEM "pmem1", "pmem1", "259:8", NULL, NULL, NULL, 0 },
};

static const struct {
	const char *ref, *found; /* NULL: none */
} references[] = {
	{ "/dev/sda14", "sda14" },
	{ "SCSI=0:0", "sda" },
	{ "SCSI=0:0/PARTN=14", "sda14" },
	{ "SCSI=0:1", "sdb" },
	{ "SCSI=1:0", "sdc" },
	{ "SERIAL=600224801234567890abcdef12345678", "sda" },
	{ "PCI=00", "nvme0n1" }, /* the bridges above it are the VMBus' own */
	{ "PCI=c05b:00:00.0", "nvme0n1" },
	{ "PCI=c05b:00:00.0/PARTN=2", "nvme0n1p2" },
	{ "SERIAL=SN:\\x200000001/PARTN=2", "nvme0n1p2" },
	{ "SERIAL=vol0123456789abcdef", "nvme1n1" },
	{ "SERIAL=vol0123456789abcdef/PARTN=1", "nvme1n1p1" },
	{ "/dev/xvda", "xvda" },
	{ "/dev/xvda2", "xvda2" },
	{ "/dev/xvda/PARTN=2", "xvda2" },
	{ "202:17", "xvdb1" },
	{ "/dev/xvdb1/PARTN=2", NULL },
	{ "/dev/pmem0", "pmem0" },
	{ "/dev/pmem0p1", "pmem0p1" },
	{ "/dev/pmem0p1/PARTN=2", "pmem0p2" },
	{ "PCI=04", "pmem1" },
};

static void put_device(int sysfs, size_t i)
{
	char path[256], link[64];

	snprintf(path, sizeof(path), "%s/dev", devices[i].folder);
	snprintf(link, sizeof(link), "%s\n", devices[i].dev);
	put_text(sysfs, path, link);
	snprintf(path, sizeof(path), "%s/size", devices[i].folder);
	put_text(sysfs, path, "2048\n");
	snprintf(path, sizeof(path), "%s/partition", devices[i].folder);
	if (devices[i].partition)
		put_text(sysfs, path, devices[i].partition);
	if (devices[i].serial)
		put_bytes(sysfs, devices[i].serial_file, devices[i].serial, devices[i].serial_size);
	/* the driver's own folder is one up, or two where there is one for "block" */
	snprintf(path, sizeof(path), "%s/device", devices[i].folder);
	if (!devices[i].partition)
		put_link(sysfs, path, strstr(devices[i].folder, "/block/") ? "../.." : "..");
	snprintf(path, sizeof(path), "../../%s", devices[i].folder);
	snprintf(link, sizeof(link), "class/block/%s", devices[i].name);
	put_link(sysfs, link, path);
}

static void test_found_by_name_number_and_place(void **state)
{
	static struct blockdev_set set;
	struct err e = { 0 };
	struct temp sys;

	(void)state;
	temp_make(&sys);
	put_dir(sys.fd, "class/block");
	for (size_t i = 0; i < ARRAY_SIZE(devices); i++)
		put_device(sys.fd, i);
	expect_success("scan", blockdev_scan(sys.fd, &set, &e), &e);
	assert_int_equal(set.count, ARRAY_SIZE(devices));
	for (size_t i = 0; i < ARRAY_SIZE(references); i++) {
		struct blockdev found = { .name = "none" };
		const char *wanted = references[i].found;
		struct devref ref;

		expect_success(references[i].ref, devref_parse(references[i].ref, &ref, &e), &e);
		if (devref_match(&set, &ref, &found) != (wanted != NULL) ||
		    strcmp(found.name, wanted ? wanted : "none"))
			fail_msg("%s: found %s", references[i].ref, found.name);
	}
	temp_remove(&sys);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_found_by_name_number_and_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
