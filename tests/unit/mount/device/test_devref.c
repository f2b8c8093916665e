// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mount/device/devref.h"

#define X27  "xxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define X111 X27 X27 X27 X27 "xxx"

static const struct {
	const char *text;
	enum devref_kind kind; /* DEVREF_NONE: refused */
	const char *value;
	const char *printed; /* NULL: as it was */
} vectors[] = {
	{ "/dev/vda", DEVREF_PATH, "vda", NULL },
	{ "/dev/nvme0n1p1", DEVREF_PATH, "nvme0n1p1", NULL },
	{ "/dev/cciss!c0d0", DEVREF_PATH, "cciss/c0d0", "/dev/cciss/c0d0" },
	{ "SERIAL=layer-0", DEVREF_SERIAL, "layer-0", NULL },
	{ "SERIAL=01234567890123456789", DEVREF_SERIAL, "01234567890123456789", NULL },
	{ "SERIAL==", DEVREF_SERIAL, "=", NULL },
	{ "PARTUUID=0C1D2E3F-0000-4000-8000-0123456789ab", DEVREF_PARTUUID,
	  "0C1D2E3F-0000-4000-8000-0123456789ab", NULL },
	{ "PARTUUID=5a5a5a5a-01", DEVREF_PARTUUID, "5a5a5a5a-01", NULL },
	{ "PARTLABEL=root", DEVREF_PARTLABEL, "root", NULL },
	{ "UUID=x", DEVREF_UUID, "x", NULL },
	{ "LABEL=x", DEVREF_LABEL, "x", NULL },
	{ "LABEL=UUID=x", DEVREF_LABEL, "UUID=x", NULL },
	/* where a PCI path or address ends, nothing may follow */
	{ "PCI=02/01", DEVREF_PCI, "02/01", NULL },
	{ "PCI=2.0/1f.7", DEVREF_PCI, "2.0/1f.7", NULL },
	{ "PCI=0000:00:1F.3", DEVREF_PCI, "0000:00:1F.3", NULL },
	{ "PCI=10000:e0:02.0", DEVREF_PCI, "10000:e0:02.0", NULL },
	{ "PCI=02x", DEVREF_NONE, NULL, NULL },
	{ "PCI=02.0x", DEVREF_NONE, NULL, NULL },
	{ "PCI=02.10", DEVREF_NONE, NULL, NULL },
	{ "PCI=02.8", DEVREF_NONE, NULL, NULL },
	{ "PCI=02.", DEVREF_NONE, NULL, NULL },
	{ "PCI=.0", DEVREF_NONE, NULL, NULL },
	{ "PCI=20", DEVREF_NONE, NULL, NULL },
	{ "PCI=20/01", DEVREF_PCI, "20/01", NULL },
	{ "PCI=ff/1f.7/00", DEVREF_PCI, "ff/1f.7/00", NULL },
	{ "PCI=20/20/01", DEVREF_NONE, NULL, NULL },
	{ "PCI=01/20", DEVREF_NONE, NULL, NULL },
	{ "PCI=20.0/01", DEVREF_NONE, NULL, NULL },
	{ "PCI=20/", DEVREF_NONE, NULL, NULL },
	{ "PCI=100/01", DEVREF_NONE, NULL, NULL },
	{ "PCI=002", DEVREF_NONE, NULL, NULL },
	{ "PCI=+2", DEVREF_NONE, NULL, NULL },
	{ "PCI= 2", DEVREF_NONE, NULL, NULL },
	{ "PCI=0x2", DEVREF_NONE, NULL, NULL },
	{ "PCI=zz", DEVREF_NONE, NULL, NULL },
	{ "PCI=02/", DEVREF_NONE, NULL, NULL },
	{ "PCI=/02", DEVREF_NONE, NULL, NULL },
	{ "PCI=02//01", DEVREF_NONE, NULL, NULL },
	{ "PCI=0000:00:02", DEVREF_NONE, NULL, NULL },
	{ "PCI=0000:00:2.0", DEVREF_NONE, NULL, NULL },
	{ "PCI=0000:00:02.0.1", DEVREF_NONE, NULL, NULL },
	{ "PCI=000:00:02.0", DEVREF_NONE, NULL, NULL },
	{ "PCI=0000:00:02.0/01", DEVREF_NONE, NULL, NULL },
	{ "FILE=/run/layers/one", DEVREF_FILE, "/run/layers/one", NULL },
	{ "FILE=/a\\x2cb", DEVREF_FILE, "/a,b", NULL },
	{ "FILE=", DEVREF_NONE, NULL, NULL },
	{ "FILE=/", DEVREF_NONE, NULL, NULL },
	{ "FILE=one", DEVREF_NONE, NULL, NULL },
	{ "FILE=/a/../b", DEVREF_NONE, NULL, NULL },
	{ "FILE=/a/PARTN=1", DEVREF_NONE, NULL, NULL },
	/* escapes */
	{ "LABEL=a\\x2cb", DEVREF_LABEL, "a,b", NULL },
	{ "LABEL=a\\x2Cb", DEVREF_LABEL, "a,b", "LABEL=a\\x2cb" },
	{ "LABEL=\\x20", DEVREF_LABEL, " ", NULL },
	{ "LABEL=a b", DEVREF_LABEL, "a b", "LABEL=a\\x20b" },
	{ "LABEL=\\x5cx20", DEVREF_LABEL, "\\x20", NULL },
	{ "LABEL=\\x22", DEVREF_LABEL, "\"", NULL },
	{ "LABEL=\\x41", DEVREF_LABEL, "A", "LABEL=A" },
	{ "LABEL=\\xff", DEVREF_LABEL, "\xff", NULL },
	{ "LABEL=\xff", DEVREF_LABEL, "\xff", "LABEL=\\xff" },
	{ "LABEL=\\x7f\\x01", DEVREF_LABEL, "\x7f\x01", NULL },
	{ "LABEL=\\x", DEVREF_NONE, NULL, NULL },
	{ "LABEL=\\", DEVREF_NONE, NULL, NULL },
	{ "LABEL=a\\", DEVREF_NONE, NULL, NULL },
	{ "LABEL=\\x2", DEVREF_NONE, NULL, NULL },
	{ "LABEL=\\x2g", DEVREF_NONE, NULL, NULL },
	{ "LABEL=\\x 2", DEVREF_NONE, NULL, NULL },
	{ "LABEL=\\n", DEVREF_NONE, NULL, NULL },
	{ "LABEL=\\\\", DEVREF_NONE, NULL, NULL },
	{ "LABEL=\\X20", DEVREF_NONE, NULL, NULL },
	{ "LABEL=\\x00", DEVREF_NONE, NULL, NULL },
	{ "LABEL=a\\x00b", DEVREF_NONE, NULL, NULL },
	/* the longest value, and one more */
	{ "LABEL=" X111, DEVREF_LABEL, X111, NULL },
	{ "LABEL=" X111 "x", DEVREF_NONE, NULL, NULL },
	{ "LABEL=" X111 "\\x78", DEVREF_NONE, NULL, NULL },
	/* no form, or nothing behind it */
	{ "", DEVREF_NONE, NULL, NULL },
	{ "vda", DEVREF_NONE, NULL, NULL },
	{ "dev/vda", DEVREF_NONE, NULL, NULL },
	{ "/dev", DEVREF_NONE, NULL, NULL },
	{ "/dev/", DEVREF_NONE, NULL, NULL },
	{ "/dev\\x2fvda", DEVREF_NONE, NULL, NULL },
	{ " /dev/vda", DEVREF_NONE, NULL, NULL },
	{ "SERIAL=", DEVREF_NONE, NULL, NULL },
	{ "SERIAL", DEVREF_NONE, NULL, NULL },
	{ "serial=x", DEVREF_NONE, NULL, NULL },
	{ "PARTUUID=", DEVREF_NONE, NULL, NULL },
	{ "ID=x", DEVREF_NONE, NULL, NULL },
};

static const struct {
	const char *text;
	int right;
	unsigned int major, minor;
	const char *printed;
} numbers[] = {
	{ "0:0", 1, 0, 0, "0:0" },
	{ "254:0", 1, 254, 0, "254:0" },
	{ "4095:1048575", 1, 4095, 1048575, "4095:1048575" },
	{ "0008:016", 1, 8, 16, "8:16" },
	{ "4096:0", 0, 0, 0, NULL },
	{ "0:1048576", 0, 0, 0, NULL },
	{ "4294967296:0", 0, 0, 0, NULL },
	{ "0:4294967296", 0, 0, 0, NULL },
	{ ":", 0, 0, 0, NULL },
	{ "8:", 0, 0, 0, NULL },
	{ ":8", 0, 0, 0, NULL },
	{ "8", 0, 0, 0, NULL },
	{ "8:1:2", 0, 0, 0, NULL },
	{ "8:1 ", 0, 0, 0, NULL },
	{ "-8:1", 0, 0, 0, NULL },
	{ "8:-1", 0, 0, 0, NULL },
	{ "0x8:1", 0, 0, 0, NULL },
	{ "00000008:1", 0, 0, 0, NULL },
};

/* What udev would have made of a disk: read as what it says, or refused before anybody waits. */
static const struct {
	const char *text, *printed; /* NULL: refused */
} links[] = {
	{ "/dev/disk/by-partuuid/0C1D2E3F-0000-4000-8000-0123456789ab",
	  "PARTUUID=0C1D2E3F-0000-4000-8000-0123456789ab" },
	{ "/dev/disk/by-partlabel/root\\x20x", "PARTLABEL=root\\x20x" },
	{ "/dev/disk/by-uuid/5a5a-0001", "UUID=5a5a-0001" },
	{ "/dev/disk/by-label/a\\x2fb", "LABEL=a/b" },
	{ "/dev/disk/by-id/virtio-layer-0", "SERIAL=layer-0" },
	{ "/dev/disk/by-id/virtio-layer-0-part2", "SERIAL=layer-0/PARTN=2" },
	{ "/dev/disk/by-id/virtio-layer-0/PARTN=2", "SERIAL=layer-0/PARTN=2" },
	{ "/dev/disk/by-partlabel/usr/PARTNROFF=1", "PARTLABEL=usr/PARTNROFF=1" },
	{ "/dev/disk/by-id/virtio-", NULL },
	{ "/dev/disk/by-id/virtio-x-part", NULL },
	{ "/dev/disk/by-id/virtio-x-part0", NULL },
	{ "/dev/disk/by-id/virtio-x-part2/PARTN=1", NULL },
	{ "/dev/disk/by-id/nvme-QEMU_NVMe_Ctrl_x", NULL },
	{ "/dev/disk/by-id/scsi-0QEMU_QEMU_HARDDISK_x", NULL },
	{ "/dev/disk/by-path/pci-0000:00:02.0", NULL },
	{ "/dev/disk/by-diskseq/1", NULL },
	{ "/dev/disk/by-label/", NULL },
	{ "/dev/disk/by-label/a/b", NULL },
	{ "/dev/disk/", NULL },
};

/* Parse a text from memory that ends with it. */
static int parse(const char *text, struct devref *ret, struct err *e)
{
	char *copy = strdup(text);
	int r = devref_parse(copy, ret, e);

	free(copy);
	return r;
}

static void test_forms(void **state)
{
	char buf[DEVREF_TEXT_SIZE];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		struct devref ref = { .kind = DEVREF_NONE, .value = "untouched" };
		struct err e = { 0 };
		int r = parse(vectors[i].text, &ref, &e);

		assert_int_equal(ref.kind, vectors[i].kind);
		if (vectors[i].kind == DEVREF_NONE) {
			expect_failure(vectors[i].text, r, &e, FAIL_VALUE_INVALID,
				       "is not a device reference");
			assert_string_equal(ref.value, "untouched");
			continue;
		}
		expect_success(vectors[i].text, r, &e);
		assert_string_equal(ref.value, vectors[i].value);
		assert_string_equal(devref_print(&ref, buf, sizeof(buf)),
				    vectors[i].printed ? vectors[i].printed : vectors[i].text);
	}
}

static void test_links_of_udev(void **state)
{
	char buf[DEVREF_TEXT_SIZE];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(links); i++) {
		struct devref ref = { .kind = DEVREF_NONE };
		struct err e = { 0 };
		int r = parse(links[i].text, &ref, &e);

		if (!links[i].printed) {
			expect_failure(links[i].text, r, &e, FAIL_VALUE_INVALID,
				       "a link of udev's");
			continue;
		}
		expect_success(links[i].text, r, &e);
		assert_string_equal(devref_print(&ref, buf, sizeof(buf)), links[i].printed);
	}
}

static void test_numbers(void **state)
{
	char buf[DEVREF_TEXT_SIZE];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		struct devref ref = { .kind = DEVREF_NONE };
		struct err e = { 0 };
		int r = parse(numbers[i].text, &ref, &e);

		if (!numbers[i].right) {
			expect_failure(numbers[i].text, r, &e, FAIL_VALUE_INVALID, numbers[i].text);
			continue;
		}
		expect_success(numbers[i].text, r, &e);
		assert_int_equal(ref.kind, DEVREF_NUMBER);
		assert_int_equal(ref.major, numbers[i].major);
		assert_int_equal(ref.minor, numbers[i].minor);
		assert_string_equal(devref_print(&ref, buf, sizeof(buf)), numbers[i].printed);
	}
}

/* Whatever a value holds, its printed form is one word that means the same. */
static void test_print_and_parse_again(void **state)
{
	static const enum devref_kind kinds[] = { DEVREF_PATH,      DEVREF_SERIAL, DEVREF_PARTUUID,
						  DEVREF_PARTLABEL, DEVREF_UUID,   DEVREF_LABEL };
	char buf[DEVREF_TEXT_SIZE];

	(void)state;
	srandom(1);
	for (int round = 0; round < 20000; round++) {
		struct devref in = { .kind = kinds[(size_t)random() % ARRAY_SIZE(kinds)] }, out;
		size_t length = 1 + (size_t)random() % (DEVREF_VALUE_SIZE - 1);
		struct err e = { 0 };

		for (size_t i = 0; i < length; i++)
			in.value[i] = (char)(1 + random() % 255);
		if (in.kind == DEVREF_PATH)
			devref_node_name(in.value);
		devref_print(&in, buf, sizeof(buf));
		assert_null(strpbrk(buf, " ,\"\t\n"));
		expect_success(buf, parse(buf, &out, &e), &e);
		assert_int_equal(out.kind, in.kind);
		assert_string_equal(out.value, in.value);
	}
}

static void test_print_stays_in_its_buffer(void **state)
{
	struct devref ref = { .kind = DEVREF_PARTLABEL }, none = { .kind = DEVREF_NONE };

	(void)state;
	memset(ref.value, '\xff', sizeof(ref.value) - 1);
	for (size_t size = 1; size <= DEVREF_TEXT_SIZE; size++) {
		char *buf = malloc(size);

		assert_ptr_equal(devref_print(&ref, buf, size), buf);
		assert_true(strlen(buf) < size);
		free(buf);
	}
	assert_string_equal(devref_print(&none, ref.value, sizeof(ref.value)), "-");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_links_of_udev),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_print_and_parse_again),
		cmocka_unit_test(test_print_stays_in_its_buffer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
